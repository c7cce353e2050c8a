"""Solving on one page: observe, propose, read, report.

Candidates are retrieved and what the person wrote is reviewed; what of it is probably wrong, letters and contents of
several, is kept from the filler, and written back when it is done. The grid is filled, and the moves of the plan make
it better (solving.moves.plan): another model of it, clues that are read, single letters. What then stands is said with
confidences as they are calibrated, entries of two answers, and what was assumed.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Mapping
from dataclasses import replace

from regis.index import Index
from regis.puzzle import Cell, Puzzle
from regis.solving.belief import BELIEF
from regis.solving.filler import OUT_OF_TIME, Fill, NamedFiller, SolverInput, StopSolving, Watch, no_watch
from regis.solving.inference.confidence import temperature_scale, unexplained_share
from regis.solving.moves.given import GivenReview, review_given
from regis.solving.moves.plan import PLAN, Move, Task, has_given_up
from regis.solving.moves.schrodinger import find_two_answer_entries
from regis.solving.rebus.squares import RebusSquares, with_tokens
from regis.solving.report import report_answers
from regis.solving.retrieval import retrieve_candidates
from regis.solving.solved_puzzle import CONTENT_SEPARATOR, SolvedPuzzle
from regis.solving.state import State
from regis.system.deadline import FOREVER, deadline_in, is_past

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
    filler : fills the grid; only `belief` finds rebus squares, themes and doubtful letters.
    seconds : how long it may take; None for `default_seconds`. Time that runs out leaves what there is.
    reveal : whether Regis's letters stand where the person's are probably wrong.
    watch : called after each step of the filler.
    plan : what is done with the filled grid, in order.
    """
    start = time.perf_counter()
    deadline = deadline_in(default_seconds(puzzle) if seconds is None else seconds)
    inputs = retrieve_candidates(puzzle, index, deadline)
    solved = report_answers(fill_grid(puzzle, inputs, filler, deadline, watch, plan), reveal)
    return replace(solved, index_fingerprint=index.fingerprint, seconds=time.perf_counter() - start)


def fill_grid(
    puzzle: Puzzle,
    inputs: SolverInput,
    filler: NamedFiller = BELIEF,
    deadline: float = FOREVER,
    watch: Watch = no_watch,
    plan: Mapping[str, Move] = PLAN,
) -> SolvedPuzzle:
    """Fill what the person left open; the solved puzzle lacks answers, index and seconds."""
    return fill_with_review(review_given(puzzle, inputs, BELIEF.fill, deadline), filler, deadline, watch, plan)


def fill_with_review(
    review: GivenReview,
    filler: NamedFiller = BELIEF,
    deadline: float = FOREVER,
    watch: Watch = no_watch,
    plan: Mapping[str, Move] = PLAN,
) -> SolvedPuzzle:
    """Fill the grid, given the review of what the person wrote; it lacks answers, index and seconds."""

    def fill_watched(puzzle: Puzzle, inputs: SolverInput, deadline: float, _: Watch = no_watch) -> Fill:
        return filler.fill(puzzle, inputs, deadline, watch)

    make_solved = functools.partial(
        SolvedPuzzle,
        review.given_puzzle,
        answers=(),
        filler=filler.name,
        seconds=0.0,
        index_fingerprint="",
        checked_cells=review.checked_cells,
    )
    if filler.name != BELIEF.name:
        fill, inputs = fill_watched(review.trusted_puzzle, review.inputs, deadline), review.inputs
        doubts = dict(sorted({**review.wrong_letters, **review.wrong_contents}.items()))
        return make_solved(fill=fill, letter_fill=fill, inputs=inputs, first_inputs=inputs, doubted_letters=doubts)
    puzzle, inputs = with_tokens(review.trusted_puzzle, review.given_squares), review.rebus_inputs
    fill = fill_watched(puzzle, replace(inputs, may_give_up=inputs.score_strings is not None), deadline)
    state = State(puzzle, inputs, fill, review.given_squares, doubted_letters=review.wrong_letters)
    task = Task(review.given_puzzle, review.trusted_puzzle, review.inputs, fill_watched, deadline)
    try:
        for move in plan.values():
            state = move(state, task)
    except StopSolving:
        deadline = -FOREVER
    if has_given_up(state.fill) and not state.is_senseless:  # nobody read anything, or there was no time for it
        inputs = replace(state.inputs, warm_start=state.fill.beliefs)
        state = replace(state, fill=fill_watched(state.puzzle, inputs, deadline), unread_state=None)
    unread = state.unread_state or state
    fill, first_fill = state.fill, unread.fill
    if is_past(deadline):  # in what came after a fill that was done
        fill = replace(fill, statistics={**fill.statistics, "stopped": OUT_OF_TIME})
    two_answer_entries = () if state.squares else find_two_answer_entries(state.puzzle, state.inputs, fill)
    lists = first_fill.propagated_beliefs.final_inputs(unread.inputs).lists
    unexplained = unexplained_share(fill, state.puzzle, lists)
    fill = temperature_scale(fill, state.puzzle, first_fill.propagated_beliefs, unexplained)
    return make_solved(
        fill=fill,
        letter_fill=fill,
        inputs=state.inputs,
        first_inputs=(state.plain_state or unread).inputs,
        unexplained_share=unexplained,
        doubted_letters=_remaining_doubts(
            {**state.doubted_letters, **review.wrong_contents}, review.given_puzzle, fill, state.squares
        ),
        rebus_squares=state.squares,
        two_answer_entries=two_answer_entries,
        first_fill=first_fill if first_fill.cells != fill.cells else None,
        theme=state.theme and state.theme.restrict_to_unchanged(first_fill, fill),
        assumptions=state.ledger,
    )


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

    return {cell: p for cell, p in sorted(doubts.items()) if not is_confirmed(cell)}
