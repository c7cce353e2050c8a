"""The grid as an SVG element: the one drawing of it for pages, notebooks and files.

Lines, letters and blocks have the colour of the text around it, and tints let through what is behind, so that it suits
a light page and a dark one; a page may set `--block` and `--square`. Doubt is hatching as well as tint: the less sure,
the denser. A wrong letter is struck through.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from regis.render.squares import Square, squares
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


def svg(solved: Solved) -> str:
    """One <svg> that is as wide as its place, at most SIDE for each square. All but the person's
    own letters is of the class `answer`, for pages that hide it."""
    shape = solved.puzzle.grid
    width, height = (SIDE * n + 2 * EDGE for n in (shape.width, shape.height))
    label = f"Grid, {shape.height} rows of {shape.width} squares"
    inside = "".join(map(_square, squares(solved)))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" aria-label="{label}" font-family="Helvetica, Arial, sans-serif" fill="currentColor" '
        f'style="max-width:100%;height:auto">\n{inside}</svg>\n'
    )


def size(letter: str) -> float:
    """The size of type at which `letter` fits into a square."""
    return min(LETTER, round((SIDE - 4) / (NARROWEST * max(len(letter), 1)), 1))


def hatching(doubt: int) -> Iterator[tuple[int, int, int, int]]:
    """Lines from x, y to x, y, down to the right, across a square."""
    step = HATCHES[doubt]
    for offset in range(step - SIDE, SIDE, step) if step else ():
        yield max(0, offset), max(0, -offset), min(SIDE, SIDE + offset), min(SIDE, SIDE - offset)


def _square(square: Square) -> str:
    place = f'<g transform="translate({EDGE + SIDE * square.column} {EDGE + SIDE * square.row})">'
    return f"{place}{''.join(_parts(square))}</g>\n"


def _parts(square: Square) -> Iterator[str]:
    """From the ground up."""
    fill = "var(--block,currentColor)" if square.block else "var(--square,none)"
    yield f'<rect width="{SIDE}" height="{SIDE}" style="fill:{fill}" stroke="currentColor" stroke-width="1"/>'
    if square.shaded:
        yield f'<rect width="{SIDE}" height="{SIDE}" fill-opacity=".18"/>'
    if square.circled:
        yield f'<circle cx="{SIDE / 2}" cy="{SIDE / 2}" r="{SIDE / 2 - 1}" fill="none" stroke="currentColor"/>'
    if square.letter:
        letter = (
            f'<text x="{SIDE / 2}" y="{BASE}" font-size="{size(square.letter)}" text-anchor="middle">'
            f"{escape(square.letter)}</text>"
        )
        said = "".join(_said(square))
        yield f'<g class="answer">{said}</g>{letter}' if square.own else f'<g class="answer">{said}{letter}</g>'
    if square.number:
        yield f'<text x="2" y="{NUMBER}" font-size="{NUMBER}">{square.number}</text>'


def _said(square: Square) -> Iterator[str]:
    """What Regis says of the letter: how sure it is, whether it is wrong."""
    yield f"<title>{square.sure:.0%} sure{', yours' * square.own}{', wrong' * square.wrong}</title>"
    opacity = ".3" if square.doubt else "0"  # none at all would not be pointed at
    tint = TINTS[square.doubt] if square.doubt else "currentColor"
    yield f'<rect width="{SIDE}" height="{SIDE}" fill="{tint}" fill-opacity="{opacity}"/>'
    if lines := "".join(f"M{x} {y}L{to_x} {to_y}" for x, y, to_x, to_y in hatching(square.doubt)):
        yield f'<path d="{lines}" stroke="currentColor" stroke-opacity=".3" stroke-width="1"/>'
    if square.wrong:
        yield f'<path d="M0 {SIDE}L{SIDE} 0" stroke="{WRONG}" stroke-width="3"/>'
