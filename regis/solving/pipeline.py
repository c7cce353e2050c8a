"""Solving on one page: four plain functions, each with what the ones before it returned.

puzzle, index
  | retrieve_candidates     inputs: for each clue a list of answers              (solving.retrieval)
  | review_given            review: the puzzle without letters that are probably
  |                         wrong, and what speaks against these                 (solving.given)
  | fill_grid               state: a filled grid, what it was filled from, and
  |                         what was assumed; one letter for each rebus square
  |   belief                  the first state                                    (solving.belief)
  |   PLAN, move by move:     from one state to another, or the same             (solving.moves)
  |     nonsense                marks a grid whose clues mean nothing
  |     rebus squares           assumes squares with several letters
  |     reader pass             reads doubtful entries, and fills again
  |     letter swaps            decides close calls between two letters
  v report_answers          solved: confidences, answers, and alternatives       (solving.report)
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from regis.index import Index
from regis.puzzle import Puzzle
from regis.solving.belief import BELIEF
from regis.solving.filler import Fill, NamedFiller, SolverInput, StopReason, StopSolving, Watch, no_watch
from regis.solving.given import GivenReview, review_given
from regis.solving.moves import PLAN, Move
from regis.solving.rebus.squares import with_tokens
from regis.solving.report import report_answers
from regis.solving.retrieval import retrieve_candidates
from regis.solving.solved_puzzle import SolvedPuzzle
from regis.solving.state import State
from regis.system.progress import FOREVER, deadline_in, is_past


class Method(NamedTuple):
    """How to fill a grid, and until when."""

    filler: NamedFiller = BELIEF  # only `belief` finds rebus squares and doubtful letters
    deadline: float = FOREVER  # time.monotonic
    watch: Watch = no_watch  # called after each step of the filler
    plan: Mapping[str, Move] = PLAN  # the moves on the filled grid, in order


def default_seconds(puzzle: Puzzle) -> float | None:
    """Return the default time limit of a puzzle, None for no limit."""
    return 20.0 if max(puzzle.grid.width, puzzle.grid.height) > 30 else None


def solve(
    puzzle: Puzzle,
    index: Index,
    filler: NamedFiller = BELIEF,
    seconds: float | None = None,
    reveal: bool = False,
    watch: Watch = no_watch,
    plan: Mapping[str, Move] = PLAN,
) -> SolvedPuzzle:
    """Solve a puzzle, with the letters that the person wrote, by an index.

    `seconds` limits the time, `default_seconds` if None. `reveal` writes Regis's letters where the person's are
    probably wrong. Other parameters are as in `Method`.
    """
    start = time.perf_counter()
    method = Method(filler, deadline_in(default_seconds(puzzle) if seconds is None else seconds), watch, plan)
    solved = solve_from_lists(puzzle, retrieve_candidates(puzzle, index, method.deadline), method, reveal)
    return replace(solved, index_fingerprint=index.fingerprint, seconds=time.perf_counter() - start)


def solve_from_lists(
    puzzle: Puzzle, inputs: SolverInput, method: Method = Method(), reveal: bool = False
) -> SolvedPuzzle:
    """Solve a puzzle by lists of candidates, as `solve` does; the result names no index and no seconds."""
    review = review_given(puzzle, inputs, method.deadline)
    return report_answers(puzzle, review, fill_grid(inputs, review, method), method.filler.name, reveal)


def fill_grid(inputs: SolverInput, review: GivenReview, method: Method) -> State:
    """Fill the open squares from lists without rebus squares; only `belief` goes through the plan."""
    if method.filler.name != BELIEF.name:
        fill = method.filler.fill(review.puzzle, inputs, method.deadline, method.watch)
        return State(review.puzzle, inputs, inputs, fill)

    def fill_watched(puzzle: Puzzle, inputs: SolverInput, deadline: float, _: Watch = no_watch) -> Fill:
        return method.filler.fill(puzzle, inputs, deadline, method.watch)

    deadline, puzzle = method.deadline, with_tokens(review.puzzle, review.squares)
    first_inputs = replace(review.inputs, may_give_up=inputs.has_reader)
    try:
        fill = fill_watched(puzzle, first_inputs, deadline)
    except StopSolving:
        deadline = -FOREVER
        fill = method.filler.fill(puzzle, first_inputs, deadline)
    state = State(puzzle, inputs, review.inputs, fill, review.squares)
    try:
        for move in method.plan.values():
            state = move(state, fill_watched, deadline)
    except StopSolving:
        deadline = -FOREVER
    if state.fill.has_given_up and not state.is_senseless:  # the reader read nothing, or there was no time
        inputs = replace(state.inputs, warm_start=state.fill.beliefs)
        state = replace(state, fill=fill_watched(state.puzzle, inputs, deadline), unread_state=None)
    if is_past(deadline):  # during moves after a complete fill
        state = replace(state, fill=replace(state.fill, stop_reason=StopReason.OUT_OF_TIME))
    return state
