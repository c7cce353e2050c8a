"""The plan: what is done with a grid once it is filled, a row for each move, in order.

A row's name is its name in the ledger, too; an ablation is the table less a row. First nonsense is told, then come
hypotheses (another model, with a price), then what is read (new evidence), then single letters.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple, Protocol

from regis.puzzle import Direction, Puzzle
from regis.solving.belief import BELIEF
from regis.solving.filler import GIVEN_UP, Fill, Filler, SolverInput
from regis.solving.inference.crossing_agreement import CrossingAgreement
from regis.solving.moves.given_letters import DOUBTED_BELOW, p_given_correct
from regis.solving.moves.letter_swaps import LetterSwapSettings, apply_letter_swaps
from regis.solving.moves.reader_pass import ReaderPassSettings, doubtful_share, run_reader_pass
from regis.solving.rebus.search import REBUS_MOVE, RebusSearch, RebusSettings
from regis.solving.state import State
from regis.solving.themes.direction_theme import (
    DIRECTION_THEME_MOVE,
    DirectionThemeSettings,
    find_direction_theme,
)
from regis.solving.themes.search import THEME_MOVE, ThemeSearch, ThemeSettings
from regis.system.deadline import is_past

MIN_AGREEMENT = 0.145
MIN_REVERSED_AGREEMENT = 0.3
"""How far must the lists of a collapsed grid agree where they cross (`CrossingAgreement`) for its clues to mean
something, and how far if the answers of a direction run backwards, which is rare? In a 15 by 15 that is two standard
deviations, and four. (Measured: docs/experiments/collapsed-grids.md.)"""


class Task(NamedTuple):
    """What the moves of one puzzle work with, whatever the state."""

    given_puzzle: Puzzle  # with all that the person wrote
    trusted_puzzle: Puzzle  # without what is probably wrong
    inputs: SolverInput  # without rebus squares
    filler: Filler  # shows its steps; searches fill unseen
    deadline: float  # time.monotonic


class Move(Protocol):
    """The contract of a move: of a filled grid it makes another, or gives it back as it is."""

    def __call__(self, state: State, task: Task, /) -> State: ...


def tell_nonsense(state: State, task: Task, settings: ReaderPassSettings = ReaderPassSettings()) -> State:
    """Tell a collapsed grid whose clues mean nothing, even if a direction runs backwards; then all else is in vain."""
    if is_past(task.deadline) or doubtful_share(state, settings) <= settings.collapsed_share:
        return state
    agreement = CrossingAgreement(state.puzzle, state.inputs.lists)
    is_senseless = agreement.measure() < MIN_AGREEMENT and all(
        agreement.measure(direction) < MIN_REVERSED_AGREEMENT for direction in Direction
    )
    return replace(state, is_senseless=is_senseless)


def search_rebus_squares(state: State, task: Task, settings: RebusSettings = RebusSettings()) -> State:
    """Search the grid for squares of several letters."""
    if has_given_up(state.fill):
        return state
    return RebusSearch(task.trusted_puzzle, task.inputs, BELIEF.fill, task.deadline, settings).find_squares(state)


def search_theme(state: State, task: Task, settings: ThemeSettings = ThemeSettings()) -> State:
    """Search a grid without rebus squares for a theme of several answers."""
    if state.squares or has_given_up(state.fill):
        return state
    return ThemeSearch(state, BELIEF.fill, task.deadline, settings=settings).find_theme()


def search_direction_theme(
    state: State, task: Task, settings: DirectionThemeSettings = DirectionThemeSettings()
) -> State:
    """Search the grid for a theme of all answers of a direction."""
    if state.is_senseless:
        return state
    return find_direction_theme(state, BELIEF.fill, task.deadline, settings)


def recheck_given_letters(state: State, task: Task) -> State:
    """Check the given letters again by the lists of a theme, and refill the grid with those that are right.

    Lists without its phrases may have doubted letters that the theme made.
    """
    if state.theme is None:
        return state
    doubts = state.doubted_letters
    given = {**{cell: task.given_puzzle.given[cell] for cell in doubts}, **state.puzzle.given}
    puzzle = replace(state.puzzle, given=given)
    p_correct = p_given_correct(puzzle, state.inputs, task.deadline)
    wrong = {cell: p for cell, p in p_correct.items() if p < DOUBTED_BELOW and cell not in state.squares}
    if wrong.keys() == doubts.keys() or not p_correct:
        return state
    puzzle = puzzle.without_letters(wrong)
    fill = BELIEF.fill(puzzle, state.inputs, task.deadline)
    if is_past(task.deadline):
        return state
    theme = state.theme.restrict_to_unchanged(state.fill, fill)
    return replace(state, puzzle=puzzle, fill=fill, theme=theme, doubted_letters=wrong)


def read_doubtful_entries(state: State, task: Task, settings: ReaderPassSettings = ReaderPassSettings()) -> State:
    """Read what is in doubt with its clues, and fill the grid again."""
    return replace(run_reader_pass(state, task.filler, task.deadline, settings), unread_state=state)


def swap_letters(state: State, task: Task, settings: LetterSwapSettings = LetterSwapSettings()) -> State:
    """Decide close calls between two letters of a square by the reader, and by the lists as they were before it."""
    unread = state.unread_state or state
    if has_given_up(unread.fill):
        return state
    worded_inputs = unread.fill.propagated_beliefs.final_inputs(unread.inputs)
    fill = apply_letter_swaps(state.puzzle, worded_inputs, state.fill, task.deadline, settings)
    return replace(state, fill=fill)


def has_given_up(fill: Fill) -> bool:
    """Return whether the filler stopped at a hopeless grid, since it will be begun again."""
    return fill.statistics.get("stopped") == GIVEN_UP


PLAN: Mapping[str, Move] = {
    "nonsense": tell_nonsense,
    REBUS_MOVE: search_rebus_squares,
    THEME_MOVE: search_theme,
    DIRECTION_THEME_MOVE: search_direction_theme,
    "given letters": recheck_given_letters,
    "reader pass": read_doubtful_entries,
    "letter swaps": swap_letters,
}


def plan_without(*moves: str) -> Mapping[str, Move]:
    """Return the plan less some of its rows."""
    return {name: move for name, move in PLAN.items() if name not in moves}
