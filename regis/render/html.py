"""A solved puzzle as a page of its own, and as a fragment for notebooks.

The page is one file that loads nothing and runs nothing. It can be printed, is light or dark as the screen is, and
shows the answers when asked to; a person's own letters are always there. All that comes from the puzzle is escaped,
and its writing direction kept to itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

from regis.puzzle import Direction
from regis.render import grid, template
from regis.render.drawing import DrawnSquare, drawing
from regis.solving.solved import DOUBTFUL, Solved
from regis.system.terminal import Screen, plain

COLUMN = 17
"""Squares that half a sheet of paper is wide enough for, 5 mm each; in wider grids nobody could read the numbers."""


def render(solved: Solved, file: str, screen: Screen) -> str:
    """The page; the screen makes no difference."""
    puzzle, shared = solved.puzzle, _shared(solved)
    about = (puzzle.author, puzzle.date.isoformat() if puzzle.date else "", puzzle.copyright)
    return template.filled(
        "puzzle.html",
        title=plain(puzzle.title) or plain(Path(file).name),
        about=[shown for text in about if (shown := plain(text))],
        notes=plain(puzzle.notes),
        made=f"Filled by Regis, {solved.filler}, with index {solved.index}.",
        column=COLUMN,
        legend=list(_legend(solved, shared["squares"])),
        in_words=[", ".join(map(_in_words, row)) for _, row in groupby(shared["squares"], key=lambda x: x.row)],
        **shared,
    )


def fragment(solved: Solved) -> str:
    """One <div>: title, grid, entries."""
    return template.filled("fragment.html", title=plain(solved.puzzle.title), **_shared(solved))


def _shared(solved: Solved) -> dict[str, Any]:
    """What the page and the fragment both have: the grid, and 'Across' and 'Down' if there are such entries."""
    lists = [(d.name.capitalize(), [a for a in solved.answers if a.slot.direction is d]) for d in Direction]
    return {
        "lists": [(name, entries) for name, entries in lists if entries],
        "word": partial(grid.word, solved, screen=Screen()),
        "doubtful": DOUBTFUL,
        "wrong_cells": solved.wrong or frozenset(),
        **drawing(solved),
    }


def _legend(solved: Solved, drawn: Sequence[DrawnSquare]) -> Iterator[str]:
    yield grid.legend(solved, None)
    if any(square.doubt for square in drawn):
        yield "The less sure a letter is, the denser its square is hatched."
    if solved.wrong is not None:
        count = sum(square.wrong for square in drawn)
        yield f"With a cross in the corner: wrong, by the solution in the file; {count} letter{'s' * (count != 1)}."
    if 0 < sum(square.own for square in drawn) < len(solved.solution.cells):
        yield "Bold: the letters that you wrote."


def _in_words(square: DrawnSquare) -> str:
    """A square for those who do not see it."""
    if square.block:
        return "block"
    marks = [f"{square.sure:.0%} sure"] * bool(square.doubt) + ["wrong"] * square.wrong + ["yours"] * square.own
    marks += ["circled"] * square.circled + ["shaded"] * square.shaded
    marks += [f"bar {side}" for side in ("right", "below") if side[0].upper() in square.sides]
    return (square.content or "empty") + (f" ({', '.join(marks)})" if marks else "")
