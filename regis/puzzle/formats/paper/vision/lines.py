"""Finds the lines of a text column by their connected components, and deskews them."""

from __future__ import annotations

from typing import Any, NamedTuple

import cv2
import numpy as np

from regis.puzzle.formats.paper.page_words import MAX_RATIO

INK_LEVEL = 200  # of 255; a darker pixel is ink
MIN_SIDE = 3  # pixels; a smaller component is a speck
MIN_LETTER_HEIGHT = 8  # pixels
MAX_ASPECT_RATIO = 4.0  # width over height; a wider component is a dash or a blank
MIN_HEIGHT_RATIO = 0.6  # fraction of the usual letter height; a shorter component is a mark
MAX_HEIGHT_RATIO = 1.6  # multiple of the usual letter height; a taller component may belong to two lines that touch
MIN_OVERLAP = 0.5  # fraction of the shorter letter's height; vertical overlap of two letters in a line
N_LETTERS = 8  # letters that determine where a line continues, and the fewest that determine its slope
BASELINE_QUANTILE = 0.4  # of letter bottoms, from the top; descenders go lower
MAX_OFFSET = 0.12  # fraction of the usual letter height; from the baseline to the bottom of a letter without descender
CAPITAL_QUANTILE = 0.85  # of letter heights; approximates the height of capitals
ASCENT = 1.3  # multiple of the capitals' height; extent of a line above its baseline, including marks
DESCENT = 0.5  # multiple of the capitals' height; extent of a line below its baseline
MARGIN = 0.3  # multiple of the capitals' height; margin at both ends of a line
MAX_COMPONENTS = 6000  # connected components of a text column; more mean a picture


class PrintedLine(NamedTuple):
    """A line of text and its position in the column, in pixels."""

    picture: Any  # (height, width), deskewed
    left: int
    baseline: float  # y-coordinate at the left edge of the column
    slope: float
    size: float  # height of the capitals
    boxes: Any  # (components, 4) left, top, right, and bottom, in pixels of the picture


def find_lines(column: Any) -> list[PrintedLine]:
    """Find the lines of a column, (height, width) grayscale, from top to bottom.

    Letters are linked into lines first. Each other mark then joins the nearest line.
    """
    _, labels, stats, _ = cv2.connectedComponentsWithStats((column < INK_LEVEL).astype(np.uint8), connectivity=8)
    boxes = stats[:, :4].astype(int)
    boxes[:, 2:] += boxes[:, :2]
    width, height = (boxes[:, 2:] - boxes[:, :2]).T
    components = np.flatnonzero(np.maximum(width, height) >= MIN_SIDE)[1:]  # without the background
    is_letter = (height[components] >= MIN_LETTER_HEIGHT) & (width[components] < MAX_ASPECT_RATIO * height[components])
    letters = components[is_letter]
    if not len(letters) or len(components) > MAX_COMPONENTS:
        return []
    usual_height = float(np.median(np.repeat(height[letters], height[letters])))  # short marks have less weight
    letters = letters[height[letters] >= MIN_HEIGHT_RATIO * usual_height]
    chains = chain_letters(boxes, letters[np.argsort(boxes[letters, 0], kind="stable")])
    fits = np.array([fit_line(boxes[chain], usual_height) for chain in chains])  # (lines, 3)
    size = float(np.median(np.repeat(fits[:, 2], [len(chain) for chain in chains])))
    fits[(fits[:, 2] > MIN_HEIGHT_RATIO * size) & (fits[:, 2] < MAX_RATIO * size), 2] = size
    line_of = np.full(len(boxes), -1)
    for i, chain in enumerate(chains):
        line_of[chain] = i
    for k in components[line_of[components] < 0]:
        x, y = (boxes[k, :2] + boxes[k, 2:]) / 2
        offsets = abs((fits[:, 0] + fits[:, 1] * x - y) / fits[:, 2] - (ASCENT - DESCENT) / 2)
        nearest = int(offsets.argmin())
        line_of[k] = nearest if offsets[nearest] < (ASCENT + DESCENT) / 2 else -1
    is_joined = height > MAX_HEIGHT_RATIO * usual_height
    order = np.argsort(fits[:, 0] + fits[:, 1] * column.shape[1] / 2, kind="stable")
    return [
        crop_line(column, labels, (line_of >= 0) & (line_of != i) & ~is_joined, boxes[line_of == i], *fits[i])
        for i in order
    ]


def chain_letters(boxes: Any, letters: Any) -> list[list[int]]:
    """Link letters, ordered from left to right, into lines: each continues the line that it overlaps most."""
    chains: list[list[int]] = []
    bands = np.empty((0, 2))  # (chains, 2) median top and bottom of the last letters of each
    for k in letters:
        top, bottom = boxes[k, [1, 3]]
        shared = np.minimum(bands[:, 1], bottom) - np.maximum(bands[:, 0], top)
        overlaps = shared / np.minimum(bands[:, 1] - bands[:, 0], bottom - top)
        i = int(overlaps.argmax()) if chains else 0
        if chains and overlaps[i] > MIN_OVERLAP:
            chains[i].append(k)
            bands[i] = np.median(boxes[chains[i][-N_LETTERS:]][:, [1, 3]], axis=0)
        else:
            chains.append([k])
            bands = np.vstack([bands, (top, bottom)])
    return chains


def fit_line(boxes: Any, usual_height: float) -> tuple[float, float, float]:
    """Fit a line to letters; return its baseline at the column's left edge, its slope, and its capitals' height."""
    middles, bottoms = (boxes[:, 0] + boxes[:, 2]) / 2, boxes[:, 3].astype(float)
    slope, baseline = 0.0, float(np.quantile(bottoms, BASELINE_QUANTILE))
    for _ in range(3):
        is_near = abs(bottoms - baseline - slope * middles) < MAX_OFFSET * usual_height
        if is_near.sum() < N_LETTERS:
            break
        slope, baseline = map(float, np.polyfit(middles[is_near], bottoms[is_near], 1))
    size = float(np.quantile(baseline + slope * middles - boxes[:, 1], CAPITAL_QUANTILE))
    return baseline, slope, max(size, MIN_HEIGHT_RATIO * usual_height)


def crop_line(
    column: Any, labels: Any, is_other: Any, boxes: Any, baseline: float, slope: float, size: float
) -> PrintedLine:
    """Crop and deskew a line, and erase the ink of other lines.

    Parameters
    ----------
    labels : (height, width) component of each pixel of the column.
    is_other : (components,) whether each belongs to another line.
    boxes : (components, 4) of this line.
    """
    margin = round(MARGIN * size)
    left, right = int(boxes[:, 0].min()) - margin, int(boxes[:, 2].max()) + margin
    baselines = baseline + slope * np.array([left, right])
    y0, y1 = max(int(baselines.min() - ASCENT * size) - 1, 0), int(baselines.max() + DESCENT * size) + 2
    part, is_other_ink = column[y0:y1], is_other[labels[y0:y1]].astype(np.uint8)
    is_edge = (cv2.dilate(is_other_ink, np.ones((3, 3))) > 0) & (part >= INK_LEVEL)
    part = np.where((is_other_ink > 0) | is_edge, np.uint8(255), part)
    top = baseline - ASCENT * size
    deskew = np.array([[1, 0, -left], [-slope, 1, y0 - top]], float)
    shape = right - left, round((ASCENT + DESCENT) * size)
    picture = cv2.warpAffine(part, deskew, shape, flags=cv2.INTER_LINEAR, borderValue=255)
    tops = top + slope * (boxes[:, 0] + boxes[:, 2]) / 2
    boxes = boxes - np.stack([np.full(len(boxes), left), tops] * 2, axis=1)
    return PrintedLine(picture, left, baseline, slope, size, boxes)
