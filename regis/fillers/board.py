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

from regis.candidates import KNOWN_LETTER, CandidateList
from regis.fill import Candidates
from regis.puzzle import Cell, Puzzle, Slot

Rows = NDArray[np.intp]
Table = NDArray[np.float64]


class Cross(NamedTuple):
    """At cell `here` of a slot, cell `there` of slot `other` crosses."""

    here: int
    other: int
    there: int


class Left(NamedTuple):
    """What is left of a slot's list: its rows, and the weight of answers that are not in it."""

    rows: Rows
    missing: float


class Board:
    """A puzzle as a search sees it; a slot's short list has the `most` likeliest answers and is made when asked for."""

    def __init__(self, puzzle: Puzzle, candidates: Candidates, most: int) -> None:
        self.puzzle = puzzle
        self.candidates = candidates
        self.most = most
        self.slots = puzzle.grid.slots
        self._lists: dict[int, CandidateList] = {}

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

    def promise(self, place: int, rows: Rows, left: Callable[[int], Left | None]) -> tuple[Table, float]:
        """How good the answers in `rows` are, natural logs, (rows,), and how good it is that none is right.

        That is their probability, times that of their letters in what is `left` of the lists that cross: the rows, and
        the weight of unlisted answers besides them; None for a slot that has no say.
        """
        among = self[place]
        value = among.logp[rows].copy()
        none = 0.0
        for here, other, there in self.crossings[place]:
            if (crossing := left(other)) is None:
                continue
            likely = np.exp(self[other].logp[crossing.rows])
            mass = np.bincount(self[other].letters[crossing.rows, there], likely, minlength=26) + crossing.missing / 26
            value += np.log(mass / mass.sum())[among.letters[rows, here]]
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
