"""Columns of lines, in the order in which most clues are found.

Where the white of a page leaves open which column goes on in which, as around a word that is wider than its own, the
numbers of the clues tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, combinations, pairwise

from regis.puzzle.formats.paper.clue_reading import ClueKey, ClueReading, read_clues
from regis.puzzle.formats.paper.text_lines import TextLine

MIN_STEP = 2.0  # of a line's height, to the left, to where another column begins
MIN_FOUND = 2  # clues by which a moved column must be better
MAX_MOVES = 3
MAX_COLUMNS = 10
MAX_LINES = 500
"""Of pages whose columns are moved: with so many it takes seconds."""


def read_in_order(lines: Sequence[TextLine], keys: Sequence[ClueKey]) -> ClueReading:
    """Read the clues of the entries `keys`; where some lack, move columns forward as long as more are found."""
    reading, columns = read_clues(lines, keys), _split_columns(lines)
    if len(columns) > MAX_COLUMNS or len(lines) > MAX_LINES:
        return reading
    for _ in range(MAX_MOVES):
        n_wanted = len(reading.clues) + MIN_FOUND
        if n_wanted > len(keys):
            break
        orders = [_move_forward(columns, *move) for move in combinations(range(1, len(columns)), 2)]
        readings = [read_clues([*chain(*order)], keys) for order in orders]
        best = max(range(len(orders)), key=lambda i: len(readings[i].clues), default=-1)
        if best < 0 or len(readings[best].clues) < n_wanted:
            break
        reading, columns = readings[best], orders[best]
    return reading


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


def _move_forward(columns: Sequence[list[TextLine]], to: int, at: int) -> list[list[TextLine]]:
    return [*columns[:to], columns[at], *columns[to:at], *columns[at + 1 :]]
