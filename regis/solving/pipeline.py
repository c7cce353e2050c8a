"""Solving: ask, fill, look again, answer. The whole program in one page.

What the person wrote that is probably wrong, letters and contents of several, is kept from the filler, and written back
when it is done. Where the grid does not come out, rebus squares are looked for, and where answers are in no list, a
theme.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import NamedTuple

from regis.index import Index
from regis.puzzle import Cell, Puzzle
from regis.solving.belief import BELIEF
from regis.solving.filler import GIVEN_UP, OUT_OF_TIME, Fill, FillFunction, NamedFiller, SolverInput, Watch, no_watch
from regis.solving.inference.confidence import temperature_scale
from regis.solving.moves.given import GivenReview, review_given
from regis.solving.moves.given_letters import DOUBTED_BELOW, p_given_correct
from regis.solving.moves.letter_swaps import apply_letter_swaps
from regis.solving.moves.reader_pass import run_reader_pass
from regis.solving.moves.schrodinger import find_two_answer_entries
from regis.solving.rebus.search import RebusSearch
from regis.solving.rebus.squares import RebusSquares, with_tokens
from regis.solving.report import report_answers
from regis.solving.retrieval import retrieve_candidates
from regis.solving.solved_puzzle import CONTENT_SEPARATOR, SolvedPuzzle, Theme
from regis.solving.themes.direction_theme import DIRECTION_THEMES, find_direction_theme, is_direction_theme_plausible
from regis.solving.themes.search import ThemeSearch
from regis.system.deadline import FOREVER, deadline_in, is_past


def solve(
    puzzle: Puzzle,
    index: Index,
    filler: NamedFiller = BELIEF,
    seconds: float | None = None,
    reveal: bool = False,
    watch: Watch = no_watch,
) -> SolvedPuzzle:
    """Solve a puzzle by an index.

    Parameters
    ----------
    puzzle : the puzzle, with the letters that the person wrote.
    index : what is known of clues and answers.
    filler : fills the grid; only `belief` finds rebus squares, themes and doubtful letters.
    seconds : how long it may take; None for as long as it takes. Time that runs out leaves what there is.
    reveal : whether Regis's letters stand where the person's are probably wrong.
    watch : called after each step of the filler.
    """
    start = time.perf_counter()
    deadline = deadline_in(seconds)
    inputs = retrieve_candidates(puzzle, index, deadline)
    solved = report_answers(fill_grid(puzzle, inputs, filler, deadline, watch), reveal)
    return replace(solved, index_fingerprint=index.fingerprint, seconds=time.perf_counter() - start)


def fill_grid(
    puzzle: Puzzle,
    inputs: SolverInput,
    filler: NamedFiller = BELIEF,
    deadline: float = FOREVER,
    watch: Watch = no_watch,
) -> SolvedPuzzle:
    """Fill what the person left open; the solved puzzle lacks answers, index and seconds."""
    return fill_with_review(review_given(puzzle, inputs, BELIEF.fill, deadline), filler, deadline, watch)


def fill_with_review(
    review: GivenReview, filler: NamedFiller = BELIEF, deadline: float = FOREVER, watch: Watch = no_watch
) -> SolvedPuzzle:
    """Fill the grid, given the review of what the person wrote; it lacks answers, index and seconds."""
    puzzle, inputs = review.given_puzzle, review.inputs
    make_solved = functools.partial(
        SolvedPuzzle,
        puzzle,
        answers=(),
        filler=filler.name,
        seconds=0.0,
        index_fingerprint="",
        checked_cells=review.checked_cells,
    )

    def fill_puzzle(puzzle: Puzzle, inputs: SolverInput) -> Fill:
        return filler.fill(puzzle, inputs, deadline, watch)

    doubts, wrong = review.wrong_letters, review.wrong_contents
    if filler.name != BELIEF.name:
        fill = fill_puzzle(review.trusted_puzzle, inputs)
        doubts = dict(sorted({**doubts, **wrong}.items()))
        return make_solved(fill=fill, letter_fill=fill, inputs=inputs, first_inputs=inputs, doubted_letters=doubts)
    start = with_tokens(review.trusted_puzzle, review.given_squares)
    fill = fill_puzzle(start, replace(review.rebus_inputs, may_give_up=inputs.score_strings is not None))
    plain = _State(start, review.rebus_inputs, review.rebus_inputs, fill, review.given_squares, None)
    state = plain if _has_given_up(fill) else _find_hypothesis(review.trusted_puzzle, inputs, plain, deadline)
    state = _consider_direction_theme(state, plain, doubts, deadline)
    state, doubts = _recheck_given_letters(state, puzzle.without_letters(wrong), doubts, deadline)
    inputs, first_fill, fill = _reread_and_refill(state, functools.partial(fill_puzzle, state.puzzle), deadline)
    if is_past(deadline):  # in what came after a fill that was done
        fill = replace(fill, statistics={**fill.statistics, "stopped": OUT_OF_TIME})
    two_answer_entries = () if state.squares else find_two_answer_entries(state.puzzle, inputs, fill)
    fill = temperature_scale(fill, state.puzzle, first_fill.propagated_beliefs)
    return make_solved(
        fill=fill,
        letter_fill=fill,
        inputs=inputs,
        first_inputs=state.rebus_inputs,
        doubted_letters=_remaining_doubts({**doubts, **wrong}, puzzle, fill, state.squares),
        rebus_squares=state.squares,
        two_answer_entries=two_answer_entries,
        first_fill=first_fill if first_fill.cells != fill.cells else None,
        theme=state.theme and state.theme.restrict_to_unchanged(first_fill, fill),
    )


def _reread_and_refill(state: _State, refill: FillFunction, deadline: float) -> tuple[SolverInput, Fill, Fill]:
    """Run the reader's pass and letter swaps; return the last inputs, the grid before that, and the grid now."""
    inputs, fill = run_reader_pass(state.puzzle, state.inputs, state.fill, refill, deadline)
    if not _has_given_up(state.fill):
        worded_inputs = state.fill.propagated_beliefs.final_inputs(state.inputs)
        return inputs, state.fill, apply_letter_swaps(state.puzzle, worded_inputs, fill, deadline)
    if fill is not state.fill:
        return inputs, state.fill, fill
    # nobody read anything, or to no purpose, or there was no time for it
    fill = refill(replace(inputs, warm_start=fill.beliefs, may_give_up=True))
    return inputs, fill, fill


def _has_given_up(fill: Fill) -> bool:
    return fill.statistics.get("stopped") == GIVEN_UP


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


class _State(NamedTuple):
    """A filled grid, and the hypotheses that it was filled with, mostly none."""

    puzzle: Puzzle  # with the letters written in that stand for rebus squares
    rebus_inputs: SolverInput  # with the answers that have them
    inputs: SolverInput  # with the phrases of a theme, too
    fill: Fill
    squares: RebusSquares
    theme: Theme | None


def _find_hypothesis(puzzle: Puzzle, inputs: SolverInput, state: _State, deadline: float) -> _State:
    """Search the filled grid for rebus squares; if none are found, for a theme."""
    rebus = RebusSearch(puzzle, inputs, BELIEF.fill, deadline)
    squares, fill = rebus.find_squares(state.fill, state.squares)
    if squares:
        rebus_inputs = rebus.collapse_inputs(squares)
        return _State(with_tokens(puzzle, squares), rebus_inputs, rebus_inputs, fill, squares, None)
    theme, theme_inputs, fill = ThemeSearch(puzzle, inputs, BELIEF.fill, deadline).find_theme(fill)
    return _State(puzzle, inputs, theme_inputs, fill, {}, theme)


def _consider_direction_theme(state: _State, plain: _State, doubts: Collection[Cell], deadline: float) -> _State:
    """Search the grid for a theme of all answers of a direction; `plain` is the grid without any hypothesis.

    A grid in which a few answers are known to be changed may have one, too, where a person's letters let those show it.
    """
    if state.theme and state.theme.description not in DIRECTION_THEMES:
        return state
    base = plain if state.theme else state
    if not is_direction_theme_plausible(base.puzzle, base.fill.propagated_beliefs, doubts):
        return state
    theme, inputs, fill = find_direction_theme(
        base.puzzle, base.inputs, base.fill, BELIEF.fill, deadline, base.squares.keys()
    )
    if theme is None or (state.theme and len(theme.phrases) <= len(state.theme.phrases)):
        return state
    return base._replace(inputs=inputs, fill=fill, theme=theme)


def _recheck_given_letters(
    state: _State, puzzle: Puzzle, doubts: Mapping[Cell, float], deadline: float
) -> tuple[_State, Mapping[Cell, float]]:
    """Check the given letters again by the lists of a theme, and refill the grid with those that are right.

    Lists without its phrases may have doubted letters that the theme made.
    """
    if state.theme is None:
        return state, doubts
    given = {**{cell: puzzle.given[cell] for cell in doubts}, **state.puzzle.given}
    p_correct = p_given_correct(replace(puzzle, given=given), state.inputs, deadline)
    wrong = {cell: p for cell, p in p_correct.items() if p < DOUBTED_BELOW and cell not in state.squares}
    if wrong.keys() == doubts.keys() or not p_correct:
        return state, doubts
    start = replace(puzzle, given=given).without_letters(wrong)
    fill = BELIEF.fill(start, state.inputs, deadline)
    if is_past(deadline):
        return state, doubts
    theme = state.theme.restrict_to_unchanged(state.fill, fill)
    return state._replace(puzzle=start, fill=fill, theme=theme), wrong
