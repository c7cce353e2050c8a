"""Damage good files: change bytes and values, repeat, nest, and overstate their parts, and pack them.

Used by fuzz.py. `damage_file` takes a file, another to take pieces from, and the pieces of its grammar. A grown file
repeats something up to a million times: a piece of its grammar, a piece of its own, a line, brackets within brackets, a
piece with a number that counts up, an element of its JSON. The given `rng` draws everything.
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

import installation  # noqa: F401

GROWN_SIZES = ((3, 12), (12, 17), (19, 20))  # bytes, as powers of two; Regis reads 1 MiB of a puzzle
GROWN_SHARES = (0.98, 0.0195, 0.0005)  # how often each size comes

TEXT_PIECES = (
    '"', "\\", "null", "-1", "99999999999", "1e999", "<", ">", "&", "&#0;", "&amp;", "&lt", "\n", "\n\n\n", "\r", "\t",
    " ", "\0", "\x1b[2J", "\x85", "\xff", "é", "Ã©", "\u0301", "\u0301\u0323", "\u202e", "\u2028", "\ufdfa",
    "\U0001f600", "\ud800", "１", "ſ", "0", "9", "a", "a ", "A.", "_", "-", "—", ".", "...", ",", ";", ":", "=", "/",
    "#", "~", "'", "(", ")", " (", "<b>", "<br ", "<br/>", "</", "/>", "Jan ", "jan.", "1/1/", "2014-01-", "1 ",
    "1-Across ", "See 1- and ", "Abbr. ", "in ", "%d ", "x%d",
)  # fmt: skip
"""From the grammar of texts; `%d` counts."""

BRACKET_PAIRS = (("[", "]"), ("{", "}"), ('{"a":', "}"), ("(", ")"), ("<a>", "</a>"), ("<b>", "</b>"), ("{/", "/}"),
          (" (", ")"), ("<clues>", "</clues>"), ("<clue>", "</clue>"), ("<word>", "</word>"), ('"', '"'))  # fmt: skip
ODD_VALUES = (None, True, 0, -1, 0.5, 10**30, 1e308, float("nan"), "", "#", "0", "-1", "1e9", "9" * 4000, "<script>",
          "\ud800", "\0", "\x1b[2J", "\u202e", "\u2028", "x" * 10_000, "\u0301" * 300, [], {}, [[]], {"value": "A"},
          {"cell": None}, [1, "x"])  # fmt: skip
ENCODINGS = ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig", "cp1252", "cp437", "utf-7")
MEMBER_NAMES = ("a{}", "../../a{}", "/a{}", "a\x1b[2J{}", "b/", "C:\\a{}", "." * 200 + "{}", "2014/01/06{}", "\udcff{}")
ZIP_METHODS = (zipfile.ZIP_STORED, *[zipfile.ZIP_DEFLATED] * 40, zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2)
STRUCTURE_SIZES = (2, 300, 3000, 60_000)  # most repeats of an element of JSON
MAX_BYTES = 1 << 20  # bytes of a grown file
MAX_DEPTH = 300  # brackets within brackets
STATED_SIZES = (0, -1, 2, 31, 1000, 65_536, 10**9)  # false numbers for a width, a count, or a place
VALUE_PATTERN = re.compile(rb'="([^"]*)"|>([^<>]+)<')


def damage_file(data: bytes, other_data: bytes, pieces: Sequence[str], rng: random.Random) -> bytes:
    """Damage data in one or, now and then, two ways; half of the JSON or XML stays valid."""
    kind = rng.random()
    if kind < 0.25:
        return mutate_bytes(data, other_data, pieces, rng)
    if kind < 0.4:
        return grow_file(data, pieces, rng)
    if kind < 0.42:
        return grow_file(mutate_bytes(data, other_data, pieces, rng), pieces, rng)
    if kind < 0.55:
        return grow_structure(data, rng)
    changed = exchange_values(data, other_data, rng)
    if kind < 0.9:
        return changed
    if kind < 0.95:
        return mutate_bytes(changed, other_data, pieces, rng)
    return changed.decode("utf-8", "replace").encode(rng.choice(ENCODINGS), "replace")


def mutate_bytes(data: bytes, other_data: bytes, pieces: Sequence[str], rng: random.Random) -> bytes:
    """Change the data in one to eight places, as bytes."""
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
            begin = rng.randrange(len(other_data) + 1)
            result[at:until] = other_data[begin : begin + until - at]
        elif kind == 5 and result:
            result[at % len(result)] ^= 1 << rng.randrange(8)
        else:
            digits = [i for i, x in enumerate(result[:4096]) if 0x30 <= x <= 0x39]
            if digits:
                result[rng.choice(digits)] = rng.randrange(0x30, 0x3A)
    return bytes(result[: rng.randrange(len(result) + 1)] if rng.random() < 0.05 else result)


def grow_file(data: bytes, pieces: Sequence[str], rng: random.Random) -> bytes:
    """Repeat something in the data many times."""
    size = int(2 ** rng.uniform(*rng.choices(GROWN_SIZES, GROWN_SHARES)[0]))
    at = rng.randrange(len(data) + 1)
    if borders := [found.end() for found in re.finditer(rb'[>"\n\0:]', data)] if rng.random() < 0.6 else []:
        at = rng.choice(borders)
    kind = rng.random()
    after = b""
    if kind < 0.15:
        piece, after = map(_bytes, rng.choice(BRACKET_PAIRS))
    elif kind < 0.35 and data:
        begin = rng.randrange(len(data))
        piece = data[begin : begin + 1 + int(rng.expovariate(0.05))]
    else:
        piece = b"".join(_bytes(rng.choice(pieces)) for _ in range(rng.choice((1, 1, 2))))
    repeated = piece * (size // len(piece + after))
    if b"%d" in piece:
        repeated = b"".join(piece.replace(b"%d", b"%d" % n) for n in range(size // (len(piece) + 3)))
    return data[:at] + repeated + after * (size // len(piece + after)) + data[at + rng.choice((0, 0, 1)) :]


def grow_structure(data: bytes, rng: random.Random) -> bytes:
    """Repeat, nest, or overstate one to three parts: elements and numbers of JSON, or lines of anything else."""
    tree = parse_json(data)
    if not isinstance(tree, (dict, list)):
        lines = data.split(b"\n")
        begin = rng.randrange(len(lines))
        until = begin + rng.choice((1, 1, 2, 8))
        times = min(rng.choice(STRUCTURE_SIZES), MAX_BYTES // max(1, len(b"\n".join(lines[begin:until]))))
        return b"\n".join(lines[:begin] + lines[begin:until] * times + lines[until:])
    for _ in range(rng.choice((1, 1, 2, 3))):
        holder, key = rng.choice(list(json_places(tree)) or [([0], 0)])
        value, times = holder[key], rng.choice(STRUCTURE_SIZES)
        times = min(times, (MAX_BYTES - len(data)) // max(1, len(json.dumps(value))))
        if isinstance(value, int):
            holder[key] = rng.choice(STATED_SIZES)
        elif isinstance(value, (str, list)) and value and times > 0 and rng.random() < 0.8:
            holder[key] = value * times
        else:
            holder[key] = json.loads("[" * min(times, MAX_DEPTH) + json.dumps(value) + "]" * min(times, MAX_DEPTH))
        data = json.dumps(tree).encode()
        tree = json.loads(data)  # so that repeated parts share nothing
    return data


def unpack_pdf(data: bytes) -> bytes:
    """Write a PDF without compression, so that its operators can be damaged; needs pikepdf."""
    import pikepdf

    stream = io.BytesIO()
    with pikepdf.open(io.BytesIO(data)) as document:
        document.save(
            stream,
            compress_streams=False,
            stream_decode_level=pikepdf.StreamDecodeLevel.generalized,
            object_stream_mode=pikepdf.ObjectStreamMode.disable,
        )
    return stream.getvalue()


def exchange_values(data: bytes, other_data: bytes, rng: random.Random) -> bytes:
    """Exchange one to four values of JSON or XML, for instance with another file's values."""
    tree, stock = parse_json(data), parse_json(other_data)
    for _ in range(rng.choice((1, 1, 2, 4))):
        if isinstance(tree, (dict, list)):
            holder, key = rng.choice(list(json_places(tree)) or [([0], 0)])
            value = rng.choice(ODD_VALUES)
            if isinstance(stock, (dict, list)) and rng.random() < 0.3 and (found := list(json_places(stock))):
                from_holder, from_key = rng.choice(found)
                value = from_holder[from_key]
            holder[key] = copy.deepcopy(value)
        elif found := list(VALUE_PATTERN.finditer(data)):
            spot, source = rng.choice(found), list(VALUE_PATTERN.finditer(other_data))
            taken = rng.choice(source) if source and rng.random() < 0.5 else None
            value = (taken[1] or taken[2] or b"") if taken else _bytes(str(rng.choice(ODD_VALUES)))
            which = 1 if spot[1] is not None else 2
            data = data[: spot.start(which)] + value + data[spot.end(which) :]
        else:
            data = mutate_bytes(data, other_data, TEXT_PIECES, rng)
    return json.dumps(tree).encode() if isinstance(tree, (dict, list)) else data


def parse_json(data: bytes) -> Any:
    """Return the JSON in the data, None if it isn't JSON."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def json_places(tree: Any) -> Iterator[tuple[Any, Any]]:
    """Yield (holder, key) of every value in JSON."""
    waiting = [tree]
    while waiting:
        holder = waiting.pop()
        for key, value in holder.items() if isinstance(holder, dict) else enumerate(holder):
            yield holder, key
            if isinstance(value, (dict, list)):
                waiting.append(value)


def pack_zip(data: bytes, other_data: bytes, suffix: str, rng: random.Random) -> bytes:
    """Pack data into a zip: with odd names, among other files, many times, or with false flags and sizes."""
    stream = io.BytesIO()
    zeros = b"\0" * int(2 ** rng.uniform(5, 21))
    copies = (data,) * rng.randrange(20)
    held = rng.choice(((data,), (data,), (data, other_data), (b"", data), (zeros, data), copies, ()))
    with warnings.catch_warnings(action="ignore"), zipfile.ZipFile(stream, "w", rng.choice(ZIP_METHODS)) as archive:
        for content in held:
            name = rng.choice(MEMBER_NAMES).format(suffix).encode("utf-8", "replace").decode()
            archive.writestr(zipfile.ZipInfo(name), content, archive.compression)
    result = bytearray(stream.getvalue())
    head = result.find(b"PK\1\2")
    if head >= 0 and rng.random() < 0.3:
        at = head + rng.choice((8, 10, 16, 20, 24, 28, 42))  # flags, method, checksum, sizes, name's length, offset
        result[at : at + 2] = rng.randrange(1 << 16).to_bytes(2, "little")
    return bytes(result)


def pack_tar(files: dict[str, bytes], rng: random.Random) -> bytes:
    """Pack files into a tar.gz, some with odd headers."""
    data = b""
    for name, content in files.items():
        about = tarfile.TarInfo(rng.choice(("", "dict/", "../")) + name)
        about.size = len(content) if rng.random() < 0.9 else int(2 ** rng.uniform(0, 40))
        about.type = tarfile.REGTYPE if rng.random() < 0.9 else rng.choice((b"x", b"g", b"L", b"S", b"1", b"2", b"5"))
        data += about.tobuf() + content + b"\0" * (-len(content) % 512)
    return gzip.compress(data, 1)


def _bytes(piece: str) -> bytes:
    return piece.encode("utf-8", "surrogatepass")
