"""Damage an index file by file: does Regis notice?

    python benchmarks/index_damage.py data/starter examples/midi.puz --damages 300
    python benchmarks/index_damage.py index-2013 examples/midi.puz --damages 300 --older index-2012
    python benchmarks/index_damage.py index-2013 examples/midi.puz --damages 500 --recompute

Each time, a random file of a copy is damaged: cut, grown, changed in some bits or entirely, or replaced by that of
another answer length or of an older build. Then the puzzle is solved, and the doctor checks the index. A damage counts
as told if one of them names the file in one sentence. It's bad if neither does, if letters change without a word, or on
any other error or a killed process. The same seed number makes the same damage.

--recompute updates sizes and checksums, as an attacker could. Then no one has to notice, and bad is only another error,
a process that hangs or is killed, and a file outside the index that changes.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import shutil
import sys
import tempfile
import zlib
from collections import Counter
from collections.abc import Callable, Mapping
from multiprocessing.connection import Connection
from pathlib import Path

import damage
import installation  # noqa: F401

from regis.cli import doctor
from regis.errors import IndexError_
from regis.index import Index
from regis.index.storage import manifest, publish, validation
from regis.index.storage.manifest import Manifest
from regis.puzzle import Cell, Puzzle, formats
from regis.solving.pipeline import solve
from regis.system import paths

PAGE_BYTES = 4096  # bytes that a disk loses together
MAX_WAIT_SECONDS = 300.0  # most seconds for one damage
SpoilFunction = Callable[[bytes, random.Random], bytes]


def flip_bits(content: bytes, rng: random.Random, bit_count: int) -> bytes:
    """Flip `bit_count` bits of the content."""
    changed = bytearray(content)
    for _ in range(bit_count if content else 0):
        changed[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def zero_page(content: bytes, rng: random.Random) -> bytes:
    """Fill one page of the content with zeros."""
    start = rng.randrange(len(content) // PAGE_BYTES + 1) * PAGE_BYTES
    return content[:start] + bytes(len(content[start : start + PAGE_BYTES])) + content[start + PAGE_BYTES :]


DAMAGE_KINDS: Mapping[str, SpoilFunction] = {
    "zeros": lambda content, rng: bytes(len(content)),
    "FF": lambda content, rng: b"\xff" * len(content),
    "empty": lambda content, rng: b"",
    "half": lambda content, rng: content[: len(content) // 2],
    "a byte less": lambda content, rng: content[:-1],
    "a byte more": lambda content, rng: content + b"\0",
    "doubled": lambda content, rng: content * 2,
    "one bit": lambda content, rng: flip_bits(content, rng, 1),
    "ten bits": lambda content, rng: flip_bits(content, rng, 10),
    "a page of zeros": zero_page,
    "turned by a byte": lambda content, rng: content[-1:] + content[:-1],
}
EXCHANGE_KINDS = ("of another length", "of an older build", "not there")


def damage_content(
    index: Path, older_index: Path | None, file_name: str, kind: str, rng: random.Random
) -> bytes | None:
    """Return the file's content after this kind of damage; None if it is deleted."""
    content = (index / file_name).read_bytes()
    if kind in DAMAGE_KINDS:
        return DAMAGE_KINDS[kind](content, rng)
    if kind == "not there":
        return None
    if kind == "of an older build":
        has_older = older_index and (older_index / file_name).is_file()
        return (older_index / file_name).read_bytes() if has_older else content
    same_part = file_name.replace(file_name.split("/")[0], "*", 1)
    others = sorted(path for path in index.glob(same_part) if path != index / file_name)
    return rng.choice(others).read_bytes() if "length=" in file_name and others else content


def recompute_checksums(folder: Path, sound: Manifest, file_name: str, rng: random.Random) -> None:
    """Make the manifest match the damaged index; if the manifest is damaged, with other values."""
    record = publish.write_manifest(folder, sound)
    raw = json.loads(record.to_json())
    if file_name == manifest.MANIFEST_NAME:
        text = json.dumps(raw).encode()
        raw = json.loads(damage.exchange_values(text, text, rng))
        if isinstance(raw.get("checksums"), dict):
            raw["checksums"].pop(manifest.MANIFEST_NAME, None)
            raw["checksums"][manifest.MANIFEST_NAME] = f"{zlib.crc32(manifest._json(raw).encode()):08x}"
    (folder / manifest.MANIFEST_NAME).write_text(manifest._json(raw), errors="surrogatepass")


def send_reports(
    folder: Path, file_name: str, puzzle: Puzzle, expected_cells: Mapping[Cell, str], to: Connection
) -> None:
    """Send the part of Regis that reports the damage, or what went wrong."""

    def is_clear(error: IndexError_) -> bool:
        sentence = str(error)
        folder_name = file_name.split("/")[0].removesuffix(".arrays")  # a damaged manifest may blame any file
        names = () if file_name == manifest.MANIFEST_NAME else (folder_name, manifest.MANIFEST_NAME)
        return "\n" not in sentence and (not names or any(name in sentence for name in names))

    reports = []
    try:
        if solve(puzzle, Index.open(folder)).fill.cells != expected_cells:
            reports.append("letters changed")
    except IndexError_ as error:
        reports.append("solving" if is_clear(error) else f"solving, unclear: {error}")
    except BaseException as error:
        reports.append(f"{type(error).__name__}: {error}")
    try:
        doctor.verify_checksums(Index.open(folder))
    except IndexError_ as error:
        reports.append("doctor" if is_clear(error) else f"doctor, unclear: {error}")
    to.send(reports)


def examine_damage(folder: Path, file_name: str, puzzle: Puzzle, expected_cells: Mapping[Cell, str]) -> list[str]:
    """Return what a separate process finds out about the damaged index in `folder`."""
    ours, theirs = multiprocessing.Pipe(duplex=False)
    child = multiprocessing.get_context("fork").Process(
        target=send_reports, args=(folder, file_name, puzzle, expected_cells, theirs)
    )
    child.start()
    theirs.close()
    try:
        return list(ours.recv()) if ours.poll(MAX_WAIT_SECONDS) else ["hangs"]
    except EOFError:
        child.join()
        return [f"ends with {child.exitcode}"]
    finally:
        child.kill()
        child.join()


def _neighbors(folder: Path) -> dict[str, bytes]:
    """Return the files next to the index."""
    return {path.name: path.read_bytes() for path in folder.parent.iterdir() if path.is_file()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("index", type=Path)
    parser.add_argument("puzzle", type=Path)
    parser.add_argument("--older", type=Path, help="the index of an older build, to take files from")
    parser.add_argument("--damages", type=int, default=300)
    parser.add_argument("--recompute", action="store_true", help="make sizes and checksums anew after each damage")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    puzzle = formats.read_puzzle(formats.open_file(arguments.puzzle))[0]
    arguments.index = paths.index_home(arguments.index)
    expected_cells = solve(puzzle, Index.open(arguments.index)).fill.cells
    sound = validation.read_manifest(arguments.index)
    names, kinds = [*sound.files, manifest.MANIFEST_NAME], [*DAMAGE_KINDS, *EXCHANGE_KINDS]
    by_kind: dict[str, Counter[str]] = {kind: Counter() for kind in kinds}
    bad = 0
    with tempfile.TemporaryDirectory(dir=arguments.index.resolve().parent) as place:
        folder = Path(place) / "index"
        shutil.copytree(arguments.index, folder, ignore=shutil.ignore_patterns("derived"))
        (Path(place) / "notes.txt").write_text("precious")
        neighbors = _neighbors(folder)
        while sum(count.total() for count in by_kind.values()) < arguments.damages:
            file_name, kind = rng.choice(names), rng.choice(kinds)
            content = (arguments.index / file_name).read_bytes()
            if (worse := damage_content(arguments.index, arguments.older, file_name, kind, rng)) == content:
                continue
            (folder / file_name).unlink()
            if worse is not None:
                (folder / file_name).write_bytes(worse)
            if arguments.recompute:
                recompute_checksums(folder, sound, file_name, rng)
            found = examine_damage(folder, file_name, puzzle, expected_cells)
            well = found in (["solving", "doctor"], ["doctor"])
            if arguments.recompute:
                well = set(found) <= {"letters changed", "solving", "doctor"} and neighbors == _neighbors(folder)
            by_kind[kind]["solving" if found[:1] == ["solving"] else "doctor alone" if well else "bad"] += 1
            if not well:
                bad += 1
                print(f"bad: {file_name}, {kind}: {'; '.join(found) or 'nobody tells'}", flush=True)
            (folder / file_name).write_bytes(content)
            shutil.copy(arguments.index / manifest.MANIFEST_NAME, folder)
    print(f"{'':18}{'solving':>12}{'doctor alone':>14}{'bad':>6}")
    for kind, count in by_kind.items():
        print(f"{kind:18}{count['solving']:>12}{count['doctor alone']:>14}{count['bad']:>6}")
    print(f"{arguments.damages} damages of {len(names)} files, {bad} bad")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
