"""The grid as a picture of dots, PNG, dark on light: for what cannot show SVG.

It needs Pillow, which not everybody wants: the extra `pictures`.
"""

from __future__ import annotations

import io
from importlib.util import find_spec

from regis.errors import UsageError
from regis.render.drawing import (
    BAR,
    BASE,
    CROSS,
    EDGE,
    NUMBER,
    SIDE,
    TINTS,
    WRONG,
    DrawnSquare,
    bars,
    hatching,
    size,
    squares,
)  # fmt: skip
from regis.solving.solved import Solved
from regis.system.extras import install

SCALE = 2  # dots for each unit of the drawing, so that it is sharp on the screens of today

INK, PAPER, SHADE, HATCH = "#111111", "#ffffff", "#d4d4d4", "#999999"
TINT = 0.3  # how much of a tint there is over what is below it
BOLD = 1  # dots by which a bold letter is wider on each side: Pillow brings one weight of its font


def check() -> None:
    """Raises UsageError if pictures cannot be made here."""
    if find_spec("PIL") is None:
        raise UsageError(f"PNG needs Pillow; {install('pictures')}, or take --format svg")


def render(solved: Solved) -> bytes:
    """The picture. Raises UsageError as `check` does."""
    check()
    from PIL import Image, ImageColor, ImageDraw, ImageFont

    def mixed(tint: str, ground: str) -> tuple[int, ...]:
        pairs = zip(ImageColor.getrgb(tint), ImageColor.getrgb(ground), strict=False)
        return tuple(round(TINT * x + (1 - TINT) * below) for x, below in pairs)

    def paint(square: DrawnSquare) -> None:
        x, y = (SCALE * (EDGE + SIDE * i) for i in (square.column, square.row))
        side = SCALE * SIDE
        ground = INK if square.block else SHADE if square.shaded else PAPER
        fill = mixed(TINTS[square.doubt], ground) if square.doubt else ground
        draw.rectangle((x, y, x + side, y + side), fill, INK, SCALE)
        for line in hatching(square.doubt):
            draw.line([start + SCALE * at for start, at in zip((x, y, x, y), line, strict=True)], HATCH, SCALE)
        if square.circled:
            draw.ellipse((x + SCALE, y + SCALE, x + side - SCALE, y + side - SCALE), None, INK, SCALE)
        font = ImageFont.load_default(SCALE * NUMBER)
        draw.text((x + 2 * SCALE, y + NUMBER * SCALE), square.number, INK, font, "ls")
        font = ImageFont.load_default(SCALE * size(square.letter))
        draw.text((x + side / 2, y + BASE * SCALE), square.letter, INK, font, "ms", stroke_width=BOLD * square.own)
        for line in CROSS if square.wrong else ():
            draw.line([start + SCALE * at for start, at in zip((x, y, x, y), line, strict=True)], WRONG, 3 * SCALE)

    shape = solved.puzzle.grid
    image = Image.new("RGB", (SCALE * (SIDE * shape.width + 2 * EDGE), SCALE * (SIDE * shape.height + 2 * EDGE)), PAPER)
    draw = ImageDraw.Draw(image)
    drawn = list(squares(solved))
    for square in drawn:
        paint(square)
    for line in (line for square in drawn for line in bars(square)):
        draw.line([SCALE * at for at in line], INK, SCALE * BAR)
    data = io.BytesIO()
    image.save(data, "PNG")
    return data.getvalue()
