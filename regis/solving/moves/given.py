"""Which of the person's own letters and contents are believed.

Belief propagation with soft given letters judges them: each is right with probability 1 - `PRIOR_WRONG` at first (a
noisy observation), then clues and crossings speak. A letter below `DOUBTED_BELOW` is kept from the filler, but stays in
the person's grid. Contents of several letters are judged first, because letters are judged by lists with them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from regis.puzzle import Cell, Puzzle
from regis.puzzle.alphabet import ALPHABET, is_letters_only
from regis.solving.filler import OUT_OF_TIME, Filler, SolverInput
from regis.solving.inference.propagation import propagate
from regis.solving.rebus.collapsed import CollapsedLists
from regis.solving.rebus.content_check import ContentSettings, p_contents_correct
from regis.solving.rebus.squares import RebusSquares, find_given_squares, with_tokens
from regis.system.progress import is_past

PRIOR_WRONG = 0.02
"""Prior P(a given letter is wrong); more finds more wrong letters, and accuses more right ones
(docs/experiments/given-letters.md)."""

DOUBTED_BELOW = 0.5  # P(right) below which a letter is pointed out: then it is more likely wrong than right


def p_given_correct(puzzle: Puzzle, inputs: SolverInput, deadline: float) -> Mapping[Cell, float]:
    """Return P(right) of every given single letter in a slot, row by row; none if time runs out."""
    in_slots = {cell: content for cell, content in sorted(puzzle.given.items()) if cell in puzzle.grid.slots_through}
    letters = {cell: content for cell, content in in_slots.items() if is_letters_only(content, 1)}
    if not letters:
        return {}
    odds = PRIOR_WRONG / (1 - PRIOR_WRONG) / (len(ALPHABET) - 1)
    beliefs = propagate(puzzle, inputs, deadline, odds)
    if beliefs.stop_reason == OUT_OF_TIME:
        return {}
    return {cell: float(beliefs.letter_probs[cell][ALPHABET.index(letter)]) for cell, letter in letters.items()}


class GivenReview(NamedTuple):
    """What is believed of the squares that the person filled."""

    given_puzzle: Puzzle  # with all that the person wrote
    inputs: SolverInput  # its lists, without contents of several letters
    trusted_puzzle: Puzzle  # without what is probably wrong
    given_squares: RebusSquares  # its contents of several letters
    rebus_inputs: SolverInput  # its lists, with those contents
    wrong_letters: Mapping[Cell, float]  # letters that are probably wrong, with P(right)
    wrong_contents: Mapping[Cell, float]  # contents that are probably wrong, with P(right)
    checked_cells: frozenset[Cell]  # all squares that were judged


def review_given(
    puzzle: Puzzle,
    inputs: SolverInput,
    filler: Filler,
    deadline: float,
    settings: ContentSettings = ContentSettings(),
) -> GivenReview:
    """Find the given letters and contents that are probably wrong; `filler` propagates beliefs.

    If the time (time.monotonic) runs out, contents are believed, and so are letters not yet checked.
    """
    trusting = review_letters(puzzle, inputs, deadline)
    squares = trusting.given_squares
    p_correct = p_contents_correct(trusting.trusted_puzzle, inputs, squares, filler, deadline, settings)
    wrong = {cell: p for cell, p in p_correct.items() if p < DOUBTED_BELOW}
    review = trusting
    if wrong and not is_past(deadline):
        review = review_letters(puzzle.without_letters(wrong), inputs, deadline)
    if is_past(deadline):
        return trusting
    checked_cells = review.checked_cells | p_correct.keys()
    return review._replace(given_puzzle=puzzle, wrong_contents=wrong, checked_cells=checked_cells)


def review_letters(puzzle: Puzzle, inputs: SolverInput, deadline: float) -> GivenReview:
    """Find the given letters that are probably wrong, taking all contents for right."""
    squares = find_given_squares(puzzle)
    rebus_inputs = CollapsedLists(inputs, deadline).collapse_inputs(squares)
    p_correct = p_given_correct(with_tokens(puzzle, squares), rebus_inputs, deadline)
    p_correct = {cell: p for cell, p in p_correct.items() if cell not in squares}
    wrong = {cell: p for cell, p in p_correct.items() if p < DOUBTED_BELOW}
    trusted_puzzle, checked_cells = puzzle.without_letters(wrong), frozenset(p_correct)
    return GivenReview(puzzle, inputs, trusted_puzzle, squares, rebus_inputs, wrong, {}, checked_cells)
