"""Reads the words of a line: letters with the neural network, strokes and missed spaces by their ink and gaps.

Strokes are blanks, dashes, and ellipses. The network misses some of them in whole or in part.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from regis.puzzle.formats.paper.vision.lines import ASCENT, INK_LEVEL, PrintedLine
from regis.puzzle.formats.paper.vision.recognizer import Character, recognize

BLANK = "___"
ELLIPSIS = "..."
STROKE_READINGS = {BLANK: "_–— ", "—": "-–—= ", "–": "-–—= ", ELLIPSIS: ".…,·_ "}  # how the network may read a stroke
MARKS = tuple(",;:.!?")  # may follow a blank without a space
STRAIGHT_QUOTES = str.maketrans("“”‘’´`", "\"\"''''")  # the network confuses the kinds of quotation marks

# multiples of a capital's height:
MIN_WIDTH = 0.5  # width of a stroke; a narrower one is a hyphen, which the network reads
MIN_EM_DASH = 1.05  # width of an em dash
MAX_THICKNESS = 0.3  # height of a stroke or a dot
MAX_LIFT = 0.2  # distance of a blank or a dot from the baseline
MAX_DOT_STEP = 0.7  # distance between two dots, or from a dot to where the network reads it
MIN_SPACE = 0.4  # width of a gap between letters that is a space
DIGIT_SPACE = 0.5  # width of a gap between digits that is a space; a 1 has wide gaps on both sides
STROKE_SPACE = 0.2  # width of a gap beside a stroke that is a space
SPACE_SLACK = 0.25  # distance from a gap or mark to where the network reads it

MIN_ASPECT_RATIO = 2.5  # width over height of a stroke
MAX_UNDERLINED = 0.5  # fraction of a blank with ink above or below it; with more, it is an underline
PALE_EDGE = 2  # pixels; blurred edge of a stroke
P_SPACE = 0.95  # a guess: probability of a space that the network missed


class Stroke(NamedTuple):
    """A blank, dash, or ellipsis; in pixels of the line."""

    text: str
    left: int
    right: int
    white_left: int  # where the gap before it starts
    white_right: int  # where the gap after it ends

    @property
    def middle(self) -> float:
        return (self.left + self.right) / 2

    def accounts_for(self, character: Character, size: float) -> bool:
        """Return whether a character may be a reading of the stroke or of a gap beside it.

        `size` is the height of the capitals.
        """
        left, right = (self.white_left, self.white_right) if character.text == " " else (self.left, self.right)
        slack = MAX_DOT_STEP * size if character.text in "_.…" else 0.0
        return character.text in STROKE_READINGS[self.text] and left - slack <= character.middle <= right + slack


def find_strokes(line: PrintedLine) -> list[Stroke]:
    """Find the blanks, dashes, and ellipses of a line, from left to right."""
    is_ink = line.picture < INK_LEVEL
    has_ink = is_ink.any(axis=0)
    boxes = sorted(line.boxes.round().astype(int).tolist())
    spans = [(ELLIPSIS, left, right) for left, right in find_ellipses(boxes, line.size)]
    for left, top, right, bottom in boxes:
        text = classify_stroke((right - left) / line.size, ASCENT - (top + bottom) / 2 / line.size)
        if not text or bottom - top > min((right - left) / MIN_ASPECT_RATIO, MAX_THICKNESS * line.size):
            continue
        others = np.delete(is_ink[:, left:right], slice(max(top - PALE_EDGE, 0), bottom + PALE_EDGE), axis=0)
        if others.any(axis=0).mean() <= (MAX_UNDERLINED if text == BLANK else 0.0):
            spans.append((text, left, right))
    found = []
    for text, left, right in sorted(spans, key=lambda span: span[1]):
        before, after = np.flatnonzero(has_ink[: max(left - 1, 0)]), np.flatnonzero(has_ink[right + 1 :])
        white_left = int(before[-1]) + 1 if len(before) else 0
        white_right = int(after[0]) + right + 1 if len(after) else len(has_ink)
        found.append(Stroke(text, left, right, white_left, white_right))
    return found


def find_ellipses(boxes: Sequence[Sequence[int]], size: float) -> Iterator[tuple[int, int]]:
    """Find the left and right ends of runs of three or more dots on the baseline."""
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


def classify_stroke(width: float, lift: float) -> str:
    """Return the character of a stroke, '' for none, by its width and distance from the baseline."""
    if width < MIN_WIDTH:
        return ""
    if lift < MAX_LIFT:
        return BLANK
    return "—" if width >= MIN_EM_DASH else "–"


def find_stroke_spaces(characters: Sequence[Character], strokes: Sequence[Stroke], size: float) -> Iterator[Character]:
    """Find the spaces before and after strokes; `characters` includes the strokes."""
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


class PrintedWord(NamedTuple):
    """A recognized word; in pixels of its column."""

    text: str
    left: float
    right: float
    probability: float


def read_words(line: PrintedLine) -> list[PrintedWord]:
    recognized = recognize(line.picture)
    strokes = find_strokes(line)
    has_ink = (line.picture < INK_LEVEL).any(axis=0)
    characters = [x for x in recognized if not any(stroke.accounts_for(x, line.size) for stroke in strokes)]
    characters += [Character(stroke.text, stroke.middle, 1.0) for stroke in strokes]
    characters.sort(key=lambda x: x.middle)
    characters += [
        *find_stroke_spaces(characters, strokes, line.size),
        *find_spaces(characters, strokes, has_ink, line.size),
    ]
    characters.sort(key=lambda x: x.middle)
    return list(split_words(characters, has_ink, line.left))


def find_spaces(
    characters: Sequence[Character], strokes: Sequence[Stroke], has_ink: Any, size: float
) -> Iterator[Character]:
    """Find the spaces that the network missed, by the width of gaps without a stroke or recognized space."""
    edges = np.flatnonzero(np.diff(np.r_[0, has_ink, 0].astype(int))).reshape(-1, 2)
    gaps = np.stack([edges[:-1, 1], edges[1:, 0]], axis=1)
    beside = {x for stroke in strokes for x in (stroke.white_left, stroke.white_right)}
    gaps = gaps[[not beside & {start, end} for start, end in gaps.tolist()]]
    widths, middles = gaps[:, 1] - gaps[:, 0], gaps.mean(axis=1)
    spaces = np.array([x.middle for x in characters if x.text == " "])
    distances = np.maximum(abs(middles[:, None] - spaces) - widths[:, None] / 2, 0.0) / size  # (gaps, spaces)
    has_space = (distances <= SPACE_SLACK).any(axis=1)
    positions = np.array([x.middle for x in characters])
    bounds = (positions[1:] + positions[:-1]) / 2
    is_wide = ~has_space & (widths >= MIN_SPACE * size) & (len(bounds) > 0)
    for middle, width in zip(middles[is_wide], widths[is_wide], strict=True):
        k = int(abs(bounds - middle).argmin())
        if width >= DIGIT_SPACE * size or not all(x.text.isdigit() for x in characters[k : k + 2]):
            yield Character(" ", float(bounds[k]), P_SPACE)


def split_words(characters: Sequence[Character], has_ink: Any, left: int) -> Iterator[PrintedWord]:
    """Split characters into words at the spaces."""
    text, probability, start = "", 1.0, 0
    last, has_space = 0.0, True
    for character in [*characters, Character("", len(has_ink) - 1.0, 1.0)]:
        if character.text == " ":
            has_space, probability = True, min(probability, character.probability)
            continue
        if has_space or not character.text:
            end, next_start = find_gap(has_ink, last, character.middle)
            if text:
                word = re.sub("_+", BLANK, text.translate(STRAIGHT_QUOTES))
                yield PrintedWord(word, start + left, max(end, start + 1) + left, probability)
            text, probability, start = "", 1.0, next_start
        text, probability = text + character.text, min(probability, character.probability)
        last, has_space = character.middle, False


def find_gap(has_ink: Any, left: float, right: float) -> tuple[int, int]:
    """Return the ends of the widest gap between the middles of two characters."""
    first, last = int(left), max(int(right), int(left)) + 1
    edges = np.r_[first - 1, np.flatnonzero(has_ink[first:last]) + first, last]
    k = int(np.diff(edges).argmax())
    return int(edges[k]) + 1, int(edges[k + 1])
