"""The words of a line: what the network reads, strokes where their ink is, and spaces by what is white.

Strokes are blanks, dashes, and ellipses. The network skips them, or a part of them, so they are found by their ink.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from regis.puzzle.formats.paper.vision.lines import ASCENT, PALE, PrintedLine
from regis.puzzle.formats.paper.vision.recognizer import Character, recognize

BLANK = "___"
MIN_OBLONG = 2.5  # times as wide as high
MIN_WIDTH = 0.5
MIN_EM_DASH = 1.05
MAX_THICKNESS = 0.3
MAX_LIFT = 0.2
"""Of a capital's height: how wide strokes are at least, how thick they and dots are at most, and how far the middles of
blanks and dots are above the feet of a line. What is narrower is a hyphen, and those the network sees."""

ELLIPSIS = "..."
MAX_DOT_STEP = 0.7  # of a capital's height, from one dot to the next, or where the network sees it
MAX_UNDERLINED = 0.5  # of a blank, with ink above or below it; more is a word that is underlined
STROKE_LIKE = {BLANK: "_–— ", "—": "-–—= ", "–": "-–—= ", ELLIPSIS: ".…,·_ "}  # what the network may see there
PALE_EDGE = 2  # pixels of a stroke that are paler than ink
MARKS = tuple(",;:.!?")  # that may touch the blank before them


class Stroke(NamedTuple):
    """A blank, dash or ellipsis: from where to where it goes, and is alone, in pixels of the line."""

    text: str
    left: int
    right: int
    white_left: int
    white_right: int

    @property
    def middle(self) -> float:
        return (self.left + self.right) / 2

    def may_be(self, character: Character, size: float) -> bool:
        """Return whether a character is what was read of the stroke, or a space around it.

        Parameters
        ----------
        size : how high capitals are.
        """
        left, right = (self.white_left, self.white_right) if character.text == " " else (self.left, self.right)
        slack = MAX_DOT_STEP * size if character.text in "_.…" else 0.0
        return character.text in STROKE_LIKE[self.text] and left - slack <= character.middle <= right + slack


def find_strokes(line: PrintedLine) -> list[Stroke]:
    """Find the blanks, dashes and ellipses of a line, from left to right."""
    is_ink = line.picture < PALE
    has_ink = is_ink.any(axis=0)
    boxes = sorted(line.boxes.round().astype(int).tolist())
    spans = [(ELLIPSIS, left, right) for left, right in find_ellipses(boxes, line.size)]
    for left, top, right, bottom in boxes:
        text = name_stroke((right - left) / line.size, ASCENT - (top + bottom) / 2 / line.size)
        if not text or bottom - top > min((right - left) / MIN_OBLONG, MAX_THICKNESS * line.size):
            continue
        others = np.delete(is_ink[:, left:right], slice(max(top - PALE_EDGE, 0), bottom + PALE_EDGE), axis=0)
        if others.any(axis=0).mean() <= (MAX_UNDERLINED if text == BLANK else 0.0):
            spans.append((text, left, right))
    found = []
    for text, left, right in sorted(spans, key=lambda span: span[1]):
        before, behind = np.flatnonzero(has_ink[: max(left - 1, 0)]), np.flatnonzero(has_ink[right + 1 :])
        white_left = int(before[-1]) + 1 if len(before) else 0
        white_right = int(behind[0]) + right + 1 if len(behind) else len(has_ink)
        found.append(Stroke(text, left, right, white_left, white_right))
    return found


def find_ellipses(boxes: Sequence[Sequence[int]], size: float) -> Iterator[tuple[int, int]]:
    """Find three dots or more beside each other at the feet of a line, from where to where they go."""
    run: list[Sequence[int]] = []
    for box in [*boxes, [0, 0, 0, 0]]:
        left, top, right, bottom = box
        is_low = abs(ASCENT * size - (top + bottom) / 2) < MAX_LIFT * size
        is_dot = is_low and 0 < max(right - left, bottom - top) < MAX_THICKNESS * size
        if is_dot and (not run or left - run[-1][0] < MAX_DOT_STEP * size):
            run.append(box)
            continue
        if len(run) >= len(ELLIPSIS):
            yield run[0][0], run[-1][2]
        run = [box] if is_dot else []


def name_stroke(width: float, lift: float) -> str:
    """Name a stroke by how wide it is and how far above the feet of its line, beside a capital's height."""
    if width < MIN_WIDTH:
        return ""
    if lift < MAX_LIFT:
        return BLANK
    return "—" if width >= MIN_EM_DASH else "–"


def space_strokes(characters: Sequence[Character], strokes: Sequence[Stroke], size: float) -> Iterator[Character]:
    """Find the spaces around strokes, which are among the characters."""
    for stroke in strokes:
        k = next(k for k, x in enumerate(characters) if x.middle == stroke.middle)
        sides = (k - 1, stroke.left - stroke.white_left, -1), (k + 1, stroke.white_right - stroke.right, 1)
        for i, white, step in sides:
            beside = characters[i] if 0 <= i < len(characters) else Character("", stroke.middle, 1.0)
            if white >= STROKE_SPACE * size:
                is_joined = (
                    step > 0 and beside.text in MARKS and stroke.white_right - beside.middle > SPACE_SLACK * size
                )
                yield Character(" ", (beside if is_joined else stroke).middle + step, 1.0)


MIN_SPACE = 0.4  # of a capital's height: what is white and wider is a space that the network overlooked
DIGIT_SPACE = 0.5  # and between digits: a 1 has white at its sides
STROKE_SPACE = 0.2  # that is white and wider beside a stroke is a space
SPACE_SLACK = 0.25  # by which the network may see a space or a mark before or behind it
SPACE_SURE = 0.95  # a guess
STRAIGHT = str.maketrans("“”‘’´`", "\"\"''''")  # which quotation marks these are is not seen for sure


class PrintedWord(NamedTuple):
    """A word, from where to where it goes in pixels of its column, and how likely it is read right."""

    text: str
    left: float
    right: float
    probability: float


def read_words(line: PrintedLine) -> list[PrintedWord]:
    """Read the words of a line."""
    read = recognize(line.picture)
    strokes = find_strokes(line)
    has_ink = (line.picture < PALE).any(axis=0)
    characters = [x for x in read if not any(stroke.may_be(x, line.size) for stroke in strokes)]
    characters += [Character(stroke.text, stroke.middle, 1.0) for stroke in strokes]
    characters.sort(key=lambda x: x.middle)
    characters += [
        *space_strokes(characters, strokes, line.size),
        *find_spaces(characters, strokes, has_ink, line.size),
    ]
    characters.sort(key=lambda x: x.middle)
    return list(part_words(characters, has_ink, line.left))


def find_spaces(
    characters: Sequence[Character], strokes: Sequence[Stroke], has_ink: Any, size: float
) -> Iterator[Character]:
    """Find the spaces between letters that the network overlooked, by what is white where it saw some."""
    edges = np.flatnonzero(np.diff(np.r_[0, has_ink, 0].astype(int))).reshape(-1, 2)
    gaps = np.stack([edges[:-1, 1], edges[1:, 0]], axis=1)
    beside = {x for stroke in strokes for x in (stroke.white_left, stroke.white_right)}
    gaps = gaps[[not beside & {start, end} for start, end in gaps.tolist()]]
    widths, middles = gaps[:, 1] - gaps[:, 0], gaps.mean(axis=1)
    seen = np.array([x.middle for x in characters if x.text == " "])
    off = np.maximum(abs(middles[:, None] - seen) - widths[:, None] / 2, 0.0) / size  # (gaps, spaces)
    is_seen = (off <= SPACE_SLACK).any(axis=1)
    places = np.array([x.middle for x in characters])
    bounds = (places[1:] + places[:-1]) / 2
    is_wide = ~is_seen & (widths >= MIN_SPACE * size) & (len(bounds) > 0)
    for middle, width in zip(middles[is_wide], widths[is_wide], strict=True):
        k = int(abs(bounds - middle).argmin())
        if width >= DIGIT_SPACE * size or not all(x.text.isdigit() for x in characters[k : k + 2]):
            yield Character(" ", float(bounds[k]), SPACE_SURE)


def part_words(characters: Sequence[Character], has_ink: Any, left: int) -> Iterator[PrintedWord]:
    """Part words at the spaces between them."""
    text, probability, start = "", 1.0, 0
    last, has_space = 0.0, True
    for character in [*characters, Character("", len(has_ink) - 1.0, 1.0)]:
        if character.text == " ":
            has_space, probability = True, min(probability, character.probability)
            continue
        if has_space or not character.text:
            end, next_start = find_gap(has_ink, last, character.middle)
            if text:
                end = max(end, start + 1)
                yield PrintedWord(re.sub("_+", BLANK, text.translate(STRAIGHT)), start + left, end + left, probability)
            text, probability, start = "", 1.0, next_start
        text, probability = text + character.text, min(probability, character.probability)
        last, has_space = character.middle, False


def find_gap(has_ink: Any, left: float, right: float) -> tuple[int, int]:
    """Find the widest gap without ink between the middles of two characters."""
    first, last = int(left), max(int(right), int(left)) + 1
    edges = np.r_[first - 1, np.flatnonzero(has_ink[first:last]) + first, last]
    k = int(np.diff(edges).argmax())
    return int(edges[k]) + 1, int(edges[k + 1])
