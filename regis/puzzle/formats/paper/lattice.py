"""Where grids are on a page: white squares that lie beside each other at equal distances, over blocks.

Numbered from one to the next, they say how a page was held, bent and turned, where it is a picture.
"""

from __future__ import annotations

import heapq
from typing import Any

import numpy as np
from scipy import ndimage
from scipy.spatial import cKDTree

from regis.puzzle.formats.paper.page_objects import LUMINANCE, Lattice, Page
from regis.puzzle.formats.shared.squares import MAX_SIDE

MIN_SIDE = 3  # squares of a grid's side
INK = 0.51  # of the way from black to white, below which all is ink
INK_STEP = 0.055  # and darker by so much than what is light around it: lines end at blocks
INK_AROUND = 41  # pixels
MIN_SPOT = 12  # pixels of a square's side
MAX_SPOT = 420
MIN_SPOT_FILL = 0.55  # of its box, turned a little or with a circle in it
MAX_OBLONG = 1.45
PITCH = 1.1  # sides of a white square from the middle of one to that of the next
MAX_STEPS = 3  # squares from one to the next, over blocks
MAX_OFF = 0.16  # of a step, by which a square may lie off where those beside it say
MIN_ALIKE = 0.75  # side of a square over that of the next
MIN_SQUARES = 8  # white squares of a grid


def find_lattices(page: Page) -> list[Lattice]:
    """Find what may be grids on a page, the largest first."""
    if page.lattices is not None:
        return list(page.lattices)
    found = []
    for numbering, middles in number_spots(find_spots(page.pixels @ LUMINANCE)):
        height, width = numbering.max(axis=0) + 1
        if MIN_SIDE <= min(height, width) <= max(height, width) <= MAX_SIDE:
            (pitch_y, top), (pitch_x, left) = (np.polyfit(numbering[:, i] + 0.5, middles[:, 1 - i], 1) for i in (0, 1))
            left, top, pitch_x, pitch_y = np.array([left, top, pitch_x, pitch_y]) / page.scale
            found.append(Lattice(left, top, pitch_x, pitch_y, int(width), int(height)))
    return found


def find_spots(light: Any) -> Any:
    """Find what may be white squares on a page, (rows, columns) from 0 to 1: (squares, 3) middle and side."""
    smooth = ndimage.gaussian_filter(light, 1)
    is_light = smooth >= INK
    share = ndimage.uniform_filter(is_light.astype(np.float32), INK_AROUND)
    around = ndimage.uniform_filter(np.where(is_light, smooth, 0), INK_AROUND) / np.maximum(share, 1e-3)
    labels, _ = ndimage.label(is_light & (smooth >= around - INK_STEP))
    areas = np.bincount(labels.ravel())[1:]
    boxes = np.array([(y.start, y.stop, x.start, x.stop) for y, x in ndimage.find_objects(labels)])
    top, bottom, left, right = boxes.reshape(-1, 4).T.astype(float)
    width, height = right - left, bottom - top
    short, long = np.minimum(width, height), np.maximum(width, height)
    is_square = (short >= MIN_SPOT) & (long <= MAX_SPOT) & (long <= MAX_OBLONG * short)
    is_square &= areas >= MIN_SPOT_FILL * width * height
    return np.stack([left + right, top + bottom, 2 * np.sqrt(width * height)], axis=1)[is_square] / 2


def number_spots(spots: Any) -> list[tuple[Any, Any]]:
    """Number squares by those beside them, over blocks where none is nearer, the largest grid first.

    Returns
    -------
    For each grid row and column, (squares, 2), and middles, (squares, 2), in pixels.
    """
    if len(spots) < MIN_SQUARES:
        return []
    middles, sides = spots[:, :2], spots[:, 2]
    tree = cKDTree(middles)
    grids, seen = [], np.zeros(len(spots), bool)
    for start in np.argsort(-sides, kind="stable"):
        if seen[start]:
            continue
        places: dict[int, tuple[int, int]] = {}
        taken: set[tuple[int, int]] = set()
        heap = [(0, 0, int(start), (0, 0), find_lean(middles, sides, tree, int(start)), PITCH * sides[start])]
        while heap:
            _, _, i, place, lean, pitch = heapq.heappop(heap)
            if i in places or place in taken:
                continue
            places[i] = place
            taken.add(place)
            for j in tree.query_ball_point(middles[i], (MAX_STEPS + 0.3) * pitch):
                dx, dy = middles[j] - middles[i]
                distance, angle = float(np.hypot(dx, dy)), float(np.arctan2(dy, dx)) - lean
                n_steps, quarter = round(distance / pitch), round(angle / (np.pi / 2))
                off = angle - quarter * np.pi / 2
                is_alike = MIN_ALIKE < sides[j] / sides[i] < 1 / MIN_ALIKE
                if j in places or not n_steps or not is_alike or abs(off) > MAX_OFF:
                    continue
                if abs(distance / n_steps / pitch - 1) < MAX_OFF:
                    down, right = ((0, 1), (1, 0), (0, -1), (-1, 0))[quarter % 4]
                    there = place[0] + down * n_steps, place[1] + right * n_steps
                    next_pitch = 0.7 * pitch + 0.3 * distance / n_steps
                    heapq.heappush(heap, (n_steps, len(heap), j, there, lean + off / 4, next_pitch))
        seen[list(places)] = True
        if len(places) >= MIN_SQUARES:
            numbering = np.array(list(places.values()))
            grids.append((numbering - numbering.min(axis=0), middles[list(places)]))
    return sorted(grids, key=lambda grid: -len(grid[0]))


def find_lean(middles: Any, sides: Any, tree: Any, start: int) -> float:
    """Return by what angle the row through a square leans, from those beside it."""
    near = [j for j in tree.query_ball_point(middles[start], 1.4 * sides[start]) if j != start]
    steps = middles[near] - middles[start]
    return float(np.angle(np.exp(4j * np.arctan2(steps[:, 1], steps[:, 0])).sum())) / 4 if near else 0.0
