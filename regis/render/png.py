"""The grid as a picture of dots, PNG, dark on light: for what cannot show SVG.

It needs Pillow, which not everybody wants: the extra `pictures`.
"""

from __future__ import annotations

import io
from importlib.util import find_spec

from regis.errors import UsageError
from regis.render import drawing
from regis.solving.solved_puzzle import SolvedPuzzle
from regis.system.extras import describe_install

DOTS_PER_UNIT = 2  # dots for each unit of the drawing, so that it is sharp on the screens of today

INK_COLOUR = "#111111"
PAPER_COLOUR = "#ffffff"
SHADE_COLOUR = "#d4d4d4"
HATCH_COLOUR = "#999999"
TINT_SHARE = 0.3  # how much of a tint there is over what is below it
BOLD_STROKE = 1  # dots by which a bold letter is wider on each side: Pillow brings one weight of its font


def check_pillow() -> None:
    """Raise UsageError if pictures cannot be made here."""
    if find_spec("PIL") is None:
        raise UsageError(f"PNG needs Pillow; {describe_install('pictures')}, or take --format svg")


def render(solved: SolvedPuzzle) -> bytes:
    """Render the picture as the bytes of a PNG. Raises UsageError as `check_pillow` does."""
    check_pillow()
    from PIL import Image, ImageColor, ImageDraw, ImageFont

    def mix_colours(tint: str, ground: str) -> tuple[int, ...]:
        pairs = zip(ImageColor.getrgb(tint), ImageColor.getrgb(ground), strict=False)
        return tuple(round(TINT_SHARE * over + (1 - TINT_SHARE) * below) for over, below in pairs)

    def draw_line(line: tuple[int, ...], colour: str, line_width: int, x: int = 0, y: int = 0) -> None:
        points = [start + dots * at for start, at in zip((x, y, x, y), line, strict=True)]
        draw.line(points, colour, line_width * dots)

    def draw_square(square: drawing.DrawnSquare) -> None:
        x, y = (dots * (drawing.GRID_MARGIN + drawing.SQUARE_SIDE * i) for i in (square.column, square.row))
        side = dots * drawing.SQUARE_SIDE
        ground = INK_COLOUR if square.is_block else SHADE_COLOUR if square.is_shaded else PAPER_COLOUR
        fill = mix_colours(drawing.DOUBT_TINTS[square.doubt_level], ground) if square.doubt_level else ground
        draw.rectangle((x, y, x + side, y + side), fill, INK_COLOUR, dots)
        for line in drawing.hatch_lines(square.doubt_level):
            draw_line(line, HATCH_COLOUR, 1, x, y)
        if square.is_circled:
            draw.ellipse((x + dots, y + dots, x + side - dots, y + side - dots), None, INK_COLOUR, dots)
        font = ImageFont.load_default(dots * drawing.NUMBER_SIZE)
        draw.text((x + 2 * dots, y + dots * drawing.NUMBER_SIZE), square.number, INK_COLOUR, font, "ls")
        font = ImageFont.load_default(dots * drawing.letter_size(square.marked_content))
        place = x + side / 2, y + dots * drawing.BASELINE_OFFSET
        stroke = BOLD_STROKE * square.is_own
        draw.text(place, square.marked_content, INK_COLOUR, font, "ms", stroke_width=stroke)
        for line in drawing.CROSS_LINES if square.is_wrong else ():
            draw_line(line, drawing.WRONG_COLOUR, 3, x, y)

    grid, dots = solved.puzzle.grid, DOTS_PER_UNIT
    width, height = (dots * (drawing.SQUARE_SIDE * n + 2 * drawing.GRID_MARGIN) for n in (grid.width, grid.height))
    image = Image.new("RGB", (width, height), PAPER_COLOUR)
    draw = ImageDraw.Draw(image)
    squares = list(drawing.draw_squares(solved))
    for square in squares:
        draw_square(square)
    for line in (line for square in squares for line in drawing.bar_lines(square)):
        draw_line(line, INK_COLOUR, drawing.BAR_WIDTH)
    data = io.BytesIO()
    image.save(data, "PNG")
    return data.getvalue()
