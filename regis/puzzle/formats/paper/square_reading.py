"""Measures the squares of a printed grid: their lightness, colors, lines, and circles, and the text in them.

`grid_choice` then decides which squares are blocks. Lightness alone can't tell, because both blocks and shaded squares
may be gray.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from regis.puzzle import Cell
from regis.puzzle.formats.paper.page_objects import LUMINANCE, Glyph, Lattice, Page

MIN_ENCLOSURE = 0.75  # fraction of a square's sides that have lines; with fewer, a light square is outside the grid
CIRCLE_RADII = 0.38, 0.53  # fractions of a square's side; a smaller circle is a dot
MIN_EDGE = 0.07  # lightness from 0 to 1; difference between the two sides of an edge
MIN_CIRCLE_EDGE = 0.2  # lightness from 0 to 1; difference between the two sides of a circle's edge
MIN_CIRCLE = 0.7  # fraction of the diagonal directions with an edge; the square's number may hide a quarter of them

Floats = NDArray[np.floating]


@dataclass(frozen=True)
class PrintedSquares:
    """The squares of a grid, as measured on its page.

    Attributes
    ----------
    lightness : (height, width) from 0 for black to 1 for white.
    enclosure : (height, width) fraction of the four sides that have a line.
    thickness_below, thickness_right : (height, width) thickness of the line between a square and the next; 0 for an
        edge without a line, negative if there is neither.
    colors : (height, width, 3) RGB.
    """

    page_number: int
    lattice: Lattice
    lightness: Floats
    enclosure: Floats
    thickness_below: Floats
    thickness_right: Floats
    colors: Floats
    circles: frozenset[Cell]
    numbers: Mapping[Cell, int]
    contents: Mapping[Cell, str]
    content_probabilities: Mapping[Cell, float]


def crop_lattice(lattice: Lattice, n_lines: int) -> list[Lattice]:
    """Return four lattices, each without `n_lines` rows or columns at one side."""
    x, y = lattice.left + n_lines * lattice.pitch_x, lattice.top + n_lines * lattice.pitch_y
    width, height = lattice.width - n_lines, lattice.height - n_lines
    return [
        lattice._replace(width=width),
        lattice._replace(left=x, width=width),
        lattice._replace(height=height),
        lattice._replace(top=y, height=height),
    ]


def read_squares(page: Page, lattice: Lattice) -> PrintedSquares:
    """Measure the squares of a grid and read their text."""
    side = 2 * int(np.ceil(page.scale * max(lattice.pitch_x, lattice.pitch_y) / 2))
    pixels = _crop_grid(page, lattice, side)
    light = pixels @ LUMINANCE
    cells = _split_into_squares(light, side)
    lightness = measure_lightness(cells)
    horizontal = _measure_lines(light, side) * lattice.pitch_y  # (height + 1, width)
    vertical = _measure_lines(light.T, side).T * lattice.pitch_x  # (height, width + 1)
    numbers, contents, content_probabilities = _read_cell_texts(page.glyphs, lattice)
    return PrintedSquares(
        page.number,
        lattice,
        lightness,
        enclosure=np.ones(lightness.shape) if page.is_picture else _count_lines(horizontal, vertical) / 4,
        thickness_below=horizontal[1:],
        thickness_right=vertical[:, 1:],
        colors=np.stack(
            [np.median(_crop_centers(_split_into_squares(x, side)), axis=(2, 3)) for x in np.moveaxis(pixels, 2, 0)],
            axis=-1,
        ),
        circles=frozenset((int(r), int(c)) for r, c in zip(*np.nonzero(find_circles(cells)), strict=True)),
        numbers=numbers,
        contents=contents,
        content_probabilities=content_probabilities,
    )


def _crop_grid(page: Page, lattice: Lattice, side: int) -> NDArray[np.uint8]:
    """Crop a grid with a margin of half a square, and scale its squares to `side` pixels."""
    rows, columns = (
        (first + ((np.arange((n + 1) * side) + 0.5) / side - 0.5) * pitch) * page.scale
        for first, pitch, n in (
            (lattice.top, lattice.pitch_y, lattice.height), (lattice.left, lattice.pitch_x, lattice.width),
        )
    )  # fmt: skip
    height, width = page.size
    y, x = np.clip(rows, 0, height - 1), np.clip(columns, 0, width - 1)
    crop: NDArray[np.uint8] = page.pixels[np.ix_(y.astype(int), x.astype(int))]
    return crop


def _split_into_squares(picture: NDArray[Any], side: int) -> NDArray[Any]:
    """Split the picture of a grid, with its margin of half a square, into squares: (height, width, side, side)."""
    height, width = (n // side - 1 for n in picture.shape)
    inner = picture[side // 2 : -side // 2, side // 2 : -side // 2]
    return inner.reshape(height, side, width, side).swapaxes(1, 2)


def _crop_centers(cells: NDArray[Any]) -> NDArray[Any]:
    """Crop squares to their centers, below the numbers; the new side is divisible by 3."""
    side = cells.shape[-1]
    start, end = side // 4, side // 4 + 3 * (side // 5)
    return cells[:, :, start:end, start:end]


def measure_lightness(cells: Floats) -> Floats:
    """Measure the lightness of squares: (height, width) from 0 to 1.

    It is that of the lightest ninth, or the median if that is darker. A letter leaves one ninth white, but hatching
    leaves none.
    """
    inner = _crop_centers(cells)
    height, width, side, _ = inner.shape
    parts = inner.reshape(height, width, 3, side // 3, 3, side // 3).mean(axis=(3, 5))
    lightness: Floats = np.minimum(np.median(inner, axis=(2, 3)), parts.max(axis=(2, 3)))
    return lightness


def _measure_lines(light: Floats, side: int) -> Floats:
    """Measure the horizontal lines between squares.

    Returns
    -------
    (height + 1, width) thickness as a fraction of a square's side; 0 for an edge without a line, -1 if neither.
    """
    strips = light[:, side // 2 : -side // 2].reshape(len(light) // side, side, -1, side)
    quarter, fifth = side // 4, side // 5
    profile = np.median(strips[:, quarter:-quarter, :, fifth:-fifth], axis=3)  # (lines, pixels across, squares)
    above, below = profile[:, 0], profile[:, -1]
    ink = np.maximum(np.minimum(above, below)[:, None] - profile, 0)
    is_line = ink.max(axis=1) > MIN_EDGE
    return np.where(is_line, ink.sum(axis=1) / side, np.where(abs(above - below) > MIN_EDGE, 0.0, -1.0))


def _count_lines(horizontal: Floats, vertical: Floats) -> Floats:
    """Count the sides of each square that have a line or an edge: (height, width)."""
    has_h, has_v = (horizontal >= 0).astype(float), (vertical >= 0).astype(float)
    counts: Floats = has_h[:-1] + has_h[1:] + has_v[:, :-1] + has_v[:, 1:]
    return counts


def find_circles(cells: Floats) -> NDArray[np.bool_]:
    """Find the squares with a circle, outlined or filled: an edge at one radius around the center."""
    side = cells.shape[-1]
    diagonals = np.radians([[45], [135], [225], [315]])  # directions farthest from the lines of the grid
    angles = (diagonals + np.radians(np.linspace(-25, 25, 12))).ravel()
    radii = np.arange(CIRCLE_RADII[0] * side, CIRCLE_RADII[1] * side)
    y, x = (
        np.clip(side / 2 + np.outer(radii, turn), 0, side - 1).astype(int) for turn in (np.sin(angles), np.cos(angles))
    )
    rays = cells[:, :, y, x]  # (height, width, radii, angles)
    is_edge = abs(rays[:, :, 2:] - rays[:, :, :-2]) > MIN_CIRCLE_EDGE
    slack = 2 * (side // 32) + 1
    shares: Floats = ndimage.maximum_filter1d(is_edge.view(np.uint8), slack, axis=2).mean(axis=3).max(axis=2)
    return shares > MIN_CIRCLE


def _cell_at(x: float, y: float, lattice: Lattice) -> Cell | None:
    """Return the square that contains a point, None outside the lattice."""
    row, column = int((y - lattice.top) // lattice.pitch_y), int((x - lattice.left) // lattice.pitch_x)
    return (row, column) if 0 <= row < lattice.height and 0 <= column < lattice.width else None


def _read_cell_texts(
    glyphs: Sequence[Glyph], lattice: Lattice
) -> tuple[dict[Cell, int], dict[Cell, str], dict[Cell, float]]:
    """Read the numbers in the squares, and the other text with its probability."""
    in_cells: dict[Cell, list[Glyph]] = defaultdict(list)
    for glyph in glyphs:
        if not glyph.character.isspace() and (cell := _cell_at(*glyph.center, lattice)):
            in_cells[cell].append(glyph)
    numbers, contents, probabilities = {}, {}, {}
    for cell, found in in_cells.items():
        number, rest = _split_number(found, lattice.top + (cell[0] + 0.5) * lattice.pitch_y)
        if number:
            numbers[cell] = int(number)
        content = "".join(glyph.character for glyph in sorted(rest, key=lambda x: (round(x.baseline), x.left)))
        if content:
            contents[cell] = content
            probabilities[cell] = min(glyph.probability for glyph in rest)
    return numbers, contents, probabilities


def _split_number(glyphs: Sequence[Glyph], middle: float) -> tuple[str, list[Glyph]]:
    """Split the glyphs of a square into its number, digits in the upper half, and the rest."""
    digits = [x for x in glyphs if x.center[1] < middle and x.character in "0123456789"]
    number = "".join(x.character for x in sorted(digits, key=lambda x: x.left))
    is_number = re.fullmatch("[1-9][0-9]{0,2}", number)
    return number if is_number else "", [x for x in glyphs if x not in digits]
