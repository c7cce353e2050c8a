"""Damaged puzzle files by the thousand: each is read, or refused in one sentence, and nothing else happens.

    python benchmarks/fuzz.py examples/formats puzzles/2014 --inputs 100000

The files named are the seeds, and so are the same in the formats that can be written. An input is a seed with some
bytes changed, removed, doubled or exchanged for a piece of another seed or of the format's grammar; or one with a value
exchanged somewhere in its JSON or XML, in another encoding, or in a zip that is not as it should be. What can be read
is also asked for its solution and, one time in ten, written in every format and drawn in every way. Anything but a
PuzzleError of one line is printed with the seed and the number of the input, and so is one that takes long or has no
end of memory. The same seed number makes the same inputs.
"""

from __future__ import annotations

import argparse
import copy
import io
import json
import os
import random
import re
import resource
import sys
import tempfile
import time
import traceback
import warnings
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import installed  # noqa: F401

from regis.errors import PuzzleError
from regis.puzzle import Puzzle, formats
from regis.puzzle.formats import WRITABLE, PuzzleFile
from regis.render import RENDERERS
from regis.solving.solution import Answer, Solution, Solved
from regis.system.terminal import Screen

SEEDS_A_FORMAT = 40
SLOW = 2.0  # processor seconds for one input
MEMORY = 2 << 30  # bytes for all of them
PIECES = [b'"', b"{", b"}", b"[", b"]", b"null", b"-1", b"99999999999", b"1e999", b"<", b">", b"&", b"&#0;", b"\n\n\n",
          b"\xff", b"\0", b" ~ ", b"#", b".", b"</", b"/>", b"<!DOCTYPE", b"\\ud800", b"\xe2\x80\xae", b"=", b":", b",",
          b"<GRID>", b"## Grid\n", b'"cells":', b'x="1-99"', b"ACROSS&DOWN", b"\x1b[2J"]  # fmt: skip
VALUES = [None, True, 0, -1, 0.5, 10**30, 1e308, float("nan"), "", "#", "0", "-1", "1e9", "<script>", "\ud800", "\0",
          "\x1b[2J", "\u202e", "\u2028", "x" * 10_000, "\u0301" * 300, [], {}, [[]], {"value": "A"}, {"cell": None},
          [1, "x"]]  # fmt: skip
ENCODINGS = ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig", "cp1252", "cp437", "utf-7")
MEMBERS = ("a.puz", "../../a.ipuz", "/a.xd", "a\x1b[2J.jpz", "b/", "C:\\a.puz", "a.xml", "." * 200 + ".puz")
PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA)
ATTRIBUTE = re.compile(rb'="([^"]*)"|>([^<>]+)<')


def seeds(places: list[Path]) -> dict[str, list[PuzzleFile]]:
    """By format up to `SEEDS_A_FORMAT` files: those named first, then the same in the formats that can be written."""
    found: dict[str, list[PuzzleFile]] = {}
    for place in places:
        for file in formats.open_files(place):
            kind = Path(file.name).suffix
            found.setdefault(kind, []).append(file)
            for target in WRITABLE if len(found[kind]) <= SEEDS_A_FORMAT else ():
                data = formats.written(file, target)[0]
                found.setdefault(f".{target}", []).append(PuzzleFile(f"{file.name}>{target}", data))
    return {kind: files[:SEEDS_A_FORMAT] for kind, files in sorted(found.items())}


def damaged(data: bytes, other: bytes, rng: random.Random) -> bytes:
    """`data`, damaged in one way or, now and then, in two."""
    kind = rng.random()
    if kind < (0.4 if data.startswith(b"{") else 0.7):  # of JSON little is left after that
        return mutated(data, other, rng)
    changed = exchanged(data, other, rng)
    if kind < 0.85:
        return changed
    if kind < 0.9:
        return changed.decode("utf-8", "replace").encode(rng.choice(ENCODINGS), "replace")
    if kind < 0.95:
        return mutated(zipped(data, other, rng), data, rng) if rng.random() < 0.5 else zipped(data, other, rng)
    return mutated(changed, other, rng)


def mutated(data: bytes, other: bytes, rng: random.Random) -> bytes:
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
            result[at:until] = rng.choice(PIECES)
        elif kind == 4:
            begin = rng.randrange(len(other))
            result[at:until] = other[begin : begin + until - at]
        elif kind == 5 and result:
            result[at % len(result)] ^= 1 << rng.randrange(8)
        else:
            digits = [i for i, x in enumerate(result[:4096]) if 0x30 <= x <= 0x39]
            if digits:
                result[rng.choice(digits)] = rng.randrange(0x30, 0x3A)
    return bytes(result[: rng.randrange(len(result) + 1)] if rng.random() < 0.05 else result)


def exchanged(data: bytes, other: bytes, rng: random.Random) -> bytes:
    """`data` with one to four values of its JSON or XML exchanged, for other seeds' values among others."""
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
            value = (taken[1] or taken[2] or b"") if taken else str(rng.choice(VALUES)).encode("utf-8", "surrogatepass")
            which = 1 if spot[1] is not None else 2
            data = data[: spot.start(which)] + value + data[spot.end(which) :]
    if isinstance(tree, (dict, list)):
        data = json.dumps(tree).encode()
        if rng.random() < 0.05:
            depth = rng.choice((50, 500, 5000, 50_000))
            data = data.replace(b"null", b"[" * depth + b"]" * depth, 1)
    return data


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
            if isinstance(value, (dict, list)) and len(waiting) < 10_000:
                waiting.append(value)


def zipped(data: bytes, other: bytes, rng: random.Random) -> bytes:
    """A zip with `data` in it: under odd names, among others, twice, said to be encrypted or of another size."""
    stream = io.BytesIO()
    with warnings.catch_warnings(action="ignore"), zipfile.ZipFile(stream, "w", rng.choice(PACKINGS)) as archive:
        for content in rng.choice(((data,), (data, other), (b"", data), (b"\0" * 3_000_000, data), ())):
            archive.writestr(zipfile.ZipInfo(rng.choice(MEMBERS)), content, archive.compression)
    result = bytearray(stream.getvalue())
    head = result.find(b"PK\1\2")
    if head >= 0 and rng.random() < 0.5:
        at = head + rng.choice((8, 10, 16, 20, 24, 28, 42))  # flags, method, checksum, sizes, name's length, offset
        result[at : at + 2] = rng.randrange(1 << 16).to_bytes(2, "little")
    return bytes(result)


def files_in(data: bytes) -> list[PuzzleFile]:
    """What would be read of `data`, a file named x; of a zip its members, as the command line does."""
    if not data.startswith(b"PK"):
        return [PuzzleFile("x", data)]
    Path("x").write_bytes(data)
    return list(formats.open_files(Path("x")))


def outcome(data: bytes, thorough: bool) -> str:
    """'read' or 'refused'; whatever else is raised goes on."""
    try:
        for file in files_in(data):
            puzzle, told = formats.read(file)
            formats.solution(file)
            assert all(x.startswith("x") and x.isprintable() for x in told), told
            if thorough:
                for target in WRITABLE:
                    formats.written(file, target)
                drawn(puzzle)
    except PuzzleError as error:
        sentence = str(error)
        assert sentence.startswith(("x ", "x/")) and sentence.isprintable() and len(sentence) < 500, sentence
        return "refused"
    return "read"


def drawn(puzzle: Puzzle) -> None:
    """The puzzle with the letters that somebody wrote, in every way that can be printed."""
    solution = Solution(puzzle.given, dict.fromkeys(puzzle.given, 0.5), {})
    answers = tuple(Answer(slot, clue, solution.answer(slot), 0.5, (), ()) for slot, clue in puzzle.clues.items())
    for render in RENDERERS.values():
        shown = render(Solved(puzzle, solution, answers, "belief", 0.0, "0" * 12), "x", Screen())
        assert all(c.isprintable() or c == "\n" for c in shown), "a character that a terminal may obey"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("places", type=Path, nargs="+")
    parser.add_argument("--inputs", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    rng = random.Random(arguments.seed)
    files = seeds(arguments.places)
    kinds = list(files)
    folder = tempfile.TemporaryDirectory()
    os.chdir(folder.name)
    counts: Counter[tuple[str, str]] = Counter()
    bad, start = 0, time.perf_counter()
    try:
        for number in range(arguments.inputs):
            kind = rng.choice(kinds)  # each format has the same share
            seed, other = rng.choice(files[kind]), rng.choice(files[rng.choice((kind, kind, rng.choice(kinds)))])
            data = damaged(seed.data, other.data, rng)
            begun = time.process_time()
            try:
                result = outcome(data, thorough=rng.random() < 0.1)
            except Exception:
                result = "FAILED"
                traceback.print_exc(limit=-3)
            if result == "FAILED" or time.process_time() - begun > SLOW:
                bad += 1
                print(f"input {number}, from {seed.name}: {result}, {time.process_time() - begun:.1f} s", flush=True)
            counts[kind, result] += 1
    except KeyboardInterrupt:
        print("interrupted; this is what was done")
    print(f"{'':8} {'seeds':>8} {'read':>8} {'refused':>8} {'failed':>8}")
    for kind in kinds:
        numbers = (len(files[kind]), *(counts[kind, x] for x in ("read", "refused", "FAILED")))
        print(f"{kind:8} " + " ".join(f"{number:8,d}" for number in numbers))
    print(f"{counts.total():,d} inputs in {time.perf_counter() - start:.0f} s, {bad} bad")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
