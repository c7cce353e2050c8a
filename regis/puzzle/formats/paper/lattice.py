"""Locates grids on a page: white squares at equal distances, with blocks between some of them.

Each white square gets its row and column in the grid. In a picture, these also show the perspective, curvature, and
rotation of the page.
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
INK_THRESHOLD = 0.51  # lightness from 0 to 1; a darker pixel is ink
INK_CONTRAST = 0.055  # lightness; a pixel darker than its light surroundings by this much is ink, such as thin lines
INK_WINDOW = 41  # pixels; side of those surroundings
MIN_SQUARE_SIDE = 12  # pixels
MAX_SQUARE_SIDE = 420  # pixels
MIN_SQUARE_FILL = 0.55  # fraction of the bounding box that a square fills if it is rotated or has a circle in it
MAX_ASPECT_RATIO = 1.45  # of a square's bounding box
PITCH_RATIO = 1.1  # distance between the centers of two adjacent squares over the side of one
MAX_STEPS = 3  # squares; the largest step from one white square to the next, over blocks
MAX_OFFSET = 0.16  # fraction of a step; the largest deviation of a square from its expected position
MIN_SIDE_RATIO = 0.75  # side of a square over that of its neighbor
MIN_SQUARES = 8  # white squares of a grid


def find_lattices(page: Page) -> list[Lattice]:
    """Find the possible grids on a page, largest first."""
    if page.lattices is not None:
        return list(page.lattices)
    found = []
    for cells, centers in group_squares(find_white_squares(page.pixels @ LUMINANCE)):
        height, width = cells.max(axis=0) + 1
        if MIN_SIDE <= min(height, width) <= max(height, width) <= MAX_SIDE:
            (pitch_y, top), (pitch_x, left) = (np.polyfit(cells[:, i] + 0.5, centers[:, 1 - i], 1) for i in (0, 1))
            left, top, pitch_x, pitch_y = np.array([left, top, pitch_x, pitch_y]) / page.scale
            found.append(Lattice(left, top, pitch_x, pitch_y, int(width), int(height)))
    return found


def find_white_squares(lightness: Any) -> Any:
    """Find the possible white squares of a page.

    Parameters
    ----------
    lightness : (rows, columns) from 0 to 1.

    Returns
    -------
    (squares, 3) x and y of the center, and the side, in pixels.
    """
    smooth = ndimage.gaussian_filter(lightness, 1)
    is_light = smooth >= INK_THRESHOLD
    share = ndimage.uniform_filter(is_light.astype(np.float32), INK_WINDOW)
    background = ndimage.uniform_filter(np.where(is_light, smooth, 0), INK_WINDOW) / np.maximum(share, 1e-3)
    labels, _ = ndimage.label(is_light & (smooth >= background - INK_CONTRAST))
    areas = np.bincount(labels.ravel())[1:]
    boxes = np.array([(y.start, y.stop, x.start, x.stop) for y, x in ndimage.find_objects(labels)])
    top, bottom, left, right = boxes.reshape(-1, 4).T.astype(float)
    width, height = right - left, bottom - top
    short, long = np.minimum(width, height), np.maximum(width, height)
    is_square = (short >= MIN_SQUARE_SIDE) & (long <= MAX_SQUARE_SIDE) & (long <= MAX_ASPECT_RATIO * short)
    is_square &= areas >= MIN_SQUARE_FILL * width * height
    return np.stack([left + right, top + bottom, 2 * np.sqrt(width * height)], axis=1)[is_square] / 2


def group_squares(squares: Any) -> list[tuple[Any, Any]]:
    """Group white squares into grids, nearest neighbors first, and largest grid first.

    Returns
    -------
    For each grid, the row and column of each square, (squares, 2), and its center, (squares, 2), in pixels.
    """
    if len(squares) < MIN_SQUARES:
        return []
    centers, sides = squares[:, :2], squares[:, 2]
    tree = cKDTree(centers)
    grids, is_grouped = [], np.zeros(len(squares), bool)
    for start in np.argsort(-sides, kind="stable"):
        if is_grouped[start]:
            continue
        cells: dict[int, tuple[int, int]] = {}  # row and column by index of a square
        taken: set[tuple[int, int]] = set()
        heap = [(0, 0, int(start), (0, 0), find_skew(centers, sides, tree, int(start)), PITCH_RATIO * sides[start])]
        while heap:
            _, _, i, cell, skew, pitch = heapq.heappop(heap)
            if i in cells or cell in taken:
                continue
            cells[i] = cell
            taken.add(cell)
            for j in tree.query_ball_point(centers[i], (MAX_STEPS + 0.3) * pitch):
                dx, dy = centers[j] - centers[i]
                distance, angle = float(np.hypot(dx, dy)), float(np.arctan2(dy, dx)) - skew
                n_steps, n_quarter_turns = round(distance / pitch), round(angle / (np.pi / 2))
                offset = angle - n_quarter_turns * np.pi / 2
                is_similar = MIN_SIDE_RATIO < sides[j] / sides[i] < 1 / MIN_SIDE_RATIO
                if j in cells or not n_steps or not is_similar or abs(offset) > MAX_OFFSET:
                    continue
                if abs(distance / n_steps / pitch - 1) < MAX_OFFSET:
                    down, right = ((0, 1), (1, 0), (0, -1), (-1, 0))[n_quarter_turns % 4]
                    next_cell = cell[0] + down * n_steps, cell[1] + right * n_steps
                    next_pitch = 0.7 * pitch + 0.3 * distance / n_steps
                    heapq.heappush(heap, (n_steps, len(heap), j, next_cell, skew + offset / 4, next_pitch))
        is_grouped[list(cells)] = True
        if len(cells) >= MIN_SQUARES:
            numbering = np.array(list(cells.values()))
            grids.append((numbering - numbering.min(axis=0), centers[list(cells)]))
    return sorted(grids, key=lambda grid: -len(grid[0]))


def find_skew(centers: Any, sides: Any, tree: Any, start: int) -> float:
    """Return the angle of the row through a square, in radians, from its nearest neighbors."""
    near = [j for j in tree.query_ball_point(centers[start], 1.4 * sides[start]) if j != start]
    steps = centers[near] - centers[start]
    return float(np.angle(np.exp(4j * np.arctan2(steps[:, 1], steps[:, 0])).sum())) / 4 if near else 0.0
