"""Where grids are on a page: lines that cross at equal distances.

A line may be stroked, a thin rectangle, or the edge of a square that is filled; squares may also lie apart, with the
ground showing between them. Lines that touch belong together; in what belongs together, the distance between lines is
the longest one by which most of their ink repeats itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from regis.puzzle.formats.paper.page_objects import Outline, Page, Shape
from regis.puzzle.formats.shared.squares import MAX_SIDE

MIN_PITCH = 6.0
MAX_PITCH = 80.0
"""Points from one line to the next: the smallest solutions in print have 6, grids for children 60."""

MIN_SIDE = 3  # squares of a grid's side
MAX_LINE_THICKNESS = 6.0  # points; a thicker bar of ink is a block
MAX_SKEW = 0.3  # points by which a line may lean
MAX_GAP = 3.0  # points between squares that lie apart
TOUCH = 1.5  # points within which lines touch
MAX_MERGED_LINES = 4000  # lines of a direction on one page
MIN_REPETITION = 0.97  # share of the best repetition that a longer pitch must have to be preferred; a guess
MAX_OBLONG = 1.3  # longer side of a square over the shorter one
MAX_DEVIATION = 0.25  # share of a pitch by which ink may lie off its line
LIGHT_LUMINANCE = 0.93  # from which on a colour is white

Floats = NDArray[np.float64]


class Line(NamedTuple):
    """Ink or an edge along an axis: where it is across, from where to where it goes, how thick it is (edges: 0)."""

    position: float
    start: float
    end: float
    thickness: float


class Lattice(NamedTuple):
    """The lines of a grid: top left corner, the sides of a square, how many columns and rows, and the ink itself."""

    left: float
    top: float
    pitch_x: float
    pitch_y: float
    width: int
    height: int
    horizontals: tuple[Line, ...]
    verticals: tuple[Line, ...]

    @property
    def right(self) -> float:
        return self.left + self.pitch_x * self.width

    @property
    def bottom(self) -> float:
        return self.top + self.pitch_y * self.height


def luminance(colour: Sequence[int]) -> float:
    """Return how light a colour is, from 0 for black to 1 for white."""
    red, green, blue = colour[:3]
    return (0.299 * red + 0.587 * green + 0.114 * blue) / 255


def rectangle_of(outline: Outline) -> tuple[float, float, float, float] | None:
    """Return left, top, right and bottom of an outline that is an upright rectangle; else None."""
    points = outline.points[:4]
    if outline.is_curved or len(outline.points) not in (4, 5) or outline.points[-1] not in (points[0], points[-1]):
        return None
    xs, ys = [x for x, _ in points], [y for _, y in points]
    left, top, right, bottom = min(xs), min(ys), max(xs), max(ys)
    at_corners = all(min(x - left, right - x) < MAX_SKEW and min(y - top, bottom - y) < MAX_SKEW for x, y in points)
    return (left, top, right, bottom) if at_corners and right > left and bottom > top else None


def find_lattices(page: Page) -> list[Lattice]:
    """Find what may be grids on a page, the largest first."""
    horizontals: list[Line] = []
    verticals: list[Line] = []
    for shape in page.shapes:
        for is_horizontal, line in _shape_lines(shape):
            (horizontals if is_horizontal else verticals).append(line)
    merged_h, merged_v = _merge_lines(horizontals), _merge_lines(verticals)
    if not merged_h or not merged_v or max(len(merged_h), len(merged_v)) > MAX_MERGED_LINES:
        return []
    found = []
    for own_h, own_v in _touching_groups(np.array(merged_h), np.array(merged_v)):
        y, x = _fit_axis(own_h), _fit_axis(own_v)
        if x is None or y is None or max(x[1], y[1]) > MAX_OBLONG * min(x[1], y[1]):
            continue
        left, pitch_x, width = x
        top, pitch_y, height = y
        box = Lattice(left, top, pitch_x, pitch_y, width, height, (), ())
        found.append(
            box._replace(
                horizontals=tuple(_lines_within(horizontals, box.top, box.bottom, box.left, box.right, pitch_x)),
                verticals=tuple(_lines_within(verticals, box.left, box.right, box.top, box.bottom, pitch_y)),
            )
        )
    return sorted(found, key=lambda lattice: -lattice.width * lattice.height)


def _lines_within(
    lines: Iterable[Line], first: float, last: float, start: float, end: float, pitch: float
) -> Iterator[Line]:
    """List the lines that lie across from `first` to `last`, and along anywhere between `start` and `end`."""
    slack = MAX_DEVIATION * pitch
    for line in lines:
        if first - slack < line.position < last + slack and line.start < end and line.end > start:
            yield line


def _shape_lines(shape: Shape) -> Iterator[tuple[bool, Line]]:
    """List the lines of a shape, each with whether it is horizontal."""
    fill = luminance(shape.fill) if shape.fill else None
    is_stroked = shape.stroke is not None and luminance(shape.stroke) < LIGHT_LUMINANCE
    for outline in shape.outlines:
        if outline.is_curved:
            continue
        box = rectangle_of(outline) if fill is not None else None
        if box and fill is not None:
            left, top, right, bottom = box
            width, height = right - left, bottom - top
            is_thin = min(width, height) <= MAX_LINE_THICKNESS and max(width, height) > 2 * min(width, height)
            if is_thin and fill < LIGHT_LUMINANCE:
                if width > height:
                    yield True, Line((top + bottom) / 2, left, right, height)
                else:
                    yield False, Line((left + right) / 2, top, bottom, width)
            elif not is_thin and max(width, height) >= MIN_PITCH and (fill < LIGHT_LUMINANCE or width <= MAX_PITCH):
                yield from ((True, Line(y, left, right, 0)) for y in (top, bottom))
                yield from ((False, Line(x, top, bottom, 0)) for x in (left, right))
        if is_stroked:
            for (x0, y0), (x1, y1) in pairwise(outline.points):
                if abs(y0 - y1) <= MAX_SKEW < abs(x0 - x1):
                    yield True, Line((y0 + y1) / 2, min(x0, x1), max(x0, x1), shape.stroke_width)
                elif abs(x0 - x1) <= MAX_SKEW < abs(y0 - y1):
                    yield False, Line((x0 + x1) / 2, min(y0, y1), max(y0, y1), shape.stroke_width)


def _merge_lines(lines: Iterable[Line]) -> list[Line]:
    """Join lines that lie on one another or go on in each other, whatever their thickness."""
    rows: list[list[Line]] = []
    for line in sorted(lines):
        if rows and line.position - rows[-1][0].position <= MAX_SKEW:
            rows[-1].append(line)
        else:
            rows.append([line])
    merged: list[Line] = []
    for row in rows:
        joined: list[Line] = []
        for line in sorted(row, key=lambda x: x.start):
            if joined and line.start <= joined[-1].end + MAX_GAP:
                joined[-1] = joined[-1]._replace(end=max(joined[-1].end, line.end))
            else:
                joined.append(line)
        merged += joined
    return [line for line in merged if line.end - line.start >= MIN_PITCH]


def _touching_groups(horizontals: Floats, verticals: Floats) -> Iterator[tuple[Floats, Floats]]:
    """Part lines into those that hang together.

    Parameters
    ----------
    horizontals, verticals : (lines, 4) as in `Line`.
    """
    y, left, right = (horizontals[:, i, None] for i in range(3))
    x, top, bottom = (verticals[None, :, i] for i in range(3))
    meet = (x >= left - TOUCH) & (x <= right + TOUCH) & (y >= top - TOUCH) & (y <= bottom + TOUCH)
    n_h = len(horizontals)
    rows, columns = np.nonzero(meet)
    n_lines = n_h + len(verticals)
    graph = coo_array((np.ones(len(rows)), (rows, columns + n_h)), shape=(n_lines, n_lines))
    n_groups, labels = connected_components(graph, directed=False)
    sizes = np.bincount(labels, minlength=n_groups)
    for group in np.flatnonzero(sizes >= 2 * (MIN_SIDE + 1)):
        yield horizontals[labels[:n_h] == group], verticals[labels[n_h:] == group]


def _fit_axis(lines: Floats) -> tuple[float, float, int] | None:
    """Fit equal distances to the lines of one direction.

    Parameters
    ----------
    lines : (lines, 4) as in `Line`.

    Returns
    -------
    Where the first line is, how far it is from one to the next, and how many squares lie between; None for no grid.
    """
    positions, weights = lines[:, 0], lines[:, 2] - lines[:, 1]
    distances = np.unique(np.round(np.abs(positions[:, None] - positions[None, :]), 2))
    pitches = distances[(distances >= MIN_PITCH) & (distances <= MAX_PITCH)]
    if len(positions) <= MIN_SIDE or not len(pitches):
        return None
    phases = 2j * np.pi * (positions - positions.min())
    repetition = np.array([abs(weights @ np.exp(phases / pitch)) for pitch in pitches])
    pitch = float(pitches[repetition >= MIN_REPETITION * repetition.max()].max())
    origin = positions.min() + float(np.angle(weights @ np.exp(phases / pitch))) * pitch / (2 * np.pi)
    for _ in range(2):  # once more with what the first fit leaves
        steps = np.round((positions - origin) / pitch)
        near = np.abs(positions - origin - steps * pitch) < MAX_DEVIATION * pitch
        if np.ptp(steps[near]) < MIN_SIDE:
            return None
        pitch, origin = np.polyfit(steps[near], positions[near], 1, w=np.sqrt(weights[near]))
    steps = np.round((positions - origin) / pitch).astype(int)[near]
    first, last = int(steps.min()), int(steps.max())
    if not MIN_SIDE <= last - first <= MAX_SIDE:
        return None
    return float(origin + first * pitch), float(pitch), last - first
