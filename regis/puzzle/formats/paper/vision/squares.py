"""A grid in a picture, laid flat by its squares."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np

from regis.puzzle.formats.paper.lattice import MAX_OFFSET
from regis.puzzle.formats.paper.vision import UnreadablePicture

MIN_SQUARES_BENT = 60  # white squares of one whose curve can be told
CURVE_DEGREE = 3
CURVE_TERMS = [(j, i) for i in range(CURVE_DEGREE + 1) for j in range(CURVE_DEGREE + 1 - i)]  # powers down, right
CELL = 80  # pixels of a square that is laid flat
DARK = 150  # of 255, for the ink of numbers
MIN_CORNER_INK = 1.5  # times as much as in the corner with the next most, for the corner of the numbers


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
    view, _ = cv2.findHomography(middle_of, middles, cv2.RANSAC, 2 * MAX_OFFSET * step)
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
            near = np.hypot(*(off - terms @ weights).T) < MAX_OFFSET
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
