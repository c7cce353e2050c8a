"""Points that the network passed over, quotation marks that it miscounted, and an I alone in these: by pieces of ink.

What they are worth: docs/experiments/line-reader.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from regis.puzzle.formats.paper.vision.lines import ASCENT
from regis.puzzle.formats.paper.vision.recognizer import Character, write_signs

MIN_DOT_SIDE = 0.12
MAX_MARK_WIDTH = 0.3
MAX_MARK_HEIGHT = 0.45
TALL = 0.5  # as letters are: what is below one is a part of it
POINT_DEPTHS = (-0.15, 0.35)
MIN_COMMA_HEIGHT = 0.28
MAX_COLON_LIFT = 0.9
MIN_TICK_LIFT = 0.55
MAX_TICK_WIDTH = 0.27
MIN_TICK_HEIGHT = 0.25
MAX_TICK_GAP = 0.4
MAX_STEP = 0.15
SLACK = 0.6
"""Of a capital's height: how large marks are, how far below or above the feet of the line, and how far from the ink of
one the network may see it."""

POINTS = ".,:;·•…，：；。"  # those of Chinese print, too
QUOTES = re.compile("['’‘´`\"”“]+")
SURE = 0.9  # a guess


def mend_marks(characters: Sequence[Character], boxes: Any, size: float) -> list[Character]:
    """Add the points of a line that lack, and I and i in quotation marks; make these as many as there is ink of.

    Parameters
    ----------
    boxes : (pieces of ink, 4) left, top, right and bottom, without those of blanks, dashes and ellipses.
    size : how high capitals are.
    """
    mended = count_ticks(characters, boxes, size)
    added = [*find_points(mended, boxes, size), *find_lone_letters(mended, boxes, size)]
    return sorted([*mended, *added], key=lambda x: x.middle)


def find_lone_letters(characters: Sequence[Character], boxes: Any, size: float) -> Iterator[Character]:
    """Find an I or i that is nobody's, right behind quotation marks."""
    quotes = [x.middle for x in characters if QUOTES.fullmatch(x.text)]
    others = [x.middle for x in characters if not QUOTES.fullmatch(x.text)]
    width, height = boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]
    is_stem = (width < MAX_TICK_WIDTH * size) & (height > TALL * size) & (abs(boxes[:, 3] / size - ASCENT) < MAX_STEP)
    for left, top, right, _ in boxes[is_stem]:
        middle = (left + right) / 2
        is_behind_quote = any(0 < middle - x < SLACK * size for x in quotes)
        if is_behind_quote and not any(abs(x - middle) < SLACK * size for x in others):
            is_dotted = ((boxes[:, 2] > left) & (boxes[:, 0] < right) & (boxes[:, 3] <= top)).any()
            yield Character("i" if is_dotted else "I", middle, SURE)


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
        is_above = (boxes[:, 2] > left) & (boxes[:, 0] < right)
        if (is_above & (height > TALL * size)).any():
            continue
        middle = (left + right) / 2
        nearest = min(unused, key=lambda x: abs(x - middle), default=np.inf)
        if abs(nearest - middle) < SLACK * size:
            unused.remove(nearest)
            continue
        is_dot = is_above & is_small & (boxes[:, 3] <= boxes[k, 1])
        is_colon = (is_dot & (boxes[:, 1] / size > ASCENT - MAX_COLON_LIFT)).any()
        yield Character((".:", ",;")[int(height[k] > MIN_COMMA_HEIGHT * size)][int(is_colon)], middle, SURE)


def count_ticks(characters: Sequence[Character], boxes: Any, size: float) -> list[Character]:
    """Make of quotation marks what their ticks say: of the network's it sees a half twice, or overlooks one.

    Only where all marks of the line are seen, and none but they look so.
    """
    is_tick = (boxes[:, 2] - boxes[:, 0] < MAX_TICK_WIDTH * size) & (boxes[:, 3] / size < ASCENT - MIN_TICK_LIFT)
    is_tick &= boxes[:, 3] - boxes[:, 1] > MIN_TICK_HEIGHT * size
    ticks = boxes[is_tick][np.argsort(boxes[is_tick, 0])]
    gaps = ticks[1:, 0] - ticks[:-1, 2]
    groups = np.split(np.arange(len(ticks)), np.flatnonzero(gaps > MAX_TICK_GAP * size) + 1)
    text = write_signs(characters)
    runs = [*QUOTES.finditer(text)]
    if len(groups) != len(runs):
        return list(characters)
    counted, end = [], 0
    for run, group in zip(runs, groups, strict=True):
        read, known = characters[run.start() : run.end()], len(run[0]) + len(re.findall('["“”]', run[0]))
        if len(group) in (2, 3) and len(group) != known:
            opens, closes = (
                x.isalnum() for x in (text[run.end() : run.end() + 1], text[run.start() - 1 : run.start()])
            )
            if opens == closes:
                opens = len(group) == 3 and bool(gaps[group[0]] < gaps[group[1]])
            marks = '"' if len(group) == 2 else "\"'" if opens else "'\""
            places = np.linspace(read[0].middle, read[-1].middle, len(marks))
            read = [Character(mark, float(x), SURE) for mark, x in zip(marks, places, strict=True)]
        counted += [*characters[end : run.start()], *read]
        end = run.end()
    return [*counted, *characters[end:]]
