"""What the squares of a printed grid are: how dark, with what lines around them, what is drawn and written in them.

Which squares are blocks is not decided here, since blocks may be grey, and shades too: `grid_choice` asks the numbers.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from regis.puzzle import Cell
from regis.puzzle.formats.paper.lattice import Lattice, Line, luminance
from regis.puzzle.formats.paper.page_objects import Glyph, Outline, Page, Shape

SAMPLE_PLACES = ((0.5, 0.5), (0.25, 0.75), (0.75, 0.75), (0.75, 0.25), (0.5, 0.85))
"""Where in a square its colour is looked at, as shares of its sides: beside the number."""

MIN_ENCLOSURE = 0.75  # share of a white square's sides that have lines; with fewer it lies outside the grid
DARK_LIGHTNESS = 0.5  # below which a square without lines is a block, too
MIN_COVERED_SHARE = 0.6  # of a side that has a line
MAX_DEVIATION = 0.25  # share of a pitch by which a line may lie off a side
MIN_CIRCLE_SHARE = 0.55  # of a pitch, for the diameter of a circle; smaller ones are dots
MAX_CIRCLE_SHARE = 1.1
MAX_OVAL = 0.15  # of a circle's width, by which it may be higher or lower
MIN_CIRCLE_POINTS = 12  # of a circle that is drawn with lines
MAX_NUMBER_SHARE = 0.62  # of a pitch, for the height of a number's line
MAX_CONTENT_LETTERS = 10  # more is no content of a square

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class PrintedSquares:
    """What is seen of a grid on a page, square by square.

    Attributes
    ----------
    lightness : (height, width) from 0 for black to 1 for white.
    evenness : (height, width) share of the places in a square that are of its colour.
    enclosure : (height, width) how many of the four sides have a line, as a share.
    thickness_below, thickness_right : (height, width) points, of the line between a square and the next.
    """

    page_number: int
    lattice: Lattice
    lightness: Floats
    evenness: Floats
    enclosure: Floats
    thickness_below: Floats
    thickness_right: Floats
    colours: Mapping[Cell, tuple[int, ...]]
    circles: frozenset[Cell]
    numbers: Mapping[Cell, int]
    contents: Mapping[Cell, str]
    content_probabilities: Mapping[Cell, float]


def trim_lattice(page: Page, lattice: Lattice) -> Lattice | None:
    """Take off the sides of a lattice where no square is, as under lines that stick out; None if nothing is left."""
    squares = read_squares(page, lattice)
    is_square = (squares.enclosure >= MIN_ENCLOSURE) | (squares.lightness < DARK_LIGHTNESS)
    rows, columns = np.flatnonzero(is_square.any(axis=1)), np.flatnonzero(is_square.any(axis=0))
    if not len(rows):
        return None
    return lattice._replace(
        left=lattice.left + int(columns[0]) * lattice.pitch_x,
        top=lattice.top + int(rows[0]) * lattice.pitch_y,
        width=int(columns[-1] - columns[0]) + 1,
        height=int(rows[-1] - rows[0]) + 1,
    )


def crop_lattice(lattice: Lattice, n_lines: int) -> list[Lattice]:
    """Return a lattice without so many rows or columns of one side, for each side."""
    x, y = lattice.left + n_lines * lattice.pitch_x, lattice.top + n_lines * lattice.pitch_y
    width, height = lattice.width - n_lines, lattice.height - n_lines
    return [
        lattice._replace(width=width),
        lattice._replace(left=x, width=width),
        lattice._replace(height=height),
        lattice._replace(top=y, height=height),
    ]


def read_squares(page: Page, lattice: Lattice) -> PrintedSquares:
    """Look at each square of a lattice on its page."""
    colours = _sample_colours(page.shapes, lattice)  # (height, width, places, 3)
    lights = colours @ np.array([0.299, 0.587, 0.114]) / 255
    lightness = np.median(lights, axis=2)
    horizontal = _measure_sides(lattice.horizontals, lattice, is_horizontal=True)  # (height + 1, width)
    vertical = _measure_sides(lattice.verticals, lattice, is_horizontal=False).T  # (height, width + 1)
    has_h, has_v = horizontal >= 0, vertical >= 0
    numbers, contents, content_probabilities = _read_cell_texts(page.glyphs, lattice)
    middle = np.argsort(lights, axis=2)[:, :, len(SAMPLE_PLACES) // 2]
    return PrintedSquares(
        page.number,
        lattice,
        lightness,
        evenness=np.mean(np.abs(lights - lightness[:, :, None]) < 0.1, axis=2),
        enclosure=(has_h[:-1].astype(float) + has_h[1:] + has_v[:, :-1] + has_v[:, 1:]) / 4,
        thickness_below=horizontal[1:],
        thickness_right=vertical[:, 1:],
        colours={
            (r, c): tuple(int(x) for x in colours[r, c, middle[r, c]])
            for r in range(lattice.height)
            for c in range(lattice.width)
        },
        circles=_find_circles(page.shapes, lattice),
        numbers=numbers,
        contents=contents,
        content_probabilities=content_probabilities,
    )


def _sample_colours(shapes: Sequence[Shape], lattice: Lattice) -> Floats:
    """Return the colour that is painted last at each place of each square: (height, width, places, 3)."""
    rows, columns = np.mgrid[: lattice.height, : lattice.width]
    places = np.array(SAMPLE_PLACES)
    x = (lattice.left + (columns[:, :, None] + places[:, 0]) * lattice.pitch_x).ravel()
    y = (lattice.top + (rows[:, :, None] + places[:, 1]) * lattice.pitch_y).ravel()
    colours = np.full((len(x), 3), 255.0)
    for shape in shapes:
        straight = [outline for outline in shape.outlines if not outline.is_curved]
        if shape.fill is None or not straight:
            continue
        points = np.array([point for outline in straight for point in outline.points])
        (left, top), (right, bottom) = points.min(axis=0), points.max(axis=0)
        near = np.flatnonzero((x > left) & (x < right) & (y > top) & (y < bottom))
        if len(near):
            colours[near[_is_inside(x[near], y[near], straight)]] = shape.fill
    return colours.reshape(lattice.height, lattice.width, len(places), 3)


def _is_inside(x: Floats, y: Floats, outlines: Sequence[Outline]) -> NDArray[np.bool_]:
    """Return of each point whether it lies within an odd number of outlines."""
    inside = np.zeros(len(x), bool)
    for outline in outlines:
        points = [*outline.points, outline.points[0]]
        for (x0, y0), (x1, y1) in pairwise(points):
            if y0 != y1:
                crosses = (y0 <= y) != (y1 <= y)
                inside ^= crosses & (x < x0 + (y - y0) * (x1 - x0) / (y1 - y0))
    return inside


def _measure_sides(lines: Sequence[Line], lattice: Lattice, *, is_horizontal: bool) -> Floats:
    """Measure the lines along the squares' sides of one direction.

    Returns
    -------
    (lines of the lattice, squares along them) points, how thick a line is, 0 for an edge, -1 where there is none.
    """
    if is_horizontal:
        first, pitch, n_lines = lattice.top, lattice.pitch_y, lattice.height + 1
        start, step, n_squares = lattice.left, lattice.pitch_x, lattice.width
    else:
        first, pitch, n_lines = lattice.left, lattice.pitch_x, lattice.width + 1
        start, step, n_squares = lattice.top, lattice.pitch_y, lattice.height
    thickness = np.full((n_lines, n_squares), -1.0)
    begins = start + step * np.arange(n_squares)
    for line in lines:
        row = round((line.position - first) / pitch)
        if 0 <= row < n_lines and abs(line.position - first - row * pitch) < MAX_DEVIATION * pitch:
            covered = np.minimum(line.end, begins + step) - np.maximum(line.start, begins)
            along = covered >= MIN_COVERED_SHARE * step
            thickness[row, along] = np.maximum(thickness[row, along], line.thickness)
    return thickness


def _cell_at(x: float, y: float, lattice: Lattice) -> Cell | None:
    """Return the square that a point lies in, None outside the lattice."""
    row, column = int((y - lattice.top) // lattice.pitch_y), int((x - lattice.left) // lattice.pitch_x)
    return (row, column) if 0 <= row < lattice.height and 0 <= column < lattice.width else None


def _find_circles(shapes: Sequence[Shape], lattice: Lattice) -> frozenset[Cell]:
    """Find the squares with a circle in them: a stroke, a light disc, or a ring that is filled."""
    circles = set()
    smallest, largest = (share * lattice.pitch_x for share in (MIN_CIRCLE_SHARE, MAX_CIRCLE_SHARE))
    for shape in shapes:
        round_ones = [box for outline in shape.outlines if (box := _round_box(outline))]
        is_disc = shape.stroke is None and len(round_ones) < 2
        if is_disc and (shape.fill is None or luminance(shape.fill) < 0.5):
            continue
        for left, top, right, bottom in round_ones:
            if smallest <= right - left <= largest and (
                cell := _cell_at((left + right) / 2, (top + bottom) / 2, lattice)
            ):
                circles.add(cell)
    return frozenset(circles)


def _round_box(outline: Outline) -> tuple[float, float, float, float] | None:
    """Return left, top, right and bottom of an outline that is as wide as high, of curves or of many short lines."""
    if not outline.is_curved and len(outline.points) < MIN_CIRCLE_POINTS:
        return None
    xs, ys = [x for x, _ in outline.points], [y for _, y in outline.points]
    left, top, right, bottom = min(xs), min(ys), max(xs), max(ys)
    return (left, top, right, bottom) if abs(right - left - bottom + top) <= MAX_OVAL * (right - left) else None


def _read_cell_texts(
    glyphs: Sequence[Glyph], lattice: Lattice
) -> tuple[dict[Cell, int], dict[Cell, str], dict[Cell, float]]:
    """Read the numbers in the squares, and what else is written there, with how likely that is."""
    in_cells: dict[Cell, list[Glyph]] = defaultdict(list)
    for glyph in glyphs:
        if not glyph.character.isspace() and (cell := _cell_at(*glyph.centre, lattice)):
            in_cells[cell].append(glyph)
    numbers, contents, probabilities = {}, {}, {}
    for cell, found in in_cells.items():
        number, rest = _split_number(found, lattice.top + (cell[0] + 0.5) * lattice.pitch_y, lattice.pitch_y)
        if number:
            numbers[cell] = int(number)
        content = "".join(glyph.character for glyph in sorted(rest, key=lambda x: (round(x.baseline), x.left)))
        if content and len(content) <= MAX_CONTENT_LETTERS:
            contents[cell] = content
            probabilities[cell] = min(glyph.probability for glyph in rest)
    return numbers, contents, probabilities


def _split_number(glyphs: Sequence[Glyph], middle: float, pitch: float) -> tuple[str, list[Glyph]]:
    """Part the number, small digits that stand above the middle of a square, from the other glyphs there."""
    small = [x for x in glyphs if x.height <= MAX_NUMBER_SHARE * pitch and x.centre[1] < middle]
    digits = [x for x in small if x.character in "0123456789"]
    number = "".join(x.character for x in sorted(digits, key=lambda x: x.left))
    if not re.fullmatch("[1-9][0-9]{0,2}", number):
        return "", [x for x in glyphs if x not in digits]
    return number, [x for x in glyphs if x not in digits]
