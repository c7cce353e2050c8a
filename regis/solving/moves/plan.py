"""The plan: what is done with a grid once it is filled, a row for each move, in order.

A row's name is its name in the ledger, too; an ablation is the table less a row. First nonsense is told, then come
hypotheses (another model, with a price), then what is read (new evidence), then single letters.

Nonsense is told by the lists: do they agree where they cross, more than by lot? Each says how likely a letter is in
each of its squares, before any crossing is known. Where clues mean something, two lists that cross speak for the same
letter more often than if the lists of each length were dealt out anew. For nonsense, for another language and for clues
of other entries it makes no difference how they are dealt. (Measured: docs/experiments/collapsed-grids.md.)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from regis.candidates.candidate_list import MIN_PROBABILITY, CandidateList
from regis.models.numeric.arrays import Float64Array
from regis.puzzle import Puzzle, Slot
from regis.puzzle.alphabet import ALPHABET_SIZE
from regis.solving.belief import BELIEF
from regis.solving.filler import GIVEN_UP, Fill, Filler, SolverInput
from regis.solving.moves.letter_swaps import LetterSwapSettings, apply_letter_swaps
from regis.solving.moves.reader_pass import ReaderPassSettings, doubtful_share, run_reader_pass
from regis.solving.rebus.search import REBUS_MOVE, RebusSearch
from regis.solving.state import State
from regis.system.deadline import is_past

MIN_AGREEMENT = 0.145
"""How far must the lists of a collapsed grid agree where they cross (`measure_agreement`) for its clues to mean
something? In a 15 by 15 that is two standard deviations. (Measured: docs/experiments/collapsed-grids.md.)"""

N_DEALS = 100  # how often lists are dealt anew
MIN_CROSSINGS = 100  # with fewer, true clues may agree no more than others


class Task(NamedTuple):
    """What the moves of one puzzle work with, whatever the state."""

    trusted_puzzle: Puzzle  # without what is probably wrong
    inputs: SolverInput  # without rebus squares
    filler: Filler  # shows its steps; searches fill unseen
    deadline: float  # time.monotonic


class Move(Protocol):
    """The contract of a move: of a filled grid it makes another, or gives it back as it is."""

    def __call__(self, state: State, task: Task, /) -> State: ...


def tell_nonsense(state: State, task: Task, settings: ReaderPassSettings = ReaderPassSettings()) -> State:
    """Mark a collapsed grid whose clues mean nothing: no other move is worth its time then."""
    if is_past(task.deadline) or doubtful_share(state, settings) <= settings.collapsed_share:
        return state
    return replace(state, is_senseless=measure_agreement(state.puzzle, state.inputs.lists) < MIN_AGREEMENT)


def search_rebus_squares(state: State, task: Task) -> State:
    """Search the grid for squares with several letters."""
    if has_given_up(state.fill):
        return state
    return RebusSearch(task.trusted_puzzle, task.inputs, BELIEF.fill, task.deadline).find_squares(state)


def read_doubtful_entries(state: State, task: Task, settings: ReaderPassSettings = ReaderPassSettings()) -> State:
    """Read what is in doubt with its clues, and fill the grid again."""
    return replace(run_reader_pass(state, task.filler, task.deadline, settings), unread_state=state)


def swap_letters(state: State, task: Task, settings: LetterSwapSettings = LetterSwapSettings()) -> State:
    """Decide close calls between two letters of a square by the reader, and by the lists as they were before it."""
    if has_given_up(state.first_state.fill):
        return state
    worded_inputs = state.first_state.fill.propagated_beliefs.final_inputs(state.first_state.inputs)
    fill = apply_letter_swaps(state.puzzle, worded_inputs, state.fill, task.deadline, settings)
    return replace(state, fill=fill)


def has_given_up(fill: Fill) -> bool:
    """Return whether the filler stopped at a hopeless grid, since it will be begun again."""
    return fill.statistics.get("stopped") == GIVEN_UP


PLAN: Mapping[str, Move] = {
    "nonsense": tell_nonsense,
    REBUS_MOVE: search_rebus_squares,
    "reader pass": read_doubtful_entries,
    "letter swaps": swap_letters,
}


def plan_without(*moves: str) -> Mapping[str, Move]:
    """Return the plan less some of its rows."""
    return {name: move for name, move in PLAN.items() if name not in moves}


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
