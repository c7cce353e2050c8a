"""Damaged puzzle files by the thousand: each is read, or refused in one sentence, and nothing else happens.

    python benchmarks/fuzz.py examples/formats puzzles/2014 --inputs 100000

The files named are the seeds, and so are the same in the formats that can be written. An input is a seed
with some bytes changed, removed, doubled or exchanged for a piece of another seed or of the format's grammar. What can
be read is also asked for its solution and, one time in ten, written in every format. Anything but a PuzzleError of one
line is printed with the seed and the number of the input, and so is one that takes long. The same seed number makes the
same inputs.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
import traceback
from collections import Counter
from pathlib import Path

from regis import formats
from regis.errors import PuzzleError
from regis.formats import WRITABLE, PuzzleFile

SEEDS_A_FORMAT = 40
SLOW = 2.0  # processor seconds for one input
PIECES = [b'"', b"{", b"}", b"[", b"]", b"null", b"-1", b"99999999999", b"1e999", b"<", b">", b"&", b"&#0;", b"\n\n\n",
          b"\xff", b"\0", b" ~ ", b"#", b".", b"</", b"/>", b"<!DOCTYPE", b"\\ud800", b"\xe2\x80\xae", b"=", b":", b",",
          b"<GRID>", b"## Grid\n", b'"cells":', b'x="1-99"', b"ACROSS&DOWN", b"\x1b[2J"]  # fmt: skip


def seeds(places: list[Path]) -> list[PuzzleFile]:
    """Up to `SEEDS_A_FORMAT` files a format: those named first, then the same in the formats that can be written."""
    found: dict[str, list[PuzzleFile]] = {}
    for place in places:
        for file in formats.open_files(place):
            kind = Path(file.name).suffix
            found.setdefault(kind, []).append(file)
            for target in WRITABLE if len(found[kind]) <= SEEDS_A_FORMAT else ():
                data = formats.written(file, target)[0]
                found.setdefault(f".{target}", []).append(PuzzleFile(f"{file.name}>{target}", data))
    for kind, files in sorted(found.items()):
        print(f"{kind}: {min(len(files), SEEDS_A_FORMAT)} seeds")
    return [file for files in found.values() for file in files[:SEEDS_A_FORMAT]]


def mutated(data: bytes, other: bytes, rng: random.Random) -> bytes:
    """`data`, damaged in one to eight places."""
    result = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 4, 8))):
        at = rng.randrange(len(result) + 1)
        until = min(at + int(rng.expovariate(0.1)), len(result))
        kind = rng.randrange(6)
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
        else:
            digits = [i for i, x in enumerate(result[:4096]) if 0x30 <= x <= 0x39]
            if digits:
                result[rng.choice(digits)] = rng.randrange(0x30, 0x3A)
    return bytes(result[: rng.randrange(len(result) + 1)] if rng.random() < 0.05 else result)


def outcome(file: PuzzleFile, thorough: bool) -> str:
    """'read' or 'refused'; whatever else is raised goes on."""
    try:
        formats.read(file)
        formats.solution(file)
        for target in WRITABLE if thorough else ():
            formats.written(file, target)
    except PuzzleError as error:
        sentence = str(error)
        assert sentence.startswith("x ") and sentence.isprintable() and len(sentence) < 300, sentence
        return "refused"
    return "read"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("places", type=Path, nargs="+")
    parser.add_argument("--inputs", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    files = seeds(arguments.places)
    counts: Counter[tuple[str, str]] = Counter()
    bad, start = 0, time.perf_counter()
    try:
        for number in range(arguments.inputs):
            seed, other = rng.choice(files), rng.choice(files)
            data = mutated(seed.data, other.data, rng)
            begun = time.process_time()
            try:
                result = outcome(PuzzleFile("x", data), thorough=rng.random() < 0.1)
            except Exception:
                result = "FAILED"
                traceback.print_exc(limit=-3)
            if result == "FAILED" or time.process_time() - begun > SLOW:
                bad += 1
                print(f"input {number}, from {seed.name}: {result}, {time.process_time() - begun:.1f} s", flush=True)
            counts[Path(seed.name.replace(">", ".")).suffix, result] += 1
    except KeyboardInterrupt:
        print("interrupted; this is what was done")
    print(f"{'':8} {'read':>8} {'refused':>8} {'failed':>8}")
    for kind in sorted({kind for kind, _ in counts}):
        print(f"{kind:8} " + " ".join(f"{counts[kind, x]:8,d}" for x in ("read", "refused", "FAILED")))
    print(f"{counts.total():,d} inputs in {time.perf_counter() - start:.0f} s, {bad} bad")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
