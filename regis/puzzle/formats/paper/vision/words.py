"""The words of a line: what the network reads, strokes where their ink is, and spaces by what is white."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from regis.puzzle.formats.paper.vision.lines import PALE, PrintedLine
from regis.puzzle.formats.paper.vision.recognizer import Character, recognize, write_signs
from regis.puzzle.formats.paper.vision.strokes import BLANK, Stroke, find_strokes, space_strokes

USUAL_SPACE = 0.6  # of a capital's height: a space, where the network sees none
SPACE_SHARE = 0.62  # of what is white where the network sees spaces, from which on it overlooked one
MIN_SPACE = 0.36
MAX_SPACE = 0.45
"""Of a capital's height: bounds of it."""

SURE_SPACE = 0.6  # of it: it is a space beside any mark
DIGIT_SPACE = 0.5  # of it, between digits: a 1 has white at its sides
SPACE_SLACK = 0.25  # of it, by which the network may see a space beside what is white there
MAX_SPACE_SLACK = 0.5  # and beside the nearest that is as wide as a space
SPACE_SURE = 0.95  # a guess
NUMBER_ALONE = re.compile(r"[\[(]?[0-9]{1,3}[\])]?[.:]?")
NUMBER_AND_CLUE = re.compile(
    r"[0-9]{1,3}(?=[A-Z][a-z]|[_\"(\[*#])|1[0-9]{2}(?=[A-Z]|(?!th|st|[nr]d)[a-z]{2}|(?:1[5-9]|20)[0-9]{2}(?![0-9]))"
)  # those of three digits touch more than others
CLOSED_QUOTE = re.compile(r"[,.!?]\"(?=[^\W_])")
STARTS_WORD = re.compile(r"(^|[^\w.,;:!?'\"])['\"(]+$")
ENDS_WORD = re.compile(r"[!?)]|(?<![,;:])[,;:]|\.(?!\.)|['\"](?![\w(])")
STRAIGHT = str.maketrans("“”‘’´`", "\"\"''''")  # which quotation marks these are is not seen for sure
TILDE = "~"  # as oblong as a dash


class PrintedWord(NamedTuple):
    """A word, from where to where it goes in pixels of its column, and how likely it is read right."""

    text: str
    left: float
    right: float
    probability: float


def read_words(line: PrintedLine) -> list[PrintedWord]:
    """Read the words of a line."""
    read = recognize(line.picture)
    strokes = [x for x in find_strokes(line) if not x.is_read_as(TILDE, read)]
    has_ink = (line.picture < PALE).any(axis=0)
    characters = [x for x in read if not any(stroke.may_be(x, line.size) for stroke in strokes)]
    characters += [Character(stroke.text, stroke.middle, 1.0) for stroke in strokes]
    characters.sort(key=lambda x: x.middle)
    characters += [
        *space_strokes(characters, strokes, line.size),
        *find_spaces(characters, strokes, has_ink, line.size),
    ]
    characters.sort(key=lambda x: x.middle)
    for k in reversed(list_due_spaces(write_signs(characters))):
        characters.insert(k, Character(" ", characters[k].middle, SPACE_SURE))
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
    is_white = widths >= MIN_SPACE * size
    if is_white.any() and len(seen):  # behind a doubled letter it sees them late
        nearest = np.where(is_white[:, None], off, np.inf).argmin(axis=0)
        is_seen[nearest[off[nearest, np.arange(len(seen))] <= MAX_SPACE_SLACK]] = True
    text, places = write_signs(characters), np.array([x.middle for x in characters])
    number = NUMBER_ALONE.fullmatch(text.split(" ")[0])
    usual_widths = widths[is_seen & (widths >= MIN_SPACE / 2 * size)][bool(number) :]  # what is behind it is wider
    usual = float(np.median(usual_widths)) if len(usual_widths) else USUAL_SPACE * size
    least = float(np.clip(SPACE_SHARE * usual, MIN_SPACE * size, MAX_SPACE * size))
    bounds = (places[1:] + places[:-1]) / 2
    is_wide = ~is_seen & (widths >= least) & (len(bounds) > 0)
    for middle, width in zip(middles[is_wide], widths[is_wide], strict=True):
        k = int(abs(bounds - middle).argmin())
        is_number = text[k : k + 2].isdigit() and width < DIGIT_SPACE * size
        is_joined = ENDS_WORD.match(text, k + 1) or STARTS_WORD.search(text[: k + 1])
        if not is_number and not (is_joined and width < SURE_SPACE * size):
            yield Character(" ", float(bounds[k]), SPACE_SURE)


def list_due_spaces(text: str) -> list[int]:
    """List where spaces lack that are due however narrow they are: behind a clue's number and behind a closed quote."""
    number = NUMBER_AND_CLUE.match(text)
    quotes = (quote.end() for quote in CLOSED_QUOTE.finditer(text) if text.count('"', 0, quote.end()) % 2 == 0)
    return [*([number.end()] if number else []), *quotes]


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
