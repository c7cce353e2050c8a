"""Draws to files: writes NAME.puz beside every NAME.txt here and in the folders below.

A drawing holds the title and the author, the grid with its solution (`#` is a block), and the clues under `Across` and
`Down`, each behind its number and a full stop. `Rebus: 1=CAT 2=DOG` says what digits in the grid stand for. The same
drawing always gives the same bytes.

    python examples/make.py
"""

from __future__ import annotations

import sys
from pathlib import Path

try:
    import puz

    from regis.puzzle import Direction, Grid
except ModuleNotFoundError as lacking:
    raise SystemExit(f"{lacking.name} is not installed; take .venv/bin/python (`make example` makes it)") from None

BLOCK = "#"


class DrawingError(Exception):
    """A drawing that makes no puzzle; the message says which and why."""


def draw_puz(drawing: Path) -> bytes:
    """Draw one .puz file. Raises DrawingError where grid and clues do not belong together."""
    head, grid, *sections = drawing.read_text(encoding="utf-8").strip().split("\n\n")
    about = dict(line.split(": ", 1) for line in head.splitlines())
    rows = grid.splitlines()
    if len({len(row) for row in rows}) != 1:
        raise DrawingError(f"{drawing.name}: the rows of the grid are not equally long")
    slots = Grid(tuple("".join(BLOCK if x == BLOCK else "." for x in row) for row in rows)).slots
    clues = {slot: clue for section in sections for slot, clue in _clues(section)}
    if clues.keys() != {str(slot) for slot in slots}:
        wrong = sorted(clues.keys() ^ {str(slot) for slot in slots})
        raise DrawingError(f"{drawing.name}: either clue or entry is missing for {', '.join(wrong)}")
    file = puz.Puzzle()
    file.height, file.width = len(rows), len(rows[0])
    drawn = "".join(rows).replace(BLOCK, ".")
    rebus = dict(pair.split("=") for pair in about.get("Rebus", "").split())
    file.solution = "".join(rebus.get(x, x)[0] for x in drawn)
    file.fill = "".join("." if x == "." else "-" for x in file.solution)
    file.clues = [clues[str(slot)] for slot in slots]
    for place, x in enumerate(drawn):
        if x in rebus:
            file.rebus().add_rebus_squares(place, rebus[x])
    file.title, file.author = about["Title"], about["Author"]
    return bytes(file.tobytes())


def _clues(section: str) -> list[tuple[str, str]]:
    """Read ('17A', clue) from each line below `Across` or `Down`."""
    heading, *lines = section.splitlines()
    direction = Direction[heading.upper()].value
    return [(f"{number}{direction}", clue) for number, clue in (line.split(". ", 1) for line in lines)]


def main() -> int:
    """Write all files; return the exit code."""
    here = Path(__file__).parent
    for drawing in sorted([*here.glob("*.txt"), *here.glob("minis/*.txt")]):
        file = drawing.with_suffix(".puz")
        file.write_bytes(draw_puz(drawing))
        sys.stdout.write(f"{file.relative_to(here).as_posix()}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
