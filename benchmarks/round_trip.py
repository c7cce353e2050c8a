"""Convert puzzles from .puz to .ipuz to .xd and back, and say what is lost, which should be nothing.

    python benchmarks/round_trip.py puzzles/2014 --limit 200

Compares the first file and the last as puzpy reads them: every text, both grids, rebus squares, circles. At the end, it
says how many are the same, byte for byte. It skips and names files that Regis can't read or that aren't .puz.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import installation  # noqa: F401
import puz

from regis.errors import PuzzleError
from regis.puzzle import formats
from regis.puzzle.formats import PuzzleFile

FORMAT_ROAD = ("ipuz", "xd", "puz")


def convert_back(file: PuzzleFile) -> bytes:
    """Convert a file through all formats; return the final .puz."""
    for target in FORMAT_ROAD:
        data, lost = formats.convert_file(file, target)
        for sentence in lost:
            print(sentence)
        file = PuzzleFile(f"{file.name}>{target}", data)
    return file.data


def puz_facts(data: bytes) -> dict[str, Any]:
    """Read the contents of a .puz, by name."""
    file = puz.load(data)
    names = ("title", "author", "copyright", "notes", "clues", "width", "height", "solution", "fill", "solution_state")
    rebus = {i: file.rebus().get_rebus_solution(i) for i in file.rebus().get_rebus_squares()}
    circles = file.markup().get_markup_squares(puz.GridMarkup.Circled)
    return {name: getattr(file, name) for name in names} | {"rebus": rebus, "circles": circles}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archive", type=Path)
    parser.add_argument("--limit", type=int, help="only so many puzzles, spread evenly")
    arguments = parser.parse_args()
    files = [file for file in formats.open_files(arguments.archive) if file.name.lower().endswith(".puz")]
    limit = min(arguments.limit or len(files), len(files))
    done = lossy = same = rebus = scripts = 0
    for file in (files[i * len(files) // limit] for i in range(limit)):
        try:
            back = convert_back(file)
            before, after = puz_facts(file.data), puz_facts(back)
        except (PuzzleError, puz.PuzzleFormatError) as error:
            print(f"skipped: {file.name}: {error}")
            continue
        changed = [name for name in before if before[name] != after[name]]
        if changed:
            print(f"{file.name} lost {', '.join(changed)}")
        done, lossy, same = done + 1, lossy + bool(changed), same + (back == file.data)
        rebus, scripts = rebus + bool(before["rebus"]), scripts + (not "".join(before["clues"]).isascii())
    print(
        f"{done} puzzles, {rebus} with rebus squares, {scripts} with letters beyond ASCII: "
        f".puz > .{' > .'.join(FORMAT_ROAD)}"
    )
    print(f"{lossy} lost something; {same} are the same to the byte")
    return int(lossy > 0 or not done)


if __name__ == "__main__":
    sys.exit(main())
