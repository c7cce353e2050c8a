"""The text of a page that was laid flat, column by column."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import cv2
import numpy as np

from regis.puzzle.formats.paper.page_objects import Glyph
from regis.puzzle.formats.paper.vision.lines import PALE, find_lines
from regis.puzzle.formats.paper.vision.squares import DARK
from regis.puzzle.formats.paper.vision.words import read_words

Box = tuple[int, int, int, int]
"""Left, top, right, bottom, in pixels."""

DESCENT = 0.22  # share of a line's height below its letters
MIN_GUTTER = 18  # pixels of white between columns
MAX_GUTTER = 100  # wider is not better
MIN_GAIN = 1.2  # of the room that gutters have, for a level strip to be cut first: one long line takes some of it
MIN_COLUMN_WIDTH = 260
MIN_BAND = 6  # and between lines
MAX_LETTER_SIDE = 150  # pixels; larger are lines between columns, the edge of the sheet, and what may have columns
MAX_SLOPE = 0.06  # of lines that are not level, on paper that bends
N_SLOPES = 31  # that are tried
SHEAR_STEP = 4  # pixels of the page for one where they are tried
EDGE = 4  # pixels of a letter's edge that are lighter
MAX_COLUMNS = 60


def read_text(page: Any) -> list[Glyph]:
    """Read the text of a page, in pixels."""
    _, labels, stats, _ = cv2.connectedComponentsWithStats((page < PALE).astype(np.uint8), connectivity=8)
    is_rule = stats[:, [cv2.CC_STAT_WIDTH, cv2.CC_STAT_HEIGHT]].max(axis=1) > MAX_LETTER_SIDE
    is_rule[0] = False  # the paper
    page = np.where(is_rule[labels], np.uint8(255), page)
    ink = cv2.morphologyEx((page < DARK).astype(np.uint8), cv2.MORPH_OPEN, np.ones((2, 2), np.uint8))
    columns = [*cut_columns(ink, 0, 0)]
    page = np.pad(page, EDGE, constant_values=255)
    glyphs = []
    for left, top, right, bottom in columns[:MAX_COLUMNS]:
        part, added = level_lines(page[top : bottom + 2 * EDGE, left : right + 2 * EDGE])
        dx, dy = left - EDGE, top - EDGE - added
        for line in find_lines(part):
            for text, x0, x1, probability in read_words(line):
                baseline = line.foot + line.slope * x0 + dy
                size = line.size / (1 - DESCENT)
                upper, lower = baseline - (1 - DESCENT) * size, baseline + DESCENT * size
                width = (x1 - x0) / len(text)
                for i, character in enumerate(text):
                    x = x0 + dx + i * width
                    glyphs.append(Glyph(character, x, upper, x + width, lower, baseline, probability=probability))
                glyphs.append(Glyph(" ", x1 + dx, upper, x1 + dx, lower, baseline))
    return glyphs


def level_lines(column: Any) -> tuple[Any, int]:
    """Shear a column so that its lines are level, as on paper that bends; say how many pixels that adds above."""
    height, width = column.shape
    if height < MAX_LETTER_SIDE:
        return column, 0
    small = 255 - cv2.resize(column, None, fx=1 / SHEAR_STEP, fy=1 / SHEAR_STEP, interpolation=cv2.INTER_AREA)
    slopes = np.linspace(-MAX_SLOPE, MAX_SLOPE, N_SLOPES)
    sharpness = [shear(small, slope, 0).sum(axis=1, dtype=float).var() for slope in slopes]
    slope = slopes[int(np.argmax(sharpness))]
    added = int(abs(slope) * width / 2) + 1
    padded = cv2.copyMakeBorder(255 - column, added, added, 0, 0, cv2.BORDER_CONSTANT)
    return 255 - shear(padded, slope, width / 2), added


def shear(ink: Any, slope: float, middle: float) -> Any:
    """Move ink up or down, the more the further it is from the middle."""
    return cv2.warpAffine(ink, np.array([[1.0, 0, 0], [slope, 1, -slope * middle]]), ink.shape[::-1])


def cut_columns(ink: Any, left: int, top: int) -> Iterator[Box]:
    """Cut ink into columns in reading order: left, top, right, bottom.

    Upright white strips part columns, unless a level one lets a wider or longer one be cut.
    """
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    if not len(rows):
        return
    ink = ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    left, top = left + int(columns[0]), top + int(rows[0])
    best, best_room = 0, MIN_GAIN * measure_gutters(ink)
    for y in find_gaps(ink.any(axis=1), MIN_BAND):
        room = max(map(measure_gutters, (ink[:y], ink[y:])))
        if room > best_room:
            best, best_room = y, room
    if best:
        yield from cut_columns(ink[:best], left, top)
        yield from cut_columns(ink[best:], left, top + best)
    elif edges := find_gutters(ink):
        for start, end in zip([0, *edges], [*edges, ink.shape[1]], strict=True):
            yield from cut_columns(ink[:, start:end], left + start, top)
    else:
        yield left, top, left + ink.shape[1], top + ink.shape[0]


def measure_gutters(ink: Any) -> int:
    """Measure the widest gutter by its height: one between a column's numbers and clues is less than that behind it."""
    ink_columns = np.flatnonzero(ink.any(axis=0))
    widths = [ink_columns[k] - ink_columns[k - 1] for k in np.searchsorted(ink_columns, find_gutters(ink))]
    return int(len(ink) * min(max(widths, default=0), MAX_GUTTER))


def find_gutters(ink: Any) -> list[int]:
    """Find where columns end, the widest gaps first; what is narrower than a column, numbers before clues, is none."""
    edges, ink_columns = [0, ink.shape[1]], np.flatnonzero(ink.any(axis=0))
    gaps = find_gaps(ink.any(axis=0), MIN_GUTTER) if len(ink) >= MAX_LETTER_SIDE else []
    for x in sorted(gaps, key=lambda x: abs(ink_columns - x).min(), reverse=True):
        k = int(np.searchsorted(edges, x))
        if min(x - edges[k - 1], edges[k] - x) >= MIN_COLUMN_WIDTH:
            edges.insert(k, x)
    return edges[1:-1]


def find_gaps(has_ink: Any, min_width: int) -> list[int]:
    """Find the middles of gaps of at least so many pixels between ink."""
    ink_columns = np.flatnonzero(has_ink)
    wide = np.flatnonzero(np.diff(ink_columns) > min_width)
    return [int(ink_columns[i] + ink_columns[i + 1]) // 2 for i in wide]
