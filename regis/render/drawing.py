"""A solved grid as a drawing, the same for pages, notebooks and files (`grid.svg`, `png`).

The letters are marked as in text: doubtful ones are lower case, very doubtful ones have a question mark. So nothing
depends on colour. Doubt is hatching as well as tint: the less sure, the denser. A wrong letter has a
cross in a corner of its square, and the person's own letters are bold.
Lines, letters and blocks have the colour of the text around them, and tints let through what is behind, so that a
picture suits a light page and a dark one; a page may set `--block` and `--square`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from regis.puzzle import BLOCK
from regis.render import grid
from regis.solving.solved import DOUBTFUL, VERY_DOUBTFUL, Solved
from regis.system.terminal import plain

SIDE = 36  # of a square; all lengths here are in the same unit
EDGE = 2  # around the grid
NUMBER, LETTER = 10, 22  # sizes of type
BASE = 29  # from a square's top to the line that its letter stands on
NARROWEST = 0.72  # width of a letter of size 1, about
TINTS = ("none", "#e69f00", "#d55e00")
"""By doubt; of the palette of Okabe and Ito, which people who see few colours can tell apart."""
HATCHES = (0, 12, 6)  # distance of the lines, by doubt
WRONG = "#e5383b"
CROSS = ((26, 4, 33, 11), (26, 11, 33, 4))  # the lines of the mark of a wrong letter, in the upper right corner
BAR = 4  # how thick a bar is
LONGEST = 12  # letters of a rebus square that can still be read when they are set so small that they fit in


class DrawnSquare(NamedTuple):
    """One square; of a block only `row` and `column` matter."""

    row: int
    column: int
    block: bool
    number: str = ""
    content: str = ""  # '' for an empty square
    letter: str = ""  # the same with its marks
    sure: float = 1.0  # P(right)
    doubt: int = 0  # 1 if doubtful, 2 if very doubtful
    own: bool = False  # the person wrote it, and nothing else was put in its place
    wrong: bool = False  # it is not what the solution has, where that is known
    circled: bool = False
    shaded: bool = False
    sides: str = ""  # 'R' and 'B' where there is a bar on the right, and below


def squares(solved: Solved) -> Iterator[DrawnSquare]:
    """Every square of the grid, row by row."""
    puzzle = solved.puzzle
    bars = puzzle.grid.bars
    for r, row in enumerate(puzzle.grid.rows):
        for c, x in enumerate(row):
            if x == BLOCK:
                yield DrawnSquare(r, c, block=True)
                continue
            content = plain(solved.solution.cells.get((r, c), ""))
            sure = solved.solution.confidence.get((r, c), 0.0)
            doubt = ((sure < DOUBTFUL) + (sure < VERY_DOUBTFUL)) if content else 0
            shown = content if len(content) <= LONGEST else content[: LONGEST - 1] + "…"
            yield DrawnSquare(
                r,
                c,
                block=False,
                number=str(puzzle.grid.numbers.get((r, c), "")),
                content=shown,
                letter=grid.case(shown, sure) + "?" * (doubt == 2),
                sure=sure,
                doubt=doubt,
                own=bool(content) and content == plain(puzzle.given.get((r, c), "")),
                wrong=bool(content) and (r, c) in (solved.wrong or ()),
                circled=(r, c) in puzzle.circles,
                shaded=(r, c) in puzzle.shaded,
                sides="R" * (((r, c), (r, c + 1)) in bars) + "B" * (((r, c), (r + 1, c)) in bars),
            )


def drawing(solved: Solved, alone: bool = False) -> dict[str, Any]:
    """What the template `grid.svg` shows; what stands `alone` in a file needs colours of its own."""
    shape = solved.puzzle.grid
    width, height = (SIDE * n + 2 * EDGE for n in (shape.width, shape.height))
    lengths = {"width": width, "height": height, "side": SIDE, "edge": EDGE, "number": NUMBER, "base": BASE, "bar": BAR}
    marks = {"tints": TINTS, "wrong": WRONG, "cross": CROSS, "hatching": hatching, "size": size}
    drawn = list(squares(solved))
    lines = [line for square in drawn for line in bars(square)]
    return {"shape": shape, "squares": drawn, "bars": lines, "alone": alone, **lengths, **marks}


def size(letter: str) -> float:
    """The size of type at which `letter` fits into a square."""
    return min(LETTER, round((SIDE - 4) / (NARROWEST * max(len(letter), 1)), 1))


def bars(square: DrawnSquare) -> Iterator[tuple[int, int, int, int]]:
    """Its bars from x, y to x, y, in the drawing."""
    x, y = (EDGE + SIDE * i for i in (square.column + 1, square.row + 1))
    if "R" in square.sides:
        yield x, y - SIDE, x, y
    if "B" in square.sides:
        yield x - SIDE, y, x, y


def hatching(doubt: int) -> Iterator[tuple[int, int, int, int]]:
    """Lines from x, y to x, y, down to the right, across a square."""
    step = HATCHES[doubt]
    for offset in range(step - SIDE, SIDE, step) if step else ():
        yield max(0, offset), max(0, -offset), min(SIDE, SIDE + offset), min(SIDE, SIDE - offset)
