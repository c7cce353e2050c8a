"""Grids with rebus squares, filled with answers that clues have asked for: a search that keeps every slot consistent.

Each slot has the rows of all answers that have the squares' contents in their places. The slot with the fewest left is
filled first, and what its crossings cannot be any more is taken away at once, as in constraint satisfaction (maintained
arc consistency, Sabin and Freuder 1994).
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

import installed  # noqa: F401
import numpy as np
from numpy.typing import NDArray

from regis.puzzle import Cell, Grid, Slot
from regis.puzzle.alphabet import codes, fits, word
from regis.solving.rebus.squares import parts, starts

TRIED = 25  # answers of a slot, at most
STEPS = 300  # slots that are filled, at most, before a grid is given up
DRAWN = 40  # cells that are looked at for a rebus square
FEWEST = 20  # answers that an entry with a rebus square must have before any other is filled

Letters = NDArray[np.uint8]
Rows = NDArray[np.intp]


def tables(words: Iterable[str]) -> dict[int, Letters]:
    """The words by length, a row each, in the order given."""
    of_length: dict[int, list[str]] = defaultdict(list)
    for one in words:
        of_length[len(one)].append(one)
    return {length: codes("".join(its)).reshape(-1, length) for length, its in of_length.items()}


class Filling:
    """The slots of one grid with its rebus squares, and the answers that each may have."""

    def __init__(self, grid: Grid, squares: Mapping[Cell, str], words: Mapping[int, Letters]) -> None:
        self._tokens = {content: 26 + i for i, content in enumerate(sorted(set(squares.values())))}
        self._slots = grid.slots
        self._words: dict[Slot, Letters] = {}  # the answers whole,
        self._letters: dict[Slot, Letters] = {}  # and with a token for each content
        for slot in grid.slots:
            self._words[slot], self._letters[slot] = self._fitting(slot, squares, words)
        self._crossings: dict[Slot, list[tuple[int, Slot, int]]] = {slot: [] for slot in grid.slots}
        for places in grid.through.values():
            for slot, i in places:
                self._crossings[slot] += [(i, other, j) for other, j in places if other != slot]
        self._steps = 0

    def find(self) -> dict[Slot, str] | None:
        """An answer for each slot, no two the same; None where none was found."""
        if not all(map(len, self._words.values())):
            return None
        rows = {slot: np.arange(len(self._words[slot])) for slot in self._slots}
        consistent = self._consistent(rows, self._slots)
        filled = consistent and self._filled(consistent, frozenset())
        return {slot: word(self._words[slot][its[0]]) for slot, its in filled.items()} if filled else None

    def _fitting(
        self, slot: Slot, squares: Mapping[Cell, str], words: Mapping[int, Letters]
    ) -> tuple[Letters, Letters]:
        """The answers that have the slot's contents in their places, and for each cell a letter or a token."""
        known = parts(slot, squares)
        at = starts(known)
        fitting = words.get(at[-1], np.zeros((0, at[-1]), np.uint8))
        fitting = fitting[fits(fitting, "".join(known))]
        letters = fitting[:, at[:-1]]
        for column, x in enumerate(known):
            if x != "?":
                letters[:, column] = self._tokens[x]
        return fitting, letters

    def _consistent(self, rows: Mapping[Slot, Rows], changed: Collection[Slot]) -> dict[Slot, Rows] | None:
        """`rows` without those that some crossing rules out; None where nothing is left for a slot."""
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

    def _filled(self, rows: dict[Slot, Rows], done: frozenset[Slot]) -> dict[Slot, Rows] | None:
        """`rows` with one for each slot, those of the slots that are `done` as they are; None where none was found."""
        if len(done) == len(self._slots):
            return rows
        slot = min((slot for slot in self._slots if slot not in done), key=lambda slot: len(rows[slot]))
        used = {word(self._words[other][rows[other][0]]) for other in done}
        for row in rows[slot][:TRIED]:
            self._steps += 1
            if self._steps > STEPS:
                return None
            if word(self._words[slot][row]) in used:
                continue
            consistent = self._consistent({**rows, slot: np.array([row])}, [slot])
            if consistent and (filled := self._filled(consistent, done | {slot})):
                return filled
        return None


def squares(
    grid: Grid, contents: Sequence[str], words: Mapping[int, Letters], lot: random.Random
) -> dict[Cell, str] | None:
    """Cells for the contents, no two in one slot: of some drawn by lot those that most answers allow.

    None where an entry would have fewer than FEWEST, or no cell is left.
    """
    found: dict[Cell, str] = {}
    crossed = [cell for cell, places in grid.through.items() if len(places) == 2]
    for content in contents:
        taken = {slot for cell in found for slot, _ in grid.through[cell]}
        free = [cell for cell in crossed if not taken & {slot for slot, _ in grid.through[cell]}]
        many = {cell: _many(grid, cell, content, words) for cell in lot.sample(free, min(DRAWN, len(free)))}
        best = max(many, key=lambda cell: many[cell], default=None)
        if best is None or many[best] < FEWEST:
            return None
        found[best] = content
    return found


def _many(grid: Grid, cell: Cell, content: str, words: Mapping[int, Letters]) -> int:
    """How many answers each of a cell's two slots may have with the content there, at least."""
    patterns = ["".join(parts(slot, {cell: content})) for slot, _ in grid.through[cell]]
    return min(int(fits(words[len(one)], one).sum()) if len(one) in words else 0 for one in patterns)
