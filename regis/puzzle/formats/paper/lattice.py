"""Where grids are on a page: edges of ink that hang together and repeat themselves at equal distances.

A line has two edges, a block one on each side, and squares may also lie apart, with the ground showing between them.
The distance from line to line is the longest one at which most of the edges repeat themselves.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from regis.puzzle.formats.paper.page_objects import LUMINANCE, Lattice, Page
from regis.puzzle.formats.shared.squares import MAX_SIDE

MIN_PITCH, MAX_PITCH = (
    6.0,
    80.0,
)  # points from line to line: the smallest solutions in print have 6, grids for children 60
MIN_SIDE = 3  # squares of a grid's side
MIN_EDGE = 0.07  # of the way from black to white, between the two sides of an edge
MAX_GAP = 3.0  # points between squares that lie apart
MIN_REPETITION = 0.95  # share of the best repetition, that a longer distance must have to be preferred
MAX_OBLONG = 1.3  # longer side of a square over the shorter one
MAX_DEVIATION = 0.25  # share of a square's side by which an edge may lie off its line


def find_lattices(page: Page) -> list[Lattice]:
    """Find what may be grids on a page, the largest first."""
    if page.lattices is not None:
        return list(page.lattices)
    light = page.pixels @ LUMINANCE
    n_least = round(MIN_PITCH * page.scale / 2)
    horizontals, verticals = _find_edges(light, n_least), _find_edges(light.T, n_least).T
    reach = 2 * round(MAX_GAP * page.scale / 2) + 1
    labels, _ = ndimage.label(ndimage.maximum_filter((horizontals | verticals).view(np.uint8), reach))
    found = []
    for label, part in enumerate(ndimage.find_objects(labels), 1):
        is_own = labels[part] == label
        y = _fit_axis((horizontals[part] & is_own).sum(axis=1), page.scale)
        x = _fit_axis((verticals[part] & is_own).sum(axis=0), page.scale)
        if x is None or y is None or max(x[1], y[1]) > MAX_OBLONG * min(x[1], y[1]):
            continue
        left, pitch_x, width = x
        top, pitch_y, height = y
        found.append(
            Lattice(
                left + part[1].start / page.scale, top + part[0].start / page.scale, pitch_x, pitch_y, width, height
            )
        )
    return sorted(found, key=lambda lattice: -lattice.width * lattice.height)


def _find_edges(light: NDArray[np.floating], n_least: int) -> NDArray[np.bool_]:
    """Find where, going down, light changes, along so many pixels of a row or more: (rows, columns)."""
    is_edge = np.zeros(light.shape, np.uint8)
    is_edge[1:] = abs(np.diff(light, axis=0)) > MIN_EDGE
    size = 2 * n_least + 1
    is_long: NDArray[np.uint8] = ndimage.maximum_filter1d(ndimage.minimum_filter1d(is_edge, size, axis=1), size, axis=1)
    return is_long > 0


def _fit_axis(edges: NDArray[np.int64], scale: float) -> tuple[float, float, int] | None:
    """Fit equal distances to the edges across one direction.

    Parameters
    ----------
    edges : how many pixels of them are at each place.
    scale : pixels of a point.

    Returns
    -------
    Where the first line is, how far it is from one to the next, both in points, and how many squares lie between; None
    for no grid.
    """
    places = np.flatnonzero(edges)
    weights = edges[places]
    if not len(places) or np.ptp(places) < MIN_SIDE * MIN_PITCH * scale:
        return None
    step = 1 / (8 * np.ptp(places))
    frequencies = np.arange(1 / (MAX_PITCH * scale), 1 / (MIN_PITCH * scale), step)
    turns = np.exp(2j * np.pi * np.outer(frequencies, places)) @ weights
    repetition = abs(turns)
    best = int(np.argmax(repetition >= MIN_REPETITION * repetition.max()))
    best += int(np.argmax(repetition[best : best + 8]))
    pitch = 1 / frequencies[best]
    origin = float(np.angle(turns[best])) * pitch / (2 * np.pi)
    for _ in range(2):  # once more with what the first fit leaves
        steps = np.round((places - origin) / pitch)
        near = abs(places - origin - steps * pitch) < MAX_DEVIATION * pitch
        if np.ptp(steps[near]) < MIN_SIDE:
            return None
        pitch, origin = np.polyfit(steps[near], places[near], 1, w=np.sqrt(weights[near]))
    steps = np.round((places - origin) / pitch).astype(int)[near]
    inked = np.bincount(steps - steps.min(), weights[near])
    lines = np.flatnonzero(inked >= pitch) + steps.min()
    if not len(lines) or not MIN_SIDE <= np.ptp(lines) <= MAX_SIDE:
        return None
    return float(origin + lines[0] * pitch) / scale, float(pitch) / scale, int(np.ptp(lines))
