"""The words of a line: what the network reads, strokes where their ink is, and spaces by what is white."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from regis.puzzle.formats.paper.text_lines import NUMBER_ALONE
from regis.puzzle.formats.paper.vision.letter_sizes import size_lone_letters
from regis.puzzle.formats.paper.vision.lines import PALE, PrintedLine
from regis.puzzle.formats.paper.vision.marks import mend_marks
from regis.puzzle.formats.paper.vision.recognizer import Character, recognize, write_signs
from regis.puzzle.formats.paper.vision.strokes import BLANK, ELLIPSIS, Stroke, find_strokes, space_strokes

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
NUMBER_AND_CLUE = re.compile(
    r"[0-9]{1,3}(?=[A-Z][a-z]|[_\"(\[*#])|1[0-9]{2}(?=[A-Z]|(?!th|st|[nr]d)[a-z]{2}|(?:1[5-9]|20)[0-9]{2}(?![0-9]))"
)  # those of three digits touch more than others
DOTS = re.compile(r"(?<=\w)\.(?= …)|[.…](?: ?[.…])+|…")  # 'e.g. …' has a point of its own
CLOSED_QUOTE = re.compile(r"[,.!?]\"(?=[^\W_])")
STARTS_WORD = re.compile(r"(^|[^\w.,;:!?'\"])['\"(]+$")
ENDS_WORD = re.compile(r"[!?)]|(?<![,;:])[,;:]|\.(?!\.)|['\"](?![\w(])")
STRAIGHT = str.maketrans("“”„″‘’‚´`′|十∼", "\"\"\"\"''''''I+~")  # which quotation marks these are is not seen for sure
TILDES = "~∼"  # as oblong as a dash
WIDE_SIGN = re.compile("[\uff00-\uffef]")  # those of Chinese print
SMALL_L = re.compile(r"(?<![A-Za-z])I(?=i)|(?<=\bE)I\b|(?<=l)I(?=[a-z])")  # 'lights', 'El', 'Illmatic'
CAPITAL_I = re.compile(r"(?<![\w'])l(?=(?:'(?:m|d|ll|ve))?(?![\w'])|[cdfghjkmnpqrtvwxz]\w\w)")  # 'Iris', not 'ltd.'
DIGIT_ONE = re.compile(r"(?<=[0-9])[lI](?![A-Za-z])|\b[lI](?=[0-9]{2})")  # '201l', 'l984'
CLUE_START = re.compile(r"^l(?![bl]|td)|(?<=^\W)l(?![bl]|td)")  # a clue begins with a capital
SMALL_START = re.compile(r"^[ij](?=[a-z])")  # I and J look small behind a number that they touch


class PrintedWord(NamedTuple):
    """A word, from where to where it goes in pixels of its column, and how likely it is read right."""

    text: str
    left: float
    right: float
    probability: float


def read_words(line: PrintedLine) -> list[PrintedWord]:
    """Read the words of a line."""
    read = recognize(line.picture)
    strokes = [x for x in find_strokes(line) if not x.is_read_as(TILDES, read)]
    has_ink = (line.picture < PALE).any(axis=0)
    characters = [x for x in read if not any(stroke.may_be(x, line.size) for stroke in strokes)]
    boxes = line.boxes[[not any(stroke.left <= box[0] < stroke.right for stroke in strokes) for box in line.boxes]]
    characters = mend_marks(characters, boxes, line.size)
    characters += [Character(stroke.text, stroke.middle, 1.0) for stroke in strokes]
    characters.sort(key=lambda x: x.middle)
    characters = list(size_lone_letters(characters, line.boxes, line.size))
    characters += [
        *space_strokes(characters, strokes, line.size),
        *find_spaces(characters, strokes, has_ink, line.size),
    ]
    characters.sort(key=lambda x: x.middle)
    for k in reversed(list_due_spaces(write_signs(characters))):
        characters.insert(k, Character(" ", characters[k].middle, SPACE_SURE))
    return list(part_words(join_dots(characters), has_ink, line.left))


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


def join_dots(characters: Sequence[Character]) -> list[Character]:
    """Join dots to an ellipsis, but for those whose last stands in the next line, and the point of a word before it."""
    text = write_signs([x._replace(text="…") if x.text == ELLIPSIS else x for x in characters])
    joined: list[Character] = []
    end = 0
    for run in DOTS.finditer(text):
        dots = characters[run.start() : run.end()]
        n_dots = run[0].count(".") + len(ELLIPSIS) * run[0].count("…")
        is_parted = n_dots < len(ELLIPSIS) and " " in run[0] and run.end() == len(text)
        if run[0] != "." and not is_parted:
            dots = [Character(ELLIPSIS, dots[0].middle, min(x.probability for x in dots))]
        joined += [*characters[end : run.start()], *dots]
        end = run.end()
    return [*joined, *characters[end:]]


def part_words(characters: Sequence[Character], has_ink: Any, left: int) -> Iterator[PrintedWord]:
    """Part words at the spaces between them."""
    text, probability, start = "", 1.0, 0
    last, has_space, text_before = 0.0, True, ""
    for character in [*characters, Character("", len(has_ink) - 1.0, 1.0)]:
        if character.text == " ":
            has_space, probability = True, min(probability, character.probability)
            continue
        if has_space or not character.text:
            end, next_start = find_gap(has_ink, last, character.middle)
            if text:
                end = max(end, start + 1)
                yield PrintedWord(mend_word(text, text_before), start + left, end + left, probability)
                text_before += text
            text, probability, start = "", 1.0, next_start
        text, probability = text + character.text, min(probability, character.probability)
        last, has_space = character.middle, False


def find_gap(has_ink: Any, left: float, right: float) -> tuple[int, int]:
    """Find the widest gap without ink between the middles of two characters."""
    first, last = int(left), max(int(right), int(left)) + 1
    edges = np.r_[first - 1, np.flatnonzero(has_ink[first:last]) + first, last]
    k = int(np.diff(edges).argmax())
    return int(edges[k]) + 1, int(edges[k + 1])


def mend_word(text: str, text_before: str) -> str:
    """Put one sign for those that count as one, and l, I and 1 where they look alike and the network took another.

    Parameters
    ----------
    text_before : what is before it in its line, without spaces.
    """
    text = WIDE_SIGN.sub(lambda sign: unicodedata.normalize("NFKC", sign[0]), text).translate(STRAIGHT)
    text = DIGIT_ONE.sub("1", text)
    text = CAPITAL_I.sub("I", SMALL_L.sub("l", re.sub("_+", BLANK, text)))
    if not NUMBER_ALONE.fullmatch(text_before):
        return text
    return SMALL_START.sub(lambda small: small[0].upper(), CLUE_START.sub("I", text))
