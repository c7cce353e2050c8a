"""What the fillers that search have in common: short lists, who crosses whom, and how sure a grid in the end is.

A search chooses one row of each slot's short list or none. Slots go by their place in clue order. Letters that the
person wrote are certain: a short list holds only what agrees with them.

The searches score grids each in its own way; how sure they are of a letter they do not say. So all are judged alike:
the probability of a letter is what the two short lists through its cell make of it together, and that of an answer is
what its list and the lists that cross it make of it. That is the first round of `belief`, read off at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, cached_property, partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.candidates.candidate_list import KNOWN_LETTER, LEAST, CandidateList
from regis.models.lookup import foremost
from regis.models.tensors import Table
from regis.puzzle import Cell, Puzzle, Slot
from regis.puzzle.alphabet import ALPHABET
from regis.solving.solution import REPORTED, Candidates, Solution


class Cross(NamedTuple):
    """At cell `here` of a slot, cell `there` of slot `other` crosses."""

    here: int
    other: int
    there: int


class Left:
    """What is left of a slot's list: its rows, and the weight of answers that are not in it."""

    def __init__(self, among: CandidateList, rows: NDArray[np.intp], missing: float) -> None:
        self.among = among
        self.rows = rows
        self.missing = missing
        self._says: dict[int, Table] = {}

    def says(self, there: int) -> Table:
        """Natural log probability of each letter at cell `there` of the slot, (26,)."""
        if there not in self._says:
            self._says[there] = np.log(self.letters(there))
        return self._says[there]

    def letters(self, there: int) -> Table:
        """The same as probabilities."""
        mass = np.bincount(self.among.letters[self.rows, there], self.likely, minlength=26) + self.missing / 26
        return np.asarray(mass / mass.sum())

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
        self.slots = puzzle.grid.slots
        self._short = cache(partial(_short, puzzle, candidates, most))
        self._whole: dict[int, Left] = {}

    def __len__(self) -> int:
        return len(self.slots)

    def __getitem__(self, place: int) -> CandidateList:
        return self._short(place)

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

    def solution(self, cells: Mapping[Cell, str], statistics: Mapping[str, float | str], open_too: bool) -> Solution:
        """The solution with the letters `cells`; with `open_too` the cells that have none are guessed."""
        guesses = guessed(self.puzzle, self.candidates, cells) if open_too else {}
        full = {**cells, **{cell: letter for cell, (letter, _) in guesses.items()}}
        chances: dict[Cell, Table] = {}  # by all slots through the cell, (26,)
        for place, slot in enumerate(self.slots):
            for i, cell in enumerate(slot.cells):
                chances[cell] = chances.get(cell, 1.0) * self.whole(place).letters(i)
        confidence = dict.fromkeys(self.puzzle.given, 1.0)
        for cell, letter in full.items():
            if cell not in confidence:
                sure = chances[cell][ALPHABET.index(letter)] / chances[cell].sum()
                confidence[cell] = guesses[cell][1] if cell in guesses else float(sure)
        ranked = {slot: self._ranked(place) for place, slot in enumerate(self.slots)}
        found = Solution(full, confidence, ranked, statistics=statistics)
        lists = self.candidates.lists
        return replace(found, neglected=frozenset(s for s in self.slots if lists[s].find(found.answer(s)) is None))

    def _ranked(self, place: int) -> tuple[tuple[str, float], ...]:
        """The best of a slot's short list, weighed with what the lists that cross say of its letters."""
        among = self[place]
        if not len(among):
            return ()
        score, missing = self.promise(place, self.whole(place), self.whole)
        top = max(float(score.max()), missing)
        p = np.exp(score - top)
        p /= p.sum() + np.exp(missing - top)
        return tuple((among.answer(i), float(p[i])) for i in foremost(among.letters, score, REPORTED))


def _short(puzzle: Puzzle, candidates: Candidates, most: int, place: int) -> CandidateList:
    slot = puzzle.grid.slots[place]
    pattern, among = puzzle.pattern(slot), candidates.lists[slot]
    if pattern.strip("?"):
        among = among.given(pattern)
    short = among.keep(among.foremost(most))
    cut_off = float(np.exp(among.logp).sum() - np.exp(short.logp).sum())
    return replace(short, missing=max(among.missing + cut_off, LEAST))


def guessed(puzzle: Puzzle, candidates: Candidates, cells: Mapping[Cell, str]) -> dict[Cell, tuple[str, float]]:
    """The letter model's likeliest letter for each open cell of a slot, with its probability; fullest slot first."""
    found: dict[Cell, tuple[str, float]] = {}
    known = dict(cells)

    def unknown(slot: Slot) -> int:
        return puzzle.pattern(slot, known).count("?")

    for slot in sorted(puzzle.grid.slots, key=lambda s: (unknown(s), s.number, s.direction)):
        if all(cell in known for cell in slot.cells):
            continue
        seen = np.ones((1, len(slot), 26))
        for i, letter in enumerate(puzzle.pattern(slot, known)):
            if letter in ALPHABET:
                seen[0, i] = 0
                seen[0, i, ALPHABET.index(letter)] = 1
        likely = candidates.strings.by_letters(seen)[1][0]
        for i, cell in enumerate(slot.cells):
            if cell not in known:
                found[cell] = ALPHABET[int(likely[i].argmax())], float(likely[i].max())
                known[cell] = found[cell][0]
    return found
