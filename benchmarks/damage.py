"""Files that are not as they should be, made from files that are: changed in some bytes or values, packed, or grown.

Used by fuzz.py. `damaged` takes a file, another to take pieces from, and the pieces that its grammar knows. Grown is a
file in which something stands ten or a million times: a piece of the grammar, a piece of the file, brackets within
brackets, a piece with a number that counts up. All that is drawn by lot comes from the `rng` that is given.
"""

from __future__ import annotations

import copy
import gzip
import io
import json
import random
import re
import tarfile
import warnings
import zipfile
from collections.abc import Iterator, Sequence
from typing import Any

import installed  # noqa: F401

SIZES, SHARES = ((3, 12), (12, 17), (19, 20)), (0.98, 0.0195, 0.0005)
"""Bytes to which files are grown, as powers of two, and how often; Regis reads 1 MiB of a puzzle."""

PIECES = (
    '"', "\\", "null", "-1", "99999999999", "1e999", "<", ">", "&", "&#0;", "&amp;", "&lt", "\n", "\n\n\n", "\r", "\t",
    " ", "\0", "\x1b[2J", "\x85", "\xff", "é", "Ã©", "\u0301", "\u0301\u0323", "\u202e", "\u2028", "\ufdfa",
    "\U0001f600", "\ud800", "１", "ſ", "0", "9", "a", "a ", "A.", "_", "-", "—", ".", "...", ",", ";", ":", "=", "/",
    "#", "~", "'", "(", ")", " (", "<b>", "<br ", "<br/>", "</", "/>", "Jan ", "jan.", "1/1/", "2014-01-", "1 ",
    "1-Across ", "See 1- and ", "Abbr. ", "in ", "%d ", "x%d",
)  # fmt: skip
"""Of the grammar of texts; `%d` counts."""

NESTED = (("[", "]"), ("{", "}"), ('{"a":', "}"), ("(", ")"), ("<a>", "</a>"), ("<b>", "</b>"), ("{/", "/}"),
          (" (", ")"), ("<clues>", "</clues>"), ("<clue>", "</clue>"), ("<word>", "</word>"), ('"', '"'))  # fmt: skip
VALUES = (None, True, 0, -1, 0.5, 10**30, 1e308, float("nan"), "", "#", "0", "-1", "1e9", "9" * 4000, "<script>",
          "\ud800", "\0", "\x1b[2J", "\u202e", "\u2028", "x" * 10_000, "\u0301" * 300, [], {}, [[]], {"value": "A"},
          {"cell": None}, [1, "x"])  # fmt: skip
ENCODINGS = ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig", "cp1252", "cp437", "utf-7")
MEMBERS = ("a{}", "../../a{}", "/a{}", "a\x1b[2J{}", "b/", "C:\\a{}", "." * 200 + "{}", "2014/01/06{}", "\udcff{}")
PACKINGS = (zipfile.ZIP_STORED, *[zipfile.ZIP_DEFLATED] * 40, zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2)
ATTRIBUTE = re.compile(rb'="([^"]*)"|>([^<>]+)<')


def damaged(data: bytes, other: bytes, pieces: Sequence[str], rng: random.Random) -> bytes:
    """`data`, damaged in one way or, now and then, in two."""
    kind = rng.random()
    if kind < 0.35:
        return mutated(data, other, pieces, rng)
    if kind < 0.6:
        return grown(data, pieces, rng)
    if kind < 0.65:
        return grown(mutated(data, other, pieces, rng), pieces, rng)
    changed = exchanged(data, other, rng)
    if kind < 0.9:
        return changed
    if kind < 0.95:
        return mutated(changed, other, pieces, rng)
    return changed.decode("utf-8", "replace").encode(rng.choice(ENCODINGS), "replace")


def mutated(data: bytes, other: bytes, pieces: Sequence[str], rng: random.Random) -> bytes:
    """`data` with one to eight places changed, as bytes."""
    result = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 4, 8))):
        at = rng.randrange(len(result) + 1)
        until = min(at + int(rng.expovariate(0.1)), len(result))
        kind = rng.randrange(7)
        if kind == 0 and result:
            result[at % len(result)] = rng.randrange(256)
        elif kind == 1:
            del result[at:until]
        elif kind == 2:
            result[at:at] = result[at:until]
        elif kind == 3:
            result[at:until] = _bytes(rng.choice(pieces))
        elif kind == 4:
            begin = rng.randrange(len(other) + 1)
            result[at:until] = other[begin : begin + until - at]
        elif kind == 5 and result:
            result[at % len(result)] ^= 1 << rng.randrange(8)
        else:
            digits = [i for i, x in enumerate(result[:4096]) if 0x30 <= x <= 0x39]
            if digits:
                result[rng.choice(digits)] = rng.randrange(0x30, 0x3A)
    return bytes(result[: rng.randrange(len(result) + 1)] if rng.random() < 0.05 else result)


def grown(data: bytes, pieces: Sequence[str], rng: random.Random) -> bytes:
    """`data` with something in it again and again."""
    size = int(2 ** rng.uniform(*rng.choices(SIZES, SHARES)[0]))
    at = rng.randrange(len(data) + 1)
    if borders := [found.end() for found in re.finditer(rb'[>"\n\0:]', data)] if rng.random() < 0.6 else []:
        at = rng.choice(borders)
    kind = rng.random()
    after = b""
    if kind < 0.15:
        opening, closing = map(_bytes, rng.choice(NESTED))
        count = size // len(opening + closing)
        piece, after = opening, closing * count
    elif kind < 0.35 and data:
        begin = rng.randrange(len(data))
        piece = data[begin : begin + 1 + int(rng.expovariate(0.05))]
        count = size // len(piece)
    else:
        piece = b"".join(_bytes(rng.choice(pieces)) for _ in range(rng.choice((1, 1, 2))))
        count = size // len(piece)
    repeated = piece * count
    if b"%d" in piece:
        repeated = b"".join(piece.replace(b"%d", b"%d" % n) for n in range(size // (len(piece) + 3)))
    return data[:at] + repeated + after + data[at + rng.choice((0, 0, 1)) :]


def exchanged(data: bytes, other: bytes, rng: random.Random) -> bytes:
    """`data` with one to four values of its JSON or XML exchanged, for another file's values among others."""
    tree, stock = parsed(data), parsed(other)
    for _ in range(rng.choice((1, 1, 2, 4))):
        if isinstance(tree, (dict, list)):
            holder, key = rng.choice(list(places(tree)) or [([0], 0)])
            value = rng.choice(VALUES)
            if isinstance(stock, (dict, list)) and rng.random() < 0.3 and (found := list(places(stock))):
                from_holder, from_key = rng.choice(found)
                value = from_holder[from_key]
            holder[key] = copy.deepcopy(value)
        elif found := list(ATTRIBUTE.finditer(data)):
            spot, source = rng.choice(found), list(ATTRIBUTE.finditer(other))
            taken = rng.choice(source) if source and rng.random() < 0.5 else None
            value = (taken[1] or taken[2] or b"") if taken else _bytes(str(rng.choice(VALUES)))
            which = 1 if spot[1] is not None else 2
            data = data[: spot.start(which)] + value + data[spot.end(which) :]
        else:
            data = mutated(data, other, PIECES, rng)
    return json.dumps(tree).encode() if isinstance(tree, (dict, list)) else data


def parsed(data: bytes) -> Any:
    """The JSON in `data`, None if there is none."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def places(tree: Any) -> Iterator[tuple[Any, Any]]:
    """(holder, key) of every value in JSON."""
    waiting = [tree]
    while waiting:
        holder = waiting.pop()
        for key, value in holder.items() if isinstance(holder, dict) else enumerate(holder):
            yield holder, key
            if isinstance(value, (dict, list)):
                waiting.append(value)


def zipped(data: bytes, other: bytes, suffix: str, rng: random.Random) -> bytes:
    """A zip with `data` in it: under odd names, among others, many times, said to be encrypted or of another size."""
    stream = io.BytesIO()
    zeros = b"\0" * int(2 ** rng.uniform(5, 21))
    held = rng.choice(((data,), (data,), (data, other), (b"", data), (zeros, data), (data,) * rng.randrange(20), ()))
    with warnings.catch_warnings(action="ignore"), zipfile.ZipFile(stream, "w", rng.choice(PACKINGS)) as archive:
        for content in held:
            name = rng.choice(MEMBERS).format(suffix).encode("utf-8", "replace").decode()
            archive.writestr(zipfile.ZipInfo(name), content, archive.compression)
    result = bytearray(stream.getvalue())
    head = result.find(b"PK\1\2")
    if head >= 0 and rng.random() < 0.3:
        at = head + rng.choice((8, 10, 16, 20, 24, 28, 42))  # flags, method, checksum, sizes, name's length, offset
        result[at : at + 2] = rng.randrange(1 << 16).to_bytes(2, "little")
    return bytes(result)


def taped(files: dict[str, bytes], rng: random.Random) -> bytes:
    """A tar.gz of files, with headers of any kind and size among them."""
    data = b""
    for name, content in files.items():
        about = tarfile.TarInfo(rng.choice(("", "dict/", "../")) + name)
        about.size = len(content) if rng.random() < 0.9 else int(2 ** rng.uniform(0, 40))
        about.type = tarfile.REGTYPE if rng.random() < 0.9 else rng.choice((b"x", b"g", b"L", b"S", b"1", b"2", b"5"))
        data += about.tobuf() + content + b"\0" * (-len(content) % 512)
    return gzip.compress(data, 1)


def _bytes(piece: str) -> bytes:
    return piece.encode("utf-8", "surrogatepass")
