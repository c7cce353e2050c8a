"""Marks that are read by where their ink is: blanks, quotation marks, ellipses.

Tesseract overlooks them, takes one for the other, and sees them where none are. So they are found by their shapes and
where they stand in their line, and taken out while it reads; letters stand in place of blanks and ellipses, so that
words stay apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import cv2
import numpy as np

PALE = 200  # of 255, darker than which is ink
QUOTE_INK = 165  # and where ink begins that is not near a letter's
BLANK = "_"
QUOTES = "\"'“”„‘’‚"
MIN_BLANK_WIDTH = 1.3  # of a small letter's height, of a line to be filled in
MIN_BLANK_PIXELS = 10
MIN_DOUBLE_SIDE = 4  # pixels of a quotation mark whose halves are joined
MIN_BLANK_OBLONG = 5.0  # times as wide as high
NEAR_WIDTH = 120  # pixels around a mark in which letters say where their line stands
MAX_DEPTH = 1.2  # of a small letter's height, from a blank or dash to the feet of its line
MIN_DASH_HEIGHT = 0.3  # of it, from the feet of the line to a dash
CAPITAL = 1.3  # of it
LETTER_WIDTH = 0.85  # of a capital's height, with what is white behind it

MIN_LETTER = 0.55  # of the usual letter's height
MIN_QUOTE_HEIGHT = 0.2
MAX_QUOTE_HEIGHT = 0.75
MAX_QUOTE_WIDTH = 0.45
MIN_QUOTE_FOOT = 0.6
MAX_QUOTE_GAP = 0.45
"""Of a small letter's height: height and width of an apostrophe or half a quotation mark, its foot above that of its
line, what is white between two halves or between an apostrophe and the letters around it."""

MAX_DOUBLE_WIDTH = 0.9  # of it, of a quotation mark whose halves are joined, as where a picture is not sharp
MIN_DIP = 12  # of 255, by which such a mark is lighter at the middle of its top
MIN_QUOTE_OBLONG = 1.15  # times as high as wide; dots of letters are not
MAX_DOT_SIDE = 0.4  # of a small letter's height
MAX_DOT_DEPTH = 0.5  # of it, from the foot of a dot to that of the line, which few letters tell
MAX_DOT_STEP = 1.4  # of it, from one dot of an ellipsis to the next
MAX_UNEVEN = 0.25  # of such a step, by which the next may differ
N_DOTS = 3


class Mark(NamedTuple):
    """A mark, its box in pixels, and where the feet of its line are."""

    text: str
    left: int
    top: int
    right: int
    bottom: int
    baseline: float

    @property
    def is_filled(self) -> bool:
        """Return whether letters stand in its place."""
        return self.text not in QUOTES


class Ink(NamedTuple):
    """Connected ink: arrays of pixels, an element a piece."""

    left: Any
    top: Any
    right: Any
    foot: Any

    @property
    def height(self) -> Any:
        return self.foot - self.top

    @property
    def width(self) -> Any:
        return self.right - self.left

    def is_near(self, i: int) -> Any:
        return (self.left < self.right[i] + NEAR_WIDTH) & (self.right > self.left[i] - NEAR_WIDTH)

    def is_upright(self, i: int) -> Any:
        """Return which pieces an upright line through the middle of a piece meets."""
        middle = (self.left[i] + self.right[i]) / 2
        return (self.left <= middle) & (middle <= self.right)

    def box(self, pieces: Sequence[int]) -> tuple[int, int, int, int]:
        """Return left, top, right and foot of pieces, which go from left to right."""
        edges = self.left[pieces[0]], self.top[pieces].min(), self.right[pieces[-1]], self.foot[pieces].max()
        left, top, right, foot = map(int, edges)
        return left, top, right, foot


QuoteHalf = tuple[float, int, float]
"""How high small letters are beside half a quotation mark, which piece of ink it is, and the feet of its line."""


def measure_ink(sheet: Any, darkness: int = PALE) -> Ink:
    """Measure each piece of connected ink."""
    _, _, stats, _ = cv2.connectedComponentsWithStats((sheet < darkness).astype(np.uint8), connectivity=8)
    left, top, width, height, _ = stats[1:].T
    return Ink(left, top, left + width, top + height)


def take_marks(sheet: Any) -> list[Mark]:
    """Put letters for blanks and ellipses, and take out quotation marks and the apostrophes at words' ends.

    Quotation marks are looked for again then: letters may touch them, and may be all that tells where their line is.
    """
    quotes = take_quotes(sheet)
    filled = fill_blanks(sheet) + fill_ellipses(sheet)
    return quotes + filled + (take_quotes(sheet) if filled else [])


def take_quotes(sheet: Any) -> list[Mark]:
    quotes = list(find_quotes(sheet))
    for mark in quotes:
        erase(sheet, mark.left, mark.top, mark.right, mark.bottom)
    return quotes


def find_oblong(ink: Ink) -> tuple[Any, float]:
    """Return which pieces of ink are as oblong as lines, and how high the others are as a rule."""
    is_oblong = ink.width >= MIN_BLANK_OBLONG * ink.height
    return is_oblong, float(np.median(ink.height[~is_oblong])) if not is_oblong.all() else 0.0


def find_letters(ink: Ink) -> tuple[Any, float]:
    """Return which pieces of ink may be letters, and how high those are as a rule."""
    is_oblong, usual = find_oblong(ink)
    letters = ~is_oblong & (ink.height > MIN_LETTER * usual)
    return letters, float(np.median(ink.height[letters])) if letters.any() else 0.0


def find_line(ink: Ink, letters: Any, usual: float, i: int) -> tuple[float, float]:
    """Return where the feet are of the line in which a piece of ink is, and how high its small letters are."""
    near = letters & ink.is_near(i) & (ink.top < ink.foot[i] + usual / 2) & (ink.foot > ink.top[i])
    near[i] = False
    if not near.any():
        return 0.0, 0.0
    if (level := near & (ink.top < ink.foot[i])).any():  # and not of the line below
        near = level
    return float(np.median(ink.foot[near])), min(float(np.quantile(ink.height[near], 0.25)), usual)


def is_double(part: Any) -> bool:
    """Return whether ink is lighter at the middle of its top, and of its half height, than left and right of there."""
    if min(part.shape) < MIN_DOUBLE_SIDE:
        return False
    middle = part.shape[1] // 2
    rows = (part[1:3].mean(axis=0), part[len(part) // 2])  # a ring is dark at its top, an asterisk within
    return all(
        any(row[k] > max(row[:k].min(), row[k + 1 :].min()) + MIN_DIP for k in range(middle - 1, middle + 2))
        for row in rows
    )


def is_ring(part: Any) -> bool:
    """Return whether the middle of ink is darker above and below than between, as of a percent or degree sign."""
    middle = part[:, part.shape[1] // 2].astype(int)
    third = max(len(middle) // 3, 1)
    return bool(max(middle[:third].min(), middle[-third:].min()) < middle[third:-third].max(initial=0) - MIN_DIP)


def find_quotes(sheet: Any) -> Iterator[Mark]:
    """Find quotation marks, and apostrophes that are not within a word."""
    ink = measure_ink(sheet, QUOTE_INK)
    letters, usual = find_letters(ink)
    halves: list[QuoteHalf] = []
    joined: list[int] = []
    for i in map(int, np.flatnonzero(ink.height < MAX_QUOTE_HEIGHT * usual)):
        baseline, small = find_line(ink, letters, usual, i)
        if not MIN_QUOTE_HEIGHT * small < ink.height[i] < MAX_QUOTE_HEIGHT * small:
            continue
        if ink.width[i] > MAX_DOUBLE_WIDTH * small or ink.foot[i] > baseline - MIN_QUOTE_FOOT * small:
            continue
        is_half = ink.width[i] <= MAX_QUOTE_WIDTH * small and ink.height[i] >= MIN_QUOTE_OBLONG * ink.width[i]
        is_wide = ink.width[i] > MAX_QUOTE_WIDTH * small
        if not is_half and not (is_wide and is_double(sheet[ink.top[i] : ink.foot[i], ink.left[i] : ink.right[i]])):
            continue
        is_below = ink.is_upright(i) & (ink.top >= ink.foot[i] - 2) & (ink.top < baseline)
        if not is_below.any():
            joined += [] if is_half else [i]
            halves.append((small, i, baseline))
    groups = group_halves(ink, halves)
    taken = np.zeros(len(ink.left), bool)
    taken[[i for _, i, _ in halves]] = True
    for group in groups:
        pieces = [i for _, i, _ in group]
        small, _, baseline = group[0]
        if len(pieces) == 1 and pieces[0] not in joined:
            i = pieces[0]
            on_line = ~taken & (ink.top < baseline) & (ink.foot > baseline - CAPITAL * small)
            room = MAX_QUOTE_GAP * small
            is_before = on_line & (ink.right > ink.left[i] - room) & (ink.left < ink.left[i])
            is_behind = on_line & (ink.left < ink.right[i] + room) & (ink.right > ink.right[i])
            if is_before.any() and is_behind.any():
                continue
        for text, part in part_quotes(ink, pieces, joined):
            left, top, right, foot = ink.box(part)
            if text == "'" or not is_ring(sheet[top:foot, left:right]):
                yield Mark(text, left, top, right, foot, baseline)


def group_halves(ink: Ink, halves: Sequence[QuoteHalf]) -> list[list[QuoteHalf]]:
    """Group marks that stand side by side."""
    groups: list[list[QuoteHalf]] = []
    for half in sorted(halves, key=lambda x: ink.left[x[1]]):
        small, i, baseline = half
        for group in groups:
            _, last, its_baseline = group[-1]
            gap = ink.left[i] - ink.right[last]
            if abs(its_baseline - baseline) < small / 2 and -2 <= gap < MAX_QUOTE_GAP * small:
                group.append(half)
                break
        else:
            groups.append([half])
    return groups


def part_quotes(ink: Ink, pieces: list[int], joined_pieces: Sequence[int]) -> Iterator[tuple[str, list[int]]]:
    """Part marks that stand together: two are a quotation mark, of three the two that are nearer to each other."""
    while pieces:
        gaps = [ink.left[b] - ink.right[a] for a, b in pairwise(pieces)]
        is_alone = len(pieces) == 1 or pieces[0] in joined_pieces or pieces[1] in joined_pieces
        n = 1 if is_alone or (len(pieces) == 3 and gaps[0] > gaps[1]) else 2
        yield '"' if n == 2 or pieces[0] in joined_pieces else "'", pieces[:n]
        pieces = pieces[n:]


def fill_ellipses(sheet: Any) -> list[Mark]:
    """Put letters in place of dots in a row at the feet of a line, and say where."""
    ink = measure_ink(sheet)
    letters, usual = find_letters(ink)
    side = np.maximum(ink.height, ink.width)
    dots = []
    for i in map(int, np.flatnonzero((side < MAX_DOT_SIDE * usual) & (side > 1))):
        is_above = ink.is_upright(i) & (ink.foot < ink.foot[i]) & (ink.foot > ink.top[i] - usual)
        baseline, _ = find_line(ink, letters, usual, i)
        if not is_above.any() and abs(ink.foot[i] - (baseline or ink.foot[i])) < MAX_DOT_DEPTH * usual:
            dots.append(i)
    dots.sort(key=lambda i: ink.left[i])
    rows: list[list[int]] = []
    for i in dots:
        for row in rows:
            step = ink.left[i] - ink.left[row[-1]]
            is_even = len(row) == 1 or abs(step - ink.left[row[1]] + ink.left[row[0]]) <= MAX_UNEVEN * step + 1
            is_level = 0 < step < MAX_DOT_STEP * usual and abs(ink.foot[i] - ink.foot[row[-1]]) <= 2
            if is_even and is_level and not has_ink_between(ink, row[-1], i):
                row.append(i)
                break
        else:
            rows.append([i])
    ellipses = [row for row in rows if len(row) >= N_DOTS]
    return [fill_mark(sheet, "." * len(row), ink, row, usual) for row in ellipses]


def has_ink_between(ink: Ink, i: int, j: int) -> bool:
    """Return whether there is ink on the line between two pieces."""
    is_between = (ink.left > ink.left[i]) & (ink.right < ink.right[j])
    return bool((is_between & (ink.top < ink.foot[i]) & (ink.foot > ink.top[i])).any())


def fill_mark(sheet: Any, text: str, ink: Ink, pieces: Sequence[int], small: float) -> Mark:
    """Put letters in place of a mark's ink."""
    x0, y0, x1, y1 = ink.box(pieces)
    erase(sheet, x0, y0, x1, y1)
    foot = y1 if text != BLANK else y0
    capital = max(round(CAPITAL * small), 8)
    n_letters = max(round((x1 - x0) / (LETTER_WIDTH * capital)), 1)
    for k in range(n_letters):
        start = x0 + round((x1 - x0) * k / n_letters)
        draw_letter(sheet, start + 3, foot - capital, round((x1 - x0) / n_letters) - 6, capital)
    return Mark(text, x0, foot - capital, x1, y1, foot)


def fill_blanks(sheet: Any) -> list[Mark]:
    """Put letters in place of lines to be filled in, and say where; a dash, which stands higher, stays."""
    ink = measure_ink(sheet)
    is_oblong, small = find_oblong(ink)
    is_line = is_oblong & (ink.width >= max(MIN_BLANK_WIDTH * small, MIN_BLANK_PIXELS))
    blanks: list[Mark] = []
    for i in np.flatnonzero(is_line):
        middle = (ink.top[i] + ink.foot[i]) / 2
        near = ~is_line & ink.is_near(int(i)) & (abs(ink.foot - middle) < MAX_DEPTH * small) & (ink.height > small / 2)
        if near.any() and middle < np.median(ink.foot[near]) - MIN_DASH_HEIGHT * small:
            continue
        blanks.append(fill_mark(sheet, BLANK, ink, [int(i)], small))
    return blanks


def erase(sheet: Any, left: int, top: int, right: int, bottom: int) -> None:
    """Take out what is in a box, with its pale edge."""
    sheet[max(top - 2, 0) : bottom + 2, max(left - 2, 0) : right + 2] = 255


def draw_letter(sheet: Any, left: int, top: int, width: int, height: int) -> None:
    """Draw an X."""
    right, bottom, stroke = left + width, top + height, max(height // 8, 2)
    cv2.line(sheet, (left, top), (right, bottom), 0, stroke, cv2.LINE_AA)
    cv2.line(sheet, (left, bottom), (right, top), 0, stroke, cv2.LINE_AA)
