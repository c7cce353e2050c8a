"""What searching fillers share: short lists, crossings, and the confidence of a grid.

A search chooses one row, or none, of each slot's short list; slots have indices in clue order. Given letters are
certain. Searches score grids differently, so all get their confidences in the same way: a letter's from the two short
lists through its cell, an answer's from its list and the crossing lists. That is the first round of `belief`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from typing import NamedTuple

import numpy as np

from regis.candidates.candidate_list import LETTER_MATCH_PROBABILITY, CandidateList
from regis.models.arrays import MIN_PROBABILITY, Float64Array, Positions, top_k_rows
from regis.puzzle import Cell, Puzzle
from regis.puzzle.alphabet import ALPHABET, ALPHABET_SIZE
from regis.solving.filler import N_REPORTED_ANSWERS, Fill, SolverInput, StopReason


class BoardCrossing(NamedTuple):
    """The shared cell of two slots: at `own_position` of one, at `other_position` of another."""

    own_position: int
    other_place: int
    other_position: int


@dataclass(eq=False)
class Domain:
    """What is left of a slot's list: rows, and the weight of answers not in it."""

    candidates: CandidateList
    rows: Positions
    missing: float
    _letter_logp: dict[int, Float64Array] = field(default_factory=dict, init=False)

    def letter_logp(self, position: int) -> Float64Array:
        """Return each letter's natural log probability at a position of the slot, (26,)."""
        if position not in self._letter_logp:
            self._letter_logp[position] = np.log(self.letter_probabilities(position))
        return self._letter_logp[position]

    def letter_probabilities(self, position: int) -> Float64Array:
        """Return each letter's probability at a position of the slot, (26,)."""
        letters = self.candidates.letters[self.rows, position]
        mass = np.bincount(letters, self.row_probabilities, minlength=ALPHABET_SIZE) + self.missing / ALPHABET_SIZE
        return np.asarray(mass / mass.sum())

    @cached_property
    def row_probabilities(self) -> Float64Array:
        return np.exp(self.candidates.logp[self.rows].astype(np.float64))

    @cached_property
    def effective_size(self) -> float:
        """Return the number of answers by weight: the inverse of P(two random ones are the same)."""
        p_same = float((self.row_probabilities**2).sum())
        return (float(self.row_probabilities.sum()) + self.missing) ** 2 / p_same if p_same > 0 else np.inf

    def restrict(self, position: int, letter: int, missing: float) -> Domain:
        """Keep the answers with this letter, 0 to 25, at a position; `missing` is the new weight of others."""
        return Domain(self.candidates, self.rows[self.candidates.letters[self.rows, position] == letter], missing)


class Board:
    """A puzzle as a search sees it; short lists have the `max_answers` likeliest, and are made on demand."""

    def __init__(self, puzzle: Puzzle, inputs: SolverInput, max_answers: int) -> None:
        self.puzzle = puzzle
        self.inputs = inputs
        self.slots = puzzle.grid.slots
        self._short_list = cache(partial(_short_list, puzzle, inputs, max_answers))
        self._full_domains: dict[int, Domain] = {}

    def __len__(self) -> int:
        return len(self.slots)

    def __getitem__(self, place: int) -> CandidateList:
        return self._short_list(place)

    @cached_property
    def crossings(self) -> tuple[tuple[BoardCrossing, ...], ...]:
        """Return the crossings of each slot, cell by cell, without unchecked cells."""
        place = {slot: i for i, slot in enumerate(self.slots)}
        rows = (self.puzzle.grid.crossings[slot] for slot in self.slots)
        return tuple(tuple(BoardCrossing(i, place[x.slot], x.position) for i, x in enumerate(row) if x) for row in rows)

    def unlisted_logp(self, place: int) -> float:
        """Return the natural log probability of one answer that isn't in the short list."""
        candidates = self[place]
        return float(np.log(candidates.missing) + candidates.letters.shape[1] * np.log(LETTER_MATCH_PROBABILITY))

    def full_domain(self, place: int) -> Domain:
        if place not in self._full_domains:
            candidates = self[place]
            self._full_domains[place] = Domain(candidates, np.arange(len(candidates)), candidates.missing)
        return self._full_domains[place]

    def score_answers(
        self, place: int, domain: Domain, find_domain: Callable[[int], Domain | None]
    ) -> tuple[Float64Array, float]:
        """Score a slot's remaining answers by their probability times that of their letters in the crossing domains.

        `find_domain` returns the domain of another slot, None if it doesn't count. Returns (rows,) natural logs, and
        the score of having no answer.
        """
        scores, none_score = domain.candidates.logp[domain.rows].astype(np.float64), float(np.log(domain.missing))
        for own_position, other_place, other_position in self.crossings[place]:
            if (crossing := find_domain(other_place)) is not None:
                scores += crossing.letter_logp(other_position)[domain.candidates.letters[domain.rows, own_position]]
                none_score += np.log(LETTER_MATCH_PROBABILITY)
        return scores, none_score

    def read_letters(self, rows_by_slot: Mapping[int, int]) -> dict[Cell, str]:
        """Return the letters of the chosen rows; a later slot's letters win, and given ones always win."""
        cells: dict[Cell, str] = {}
        for place, row in rows_by_slot.items():
            cells.update(zip(self.slots[place].cells, self[place].answer(row), strict=True))
        return cells | dict(self.puzzle.given)

    def make_fill(self, cells: Mapping[Cell, str], n_states: int, is_late: bool) -> Fill:
        """Make a fill of these letters, with confidences; other cells are guessed, or stay open if it is late."""
        guesses = {} if is_late else guess_letters(self.puzzle, self.inputs, cells)
        letters = {**cells, **{cell: letter for cell, (letter, _) in guesses.items()}}
        products: dict[Cell, Float64Array] = {}  # of the probabilities by all slots through the cell, (26,)
        for place, slot in enumerate(self.slots):
            for i, cell in enumerate(slot.cells):
                products[cell] = products.get(cell, 1.0) * self.full_domain(place).letter_probabilities(i)
        confidence = dict.fromkeys(self.puzzle.given, 1.0)
        for cell, letter in letters.items():
            if cell not in confidence:
                p = products[cell][ALPHABET.index(letter)] / products[cell].sum()
                confidence[cell] = guesses[cell][1] if cell in guesses else float(p)
        ranked_answers = {slot: self._rank_answers(place) for place, slot in enumerate(self.slots)}
        stop_reason = StopReason.OUT_OF_TIME if is_late else StopReason.DONE
        fill = Fill(letters, confidence, ranked_answers, n_states=n_states, stop_reason=stop_reason)
        lists = self.inputs.lists
        unlisted_slots = frozenset(slot for slot in self.slots if lists[slot].find_answer(fill.answer(slot)) is None)
        return replace(fill, unlisted_slots=unlisted_slots)

    def _rank_answers(self, place: int) -> tuple[tuple[str, float], ...]:
        """Return the best of a slot's short list, weighed with the crossing lists."""
        candidates = self[place]
        if not len(candidates):
            return ()
        scores, none_score = self.score_answers(place, self.full_domain(place), self.full_domain)
        top = max(float(scores.max()), none_score)
        p = np.exp(scores - top)
        p /= p.sum() + np.exp(none_score - top)
        best = top_k_rows(candidates.letters, scores, N_REPORTED_ANSWERS)
        return tuple((candidates.answer(i), float(p[i])) for i in best)


def _short_list(puzzle: Puzzle, inputs: SolverInput, max_answers: int, place: int) -> CandidateList:
    slot = puzzle.grid.slots[place]
    pattern, candidates = puzzle.pattern(slot), inputs.lists[slot]
    if pattern.strip("?"):
        candidates = candidates.condition_on(pattern)
    short = candidates.keep_rows(candidates.top_k(max_answers))
    cut_off = float(np.exp(candidates.logp).sum() - np.exp(short.logp).sum())
    return replace(short, missing=max(candidates.missing + cut_off, MIN_PROBABILITY))


def guess_letters(puzzle: Puzzle, inputs: SolverInput, cells: Mapping[Cell, str]) -> dict[Cell, tuple[str, float]]:
    """Guess each open cell with the letter model, fullest slot first; return letter and probability."""
    guesses: dict[Cell, tuple[str, float]] = {}
    letters = dict(cells)

    n_open = {slot: puzzle.pattern(slot, letters).count("?") for slot in puzzle.grid.slots}
    for slot in sorted(puzzle.grid.slots, key=lambda slot: (n_open[slot], slot.number, slot.direction)):
        if all(cell in letters for cell in slot.cells):
            continue
        evidence = np.ones((1, len(slot), ALPHABET_SIZE))
        for i, letter in enumerate(puzzle.pattern(slot, letters)):
            if letter in ALPHABET:
                evidence[0, i] = 0
                evidence[0, i, ALPHABET.index(letter)] = 1
        marginals = inputs.string_model.letter_posterior(evidence)[1][0]
        for i, cell in enumerate(slot.cells):
            if cell not in letters:
                guesses[cell] = ALPHABET[int(marginals[i].argmax())], float(marginals[i].max())
                letters[cell] = guesses[cell][0]
    return guesses
