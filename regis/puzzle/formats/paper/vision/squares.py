"""Where the squares of a grid are in a picture, and the grid laid flat by them.

White squares are spots that lie beside each other at equal distances. Numbered from one to the next, they say how the
page was held, bent and turned.
"""

from __future__ import annotations

import heapq
from typing import Any

import cv2
import numpy as np

from regis.puzzle.formats.paper.vision import UnreadablePicture

INK = 130  # of 255, below which all is ink
INK_STEP = 14  # and darker by so much than what is light around it: lines end at blocks
INK_AROUND = 41
MIN_SPOT = 16  # pixels of a square's side
MAX_SPOT = 420
MIN_SPOT_FILL = 0.55  # of its box, turned a little or with a circle in it
MAX_OBLONG = 1.45
PITCH = 1.1  # sides of a white square from the middle of one to that of the next
MAX_STEPS = 3  # squares from one to the next, over blocks
MAX_STRETCH = 0.16  # share by which such a step may differ from the one before
MAX_LEAN = 0.16  # radians by which it may lean away from its row
MIN_ALIKE = 0.75  # side of a square over that of the next
MIN_SQUARES = 8  # white squares of a grid
MIN_SQUARES_BENT = 60  # and of one whose curve can be told
MAX_OFF = 0.15  # of a side, by which a square may lie off where its grid says
CURVE_DEGREE = 3
CURVE_TERMS = [(j, i) for i in range(CURVE_DEGREE + 1) for j in range(CURVE_DEGREE + 1 - i)]  # powers down, right
CELL = 80  # pixels of a square that is laid flat
DARK = 150  # of 255, for the ink of numbers
MIN_CORNER_INK = 1.5  # times as much as in the corner with the next most, for the corner of the numbers


def find_spots(page: Any) -> Any:
    """Find what may be white squares: (squares, 3) middle and side."""
    smooth = cv2.GaussianBlur(page, (0, 0), 1)
    is_dark = smooth < INK
    window = (INK_AROUND, INK_AROUND)
    share = cv2.blur((~is_dark).astype(np.float32), window)
    around = cv2.blur(np.where(is_dark, 0, smooth).astype(np.float32), window) / np.maximum(share, 1e-3)
    ink = is_dark | (smooth < around - INK_STEP)
    _, _, stats, _ = cv2.connectedComponentsWithStats((~ink).astype(np.uint8), connectivity=4)
    left, top, width, height, area = stats.T.astype(float)
    short, long = np.minimum(width, height), np.maximum(width, height)
    is_square = (short >= MIN_SPOT) & (long <= MAX_SPOT) & (long <= MAX_OBLONG * short)
    is_square &= area >= MIN_SPOT_FILL * width * height
    return np.stack([left + width / 2, top + height / 2, np.sqrt(width * height)], axis=1)[is_square]


def number_spots(spots: Any) -> list[tuple[Any, Any]]:
    """Number squares by those beside them, over blocks where none is nearer, the largest grid first.

    Returns
    -------
    For each grid row and column, (squares, 2), and middles, (squares, 2), in pixels.
    """
    from scipy.spatial import cKDTree

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
                if j in places or not n_steps or not is_alike or abs(off) > MAX_LEAN:
                    continue
                if abs(distance / n_steps / pitch - 1) < MAX_STRETCH:
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


def lay_flat(page: Any, numbering: Any, middles: Any) -> tuple[Any, Any]:
    """Lay a grid flat, upright as the numbers in it stand.

    Returns
    -------
    cells : (height, width, CELL, CELL) pixels of each square.
    view : (3, 3) what makes of columns and rows of the grid pixels of the page.
    """
    cells, view = _flatten(page, numbering, middles)
    quarters = find_turn(cells)
    for _ in range(quarters):
        numbering = np.stack([numbering[:, 1], numbering[:, 0].max() - numbering[:, 0]], axis=1)
    return _flatten(page, numbering, middles) if quarters else (cells, view)


def _flatten(page: Any, numbering: Any, middles: Any) -> tuple[Any, Any]:
    height, width = shape = (int(numbering[:, 0].max()) + 1, int(numbering[:, 1].max()) + 1)
    middle_of = numbering[:, ::-1] + 0.5
    step = np.sqrt(np.prod(np.ptp(middles, axis=0) / np.maximum(np.ptp(numbering, axis=0)[::-1], 1)))
    view, _ = cv2.findHomography(middle_of, middles, cv2.RANSAC, 2 * MAX_OFF * step)
    if view is None:
        raise UnreadablePicture("shows a grid that is bent too much")
    rows, columns = ((np.arange(n * CELL, dtype=np.float32) + 0.5) / CELL for n in shape)
    places = np.stack(np.meshgrid(columns, rows), axis=-1)
    if len(numbering) >= MIN_SQUARES_BENT:
        off = cv2.perspectiveTransform(middles[None], np.linalg.inv(view))[0] - middle_of
        y, x = (raise_to_powers(numbering[:, i], shape[i]) for i in (0, 1))
        terms, near = np.stack([y[j] * x[i] for j, i in CURVE_TERMS], axis=1), np.ones(len(numbering), bool)
        for _ in range(3):  # again without what lies elsewhere
            weights = np.linalg.lstsq(terms[near], off[near], rcond=None)[0]
            near = np.hypot(*(off - terms @ weights).T) < MAX_OFF
            if near.sum() < MIN_SQUARES_BENT // 2:
                raise UnreadablePicture("shows a grid that is bent too much")
        curve = np.zeros((CURVE_DEGREE + 1, CURVE_DEGREE + 1, 2))
        curve[tuple(np.transpose(CURVE_TERMS))] = weights
        y, x = (raise_to_powers(at - 0.5, n) for at, n in zip((rows, columns), shape, strict=True))
        places += np.einsum("jr,jid,ic->rcd", y, curve, x, optimize=True)
    sources = cv2.perspectiveTransform(places.reshape(1, -1, 2), view).reshape(places.shape)
    flat = cv2.remap(page, sources[..., 0], sources[..., 1], cv2.INTER_LINEAR, borderValue=255)
    return flat.reshape(height, CELL, width, CELL).swapaxes(1, 2), view


def raise_to_powers(places: Any, length: int) -> Any:
    """Return the powers that a curve has of places in a grid, from -1 at its first square to 1 at its last."""
    return (places / max(length - 1, 1) * 2 - 1) ** np.arange(CURVE_DEGREE + 1)[:, None]


def find_turn(cells: Any) -> int:
    """Return by how many quarters, clockwise, the numbers come to the top left of the squares."""
    edge, half = CELL // 10, CELL // 2
    white = cells[np.median(cells, axis=(2, 3)) > DARK]
    low, high = slice(edge, half), slice(half, CELL - edge)
    ink = [float((white[:, y, x] < DARK).mean()) if len(white) else 0.0
           for y, x in ((low, low), (high, low), (high, high), (low, high))]  # fmt: skip
    most = int(np.argmax(ink))
    return most if ink[most] > MIN_CORNER_INK * sorted(ink)[-2] else 0
