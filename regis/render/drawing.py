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
from regis.render import text_grid
from regis.solving.solved_puzzle import DOUBTFUL_BELOW, VERY_DOUBTFUL_BELOW, SolvedPuzzle
from regis.system.terminal import plain_text

SQUARE_SIDE = 36  # all lengths here are in the same unit
GRID_MARGIN = 2  # around the grid
NUMBER_SIZE = 10  # of type
LETTER_SIZE = 22  # of type, at most
BASELINE_OFFSET = 29  # from a square's top to the line that its letter stands on
LETTER_WIDTH = 0.72  # width of a letter of size 1, about
DOUBT_TINTS = ("none", "#e69f00", "#d55e00")
"""By doubt; of the palette of Okabe and Ito, which people who see few colours can tell apart."""
HATCH_STEPS = (0, 12, 6)  # distance of the lines, by doubt
WRONG_COLOUR = "#e5383b"
CROSS_LINES = ((26, 4, 33, 11), (26, 11, 33, 4))  # the lines of the mark of a wrong letter, in the upper right corner
BAR_WIDTH = 4  # how thick a bar is
MAX_SHOWN_LETTERS = 12  # letters of a rebus square that can still be read when they are set so small that they fit in


class DrawnSquare(NamedTuple):
    """One square; of a block only `row` and `column` matter."""

    row: int
    column: int
    is_block: bool
    number: str = ""
    content: str = ""  # '' for an empty square
    marked_content: str = ""  # the content with the marks of doubt
    p_right: float = 1.0  # P(right)
    doubt_level: int = 0  # 1 if doubtful, 2 if very doubtful
    is_own: bool = False  # the person wrote it, and nothing else was put in its place
    is_wrong: bool = False  # it is not what the solution has, where that is known
    is_circled: bool = False
    is_shaded: bool = False
    bar_sides: str = ""  # 'R' and 'B' where there is a bar on the right, and below


def draw_squares(solved: SolvedPuzzle) -> Iterator[DrawnSquare]:
    """Yield every square of the grid, row by row."""
    puzzle = solved.puzzle
    bars = puzzle.grid.bars
    for r, row in enumerate(puzzle.grid.rows):
        for c, x in enumerate(row):
            if x == BLOCK:
                yield DrawnSquare(r, c, is_block=True)
                continue
            content = plain_text(solved.fill.cells.get((r, c), ""))
            p_right = solved.fill.confidence.get((r, c), 0.0)
            doubt_level = ((p_right < DOUBTFUL_BELOW) + (p_right < VERY_DOUBTFUL_BELOW)) if content else 0
            shown = content if len(content) <= MAX_SHOWN_LETTERS else content[: MAX_SHOWN_LETTERS - 1] + "…"
            yield DrawnSquare(
                r,
                c,
                is_block=False,
                number=str(puzzle.grid.cell_numbers.get((r, c), "")),
                content=shown,
                marked_content=text_grid.lower_if_doubtful(shown, p_right) + "?" * (doubt_level == 2),
                p_right=p_right,
                doubt_level=doubt_level,
                is_own=bool(content) and content == plain_text(puzzle.given.get((r, c), "")),
                is_wrong=bool(content) and (r, c) in (solved.wrong_cells or ()),
                is_circled=(r, c) in puzzle.circles,
                is_shaded=(r, c) in puzzle.shaded,
                bar_sides="R" * (((r, c), (r, c + 1)) in bars) + "B" * (((r, c), (r + 1, c)) in bars),
            )


def drawing_values(solved: SolvedPuzzle, is_standalone: bool = False) -> dict[str, Any]:
    """Return the variables of the template `grid.svg`; a file of its own needs colours of its own."""
    grid = solved.puzzle.grid
    squares = list(draw_squares(solved))
    return {
        "grid": grid,
        "squares": squares,
        "bar_lines": [line for square in squares for line in bar_lines(square)],
        "is_standalone": is_standalone,
        "width": SQUARE_SIDE * grid.width + 2 * GRID_MARGIN,
        "height": SQUARE_SIDE * grid.height + 2 * GRID_MARGIN,
        "square_side": SQUARE_SIDE,
        "grid_margin": GRID_MARGIN,
        "number_size": NUMBER_SIZE,
        "baseline_offset": BASELINE_OFFSET,
        "bar_width": BAR_WIDTH,
        "doubt_tints": DOUBT_TINTS,
        "wrong_colour": WRONG_COLOUR,
        "cross_lines": CROSS_LINES,
        "hatch_lines": hatch_lines,
        "letter_size": letter_size,
    }


def letter_size(content: str) -> float:
    """Return the size of type at which a content fits into a square."""
    return min(LETTER_SIZE, round((SQUARE_SIDE - 4) / (LETTER_WIDTH * max(len(content), 1)), 1))


def bar_lines(square: DrawnSquare) -> Iterator[tuple[int, int, int, int]]:
    """Yield the bars of a square as lines from x, y to x, y in the drawing."""
    x, y = (GRID_MARGIN + SQUARE_SIDE * i for i in (square.column + 1, square.row + 1))
    if "R" in square.bar_sides:
        yield x, y - SQUARE_SIDE, x, y
    if "B" in square.bar_sides:
        yield x - SQUARE_SIDE, y, x, y


def hatch_lines(doubt_level: int) -> Iterator[tuple[int, int, int, int]]:
    """Yield lines from x, y to x, y, down to the right, across a square."""
    step = HATCH_STEPS[doubt_level]
    side = SQUARE_SIDE
    for offset in range(step - side, side, step) if step else ():
        yield max(0, offset), max(0, -offset), min(side, side + offset), min(side, side - offset)
