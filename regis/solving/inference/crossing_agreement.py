"""Whether the clues of a puzzle mean anything: do their lists agree where they cross, more than by lot?

Each list says how likely a letter is in each of its squares, before any crossing is known. Where clues mean something,
two lists that cross speak for the same letter more often than if the lists of each length were dealt out anew. For
nonsense, for another language and for clues of other entries it makes no difference how they are dealt. (Measured:
docs/experiments/collapsed-grids.md.)
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from regis.candidates.candidate_list import MIN_PROBABILITY, CandidateList
from regis.models.numeric.arrays import Float64Array
from regis.puzzle import Puzzle, Slot
from regis.puzzle.alphabet import ALPHABET_SIZE

N_DEALS = 100  # how often lists are dealt anew
MIN_CROSSINGS = 100  # with fewer, true clues may agree no more than others


def measure_agreement(puzzle: Puzzle, lists: Mapping[Slot, CandidateList]) -> float:
    """Measure by how much lists agree where they cross more than if those of each length were dealt out by lot.

    The unit is a standard deviation times the root of the crossings: so much more do true clues agree in a larger grid.
    It is infinite where too few cross to tell, or no other deal is possible. Slots without a clue take no part.
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
    starts = np.cumsum(lengths) - lengths  # of each slot's rows
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

    by_lot = np.array([agreement(deal()) for _ in range(N_DEALS)])
    spread = by_lot.std() * np.sqrt(len(places))
    return float((agreement(np.arange(len(lengths))) - by_lot.mean()) / spread) if spread > 0 else np.inf


def _letter_probs(candidates: CandidateList) -> Float64Array:
    """Return the probability of each letter in each square, by the list alone, (length, 26).

    An answer in no list may have any letter.
    """
    p = np.exp(candidates.logp)
    letter_probs = np.full((candidates.letters.shape[1], ALPHABET_SIZE), candidates.missing / ALPHABET_SIZE)
    for probs, column in zip(letter_probs, candidates.letters.T, strict=True):
        probs += np.bincount(column, weights=p, minlength=ALPHABET_SIZE)
    return letter_probs
