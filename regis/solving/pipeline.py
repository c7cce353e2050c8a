"""Solving on one page: retrieve, review, fill, improve, report.

Candidates are retrieved, and what the person wrote is reviewed; what is probably wrong is kept from the filler. The
grid is filled, and the moves of the plan improve it (solving.moves.plan). Then confidences are calibrated, and entries
with two answers are found.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from regis.candidates.candidate_list import CandidateList
from regis.index import Index
from regis.puzzle import Cell, Puzzle
from regis.puzzle.alphabet import is_letters_only
from regis.solving.belief import BELIEF
from regis.solving.filler import OUT_OF_TIME, Fill, NamedFiller, SolverInput, StopSolving, Watch, no_watch
from regis.solving.inference.confidence import temperature_scale, unexplained_share
from regis.solving.moves.given import GivenReview, review_given
from regis.solving.moves.plan import PLAN, Move, Task, has_given_up
from regis.solving.rebus.squares import CONTENT_SEPARATOR, RebusSquares, with_tokens
from regis.solving.report import report_answers
from regis.solving.retrieval import retrieve_candidates
from regis.solving.solved_puzzle import SolvedPuzzle, TwoAnswers
from regis.solving.state import State
from regis.system.progress import FOREVER, deadline_in, is_past


class Method(NamedTuple):
    """How a grid is filled, and until when."""

    filler: NamedFiller = BELIEF  # only `belief` finds rebus squares and doubtful letters
    deadline: float = FOREVER  # time.monotonic
    watch: Watch = no_watch  # called after each step of the filler
    plan: Mapping[str, Move] = PLAN  # what is done with the filled grid, in order


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
    inputs = retrieve_candidates(puzzle, index, method.deadline)
    solved = report_answers(fill_grid(puzzle, inputs, method), reveal)
    return replace(solved, index_fingerprint=index.fingerprint, seconds=time.perf_counter() - start)


def fill_grid(puzzle: Puzzle, inputs: SolverInput, method: Method = Method()) -> SolvedPuzzle:
    """Fill what the person left open; the solved puzzle has no answers, index, or seconds yet."""
    return fill_with_review(review_given(puzzle, inputs, BELIEF.fill, method.deadline), method)


def fill_with_review(review: GivenReview, method: Method = Method()) -> SolvedPuzzle:
    """Fill the grid, given the review of what the person wrote; as `fill_grid`."""
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
    first_inputs = replace(inputs, may_give_up=inputs.has_reader)
    try:
        fill = fill_watched(puzzle, first_inputs, deadline)
    except StopSolving:
        deadline = -FOREVER
        fill = method.filler.fill(puzzle, first_inputs, deadline)
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
    """Return the doubts of given letters, except those that the grid now has too, or rebus squares confirm."""

    def is_confirmed(cell: Cell) -> bool:
        content = squares.get(cell, fill.cells.get(cell, ""))
        readings = (*content.split(CONTENT_SEPARATOR), content.replace(CONTENT_SEPARATOR, ""))
        return any(reading.startswith(puzzle.given[cell]) for reading in readings)

    return {cell: p for cell, p in doubts.items() if not is_confirmed(cell)}


MIN_AMBIGUOUS_CELLS = 3  # squares in which the two answers differ
MIN_CROSSING_LOGP = -8.0  # natural log of how improbable, by its list, no crossing's other answer may be
MIN_GAIN_PER_CELL = -3.2
"""Least gain in nats, per square, of the other answers, with MIN_CROSSING_LOGP (docs/experiments/two-answers.md)."""


def find_two_answer_entries(puzzle: Puzzle, inputs: SolverInput, fill: Fill) -> tuple[TwoAnswers, ...]:
    """Find the entries with two answers (Schroedinger squares), in clue order; if two share a square, only the first.

    CAT or DOG is a house pet, and the down clues fit CAME and DAME alike. Elsewhere a second answer hardly ever differs
    in three squares or more, since some crossing has no answer for it; here all have one, nearly as likely.
    """
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
