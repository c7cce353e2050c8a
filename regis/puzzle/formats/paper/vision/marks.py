"""Points that the network passed over, and quotation marks that it doubled, told by their pieces of ink."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from regis.puzzle.formats.paper.vision.lines import ASCENT
from regis.puzzle.formats.paper.vision.recognizer import Character

MIN_DOT_SIDE = 0.12
MAX_MARK_WIDTH = 0.3
MAX_MARK_HEIGHT = 0.45
TALL = 0.5  # as letters are: what is in their column is a part of them
COLUMN_SLACK = 0.12  # where type leans
POINT_DEPTHS = (-0.15, 0.35)
MIN_COMMA_HEIGHT = 0.28
MAX_COLON_LIFT = 0.8
MIN_TICK_LIFT = 0.55
SLACK = 0.6
"""Of a capital's height: how large marks are, how far below or above the feet of the line, and how far from the ink of
one the network may see it."""

POINTS = ".,:;·•…"
TICKS = re.compile("['’‘´`][\"”“]|[\"”“]['’‘´`]")
SURE = 0.9  # a guess


def mend_marks(characters: Sequence[Character], boxes: Any, size: float) -> list[Character]:
    """Add the points of a line that lack, and make one of quotation marks that were seen twice.

    Parameters
    ----------
    boxes : (pieces of ink, 4) left, top, right and bottom, without those of blanks, dashes and ellipses.
    size : how high capitals are.
    """
    mended = merge_ticks(characters, boxes, size)
    return sorted([*mended, *find_points(mended, boxes, size)], key=lambda x: x.middle)


def find_points(characters: Sequence[Character], boxes: Any, size: float) -> Iterator[Character]:
    """Find points at the feet of the line that are nobody's."""
    width, height = boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]
    is_small = (width <= MAX_MARK_WIDTH * size) & (height <= MAX_MARK_HEIGHT * size)
    is_small &= np.minimum(width, height) >= MIN_DOT_SIDE * size
    depth = boxes[:, 3] / size - ASCENT
    is_low = is_small & (depth > POINT_DEPTHS[0]) & (depth < POINT_DEPTHS[1])
    unused = [x.middle for x in characters for _ in range(3 if x.text == "…" else 1) if x.text in POINTS]
    for k in np.flatnonzero(is_low):
        left, _, right, _ = boxes[k]
        slack = COLUMN_SLACK * size
        beside = (boxes[:, 2] > left - slack) & (boxes[:, 0] < right + slack)
        if (beside & (height > TALL * size)).any():
            continue
        middle = (left + right) / 2
        nearest = min(unused, key=lambda x: abs(x - middle), default=np.inf)
        if abs(nearest - middle) < SLACK * size:
            unused.remove(nearest)
            continue
        above = is_small & (boxes[:, 2] > left) & (boxes[:, 0] < right) & (boxes[:, 3] <= boxes[k, 1])
        is_colon = (above & (boxes[:, 1] / size > ASCENT - MAX_COLON_LIFT)).any()
        yield Character((".:", ",;")[int(height[k] > MIN_COMMA_HEIGHT * size)][int(is_colon)], middle, SURE)


def merge_ticks(characters: Sequence[Character], boxes: Any, size: float) -> list[Character]:
    """Make one of quotation marks of which the network saw a half twice."""
    narrow = boxes[(boxes[:, 2] - boxes[:, 0] < MAX_MARK_WIDTH * size) & (boxes[:, 3] / size < ASCENT - MIN_TICK_LIFT)]
    middles = (narrow[:, 0] + narrow[:, 2]) / 2
    merged = list(characters)
    for ticks in TICKS.finditer("".join(x.text[0] for x in characters)):
        first, last = characters[ticks.start()], characters[ticks.end() - 1]
        if ((middles > first.middle - SLACK * size) & (middles < last.middle + SLACK * size)).sum() == 2:
            merged[ticks.start()] = Character('"', (first.middle + last.middle) / 2, first.probability)
            merged.remove(last)
    return merged
