"""What the fillers that search have in common: short lists, who crosses whom, and letters from chosen answers.

A search chooses one row of each slot's short list or none. Slots go by their place in clue order. Letters that the
person wrote are certain: a short list holds only what agrees with them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.candidates.candidate_list import KNOWN_LETTER, CandidateList
from regis.puzzle import Cell, Puzzle, Slot
from regis.solving.solution import Candidates

Rows = NDArray[np.intp]
Table = NDArray[np.float64]


class Cross(NamedTuple):
    """At cell `here` of a slot, cell `there` of slot `other` crosses."""

    here: int
    other: int
    there: int


class Left:
    """What is left of a slot's list: its rows, and the weight of answers that are not in it."""

    def __init__(self, among: CandidateList, rows: Rows, missing: float) -> None:
        self.among = among
        self.rows = rows
        self.missing = missing
        self._says: dict[int, Table] = {}

    def says(self, there: int) -> Table:
        """Natural log probability of each letter at cell `there` of the slot, (26,)."""
        if there not in self._says:
            mass = np.bincount(self.among.letters[self.rows, there], self.likely, minlength=26) + self.missing / 26
            self._says[there] = np.log(mass / mass.sum())
        return self._says[there]

    @cached_property
    def likely(self) -> Table:
        """The probabilities of the rows."""
        return np.exp(self.among.logp[self.rows])

    @cached_property
    def size(self) -> float:
        """How many answers of weight: the inverse of the chance that two drawn by lot are the same one."""
        alike = float((self.likely**2).sum())
        return (float(self.likely.sum()) + self.missing) ** 2 / alike if alike > 0 else np.inf

    def fitting(self, there: int, letter: int, missing: float) -> Left:
        """What is left once the letter at cell `there` is known; `missing` is the new weight."""
        return Left(self.among, self.rows[self.among.letters[self.rows, there] == letter], missing)


class Board:
    """A puzzle as a search sees it; a slot's short list has the `most` likeliest answers and is made when asked for."""

    def __init__(self, puzzle: Puzzle, candidates: Candidates, most: int) -> None:
        self.puzzle = puzzle
        self.candidates = candidates
        self.most = most
        self.slots = puzzle.grid.slots
        self._lists: dict[int, CandidateList] = {}
        self._whole: dict[int, Left] = {}

    def __len__(self) -> int:
        return len(self.slots)

    def __getitem__(self, place: int) -> CandidateList:
        if place not in self._lists:
            self._lists[place] = self._short(self.slots[place])
        return self._lists[place]

    @cached_property
    def crossings(self) -> tuple[tuple[Cross, ...], ...]:
        """What crosses each slot, cell by cell; nothing for an unchecked cell."""
        place = {slot: i for i, slot in enumerate(self.slots)}
        across = (self.puzzle.grid.crossings[slot] for slot in self.slots)
        return tuple(tuple(Cross(i, place[x.slot], x.position) for i, x in enumerate(row) if x) for row in across)

    def unlisted(self, place: int) -> float:
        """Natural log probability of one answer that is not in the short list."""
        among = self[place]
        return float(np.log(among.missing) + among.letters.shape[1] * np.log(KNOWN_LETTER))

    def whole(self, place: int) -> Left:
        """What is left of a list of which nothing is gone."""
        if place not in self._whole:
            among = self[place]
            self._whole[place] = Left(among, np.arange(len(among)), among.missing)
        return self._whole[place]

    def promise(self, place: int, own: Left, others: Callable[[int], Left | None]) -> tuple[Table, float]:
        """How good the answers that are left of a slot are, natural logs, (rows,), and how good it is that none is.

        That is their probability times that of their letters in what is left of the lists that cross; None for a slot
        that has no say.
        """
        value, none = own.among.logp[own.rows].copy(), float(np.log(own.missing))
        for here, other, there in self.crossings[place]:
            if (crossing := others(other)) is not None:
                value += crossing.says(there)[own.among.letters[own.rows, here]]
                none += np.log(KNOWN_LETTER)
        return value, none

    def written(self, chosen: Mapping[int, int]) -> dict[Cell, str]:
        """The letters of the chosen rows, by slot; where two differ the later slot's, and always the person's own."""
        cells: dict[Cell, str] = {}
        for place, row in chosen.items():
            cells.update(zip(self.slots[place].cells, self[place].answer(row), strict=True))
        return cells | dict(self.puzzle.given)

    def _short(self, slot: Slot) -> CandidateList:
        pattern = self.puzzle.pattern(slot)
        among = self.candidates.lists[slot]
        if pattern.strip("?"):
            among = among.given(pattern)
        short = among.keep(among.foremost(self.most))
        cut_off = float(np.exp(among.logp).sum() - np.exp(short.logp).sum())
        return replace(short, missing=max(among.missing + cut_off, 1e-12))
