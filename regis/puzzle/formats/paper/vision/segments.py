"""The ink of a line, cut where words end and around its marks.

Tesseract takes two words for one, and one for two, where lines are stretched; so what is white between letters says
where words end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from regis.puzzle.formats.paper.vision.marks import BLANK, PALE, Mark
from regis.puzzle.formats.paper.vision.squares import DARK

MIN_SPACE = 0.24
MAX_SPACE = 0.3
"""Of a line's height, that is white between words at least: the bounds of what the words of a line tell."""

SPACE_SHARE = 0.6  # of what is white between most words of a line
WIDE_SHARE = 0.8  # of that, which is white between a word and the mark of a sentence that stands apart from it
BLANK_SPACE = 0.12  # of a line's height, that is white between a word and a blank at least
MIN_CLEAR_SPACE = 0.15
CLEAR_SHARE = 0.75
"""Of a line's height, that is white between words at least where there are as many of such gaps as Tesseract says, and
all others are less than that share."""


class Segment(NamedTuple):
    """Ink between two gaps of a line, or a mark in it; in pixels."""

    left: int
    right: int
    mark: str  # '' for ink that Tesseract read
    is_filled: bool  # by letters in its place
    has_space_before: bool
    has_wide_space_before: bool  # as between most words of the line


def cut_segments(band: Any, marks: Sequence[Mark], size: float, n_words: int) -> Iterator[Segment]:
    """Cut the ink of a line where words end, and around its blanks.

    Parameters
    ----------
    band : (rows, columns) of the sheet.
    n_words : as many as Tesseract saw.
    """
    has_ink = (band < PALE).any(axis=0)
    has_dark = (band < DARK).any(axis=0)
    for mark in marks:  # what touches it is no part of it
        x0, x1 = mark.left, mark.right
        has_ink[max(x0 - 1, 0) : x0] = has_ink[x1 + 1 : x1 + 2] = False
        has_ink[x0:x1] = has_dark[x0:x1] = True
    edges = np.flatnonzero(np.diff(np.r_[0, has_ink, 0].astype(int))).reshape(-1, 2)
    edges = np.array([x for x in edges if has_dark[x[0] : x[1]].any()]).reshape(-1, 2)
    widths = np.sort(edges[1:, 0] - edges[:-1, 1])[::-1]
    usual = float(np.median(widths[1 : n_words - 1])) if n_words > 2 < len(widths) else 0.0  # without the number's
    least = float(np.clip(SPACE_SHARE * usual, MIN_SPACE * size, MAX_SPACE * size))
    if 0 < n_words - 1 <= len(widths):
        space, letter_gap = np.r_[widths, 0][n_words - 2 : n_words]
        if space > MIN_CLEAR_SPACE * size and letter_gap < min(CLEAR_SHARE * space, least):
            least = (space + letter_gap) / 2
    which = [next((k for k, x in enumerate(marks) if x.left <= (a + b) / 2 <= x.right), -1) for a, b in edges]
    start, text_before = 0, ""
    for i in range(1, len(edges) + 1):
        gap = edges[i, 0] - edges[i - 1, 1] if i < len(edges) else least
        if which[i - 1] != which[i] if i < len(edges) and max(which[i - 1], which[i]) >= 0 else gap >= least:
            space_before = edges[start, 0] - edges[start - 1, 1] if start > 0 else 0
            here = marks[which[start]] if which[start] >= 0 else None
            text, is_filled = (here.text, here.is_filled) if here else ("", False)
            enough = min(least, BLANK_SPACE * size) if {text, text_before} == {"", BLANK} else least
            is_wide = space_before >= max(MAX_SPACE * size, WIDE_SHARE * usual)
            edge = int(edges[start, 0]), int(edges[i - 1, 1])
            yield Segment(*edge, text, is_filled, bool(start and space_before >= enough), bool(is_wide))
            start, text_before = i, text
