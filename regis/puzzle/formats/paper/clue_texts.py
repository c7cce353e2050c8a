"""The texts of clues, from where they begin on their pages.

The places of a path that stand below each other make a column. What is in it between one place and the next belongs to
the clue, as far as its rows stand close together and are of one size; what stands above the first place of a column
goes on from the column before.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from regis import text
from regis.puzzle.formats.paper.clue_search import ClueKey, Path, Place
from regis.puzzle.formats.paper.page_objects import P_DOUBTFUL, P_SURE
from regis.puzzle.formats.paper.page_words import (
    MAX_CHARACTERS,
    MAX_RATIO,
    SLACK,
    SPACE_WIDTH,
    Row,
    Run,
    Word,
    group_rows,
    join_words,
    size_of,
    split_row,
    text_of,
)

MAX_GAP = 4.0  # of a row's height, between words that are stretched to the width of their column
MIN_JUSTIFIED = 0.5  # share of rows that end at the edge of their column, where words are divided, too
MIN_MARGIN = 0.6  # of a path's cost, by which one without a clue's place must be dearer
LONG_WORD = 14  # letters, from which on a word may be too long for its column


_UNKNOWN = re.compile("[\ufffd\ue000-\uf8ff]")  # signs of which the file does not say what they are
_SUSPENDED = re.compile("(?:and|or|to)\\b")  # behind the hyphen of '16- and 25-Across'
_ENDING = re.compile(r"(?:[a-z]{0,4}(?:tion|sion|ment|ness|able|ible|ity|ous|ive|ance|ence|ture|tic|cal|cial|tial|ally"
                     r"|ters|lish|lished|cated|ated|ating)s?)\b")  # fmt: skip
"""What a divided word goes on with, and what is hardly ever a word behind a hyphen of its own."""


@dataclass(frozen=True)
class PrintedClue:
    """A clue as it was read, with how likely it is whole and right."""

    text: str
    probability: float


@dataclass(frozen=True)
class ClueReading:
    """The clues that were read, and the words of the pages that are none and no heading."""

    clues: Mapping[ClueKey, PrintedClue]
    other_words: tuple[Word, ...]
    height: float  # points, of most of the clues' words


@dataclass
class Strip:
    """The upright strip of a page in which places of a path stand below each other."""

    page_number: int
    places: list[tuple[ClueKey, Place]]
    left: float
    right: float = float("inf")
    heads: list[Word] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)

    def stops(self) -> list[Word]:
        """List numbers and headings from top to bottom."""
        return sorted([*(place.word for _, place in self.places), *self.heads], key=lambda word: word.middle)

    @property
    def span(self) -> tuple[float, float]:
        """Return how far down its first stop is, and its last."""
        stops = self.stops()
        return stops[0].middle, stops[-1].middle


def read_clues(path: Path, words: Sequence[Word]) -> ClueReading:
    """Read the clues whose places are known."""
    heights = sorted(word.height for word in words)
    height = heights[len(heights) // 2] if path.places else 0.0
    strips = _make_strips(path, height)
    heads = {word for heading in path.headings for word in heading.row}
    numbers = {place.word: place for place in path.places.values()}
    texts = [word for word in words if word not in heads and word not in numbers]
    texts += [word._replace(text=place.rest) for word, place in numbers.items() if place.rest]
    for strip in strips:
        on_page = [word for word in texts if word.page_number == strip.page_number]
        strip.rows = list(_find_rows(strip, on_page, height))
    leading = _usual_leading(strips, height)
    rows = {key: found for strip in strips for key, found in _part_rows(strip, height, leading)}
    order = list(path.places)
    for strip in strips:
        before = order.index(strip.places[0][0]) - 1
        if before >= 0 and rows[order[before]]:
            rows[order[before]] += _carry_over(strip, height, leading)
    clues = _make_clues(path, rows, strips, height)
    used = {word for found in rows.values() for row in found for word in row}
    return ClueReading(clues, tuple(word for word in texts if word not in used), height)


def _make_strips(path: Path, height: float) -> list[Strip]:
    """Make the strips of a path, in its order."""
    strips: list[Strip] = []
    for key, place in path.places.items():
        word, slack = place.word, SLACK * max(height, place.word.height)
        for strip in strips:
            if strip.page_number == word.page_number and any(
                min(abs(other.word.left - word.left), abs(other.word.right - word.right)) < slack
                for _, other in strip.places
            ):
                strip.places.append((key, place))
                strip.left = min(strip.left, word.left)
                break
        else:
            strips.append(Strip(word.page_number, [(key, place)], word.left))
    for strip in strips:
        first, last = strip.span
        rights = [
            other.left
            for other in strips
            if other.page_number == strip.page_number and other.left > strip.left + height
            and other.span[0] < last + MAX_GAP * height and first < other.span[1] + MAX_GAP * height
        ]  # fmt: skip
        strip.right = min(rights, default=strip.right)
        strip.heads = [
            heading.word
            for heading in path.headings
            if heading.word.page_number == strip.page_number
            and strip.left - MAX_GAP * height < heading.word.left < strip.right - SLACK * height
        ]
    return strips


def _find_rows(strip: Strip, words: Sequence[Word], height: float) -> Iterator[Row]:
    """Find the rows of a strip; above and below its numbers, what is wider than it is none of them."""
    left, right = strip.left - SLACK * height, strip.right - SLACK * height / 2
    inside = [word for word in words if left <= word.left < right]
    across = [word.middle for word in words if word.left < left and word.right > strip.left + SLACK * height]
    own = [place.word.middle for _, place in strip.places]
    last_start = max(place.word.right for _, place in strip.places) + MAX_GAP * height
    rows = [row for row in group_rows(inside, height) if row[0].left < last_start]
    edge = max((next(split_row(row, MAX_GAP))[-1].right for row in rows), default=0.0) + SLACK * height
    rows = [part for row in rows if (part := [word for word in row if word.right < edge])]
    for row in rows:
        middle = row[0].middle
        is_across = any(abs(middle - other) < SLACK * height for other in across)
        is_across |= row[-1].right > strip.right + height
        if not is_across or min(own) - SLACK * height < middle < max(own) + SLACK * height:
            yield row


def _usual_leading(strips: Sequence[Strip], height: float) -> float:
    """Return how far most rows of clues are from the next."""
    steps = sorted(
        below[0].middle - row[0].middle
        for strip in strips
        for row, below in pairwise(strip.rows)
        if strip.span[0] - height < row[0].middle < strip.span[1]
    )
    return steps[len(steps) // 2] if steps else 1.5 * height


def _part_rows(strip: Strip, height: float, leading: float) -> Iterator[tuple[ClueKey, list[Row]]]:
    """Part the rows of a strip among its clues."""
    tops = [word.middle - SLACK * max(height, word.height) for word in strip.stops()]
    for key, place in strip.places:
        top = place.word.middle - SLACK * max(height, place.word.height)
        end = min((other for other in tops if other > top), default=float("inf"))
        rows = [row for row in strip.rows if top <= row[0].middle < end]
        yield key, list(_take_close(place.word.middle, rows, height, MAX_RATIO * leading))


def _take_close(middle: float, rows: Sequence[Row], height: float, leading: float) -> Iterator[Row]:
    """Take rows, one beside the other from a height on, as long as they are close and of one size."""
    for row in rows:
        size = size_of(row) or height
        is_other = max(size, height) > MAX_RATIO * min(size, height) or row[0].text.startswith("©")
        if is_other or abs(row[0].middle - middle) > leading:
            return
        yield row
        middle = row[0].middle


def _carry_over(strip: Strip, height: float, leading: float) -> list[Row]:
    """Return the rows above a strip's first stop, with which the clue before it goes on."""
    first = strip.stops()[0]
    above = [row for row in reversed(strip.rows) if row[0].middle < first.middle - SLACK * height]
    return list(_take_close(first.middle, above, height, MAX_RATIO * leading))[::-1]


def _make_clues(
    path: Path, rows: Mapping[ClueKey, list[Row]], strips: Sequence[Strip], height: float
) -> dict[ClueKey, PrintedClue]:
    """Make the texts of the clues, and rate them."""
    edges = {
        key: max((row[-1].right for row in strip.rows), default=0.0) for strip in strips for key, _ in strip.places
    }
    is_divided = _divides_words(rows, edges, SPACE_WIDTH * height)
    missing_behind = dict(path.gaps)
    clues = {}
    for key, place in path.places.items():
        if not rows[key]:
            continue
        found, is_sure = _join_rows(rows[key], edges[key], is_divided)
        is_sure &= path.margins[key] >= MIN_MARGIN
        if key in missing_behind:  # it may have swallowed that
            number = rf"(?<![0-9]){missing_behind[key][0]}(?![0-9])"
            is_sure &= not (re.search(number, found) or place.word.is_pictured)
        is_sure &= not re.search(r"[^\W\d_]-$", found)  # which may go on elsewhere
        is_sure &= 0 < len(found) <= MAX_CHARACTERS and not _UNKNOWN.search(found)
        probability = min(P_SURE if is_sure else P_DOUBTFUL, *(word.probability for row in rows[key] for word in row))
        clues[key] = PrintedClue(found[:MAX_CHARACTERS], probability)
    return clues


def _join_rows(rows: Sequence[Row], edge: float, is_divided: bool) -> tuple[str, bool]:
    """Join the rows of a clue; say whether that is sure.

    Parameters
    ----------
    edge : where the widest row of the column ends.
    """
    runs: list[Run] = join_words(rows[0])
    is_sure = True
    for last, row in pairwise(rows):
        before, following = text_of(last), text_of(row)
        is_ending = bool(_ENDING.match(following))
        if before.endswith("-") and _SUSPENDED.match(following):
            between = " "
        elif _may_be_divided(before, following):
            between = "" if is_ending or is_divided else "-"
            runs[-1] = (runs[-1][0].rstrip()[:-1], runs[-1][1])
            is_sure &= is_ending == is_divided
        elif before.endswith("-") and before[-2:-1].isalnum():
            between = ""
        else:
            is_long, space = _is_long_word(last, following), edge - last[-1].right
            between = "" if is_long and space < (row[0].right - row[0].left) / (len(row[0].text) + 1) else " "
            is_sure &= not is_long or (between == " " and row[0].right - row[0].left > space)
        runs += [(between, runs[-1][1]), *join_words(row)]
    return " ".join(text.quote_italics(runs).split()), is_sure


def _is_long_word(row: Row, following: str) -> bool:
    """Return whether a row is a word of which a part may stand in the next, as it is longer than the column is wide."""
    word = text_of(row)
    is_alone = " " not in word and word[-1:].isalnum() and not row[-1].has_space
    return is_alone and len(word) >= LONG_WORD and following[:1].islower()


def _may_be_divided(row: str, following: str) -> bool:
    """Return whether a row may end within a word that the following one begins with."""
    return row.endswith("-") and row[-2:-1].isalpha() and following[:1].islower()


def _divides_words(rows: Mapping[ClueKey, list[Row]], edges: Mapping[ClueKey, float], slack: float) -> bool:
    """Return whether words are divided at the ends of rows."""
    pairs = [(text_of(row), text_of(below)) for found in rows.values() for row, below in pairwise(found)]
    n_endings = sum(_may_be_divided(row, below) and bool(_ENDING.match(below)) for row, below in pairs)
    ends: dict[float, list[float]] = defaultdict(list)  # of rows that go on, by the edge of their column
    for key, found in rows.items():
        ends[edges[key]] += [row[-1].right for row in found[:-1]]
    n_full = sum(abs(end - sorted(of_one)[len(of_one) // 2]) < slack for of_one in ends.values() for end in of_one)
    n_columns = len(ends)  # in each one row or more does
    return n_endings > 1 or n_full - n_columns > MIN_JUSTIFIED * (len(pairs) - n_columns)
