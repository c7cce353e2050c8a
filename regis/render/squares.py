"""A solved grid square by square, as all pictures of it are drawn: what each square shows and how sure it is.

The letters are marked as in text: doubtful ones are lower case, very doubtful ones have a question mark. So nothing
depends on colour.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from regis.puzzle import BLOCK, Cell
from regis.render import grid
from regis.solving.solution import DOUBTFUL, VERY_DOUBTFUL, Solved
from regis.system.terminal import plain

LONGEST = 12
"""Letters of a rebus square that can still be read when they are set so small that they fit in."""


class DrawnSquare(NamedTuple):
    """One square; of a block only `row` and `column` matter."""

    row: int
    column: int
    block: bool
    number: str = ""
    letter: str = ""  # with its marks; '' for an empty square
    sure: float = 1.0  # P(right)
    doubt: int = 0  # 1 if doubtful, 2 if very doubtful
    own: bool = False  # the person wrote it
    wrong: bool = False  # it is not what the solution has, where that is known
    circled: bool = False
    shaded: bool = False


def squares(solved: Solved) -> Iterator[DrawnSquare]:
    """Every square of the grid, row by row."""
    for r, row in enumerate(solved.puzzle.grid.rows):
        for c, x in enumerate(row):
            yield DrawnSquare(r, c, True) if x == BLOCK else _white(solved, (r, c))


def _white(solved: Solved, cell: Cell) -> DrawnSquare:
    puzzle, content = solved.puzzle, plain(solved.solution.cells.get(cell, ""))
    sure = solved.solution.confidence.get(cell, 0.0)
    doubt = ((sure < DOUBTFUL) + (sure < VERY_DOUBTFUL)) if content else 0
    shown = content if len(content) <= LONGEST else content[: LONGEST - 1] + "…"
    return DrawnSquare(
        *cell,
        block=False,
        number=str(puzzle.grid.numbers.get(cell, "")),
        letter=grid.case(shown, sure) + "?" * (doubt == 2),
        sure=sure,
        doubt=doubt,
        own=cell in puzzle.given,
        wrong=bool(content) and cell in (solved.wrong or ()),
        circled=cell in puzzle.circles,
        shaded=cell in puzzle.shaded,
    )
