"""The grid as a drawing: lengths, colours and hatching of the one picture for pages, notebooks and files (`grid.svg`).

Lines, letters and blocks have the colour of the text around it, and tints let through what is behind, so that it suits
a light page and a dark one; a page may set `--block` and `--square`. Doubt is hatching as well as tint: the less sure,
the denser. A wrong letter is struck through.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from regis.render.squares import squares
from regis.solving.solution import Solved

SIDE = 36  # of a square; all lengths here are in the same unit
EDGE = 2  # around the grid
NUMBER, LETTER = 10, 22  # sizes of type
BASE = 29  # from a square's top to the line that its letter stands on
NARROWEST = 0.72  # width of a letter of size 1, about
TINTS = ("none", "#e69f00", "#d55e00")
"""By doubt; of the palette of Okabe and Ito, which people who see few colours can tell apart."""
HATCHES = (0, 12, 6)
"""Distance of the lines, by doubt."""
WRONG = "#e5383b"


def drawing(solved: Solved, alone: bool = False) -> dict[str, Any]:
    """What the template `grid.svg` shows; what stands `alone` in a file needs colours of its own."""
    shape = solved.puzzle.grid
    width, height = (SIDE * n + 2 * EDGE for n in (shape.width, shape.height))
    lengths = {"width": width, "height": height, "side": SIDE, "edge": EDGE, "number": NUMBER, "base": BASE}
    marks = {"tints": TINTS, "wrong": WRONG, "hatching": hatching, "size": size}
    return {"shape": shape, "squares": list(squares(solved)), "alone": alone, **lengths, **marks}


def size(letter: str) -> float:
    """The size of type at which `letter` fits into a square."""
    return min(LETTER, round((SIDE - 4) / (NARROWEST * max(len(letter), 1)), 1))


def hatching(doubt: int) -> Iterator[tuple[int, int, int, int]]:
    """Lines from x, y to x, y, down to the right, across a square."""
    step = HATCHES[doubt]
    for offset in range(step - SIDE, SIDE, step) if step else ():
        yield max(0, offset), max(0, -offset), min(SIDE, SIDE + offset), min(SIDE, SIDE - offset)
