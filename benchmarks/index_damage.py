"""An index, damaged file by file: who notices?

    python benchmarks/index_damage.py data/starter examples/midi.puz --damages 300
    python benchmarks/index_damage.py index-2013 examples/midi.puz --damages 300 --older index-2012

Each time one file of a copy, drawn by lot, is spoilt in one of the ways below: cut, grown, in some bits or as a whole,
or exchanged for that of another answer length or of an older build. Then the puzzle is solved, and the doctor looks.
Well is a damage that one of them tells of in one sentence which names the file. Bad is one that nobody tells of,
letters that change without a word, any other error, and a process that is killed. The same seed number makes the same
damage.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from multiprocessing.connection import Connection
from pathlib import Path

import installed  # noqa: F401

from regis.cli import doctor
from regis.errors import IndexError_
from regis.index import Index, manifest
from regis.puzzle import Cell, Puzzle, formats
from regis.solving.pipeline import solve

PAGE = 4096  # bytes that a disk loses together
PATIENCE = 300.0  # seconds for one damage
Spoil = Callable[[bytes, random.Random], bytes]


def bits(content: bytes, rng: random.Random, many: int) -> bytes:
    """`content` with so many bits the other way round."""
    changed = bytearray(content)
    for _ in range(many if content else 0):
        changed[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def page(content: bytes, rng: random.Random) -> bytes:
    """`content` with zeros in one page."""
    start = rng.randrange(len(content) // PAGE + 1) * PAGE
    return content[:start] + bytes(len(content[start : start + PAGE])) + content[start + PAGE :]


KINDS: Mapping[str, Spoil] = {
    "zeros": lambda content, rng: bytes(len(content)),
    "FF": lambda content, rng: b"\xff" * len(content),
    "empty": lambda content, rng: b"",
    "half": lambda content, rng: content[: len(content) // 2],
    "a byte less": lambda content, rng: content[:-1],
    "a byte more": lambda content, rng: content + b"\0",
    "doubled": lambda content, rng: content * 2,
    "one bit": lambda content, rng: bits(content, rng, 1),
    "ten bits": lambda content, rng: bits(content, rng, 10),
    "a page of zeros": page,
    "turned by a byte": lambda content, rng: content[-1:] + content[:-1],
}
EXCHANGED = ("of another length", "of an older build", "not there")


def spoilt(index: Path, older: Path | None, name: str, kind: str, rng: random.Random) -> bytes | None:
    """What the file `name` holds after damage of this kind; None if it is deleted."""
    content = (index / name).read_bytes()
    if kind in KINDS:
        return KINDS[kind](content, rng)
    if kind == "not there":
        return None
    if kind == "of an older build":
        return (older / name).read_bytes() if older and (older / name).is_file() else content
    home = (index / name).parent.parent
    others = sorted(path for path in home.glob(f"*/{Path(name).name}") if path != index / name)
    return rng.choice(others).read_bytes() if "length=" in name and others else content


def asked(folder: Path, name: str, puzzle: Puzzle, right: Mapping[Cell, str], to: Connection) -> None:
    """Sends who tells of the damage to `name`, or what went wrong."""

    def told(error: IndexError_) -> bool:
        said = str(error)
        return "\n" not in said and (name in said or manifest.NAME in said)

    by = []
    try:
        if solve(puzzle, Index.open(folder)).solution.cells != right:
            by.append("letters changed")
    except IndexError_ as error:
        by.append("solving" if told(error) else f"solving, unclear: {error}")
    except BaseException as error:
        by.append(f"{type(error).__name__}: {error}")
    try:
        doctor.verify(Index.open(folder))
    except IndexError_ as error:
        by.append("doctor" if told(error) else f"doctor, unclear: {error}")
    to.send(by)


def outcome(folder: Path, name: str, puzzle: Puzzle, right: Mapping[Cell, str]) -> list[str]:
    """What a process of its own finds out about the damaged index in `folder`."""
    ours, theirs = multiprocessing.Pipe(duplex=False)
    child = multiprocessing.get_context("fork").Process(target=asked, args=(folder, name, puzzle, right, theirs))
    child.start()
    theirs.close()
    try:
        return list(ours.recv()) if ours.poll(PATIENCE) else ["hangs"]
    except EOFError:
        child.join()
        return [f"ends with {child.exitcode}"]
    finally:
        child.kill()
        child.join()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("index", type=Path)
    parser.add_argument("puzzle", type=Path)
    parser.add_argument("--older", type=Path, help="the index of an older build, to take files from")
    parser.add_argument("--damages", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    puzzle = formats.read(formats.open_file(arguments.puzzle))[0]
    opened = Index.open(arguments.index)
    right = solve(puzzle, opened).solution.cells
    names, kinds = [*opened.manifest.files, manifest.NAME], [*KINDS, *EXCHANGED]
    by_kind: dict[str, Counter[str]] = {kind: Counter() for kind in kinds}
    bad = 0
    with tempfile.TemporaryDirectory(dir=arguments.index.resolve().parent) as place:
        folder = Path(place) / "index"
        shutil.copytree(arguments.index, folder)
        while sum(count.total() for count in by_kind.values()) < arguments.damages:
            name, kind = rng.choice(names), rng.choice(kinds)
            content = (arguments.index / name).read_bytes()
            if (worse := spoilt(arguments.index, arguments.older, name, kind, rng)) == content:
                continue
            (folder / name).unlink()
            if worse is not None:
                (folder / name).write_bytes(worse)
            found = outcome(folder, name, puzzle, right)
            well = found in (["solving", "doctor"], ["doctor"])
            by_kind[kind]["solving" if found[:1] == ["solving"] else "doctor alone" if well else "bad"] += 1
            if not well:
                bad += 1
                print(f"bad: {name}, {kind}: {'; '.join(found) or 'nobody tells'}", flush=True)
            (folder / name).write_bytes(content)
    print(f"{'':18}{'solving':>12}{'doctor alone':>14}{'bad':>6}")
    for kind, count in by_kind.items():
        print(f"{kind:18}{count['solving']:>12}{count['doctor alone']:>14}{count['bad']:>6}")
    print(f"{arguments.damages} damages of {len(names)} files, {bad} bad")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
