"""The lines of a column of text, found by the ink of their letters and laid level."""

from __future__ import annotations

from typing import Any, NamedTuple

import cv2
import numpy as np

from regis.puzzle.formats.paper.page_words import MAX_RATIO

PALE = 200  # of 255, darker than which is ink
MIN_SIDE = 3  # pixels; less is a speck
MIN_LETTER = 8  # pixels of a letter's height
FLAT = 4.0  # times as wide as high, as dashes and blanks are
TALL = 0.6  # of the usual letter's height, as all letters are
MAX_SINGLE = 1.6  # of it; what is higher may be letters of two lines that touch
MIN_OVERLAP = 0.5  # of the lower of two letters, for them to be beside each other
N_LETTERS = 8  # of a line that tell where it goes on and how it slopes
FOOT_SHARE = 0.4  # of a line's letters have their feet there or higher: some go lower
MAX_OFF = 0.12  # of the usual letter's height, by which a foot may lie off its line's
TOP_SHARE = 0.85  # of a line's letters are as high as its capitals or lower
ASCENT = 1.3  # of a capital's height, of what is seen of a line above its feet; marks of a line are there, too
DESCENT = 0.5
MARGIN = 0.3  # of it, of what is seen beside it
MAX_PIECES = 6000  # of ink in a column of text; there are more where a picture is


class PrintedLine(NamedTuple):
    """A line of text: its picture, laid level, and where it lies in its column, in pixels."""

    picture: Any  # (height, width)
    left: int
    foot: float  # where its letters' feet are at the column's left edge
    slope: float
    size: float  # how high its capitals are
    boxes: Any  # (pieces of ink, 4) left, top, right and bottom, in pixels of the picture


def find_lines(column: Any) -> list[PrintedLine]:
    """Find the lines of a column, (height, width) grey, from top to bottom.

    Letters are chained to lines first; then each mark goes to the line that it is nearest to.
    """
    _, labels, stats, _ = cv2.connectedComponentsWithStats((column < PALE).astype(np.uint8), connectivity=8)
    boxes = stats[:, :4].astype(int)
    boxes[:, 2:] += boxes[:, :2]
    width, height = (boxes[:, 2:] - boxes[:, :2]).T
    pieces = np.flatnonzero(np.maximum(width, height) >= MIN_SIDE)[1:]  # without the paper
    letters = pieces[(height[pieces] >= MIN_LETTER) & (width[pieces] < FLAT * height[pieces])]
    if not len(letters) or len(pieces) > MAX_PIECES:
        return []
    usual = float(np.median(np.repeat(height[letters], height[letters])))  # quotation marks count less
    letters = letters[height[letters] >= TALL * usual]
    chains = chain_letters(boxes, letters[np.argsort(boxes[letters, 0], kind="stable")])
    fits = np.array([fit_line(boxes[chain], usual) for chain in chains])  # (lines, 3)
    size = float(np.median(np.repeat(fits[:, 2], [len(chain) for chain in chains])))
    fits[(fits[:, 2] > TALL * size) & (fits[:, 2] < MAX_RATIO * size), 2] = size
    line_of = np.full(len(boxes), -1)
    for i, chain in enumerate(chains):
        line_of[chain] = i
    for k in pieces[line_of[pieces] < 0]:
        x, y = (boxes[k, :2] + boxes[k, 2:]) / 2
        off = abs((fits[:, 0] + fits[:, 1] * x - y) / fits[:, 2] - (ASCENT - DESCENT) / 2)
        nearest = int(off.argmin())
        line_of[k] = nearest if off[nearest] < (ASCENT + DESCENT) / 2 else -1
    is_joined = height > MAX_SINGLE * usual
    order = np.argsort(fits[:, 0] + fits[:, 1] * column.shape[1] / 2, kind="stable")
    return [
        cut_line(column, labels, (line_of >= 0) & (line_of != i) & ~is_joined, boxes[line_of == i], *fits[i])
        for i in order
    ]


def chain_letters(boxes: Any, letters: Any) -> list[list[int]]:
    """Chain letters, from left to right, to lines: each stands beside the last ones of its line."""
    chains: list[list[int]] = []
    bands = np.empty((0, 2))  # (chains, 2) where the last letters of each have their tops and feet
    for k in letters:
        top, foot = boxes[k, [1, 3]]
        shared = np.minimum(bands[:, 1], foot) - np.maximum(bands[:, 0], top)
        overlaps = shared / np.minimum(bands[:, 1] - bands[:, 0], foot - top)
        i = int(overlaps.argmax()) if chains else 0
        if chains and overlaps[i] > MIN_OVERLAP:
            chains[i].append(k)
            bands[i] = np.median(boxes[chains[i][-N_LETTERS:]][:, [1, 3]], axis=0)
        else:
            chains.append([k])
            bands = np.vstack([bands, (top, foot)])
    return chains


def fit_line(boxes: Any, usual: float) -> tuple[float, float, float]:
    """Return where a line's feet are at the column's left edge, how they slope, and how high its capitals are."""
    middles, feet = (boxes[:, 0] + boxes[:, 2]) / 2, boxes[:, 3].astype(float)
    slope, foot = 0.0, float(np.quantile(feet, FOOT_SHARE))
    for _ in range(3):
        is_near = abs(feet - foot - slope * middles) < MAX_OFF * usual
        if is_near.sum() < N_LETTERS:
            break
        slope, foot = map(float, np.polyfit(middles[is_near], feet[is_near], 1))
    size = float(np.quantile(foot + slope * middles - boxes[:, 1], TOP_SHARE))
    return foot, slope, max(size, TALL * usual)


def cut_line(
    column: Any, labels: Any, is_other: Any, boxes: Any, foot: float, slope: float, size: float
) -> PrintedLine:
    """Cut a line out of its column, without the ink of other lines, and lay it level.

    Parameters
    ----------
    labels : (height, width) of which piece of ink each pixel of the column is.
    is_other : whether each piece is of another line.
    boxes : (pieces, 4) of the line.
    """
    margin = round(MARGIN * size)
    left, right = int(boxes[:, 0].min()) - margin, int(boxes[:, 2].max()) + margin
    feet = foot + slope * np.array([left, right])
    y0, y1 = max(int(feet.min() - ASCENT * size) - 1, 0), int(feet.max() + DESCENT * size) + 2
    part, is_away = column[y0:y1], is_other[labels[y0:y1]].astype(np.uint8)
    is_edge = (cv2.dilate(is_away, np.ones((3, 3))) > 0) & (part >= PALE)
    part = np.where((is_away > 0) | is_edge, np.uint8(255), part)
    top = foot - ASCENT * size
    view = np.array([[1, 0, -left], [-slope, 1, y0 - top]], float)
    shape = right - left, round((ASCENT + DESCENT) * size)
    picture = cv2.warpAffine(part, view, shape, flags=cv2.INTER_LINEAR, borderValue=255)
    fall = top + slope * (boxes[:, 0] + boxes[:, 2]) / 2
    boxes = boxes - np.stack([np.full(len(boxes), left), fall] * 2, axis=1)
    return PrintedLine(picture, left, foot, slope, size, boxes)
