"""Whether the clues of a puzzle mean anything: do their lists agree where they cross, more than by lot?

Each list says how likely a letter is in each of its squares, before any crossing is known. Where clues mean something,
two lists that cross speak for the same letter more often than if the lists of each length were dealt out anew. For
nonsense, for another language and for clues of other entries it makes no difference how they are dealt. (Measured:
docs/experiments/collapsed-grids.md.)
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from regis.candidates.candidate_list import MIN_PROBABILITY, CandidateList
from regis.models.numeric.arrays import Float64Array
from regis.puzzle import Cell, Direction, Puzzle, Slot
from regis.puzzle.alphabet import ALPHABET_SIZE

N_DEALS = 100  # how often lists are dealt anew
MIN_CROSSINGS = 100  # with fewer, true clues may agree no more than others


def crossing_agreement(
    puzzle: Puzzle, lists: Mapping[Slot, CandidateList], reversed_direction: Direction | None
) -> float:
    """Return by how much lists agree more than if those of each length were dealt out by lot.

    The unit is a standard deviation times the root of the crossings: so much more do true clues agree in a larger grid.
    Slots without a clue take no part. It is infinite where too few cross to tell, or no other deal is possible.

    Parameters
    ----------
    puzzle : its grid, and which slots have a clue.
    lists : what each clue alone says.
    reversed_direction : the direction whose answers run backwards, if any.
    """
    slots = [slot for slot in puzzle.grid.slots if puzzle.has_clue(slot)]
    places: dict[Cell, list[tuple[int, int]]] = defaultdict(list)  # of each square: slot, square of the slot
    for i, slot in enumerate(slots):
        for position, cell in enumerate(slot.cells[::-1] if slot.direction == reversed_direction else slot.cells):
            places[cell].append((i, position))
    crossings = np.array([pair for pair in places.values() if len(pair) == 2], dtype=np.intp).reshape(-1, 2, 2)
    if len(crossings) < MIN_CROSSINGS:
        return np.inf
    letter_probs = np.concatenate([_letter_probs(lists[slot]) for slot in slots])
    lengths = np.array([len(slot) for slot in slots])
    starts = np.cumsum(lengths) - lengths  # of each slot's rows
    lot = np.random.default_rng(0)

    def agreement(dealt: NDArray[np.intp]) -> float:
        across, down = (letter_probs[starts[dealt[crossings[:, k, 0]]] + crossings[:, k, 1]] for k in range(2))
        return float(np.log(np.maximum((across * down).sum(axis=1), MIN_PROBABILITY)).sum())

    def deal() -> NDArray[np.intp]:
        dealt = np.arange(len(slots))
        for length in np.unique(lengths):
            dealt[lengths == length] = lot.permutation(np.flatnonzero(lengths == length))
        return dealt

    by_lot = np.array([agreement(deal()) for _ in range(N_DEALS)])
    spread = by_lot.std() * np.sqrt(len(crossings))
    return float((agreement(np.arange(len(slots))) - by_lot.mean()) / spread) if spread > 0 else np.inf


def _letter_probs(candidates: CandidateList) -> Float64Array:
    """Return the probability of each letter in each square, by the list alone, (length, 26).

    An answer in no list may have any letter.
    """
    p = np.exp(candidates.logp)
    letter_probs = np.full((candidates.letters.shape[1], ALPHABET_SIZE), candidates.missing / ALPHABET_SIZE)
    for probs, column in zip(letter_probs, candidates.letters.T, strict=True):
        probs += np.bincount(column, weights=p, minlength=ALPHABET_SIZE)
    return letter_probs
