"""The texts of clues, read from the places where they start.

Clue numbers that are aligned vertically form a column. A clue's rows are those between its number and the next, as long
as they are closely spaced and of one type size. Rows above the first number of a column continue the last clue of the
previous column.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
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

MAX_GAP = 4.0  # multiple of a row's height; the widest gap between words of justified text
MIN_JUSTIFIED = 0.5  # fraction of rows that end at the right edge of the column; with more, text is hyphenated
MIN_MARGIN = 0.6  # cost; a clue with a smaller margin on its path is doubtful
LONG_WORD = 14  # letters; a word this long may be broken without a hyphen


_UNKNOWN = re.compile("[\ufffd\ue000-\uf8ff]")  # characters that the file doesn't identify
_SUSPENDED = re.compile("(?:and|or|to)\\b")  # follows a suspended hyphen: '16- and 25-Across'
_ENDING = re.compile(r"(?:[a-z]{0,4}(?:tion|sion|ment|ness|able|ible|ity|ous|ive|ance|ence|ture|tic|cal|cial|tial|ally"
                     r"|ters|lish|lished|cated|ated|ating)s?)\b")  # fmt: skip
"""The second part of a hyphenated word, which is hardly ever a word of a compound."""


@dataclass(frozen=True)
class PrintedClue:
    """A clue, with the probability that its text is complete and right."""

    text: str
    probability: float


@dataclass(frozen=True)
class ClueReading:
    """The clues of the pages, and the words that belong to no clue or heading."""

    clues: Mapping[ClueKey, PrintedClue]
    other_words: tuple[Word, ...]
    height: float  # usual height of a clue's words


@dataclass
class ClueColumn:
    """A column of clues: their places are aligned vertically."""

    page_number: int
    places: list[tuple[ClueKey, Place]]
    left: float
    right: float = float("inf")
    headings: list[Word] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)

    def starts(self) -> list[Word]:
        """List the numbers and headings from top to bottom."""
        return sorted([*(place.word for _, place in self.places), *self.headings], key=lambda word: word.middle)

    @property
    def span(self) -> tuple[float, float]:
        """Return the y-coordinates of the first and the last number or heading."""
        starts = self.starts()
        return starts[0].middle, starts[-1].middle


def read_clues(path: Path, words: Sequence[Word]) -> ClueReading:
    heights = sorted(word.height for word in words)
    height = heights[len(heights) // 2] if path.places else 0.0
    columns = _find_columns(path, height)
    headings = {word for heading in path.headings for word in heading.row}
    numbers = {place.word: place for place in path.places.values()}
    texts = [word for word in words if word not in headings and word not in numbers]
    texts += [word._replace(text=place.rest) for word, place in numbers.items() if place.rest]
    for column in columns:
        on_page = [word for word in texts if word.page_number == column.page_number]
        column.rows = list(_find_rows(column, on_page, height))
    leading = _usual_leading(columns, height)
    rows = {key: found for column in columns for key, found in _split_rows(column, height, leading)}
    used = {word for found in rows.values() for row in found for word in row}
    loose = Counter(text_of(row) for column in columns for row in column.rows if row[0] not in used)
    order = list(path.places)
    for column in columns:
        previous = order.index(column.places[0][0]) - 1
        if previous >= 0 and rows[order[previous]]:
            continuation = _find_continuation(column, height, leading)
            # a text above several columns is the header of their table
            continued = [row for row in continuation if loose[text_of(row)] == 1]
            rows[order[previous]] += continued
            used.update(word for row in continued for word in row)
    clues = _make_clues(path, rows, columns, height)
    return ClueReading(clues, tuple(word for word in texts if word not in used), height)


def _find_columns(path: Path, height: float) -> list[ClueColumn]:
    """Find the columns of a path, in its order."""
    columns: list[ClueColumn] = []
    for key, place in path.places.items():
        word, slack = place.word, SLACK * max(height, place.word.height)
        for column in columns:
            if column.page_number == word.page_number and any(
                min(abs(other.word.left - word.left), abs(other.word.right - word.right)) < slack
                for _, other in column.places
            ):
                column.places.append((key, place))
                column.left = min(column.left, word.left)
                break
        else:
            columns.append(ClueColumn(word.page_number, [(key, place)], word.left))
    for column in columns:
        first, last = column.span
        rights = [
            other.left
            for other in columns
            if other.page_number == column.page_number and other.left > column.left + height
            and other.span[0] < last + MAX_GAP * height and first < other.span[1] + MAX_GAP * height
        ]  # fmt: skip
        column.right = min(rights, default=column.right)
        column.headings = [
            heading.word
            for heading in path.headings
            if heading.word.page_number == column.page_number
            and column.left - MAX_GAP * height < heading.word.left < column.right - SLACK * height
        ]
    return columns


def _find_rows(column: ClueColumn, words: Sequence[Word], height: float) -> Iterator[Row]:
    """Find the rows of a column, without wider rows above its first number and below its last."""
    left, right = column.left - SLACK * height, column.right - SLACK * height / 2
    inside = [word for word in words if left <= word.left < right]
    crossing = [word.middle for word in words if word.left < left and word.right > column.left + SLACK * height]
    starts = [place.word.middle for _, place in column.places]
    last_start = max(place.word.right for _, place in column.places) + MAX_GAP * height
    rows = [row for row in group_rows(inside, height) if row[0].left < last_start]
    edge = max((next(split_row(row, MAX_GAP))[-1].right for row in rows), default=0.0) + SLACK * height
    rows = [part for row in rows if (part := [word for word in row if word.right < edge])]
    for row in rows:
        middle = row[0].middle
        is_wider = any(abs(middle - other) < SLACK * height for other in crossing)
        is_wider |= row[-1].right > column.right + height
        if not is_wider or min(starts) - SLACK * height < middle < max(starts) + SLACK * height:
            yield row


def _usual_leading(columns: Sequence[ClueColumn], height: float) -> float:
    """Return the median distance between the baselines of adjacent rows."""
    steps = sorted(
        below[0].middle - row[0].middle
        for column in columns
        for row, below in pairwise(column.rows)
        if column.span[0] - height < row[0].middle < column.span[1]
    )
    return steps[len(steps) // 2] if steps else 1.5 * height


def _split_rows(column: ClueColumn, height: float, leading: float) -> Iterator[tuple[ClueKey, list[Row]]]:
    """Split the rows of a column among its clues."""
    tops = [word.middle - SLACK * max(height, word.height) for word in column.starts()]
    for key, place in column.places:
        top = place.word.middle - SLACK * max(height, place.word.height)
        end = min((other for other in tops if other > top), default=float("inf"))
        rows = [row for row in column.rows if top <= row[0].middle < end]
        yield key, list(_take_adjacent_rows(place.word.middle, rows, height, MAX_RATIO * leading))


def _take_adjacent_rows(middle: float, rows: Sequence[Row], height: float, max_leading: float) -> Iterator[Row]:
    """Yield rows until one is too far from the last, differs in type size, or starts with a copyright sign."""
    for row in rows:
        size = size_of(row) or height
        is_other = max(size, height) > MAX_RATIO * min(size, height) or row[0].text.startswith("©")
        if is_other or abs(row[0].middle - middle) > max_leading:
            return
        yield row
        middle = row[0].middle


def _find_continuation(column: ClueColumn, height: float, leading: float) -> list[Row]:
    """Return the rows above a column's first number or heading; they continue the previous clue."""
    first = column.starts()[0]
    above = [row for row in reversed(column.rows) if row[0].middle < first.middle - SLACK * height]
    return list(_take_adjacent_rows(first.middle, above, height, MAX_RATIO * leading))[::-1]


def _make_clues(
    path: Path, rows: Mapping[ClueKey, list[Row]], columns: Sequence[ClueColumn], height: float
) -> dict[ClueKey, PrintedClue]:
    """Join the rows of each clue, and rate the text."""
    edges = {
        key: max((row[-1].right for row in column.rows), default=0.0) for column in columns for key, _ in column.places
    }
    is_hyphenated = _hyphenates_words(rows, edges, SPACE_WIDTH * height)
    clues = {}
    for key, place in path.places.items():
        if not rows[key]:
            continue
        found, is_sure = _join_rows(rows[key], edges[key], is_hyphenated)
        is_sure &= path.margins[key] >= MIN_MARGIN
        if key in path.missing_after:  # this clue may contain the missing one
            number = rf"(?<![0-9]){path.missing_after[key][0]}(?![0-9])"
            is_sure &= not (re.search(number, found) or place.word.is_pictured)
        is_sure &= not re.search(r"[^\W\d_]-$", found)  # the rest of the word may be elsewhere
        is_sure &= 0 < len(found) <= MAX_CHARACTERS and not _UNKNOWN.search(found)
        probability = min(P_SURE if is_sure else P_DOUBTFUL, *(word.probability for row in rows[key] for word in row))
        clues[key] = PrintedClue(found[:MAX_CHARACTERS], probability)
    return clues


def _join_rows(rows: Sequence[Row], edge: float, is_hyphenated: bool) -> tuple[str, bool]:
    """Join the rows of a clue; return the text, and whether it is certain.

    Parameters
    ----------
    edge : right edge of the column's widest row.
    is_hyphenated : whether words are hyphenated at the ends of rows.
    """
    runs: list[Run] = join_words(rows[0])
    is_sure = True
    for last, row in pairwise(rows):
        before, following = text_of(last), text_of(row)
        is_ending = bool(_ENDING.match(following))
        if before.endswith("-") and _SUSPENDED.match(following):
            between = " "
        elif _may_be_hyphenated(before, following):
            between = "" if is_ending or is_hyphenated else "-"
            runs[-1] = (runs[-1][0].rstrip()[:-1], runs[-1][1])
            is_sure &= is_ending == is_hyphenated
        elif before.endswith("-") and before[-2:-1].isalnum():
            between = ""
        else:
            is_long, space = _is_long_word(last, following), edge - last[-1].right
            between = "" if is_long and space < (row[0].right - row[0].left) / (len(row[0].text) + 1) else " "
            is_sure &= not is_long or (between == " " and row[0].right - row[0].left > space)
        runs += [(between, runs[-1][1]), *join_words(row)]
    return " ".join(text.quote_italics(runs).split()), is_sure


def _is_long_word(row: Row, following: str) -> bool:
    """Return whether a row is one word so long that its end may be in the next row, without a hyphen."""
    word = text_of(row)
    is_alone = " " not in word and word[-1:].isalnum() and not row[-1].has_space
    return is_alone and len(word) >= LONG_WORD and following[:1].islower()


def _may_be_hyphenated(row: str, following: str) -> bool:
    """Return whether a word may start at the end of a row and continue in the following one."""
    return row.endswith("-") and row[-2:-1].isalpha() and following[:1].islower()


def _hyphenates_words(rows: Mapping[ClueKey, list[Row]], edges: Mapping[ClueKey, float], slack: float) -> bool:
    """Return whether words are hyphenated at the ends of rows."""
    pairs = [(text_of(row), text_of(below)) for found in rows.values() for row, below in pairwise(found)]
    n_endings = sum(_may_be_hyphenated(row, below) and bool(_ENDING.match(below)) for row, below in pairs)
    ends: dict[float, list[float]] = defaultdict(list)  # right ends of rows that continue, by the edge of their column
    for key, found in rows.items():
        ends[edges[key]] += [row[-1].right for row in found[:-1]]
    n_full = sum(
        abs(end - sorted(in_column)[len(in_column) // 2]) < slack for in_column in ends.values() for end in in_column
    )
    n_columns = len(ends)  # one row of each is always at the median
    return n_endings > 1 or n_full - n_columns > MIN_JUSTIFIED * (len(pairs) - n_columns)
