"""Solving on one page: observe, propose, read, report.

Candidates are retrieved and what the person wrote is reviewed; what of it is probably wrong, letters and contents of
several, is kept from the filler, and written back when it is done. The grid is filled, and the moves of the plan make
it better (solving.moves.plan): another model of it, clues that are read, single letters. What then stands is said with
confidences as they are calibrated, entries of two answers, and what was assumed.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from regis.index import Index
from regis.puzzle import Cell, Puzzle
from regis.solving.belief import BELIEF
from regis.solving.filler import OUT_OF_TIME, Fill, NamedFiller, SolverInput, StopSolving, Watch, no_watch
from regis.solving.inference.confidence import temperature_scale, unexplained_share
from regis.solving.moves.given import GivenReview, review_given
from regis.solving.moves.plan import PLAN, Move, Task, has_given_up
from regis.solving.moves.schrodinger import find_two_answer_entries
from regis.solving.rebus.squares import CONTENT_SEPARATOR, RebusSquares, with_tokens
from regis.solving.report import report_answers
from regis.solving.retrieval import retrieve_candidates
from regis.solving.solved_puzzle import SolvedPuzzle
from regis.solving.state import State
from regis.system.deadline import FOREVER, deadline_in, is_past


class Method(NamedTuple):
    """How a grid is filled, and until when."""

    filler: NamedFiller = BELIEF  # only `belief` finds rebus squares and doubtful letters
    deadline: float = FOREVER  # time.monotonic
    watch: Watch = no_watch  # called after each step of the filler
    plan: Mapping[str, Move] = PLAN  # what is done with the filled grid, in order


LARGE_SIDE = 30  # squares of a side; no published puzzle has more
LARGE_SECONDS = 20.0  # for a larger grid where nobody says how long: without end, 100 by 100 squares take 6 GB. A guess


def default_seconds(puzzle: Puzzle) -> float | None:
    """Return how long a puzzle may take where nobody says; None for as long as it takes."""
    return LARGE_SECONDS if max(puzzle.grid.width, puzzle.grid.height) > LARGE_SIDE else None


def solve(
    puzzle: Puzzle,
    index: Index,
    filler: NamedFiller = BELIEF,
    seconds: float | None = None,
    reveal: bool = False,
    watch: Watch = no_watch,
    plan: Mapping[str, Move] = PLAN,
) -> SolvedPuzzle:
    """Solve a puzzle by an index.

    Parameters
    ----------
    puzzle : the puzzle, with the letters that the person wrote.
    index : what is known of clues and answers.
    seconds : how long it may take; None for `default_seconds`. Time that runs out leaves what there is.
    reveal : whether Regis's letters stand where the person's are probably wrong.
    filler, watch, plan : as in `Method`.
    """
    start = time.perf_counter()
    method = Method(filler, deadline_in(default_seconds(puzzle) if seconds is None else seconds), watch, plan)
    inputs = retrieve_candidates(puzzle, index, method.deadline)
    solved = report_answers(fill_grid(puzzle, inputs, method), reveal)
    return replace(solved, index_fingerprint=index.fingerprint, seconds=time.perf_counter() - start)


def fill_grid(puzzle: Puzzle, inputs: SolverInput, method: Method = Method()) -> SolvedPuzzle:
    """Fill what the person left open; the solved puzzle lacks answers, index and seconds."""
    return fill_with_review(review_given(puzzle, inputs, BELIEF.fill, method.deadline), method)


def fill_with_review(review: GivenReview, method: Method = Method()) -> SolvedPuzzle:
    """Fill the grid, given the review of what the person wrote; it lacks answers, index and seconds."""
    doubts: Mapping[Cell, float] = {**review.wrong_letters, **review.wrong_contents}
    if method.filler.name == BELIEF.name:
        state = _run_plan(review, method)
        lists = state.first_state.fill.propagated_beliefs.final_inputs(state.first_state.inputs).lists
        unexplained = unexplained_share(state.fill, state.puzzle, lists)
        pairs = () if state.squares else find_two_answer_entries(state.puzzle, state.inputs, state.fill)
        fill = temperature_scale(state.fill, state.puzzle, state.first_state.fill.propagated_beliefs, unexplained)
        state, doubts = replace(state, fill=fill), _remaining_doubts(doubts, review.given_puzzle, fill, state.squares)
    else:
        fill = method.filler.fill(review.trusted_puzzle, review.inputs, method.deadline, method.watch)
        state, unexplained, pairs = State(review.trusted_puzzle, review.inputs, fill), 0.0, ()
    return SolvedPuzzle(
        review.given_puzzle,
        fill,
        answers=(),
        filler=method.filler.name,
        seconds=0.0,
        index_fingerprint="",
        state=state,
        doubted_letters=dict(sorted(doubts.items())),
        checked_cells=review.checked_cells,
        rebus_squares=state.squares,
        two_answer_entries=pairs,
        unexplained_share=unexplained,
    )


def _run_plan(review: GivenReview, method: Method) -> State:
    """Fill the grid by `belief`, and make all moves of the plan."""

    def fill_watched(puzzle: Puzzle, inputs: SolverInput, deadline: float, _: Watch = no_watch) -> Fill:
        return method.filler.fill(puzzle, inputs, deadline, method.watch)

    puzzle, inputs = with_tokens(review.trusted_puzzle, review.given_squares), review.rebus_inputs
    deadline = method.deadline
    fill = fill_watched(puzzle, replace(inputs, may_give_up=inputs.has_reader), deadline)
    state = State(puzzle, inputs, fill, review.given_squares)
    task = Task(review.trusted_puzzle, review.inputs, fill_watched, deadline)
    try:
        for move in method.plan.values():
            state = move(state, task)
    except StopSolving:
        deadline = -FOREVER
    if has_given_up(state.fill) and not state.is_senseless:  # nobody read anything, or there was no time for it
        inputs = replace(state.inputs, warm_start=state.fill.beliefs)
        state = replace(state, fill=fill_watched(state.puzzle, inputs, deadline), unread_state=None)
    if is_past(deadline):  # in what came after a fill that was done
        state = replace(state, fill=replace(state.fill, statistics={**state.fill.statistics, "stopped": OUT_OF_TIME}))
    return state


def _remaining_doubts(
    doubts: Mapping[Cell, float], puzzle: Puzzle, fill: Fill, squares: RebusSquares
) -> Mapping[Cell, float]:
    """Return the doubts of given letters, but for those that the grid has too, now that more is known.

    A letter that stands for a rebus square that was found is one of those.
    """

    def is_confirmed(cell: Cell) -> bool:
        content = squares.get(cell, fill.cells.get(cell, ""))
        readings = (*content.split(CONTENT_SEPARATOR), content.replace(CONTENT_SEPARATOR, ""))
        return any(reading.startswith(puzzle.given[cell]) for reading in readings)

    return {cell: p for cell, p in doubts.items() if not is_confirmed(cell)}
