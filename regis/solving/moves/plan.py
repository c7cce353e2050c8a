"""The plan: what is done with a grid once it is filled, a row for each move, in order.

A row's name is its name in the ledger, too; an ablation is the table less a row. First nonsense is told, then come
hypotheses (another model, with a price), then what is read (new evidence), then single letters.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple, Protocol

from regis.puzzle import Puzzle
from regis.solving.belief import BELIEF
from regis.solving.filler import GIVEN_UP, Fill, Filler, SolverInput
from regis.solving.inference.crossing_agreement import measure_agreement
from regis.solving.moves.letter_swaps import LetterSwapSettings, apply_letter_swaps
from regis.solving.moves.reader_pass import ReaderPassSettings, doubtful_share, run_reader_pass
from regis.solving.rebus.search import REBUS_MOVE, RebusSearch
from regis.solving.state import State
from regis.system.deadline import is_past

MIN_AGREEMENT = 0.145
"""How far must the lists of a collapsed grid agree where they cross (`measure_agreement`) for its clues to mean
something? In a 15 by 15 that is two standard deviations. (Measured: docs/experiments/collapsed-grids.md.)"""


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
