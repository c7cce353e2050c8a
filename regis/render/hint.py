"""What a person asked for in the place of the solution: which of their letters are wrong, or one hint; no more.

Each is one line, however wide the screen is, so that other programs can read it line by line.
"""

from __future__ import annotations

from regis.puzzle import Cell, Puzzle
from regis.solving import hint as hints
from regis.solving.hint import Hint
from regis.solving.solved import Solved
from regis.system.terminal import Screen, plain

LATE = "there was no time to look at the letters you wrote; give more --seconds."


def check(solved: Solved, file: str, screen: Screen) -> str:
    """How many of the person's letters are probably wrong, then each with its place; never what is right."""
    judged, others, late, wrong = solved.checked
    are = "is" if len(wrong) < 2 else "are"
    lines = [f"{len(wrong) or 'none'} of the {judged} letters you wrote {are} probably wrong."]
    if judged == 1:
        lines = [f"the letter you wrote is probably {'wrong' if wrong else 'right'}."]
    elif late:
        lines = [LATE]
    elif not judged:
        lines = ["no letter that you wrote was looked at:" if others else "you wrote no letters here."]
    lines += [f"  {plain(solved.puzzle.given[cell])} in {place(solved.puzzle, cell)}" for cell in wrong]
    if others:
        squares = "square" if others == 1 else "squares"
        were = "was" if others == 1 else "were"
        lines.append(f"  {others} {squares} with several letters or a digit {were} not looked at")
    return f"{plain(file)}: " + "\n".join(lines) + "\n"


def hint(solved: Solved, file: str, screen: Screen) -> str:
    """One letter with its place, or a few answers to one entry; or that there is none."""
    return f"{plain(file)}: {sentence(hints.hint(solved), solved.puzzle)}\n"


def sentence(found: Hint | None, puzzle: Puzzle) -> str:
    """A hint in words."""
    if found is None:
        return "no hint; all is written, or nothing that is open is sure enough."
    if found.cell is not None:
        return f"{place(puzzle, found.cell)} is {found.letter} ({found.probability:.0%} sure)."
    which = f"one of {', '.join(found.answers)}" if len(found.answers) > 1 else found.answers[0]
    return f"{found.slot} is {which} ({found.probability:.0%} sure)."


def place(puzzle: Puzzle, cell: Cell) -> str:
    """Where a cell is, as solvers say it: '17A letter 3, 4D letter 1'."""
    return ", ".join(f"{slot} letter {i + 1}" for slot, i in puzzle.grid.through.get(cell, ()))
