"""Rectifies a grid in a picture, by the centers of its white squares."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np

from regis.puzzle.formats.paper.lattice import MAX_OFFSET
from regis.puzzle.formats.paper.vision import UnreadablePicture

MIN_CURVED_SQUARES = 60  # white squares; with fewer, the curvature of the paper can't be measured
CURVE_DEGREE = 3  # of the polynomial that describes the curvature
CURVE_TERMS = [(j, i) for i in range(CURVE_DEGREE + 1) for j in range(CURVE_DEGREE + 1 - i)]  # powers of y and x
CELL = 80  # pixels; side of a rectified square
DARK = 150  # of 255; a darker pixel is ink of a number or letter
MIN_CORNER_INK = 1.5  # ratio; the corner with the numbers has this much more ink than any other


def rectify_grid(page: Any, numbering: Any, centers: Any) -> tuple[Any, Any]:
    """Rectify a grid, and rotate it so that its numbers are upright.

    Parameters
    ----------
    numbering : (squares, 2) row and column of each white square.
    centers : (squares, 2) x and y of its center, in pixels of the page.

    Returns
    -------
    cells : (height, width, CELL, CELL) pixels of each square.
    homography : (3, 3) from columns and rows of the grid to pixels of the page.
    """
    cells, homography = _warp_grid(page, numbering, centers)
    n_quarter_turns = find_rotation(cells)
    for _ in range(n_quarter_turns):
        numbering = np.stack([numbering[:, 1], numbering[:, 0].max() - numbering[:, 0]], axis=1)
    return _warp_grid(page, numbering, centers) if n_quarter_turns else (cells, homography)


def _warp_grid(page: Any, numbering: Any, centers: Any) -> tuple[Any, Any]:
    height, width = shape = (int(numbering[:, 0].max()) + 1, int(numbering[:, 1].max()) + 1)
    grid_centers = numbering[:, ::-1] + 0.5
    pitch = np.sqrt(np.prod(np.ptp(centers, axis=0) / np.maximum(np.ptp(numbering, axis=0)[::-1], 1)))
    homography, _ = cv2.findHomography(grid_centers, centers, cv2.RANSAC, 2 * MAX_OFFSET * pitch)
    if homography is None:
        raise UnreadablePicture("shows a grid that is curved too much")
    rows, columns = ((np.arange(n * CELL, dtype=np.float32) + 0.5) / CELL for n in shape)
    points = np.stack(np.meshgrid(columns, rows), axis=-1)
    if len(numbering) >= MIN_CURVED_SQUARES:
        offsets = cv2.perspectiveTransform(centers[None], np.linalg.inv(homography))[0] - grid_centers
        y, x = (raise_to_powers(numbering[:, i], shape[i]) for i in (0, 1))
        terms, is_inlier = np.stack([y[j] * x[i] for j, i in CURVE_TERMS], axis=1), np.ones(len(numbering), bool)
        for _ in range(3):  # refit without outliers
            weights = np.linalg.lstsq(terms[is_inlier], offsets[is_inlier], rcond=None)[0]
            is_inlier = np.hypot(*(offsets - terms @ weights).T) < MAX_OFFSET
            if is_inlier.sum() < MIN_CURVED_SQUARES // 2:
                raise UnreadablePicture("shows a grid that is curved too much")
        curve = np.zeros((CURVE_DEGREE + 1, CURVE_DEGREE + 1, 2))
        curve[tuple(np.transpose(CURVE_TERMS))] = weights
        y, x = (raise_to_powers(at - 0.5, n) for at, n in zip((rows, columns), shape, strict=True))
        points += np.einsum("jr,jid,ic->rcd", y, curve, x, optimize=True)
    sources = cv2.perspectiveTransform(points.reshape(1, -1, 2), homography).reshape(points.shape)
    grid = cv2.remap(page, sources[..., 0], sources[..., 1], cv2.INTER_LINEAR, borderValue=255)
    return grid.reshape(height, CELL, width, CELL).swapaxes(1, 2), homography


def raise_to_powers(coordinates: Any, length: int) -> Any:
    """Return powers 0 to CURVE_DEGREE of grid coordinates, scaled to -1 at the first square and 1 at the last."""
    return (coordinates / max(length - 1, 1) * 2 - 1) ** np.arange(CURVE_DEGREE + 1)[:, None]


def find_rotation(cells: Any) -> int:
    """Return the number of clockwise quarter turns that bring the numbers to the top left of the squares."""
    edge, half = CELL // 10, CELL // 2
    white = cells[np.median(cells, axis=(2, 3)) > DARK]
    low, high = slice(edge, half), slice(half, CELL - edge)
    ink = [float((white[:, y, x] < DARK).mean()) if len(white) else 0.0
           for y, x in ((low, low), (high, low), (high, high), (low, high))]  # fmt: skip
    most = int(np.argmax(ink))
    return most if ink[most] > MIN_CORNER_INK * sorted(ink)[-2] else 0
