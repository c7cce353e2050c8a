"""Grids with rebus squares, filled with answers of a clue table by a search that keeps every slot consistent.

Each slot has the rows of all answers that have the squares' contents in the right places. The slot with the fewest is
filled first, and entries that its crossings rule out are removed at once, as in constraint satisfaction (maintained arc
consistency, Sabin and Freuder 1994).
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

import installation  # noqa: F401
import numpy as np
from numpy.typing import NDArray

from regis.puzzle import Cell, Grid, Slot
from regis.puzzle.alphabet import codes_to_word, letter_codes, pattern_mask
from regis.solving.rebus.squares import cell_contents, cell_offsets

MAX_ANSWERS_PER_SLOT = 25  # most answers of a slot
MAX_STEPS = 300  # most slots that are filled before a grid is given up
MAX_CELLS_DRAWN = 40  # cells that are tried for a rebus square
MIN_REBUS_ANSWERS = 20  # least answers for an entry with a rebus square before any other is filled

LetterRows = NDArray[np.uint8]
RowIndices = NDArray[np.intp]


def words_by_length(answers: Iterable[str]) -> dict[int, LetterRows]:
    """Group words by length.

    Returns
    -------
    length -> (words, length) uint8 codes of letters, in the order given.
    """
    of_length: dict[int, list[str]] = defaultdict(list)
    for one in answers:
        of_length[len(one)].append(one)
    return {length: letter_codes("".join(same_length)).reshape(-1, length) for length, same_length in of_length.items()}


class GridFiller:
    """The slots of one grid with its rebus squares, and the answers that each may have."""

    def __init__(self, grid: Grid, squares: Mapping[Cell, str], answer_table: Mapping[int, LetterRows]) -> None:
        self._tokens = {content: 26 + i for i, content in enumerate(sorted(set(squares.values())))}
        self._slots = grid.slots
        self._words: dict[Slot, LetterRows] = {}  # whole answers
        self._letters: dict[Slot, LetterRows] = {}  # with a token for each content
        for slot in grid.slots:
            self._words[slot], self._letters[slot] = self._fitting_answers(slot, squares, answer_table)
        self._crossings: dict[Slot, list[tuple[int, Slot, int]]] = {slot: [] for slot in grid.slots}
        for places in grid.slots_through.values():
            for slot, i in places:
                self._crossings[slot] += [(i, other, j) for other, j in places if other != slot]
        self._steps = 0

    def find_fill(self) -> dict[Slot, str] | None:
        """Find an answer for each slot, all different; None if the search fails."""
        if not all(map(len, self._words.values())):
            return None
        rows = {slot: np.arange(len(self._words[slot])) for slot in self._slots}
        consistent = self._prune_rows(rows, self._slots)
        filled = consistent and self._fill_remaining(consistent, frozenset())
        return filled and {slot: codes_to_word(self._words[slot][left[0]]) for slot, left in filled.items()}

    def _fitting_answers(
        self, slot: Slot, squares: Mapping[Cell, str], answer_table: Mapping[int, LetterRows]
    ) -> tuple[LetterRows, LetterRows]:
        """Return the answers with the slot's contents in the right places, and for each cell a letter or a token."""
        contents = cell_contents(slot, squares)
        at = cell_offsets(contents)
        fitting = answer_table.get(at[-1], np.zeros((0, at[-1]), np.uint8))
        fitting = fitting[pattern_mask(fitting, "".join(contents))]
        letters = fitting[:, at[:-1]]
        for column, x in enumerate(contents):
            if x != "?":
                letters[:, column] = self._tokens[x]
        return fitting, letters

    def _prune_rows(self, rows: Mapping[Slot, RowIndices], changed: Collection[Slot]) -> dict[Slot, RowIndices] | None:
        """Remove the rows that a crossing rules out; None if a slot has none left."""
        left, queue = dict(rows), set(changed)
        while queue:
            slot = queue.pop()
            letters = self._letters[slot][left[slot]]
            for i, other, j in self._crossings[slot]:
                there = np.zeros(26 + len(self._tokens), bool)
                there[letters[:, i]] = True
                kept = left[other][there[self._letters[other][left[other], j]]]
                if not len(kept):
                    return None
                if len(kept) < len(left[other]):
                    left[other] = kept
                    queue.add(other)
        return left

    def _fill_remaining(
        self, rows: dict[Slot, RowIndices], filled_slots: frozenset[Slot]
    ) -> dict[Slot, RowIndices] | None:
        """Choose a row for each open slot; None if the search fails."""
        if len(filled_slots) == len(self._slots):
            return rows
        slot = min((slot for slot in self._slots if slot not in filled_slots), key=lambda slot: len(rows[slot]))
        used = {codes_to_word(self._words[other][rows[other][0]]) for other in filled_slots}
        for row in rows[slot][:MAX_ANSWERS_PER_SLOT]:
            self._steps += 1
            if self._steps > MAX_STEPS:
                return None
            if codes_to_word(self._words[slot][row]) in used:
                continue
            consistent = self._prune_rows({**rows, slot: np.array([row])}, [slot])
            if consistent and (filled := self._fill_remaining(consistent, filled_slots | {slot})):
                return filled
        return None


def place_contents(
    grid: Grid, contents: Sequence[str], answer_table: Mapping[int, LetterRows], rng: random.Random
) -> dict[Cell, str] | None:
    """Place the contents, no two in one slot, each in the cell that most answers allow, out of a random sample.

    Parameters
    ----------
    answer_table : length -> (answers, length) uint8 codes of letters.

    Returns
    -------
    The content of each cell, or None if an entry would have fewer than MIN_REBUS_ANSWERS or no cell is left.
    """
    found: dict[Cell, str] = {}
    crossed = [cell for cell, places in grid.slots_through.items() if len(places) == 2]
    for content in contents:
        taken = {slot for cell in found for slot, _ in grid.slots_through[cell]}
        free = [cell for cell in crossed if not taken & {slot for slot, _ in grid.slots_through[cell]}]
        drawn = rng.sample(free, min(MAX_CELLS_DRAWN, len(free)))
        answer_counts = {cell: _count_answers(grid, cell, content, answer_table) for cell in drawn}
        best = max(answer_counts, key=lambda cell: answer_counts[cell], default=None)
        if best is None or answer_counts[best] < MIN_REBUS_ANSWERS:
            return None
        found[best] = content
    return found


def _count_answers(grid: Grid, cell: Cell, content: str, answer_table: Mapping[int, LetterRows]) -> int:
    """Count the answers that each of a cell's two slots may have with the content there; return the smaller number."""
    patterns = ["".join(cell_contents(slot, {cell: content})) for slot, _ in grid.slots_through[cell]]
    return min(
        int(pattern_mask(answer_table[len(one)], one).sum()) if len(one) in answer_table else 0 for one in patterns
    )
