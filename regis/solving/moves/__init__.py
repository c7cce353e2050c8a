"""Moves on a filled grid, and their plan: the table of moves in order. An ablation is the table less a row.

Nonsense is detected first. Then come hypotheses (another model, with a price), reading (new evidence), and single
letters. The lists reveal nonsense: if clues mean something, crossing lists favor the same letter more often than lists
that are shuffled within each length. (Measured: docs/experiments/collapsed-grids.md.)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from regis.candidates.candidate_list import CandidateList
from regis.models.arrays import MIN_PROBABILITY, Float64Array
from regis.puzzle import Puzzle, Slot
from regis.puzzle.alphabet import ALPHABET_SIZE
from regis.solving.filler import Filler
from regis.solving.moves.letter_swaps import apply_letter_swaps
from regis.solving.moves.reader_pass import has_collapsed, read_doubtful_entries
from regis.solving.rebus.squares import REBUS_MOVE
from regis.solving.state import State, seems_to_hide_squares
from regis.system.progress import is_past

MIN_AGREEMENT = 0.145
"""Least agreement (`measure_agreement`) of a collapsed grid's lists; in a 15 by 15, two standard deviations. (Measured:
docs/experiments/collapsed-grids.md.)"""

MIN_CROSSINGS = 100  # with fewer, true clues may not agree more than others


class Move(Protocol):
    """The contract of a move: from one filled grid to another, or the same, until a deadline (time.monotonic).

    `filler` shows its steps.
    """

    def __call__(self, state: State, filler: Filler, deadline: float, /) -> State: ...


def tell_nonsense(state: State, filler: Filler, deadline: float) -> State:
    """Mark a collapsed grid whose clues mean nothing, so that no other move spends time on it."""
    if is_past(deadline) or not has_collapsed(state):
        return state
    return replace(state, is_senseless=measure_agreement(state.puzzle, state.inputs.lists) < MIN_AGREEMENT)


def search_rebus_squares(state: State, filler: Filler, deadline: float) -> State:
    """Search the grid for squares with several letters. The search shows no steps."""
    if state.fill.has_given_up or not seems_to_hide_squares(state) or is_past(deadline):
        return state
    from regis.solving.rebus.search import RebusSearch  # most grids don't need it

    return RebusSearch(state.puzzle, state.plain_inputs, deadline).find_squares(state)


def swap_letters(state: State, filler: Filler, deadline: float) -> State:
    """Decide close calls between two letters with the reader and the lists before reading."""
    first = state.first_state
    if first.fill.has_given_up:
        return state
    worded_inputs = first.fill.propagated_beliefs.final_inputs(first.inputs)
    return replace(state, fill=apply_letter_swaps(state.puzzle, worded_inputs, state.fill, deadline))


PLAN: Mapping[str, Move] = {
    "nonsense": tell_nonsense,
    REBUS_MOVE: search_rebus_squares,
    "reader pass": read_doubtful_entries,
    "letter swaps": swap_letters,
}


def plan_without(*moves: str) -> Mapping[str, Move]:
    return {name: move for name, move in PLAN.items() if name not in moves}


def measure_agreement(puzzle: Puzzle, lists: Mapping[Slot, CandidateList]) -> float:
    """Measure how much more crossing lists agree than lists shuffled within each length.

    The unit is a standard deviation times the root of the number of crossings. The result is infinite if there are too
    few crossings or no other shuffle. Slots without a clue don't count.
    """
    slots = [slot for slot in puzzle.grid.slots if puzzle.has_clue(slot)]
    numbers = {slot: i for i, slot in enumerate(slots)}
    crossings = [
        [(numbers[slot], position) for slot, position in through if slot in numbers]
        for through in puzzle.grid.slots_through.values()
    ]
    places = np.array([pair for pair in crossings if len(pair) == 2], dtype=np.intp).reshape(-1, 2, 2)
    if len(places) < MIN_CROSSINGS:
        return np.inf
    slot_numbers, positions = places[:, :, 0], places[:, :, 1]  # (crossings, 2), across before down
    letter_probs = np.concatenate([_letter_probs(lists[slot]) for slot in slots])
    lengths = np.array([len(slot) for slot in slots], dtype=np.intp)
    starts = np.cumsum(lengths) - lengths  # where each slot's rows begin
    lot = np.random.default_rng(0)

    def agreement(dealt: NDArray[np.intp]) -> float:
        rows = starts[dealt[slot_numbers]] + positions
        across, down = letter_probs[rows[:, 0]], letter_probs[rows[:, 1]]
        return float(np.log(np.maximum((across * down).sum(axis=1), MIN_PROBABILITY)).sum())

    def deal() -> NDArray[np.intp]:
        dealt = np.arange(len(lengths))
        for length in np.unique(lengths):
            dealt[lengths == length] = lot.permutation(np.flatnonzero(lengths == length))
        return dealt

    by_lot = np.array([agreement(deal()) for _ in range(100)])
    spread = by_lot.std() * np.sqrt(len(places))
    return float((agreement(np.arange(len(lengths))) - by_lot.mean()) / spread) if spread > 0 else np.inf


def _letter_probs(candidates: CandidateList) -> Float64Array:
    """Return each square's letter probabilities by the list alone, (length, 26); unlisted answers are uniform."""
    p = np.exp(candidates.logp)
    letter_probs = np.full((candidates.letters.shape[1], ALPHABET_SIZE), candidates.missing / ALPHABET_SIZE)
    for probs, column in zip(letter_probs, candidates.letters.T, strict=True):
        probs += np.bincount(column, weights=p, minlength=ALPHABET_SIZE)
    return letter_probs
