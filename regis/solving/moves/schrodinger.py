"""Entries with two answers, both of which the crossings allow (Schroedinger squares).

CAT or DOG is a house pet, and the down clues fit CAME and DAME alike. Elsewhere a second answer hardly ever differs in
three squares or more, since some crossing has no answer for it. So this finds entries with a second listed answer whose
crossings all have one, too, nearly as likely as the first.
"""

from __future__ import annotations

import math

from regis.candidates.candidate_list import CandidateList
from regis.puzzle import Puzzle
from regis.puzzle.alphabet import is_letters_only
from regis.solving.filler import Fill, SolverInput
from regis.solving.solved_puzzle import TwoAnswers

MIN_AMBIGUOUS_CELLS = 3  # squares in which the two answers differ
MIN_CROSSING_LOGP = -8.0  # natural log of how improbable, by its list, no crossing's other answer may be
MIN_GAIN_PER_CELL = -3.2
"""Least gain in nats, per square, of the other answers, with MIN_CROSSING_LOGP (docs/experiments/two-answers.md)."""


def find_two_answer_entries(puzzle: Puzzle, inputs: SolverInput, fill: Fill) -> tuple[TwoAnswers, ...]:
    """Find the entries with two answers, in clue order; if two share such a square, only the first."""
    entries: list[TwoAnswers] = []
    for slot in puzzle.grid.slots if fill.beliefs else ():
        taken = {cell for entry in entries for cell in entry.letter_pairs} | puzzle.given.keys()
        first = fill.answer(slot)
        if puzzle.has_clue(slot) and is_letters_only(first, len(slot)):
            pairs = (TwoAnswers(slot, first, other) for other, _ in fill.propagated_beliefs.ranked_answers[slot])
            apart = (pair for pair in pairs if len(pair.letter_pairs) >= MIN_AMBIGUOUS_CELLS)
            free = (pair for pair in apart if not taken & pair.letter_pairs.keys())
            entries += [pair for pair in free if _is_likely(puzzle, inputs, fill, pair)][:1]
    return tuple(entries)


def _is_likely(puzzle: Puzzle, inputs: SolverInput, fill: Fill, pair: TwoAnswers) -> bool:
    """Return whether the second answer and its crossings' are nearly as likely as the first."""
    gain = _gain(inputs.lists[pair.slot], pair.first_answer, pair.second_answer)
    for i, crossing in enumerate(puzzle.grid.crossings[pair.slot]):
        if pair.first_answer[i] != pair.second_answer[i]:
            if crossing is None or not puzzle.has_clue(crossing.slot):
                return False
            entry, at = fill.answer(crossing.slot), crossing.position
            gain += _gain(inputs.lists[crossing.slot], entry, entry[:at] + pair.second_answer[i] + entry[at + 1 :])
            if gain == -math.inf:
                return False
    return gain >= MIN_GAIN_PER_CELL * len(pair.letter_pairs)


def _gain(candidates: CandidateList, first: str, second: str) -> float:
    """Return by how many nats `second` is likelier than `first`; -inf if one is unlisted or too rare."""
    rows = [candidates.find_answer(first), candidates.find_answer(second)]
    logp = [-math.inf if row is None else float(candidates.logp[row]) for row in rows]
    return logp[1] - logp[0] if min(logp) >= MIN_CROSSING_LOGP else -math.inf
