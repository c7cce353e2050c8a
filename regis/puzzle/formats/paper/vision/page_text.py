"""Reads the text of a rectified page, column by column."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import cv2
import numpy as np

from regis.puzzle.formats.paper.page_objects import Glyph
from regis.puzzle.formats.paper.vision.lines import INK_LEVEL, find_lines
from regis.puzzle.formats.paper.vision.squares import DARK
from regis.puzzle.formats.paper.vision.words import read_words

PixelBox = tuple[int, int, int, int]
"""Left, top, right, bottom."""

DESCENT = 0.22  # fraction of a line's height; part below its baseline
MIN_GUTTER = 18  # pixels; least white between columns
MAX_GUTTER = 100  # pixels; a wider gutter counts as this wide
MIN_GAIN = 1.2  # ratio; a horizontal cut comes first if it enlarges a gutter this much, as at a line across columns
MIN_COLUMN_WIDTH = 260  # pixels
MIN_LINE_GAP = 6  # pixels; least white between lines
MAX_LETTER_SIDE = (
    150  # pixels; a larger component is a rule or the sheet's edge; a shorter column isn't split or sheared
)
MAX_SLOPE = 0.06  # of the lines on curved paper
N_SLOPES = 31  # slopes to try
SHEAR_SCALE = 4  # pixels of the page per pixel of the picture that slopes are tried on
EDGE = 4  # pixels; margin around ink for the blurred edges of letters
MAX_COLUMNS = 60  # columns of a page


def read_text(page: Any) -> list[Glyph]:
    """Read the text of a page, with positions in pixels."""
    _, labels, stats, _ = cv2.connectedComponentsWithStats((page < INK_LEVEL).astype(np.uint8), connectivity=8)
    is_rule = stats[:, [cv2.CC_STAT_WIDTH, cv2.CC_STAT_HEIGHT]].max(axis=1) > MAX_LETTER_SIDE
    is_rule[0] = False  # the background
    page = np.where(is_rule[labels], np.uint8(255), page)
    ink = cv2.morphologyEx((page < DARK).astype(np.uint8), cv2.MORPH_OPEN, np.ones((2, 2), np.uint8))
    columns = [*split_columns(ink, 0, 0)]
    page = np.pad(page, EDGE, constant_values=255)
    glyphs = []
    for left, top, right, bottom in columns[:MAX_COLUMNS]:
        part, added = shear_column(page[top : bottom + 2 * EDGE, left : right + 2 * EDGE])
        dx, dy = left - EDGE, top - EDGE - added
        for line in find_lines(part):
            for text, x0, x1, probability in read_words(line):
                baseline = line.baseline + line.slope * x0 + dy
                size = line.size / (1 - DESCENT)
                upper, lower = baseline - (1 - DESCENT) * size, baseline + DESCENT * size
                width = (x1 - x0) / len(text)
                for i, character in enumerate(text):
                    x = x0 + dx + i * width
                    glyphs.append(Glyph(character, x, upper, x + width, lower, baseline, probability=probability))
                glyphs.append(Glyph(" ", x1 + dx, upper, x1 + dx, lower, baseline))
    return glyphs


def shear_column(column: Any) -> tuple[Any, int]:
    """Shear a column until its lines are horizontal; return it with the number of pixel rows added above."""
    height, width = column.shape
    if height < MAX_LETTER_SIDE:
        return column, 0
    small = 255 - cv2.resize(column, None, fx=1 / SHEAR_SCALE, fy=1 / SHEAR_SCALE, interpolation=cv2.INTER_AREA)
    slopes = np.linspace(-MAX_SLOPE, MAX_SLOPE, N_SLOPES)
    sharpness = [shear(small, slope, 0).sum(axis=1, dtype=float).var() for slope in slopes]
    slope = slopes[int(np.argmax(sharpness))]
    added = int(abs(slope) * width / 2) + 1
    padded = cv2.copyMakeBorder(255 - column, added, added, 0, 0, cv2.BORDER_CONSTANT)
    return 255 - shear(padded, slope, width / 2), added


def shear(ink: Any, slope: float, middle: float) -> Any:
    """Shear ink vertically around the column of pixels at `middle`."""
    return cv2.warpAffine(ink, np.array([[1.0, 0, 0], [slope, 1, -slope * middle]]), ink.shape[::-1])


def split_columns(ink: Any, left: int, top: int) -> Iterator[PixelBox]:
    """Split ink into columns, in reading order.

    Gutters separate columns. The ink is first cut between two lines if that makes a gutter wider or longer.
    """
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    if not len(rows):
        return
    ink = ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    left, top = left + int(columns[0]), top + int(rows[0])
    best_cut, best_area = 0, MIN_GAIN * measure_gutter(ink)
    for y in find_gaps(ink.any(axis=1), MIN_LINE_GAP):
        area = max(map(measure_gutter, (ink[:y], ink[y:])))
        if area > best_area:
            best_cut, best_area = y, area
    if best_cut:
        yield from split_columns(ink[:best_cut], left, top)
        yield from split_columns(ink[best_cut:], left, top + best_cut)
    elif gutters := find_gutters(ink):
        for start, end in zip([0, *gutters], [*gutters, ink.shape[1]], strict=True):
            yield from split_columns(ink[:, start:end], left + start, top)
    else:
        yield left, top, left + ink.shape[1], top + ink.shape[0]


def measure_gutter(ink: Any) -> int:
    """Return the area of the widest gutter in pixels; the gap between numbers and clues has a smaller one."""
    ink_columns = np.flatnonzero(ink.any(axis=0))
    widths = [ink_columns[k] - ink_columns[k - 1] for k in np.searchsorted(ink_columns, find_gutters(ink))]
    return int(len(ink) * min(max(widths, default=0), MAX_GUTTER))


def find_gutters(ink: Any) -> list[int]:
    """Find the x-coordinates of gutters, widest first; a gap that makes a column too narrow isn't a gutter."""
    edges, ink_columns = [0, ink.shape[1]], np.flatnonzero(ink.any(axis=0))
    gaps = find_gaps(ink.any(axis=0), MIN_GUTTER) if len(ink) >= MAX_LETTER_SIDE else []
    for x in sorted(gaps, key=lambda x: abs(ink_columns - x).min(), reverse=True):
        k = int(np.searchsorted(edges, x))
        if min(x - edges[k - 1], edges[k] - x) >= MIN_COLUMN_WIDTH:
            edges.insert(k, x)
    return edges[1:-1]


def find_gaps(has_ink: Any, min_width: int) -> list[int]:
    """Find the middles of gaps wider than `min_width` pixels."""
    ink_columns = np.flatnonzero(has_ink)
    wide = np.flatnonzero(np.diff(ink_columns) > min_width)
    return [int(ink_columns[i] + ink_columns[i + 1]) // 2 for i in wide]
