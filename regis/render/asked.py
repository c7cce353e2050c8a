"""What a person asked for in the place of the solution: which of their letters are wrong, or one hint; no more."""

from __future__ import annotations

import textwrap

from regis import asked
from regis.fill import Solved
from regis.puzzle import Cell, Puzzle
from regis.screen import Screen, plain


def check(solved: Solved, file: str, screen: Screen) -> str:
    """How many of the person's letters are probably wrong, then each with its place; never what is right."""
    written, wrong = asked.checked(solved)
    said = (
        f"{len(wrong) or 'none'} of the {written} letters you wrote {'is' if len(wrong) < 2 else 'are'} probably wrong."
    )
    head = _wrapped(f"{plain(file)}: {said if written else 'you wrote no letters here.'}", screen)
    places = (f"{plain(solved.puzzle.given[cell])} in {place(solved.puzzle, cell)}" for cell in wrong)
    return head + "".join(textwrap.fill(f"  {line}", screen.width, subsequent_indent="    ") + "\n" for line in places)


def hint(solved: Solved, file: str, screen: Screen) -> str:
    """One letter with its place, or a few answers to one entry; or that there is none."""
    found = asked.hint(solved)
    if found is None:
        return _wrapped(f"{plain(file)}: no hint; all is written, or nothing that is open is sure enough.", screen)
    if found.cell is None:
        which = f"{found.slot} is one of {', '.join(found.answers)}" if found.answers[1:] else ""
        said = which or f"{found.slot} is {found.answers[0]}"
    else:
        said = f"{place(solved.puzzle, found.cell)} is {found.letter}"
    return _wrapped(f"{plain(file)}: {said} ({found.probability:.0%} sure).", screen)


def place(puzzle: Puzzle, cell: Cell) -> str:
    """Where a cell is, as solvers say it: '17A letter 3, 4D letter 1'."""
    through = [slot for slot in puzzle.grid.slots if cell in slot.cells]
    return ", ".join(f"{slot} letter {slot.cells.index(cell) + 1}" for slot in through)


def _wrapped(line: str, screen: Screen) -> str:
    return textwrap.fill(line, screen.width) + "\n"
