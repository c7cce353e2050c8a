"""Drawings of a solved grid for pages, notebooks, and files (SVG, or PNG).

Letters are marked as in text: doubtful ones are lower case, very doubtful ones have a question mark, so that nothing
depends on color. Doubt is also shown by hatching and tint; a wrong letter has a cross in a corner; the user's own
letters are bold. Colors are translucent tints over the colors of the page, light or dark; a page may set `--block` and
`--square`. Jinja2 fills and escapes the templates. It is imported with the first page, and Pillow (the extra
`pictures`) with the first PNG.
"""

from __future__ import annotations

import functools
import io
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from regis.errors import UsageError
from regis.puzzle import BLOCK, DOUBTFUL_BELOW
from regis.render import text_grid
from regis.solving.solved_puzzle import VERY_DOUBTFUL_BELOW, SolvedPuzzle
from regis.system.os_errors import describe_install
from regis.system.terminal import Screen, plain_text

if TYPE_CHECKING:
    from jinja2 import Environment


def fill_template(template_name: str, **values: Any) -> str:
    """Fill the template with `values`; all its variables must be given."""
    return _load_templates().get_template(template_name).render(values)


@functools.cache
def _load_templates() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).with_name("templates")),
        undefined=StrictUndefined, autoescape=True,
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True,
    )  # fmt: skip
    environment.filters |= {"plain": plain_text, "percent": "{:.0%}".format}
    return environment


SQUARE_SIDE = 36  # the unit of all lengths here
GRID_MARGIN = 2  # around the grid
NUMBER_SIZE = 10  # type size
BASELINE_OFFSET = 29  # from a square's top to its letter's baseline
DOUBT_TINTS = ("none", "#e69f00", "#d55e00")
"""Tints by doubt, from Okabe and Ito's palette for color-blind people."""
WRONG_COLOR = "#e5383b"
CROSS_LINES = ((26, 4, 33, 11), (26, 11, 33, 4))  # the cross of a wrong letter, in the upper right corner
BAR_WIDTH = 4
MAX_SHOWN_LETTERS = 12  # letters of a rebus square that are still legible at the size that fits


class DrawnSquare(NamedTuple):
    """One square; a block has only `row` and `column`."""

    row: int
    column: int
    is_block: bool
    number: str = ""
    content: str = ""  # '' for an empty square
    marked_content: str = ""  # the content with the marks of doubt
    p_right: float = 1.0  # P(right)
    doubt_level: int = 0  # 1 if doubtful, 2 if very doubtful
    is_own: bool = False  # the person wrote it, and it wasn't replaced
    is_wrong: bool = False  # it differs from the solution, if that is known
    is_circled: bool = False
    is_shaded: bool = False
    bar_sides: str = ""  # 'R' and 'B' for bars on the right and below


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
    """Return the variables of the template `grid.svg`; a standalone file needs its own colors."""
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
        "wrong_color": WRONG_COLOR,
        "cross_lines": CROSS_LINES,
        "hatch_lines": hatch_lines,
        "letter_size": letter_size,
    }


def letter_size(content: str) -> float:
    return min(22, round((SQUARE_SIDE - 4) / (0.72 * max(len(content), 1)), 1))


def bar_lines(square: DrawnSquare) -> Iterator[tuple[int, int, int, int]]:
    """Yield the bars of a square as lines from x, y to x, y in the drawing."""
    x, y = (GRID_MARGIN + SQUARE_SIDE * i for i in (square.column + 1, square.row + 1))
    if "R" in square.bar_sides:
        yield x, y - SQUARE_SIDE, x, y
    if "B" in square.bar_sides:
        yield x - SQUARE_SIDE, y, x, y


def hatch_lines(doubt_level: int) -> Iterator[tuple[int, int, int, int]]:
    """Yield the hatching of a square as lines from x, y to x, y."""
    step = (0, 12, 6)[doubt_level]
    side = SQUARE_SIDE
    for offset in range(step - side, side, step) if step else ():
        yield max(0, offset), max(0, -offset), min(side, side + offset), min(side, side - offset)


def render(solved: SolvedPuzzle, file_name: str, screen: Screen) -> str:
    return fill_template("grid.svg", **drawing_values(solved, is_standalone=True))


INK_COLOR = "#111111"
PAPER_COLOR = "#ffffff"
SHADE_COLOR = "#d4d4d4"
HATCH_COLOR = "#999999"


def check_pillow() -> None:
    """Raise UsageError if Pillow is missing."""
    if find_spec("PIL") is None:
        raise UsageError(f"PNG needs Pillow; {describe_install('pictures')}, or choose SVG")


def render_png(solved: SolvedPuzzle) -> bytes:
    """Render the picture as PNG; raises UsageError as `check_pillow` does."""
    check_pillow()
    from PIL import Image, ImageColor, ImageDraw, ImageFont

    def mix_colors(tint: str, ground: str) -> tuple[int, ...]:
        pairs = zip(ImageColor.getrgb(tint), ImageColor.getrgb(ground), strict=False)
        return tuple(round(0.3 * over + 0.7 * below) for over, below in pairs)

    def draw_line(line: tuple[int, ...], color: str, line_width: int, x: int = 0, y: int = 0) -> None:
        points = [start + dots * at for start, at in zip((x, y, x, y), line, strict=True)]
        draw.line(points, color, line_width * dots)

    def draw_square(square: DrawnSquare) -> None:
        x, y = (dots * (GRID_MARGIN + SQUARE_SIDE * i) for i in (square.column, square.row))
        side = dots * SQUARE_SIDE
        ground = INK_COLOR if square.is_block else SHADE_COLOR if square.is_shaded else PAPER_COLOR
        fill = mix_colors(DOUBT_TINTS[square.doubt_level], ground) if square.doubt_level else ground
        draw.rectangle((x, y, x + side, y + side), fill, INK_COLOR, dots)
        for line in hatch_lines(square.doubt_level):
            draw_line(line, HATCH_COLOR, 1, x, y)
        if square.is_circled:
            draw.ellipse((x + dots, y + dots, x + side - dots, y + side - dots), None, INK_COLOR, dots)
        font = ImageFont.load_default(dots * NUMBER_SIZE)
        draw.text((x + 2 * dots, y + dots * NUMBER_SIZE), square.number, INK_COLOR, font, "ls")
        font = ImageFont.load_default(dots * letter_size(square.marked_content))
        place = x + side / 2, y + dots * BASELINE_OFFSET
        stroke = int(square.is_own)
        draw.text(place, square.marked_content, INK_COLOR, font, "ms", stroke_width=stroke)
        for line in CROSS_LINES if square.is_wrong else ():
            draw_line(line, WRONG_COLOR, 3, x, y)

    grid, dots = solved.puzzle.grid, 2
    width, height = (dots * (SQUARE_SIDE * n + 2 * GRID_MARGIN) for n in (grid.width, grid.height))
    image = Image.new("RGB", (width, height), PAPER_COLOR)
    draw = ImageDraw.Draw(image)
    squares = list(draw_squares(solved))
    for square in squares:
        draw_square(square)
    for line in (line for square in squares for line in bar_lines(square)):
        draw_line(line, INK_COLOR, BAR_WIDTH)
    data = io.BytesIO()
    image.save(data, "PNG")
    return data.getvalue()
