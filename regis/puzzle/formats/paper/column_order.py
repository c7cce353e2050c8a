"""Columns of lines, in the order in which most clues are found.

Where the white of a page leaves open which column goes on in which, as around a word that is wider than its own, the
numbers of the clues tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, combinations, pairwise

from regis.puzzle.formats.paper.clue_reading import ClueKey, ClueReading, read_clues
from regis.puzzle.formats.paper.text_lines import TextLine

MIN_STEP = 2.0  # of a line's height, by which a line begins left of its column, where it is of another one
MIN_FOUND = 2  # clues that a moved column must add
MIN_START_SHARE = 0.3  # of its lines that must begin clues then; of a list of something else a few may
MAX_MOVES = 3
MAX_COLUMNS = 10
MAX_LINES = 500
"""Of columns, and of the page, that are moved: a full page of a newspaper has as many. All are guesses."""


def read_in_order(lines: Sequence[TextLine], keys: Sequence[ClueKey]) -> ClueReading:
    """Read the clues of the entries `keys`; where some lack, move columns forward as long as more are found.

    No clue that was found is given up for others.
    """
    reading, columns = read_clues(lines, keys), _split_columns(lines)
    if len(columns) > MAX_COLUMNS or len(lines) > MAX_LINES:
        return reading
    for _ in range(MAX_MOVES):
        if len(keys) - len(reading.clues) < MIN_FOUND:
            break
        best, ordered, starts = reading, columns, _list_starts(reading)
        for to, at in combinations(range(1, len(columns)), 2):
            order = [*columns[:to], columns[at], *columns[to:at], *columns[at + 1 :]]
            other = read_clues([*chain(*order)], keys)
            found = _list_starts(other)
            is_of_clues = len(found.intersection(columns[at])) >= MIN_START_SHARE * len(columns[at])
            if found >= starts and is_of_clues and len(found) > len(best.clues):
                best, ordered = other, order
        if len(best.clues) < len(reading.clues) + MIN_FOUND:
            break
        reading, columns = best, ordered
    return reading


def _list_starts(reading: ClueReading) -> set[TextLine]:
    return {clue.lines[0] for clue in reading.clues.values()}


def _split_columns(lines: Sequence[TextLine]) -> list[list[TextLine]]:
    """Split lines where one is above the line before it, far to the left or right of its column."""
    columns = [[line] for line in lines[:1]]
    for before, line in pairwise(lines):
        is_below = line.page_number == before.page_number and line.baseline > before.baseline - before.height / 2
        left, right = min(x.left for x in columns[-1]), max(x.right for x in columns[-1])
        if is_below and left - MIN_STEP * line.height < line.left < right:
            columns[-1].append(line)
        else:
            columns.append([line])
    return columns
