"""Which letters the person wrote are probably wrong: one run of belief propagation in which they are soft.

Each letter of the person's is right with probability 1 - `PRIOR_WRONG` before anything else is known (the usual model
of a noisy observation). Clues, crossings and all the other letters then speak, and what comes out is the probability
that the letter is right. One below `DOUBTED_BELOW` is more likely wrong than right. Whoever fills the grid is not shown
it, and so not misled; the person's grid keeps it all the same.
"""

from __future__ import annotations

from collections.abc import Mapping

from regis.puzzle import Cell, Puzzle
from regis.puzzle.alphabet import ALPHABET, is_letters_only
from regis.solving.filler import OUT_OF_TIME, SolverInput
from regis.solving.inference.propagation import propagate

PRIOR_WRONG = 0.02
"""P(a letter that the person wrote is wrong), before anything else is known. More finds more of the wrong ones, and
accuses more of the right ones (docs/experiments/given-letters.md)."""

DOUBTED_BELOW = 0.5  # P(right) below which a letter is pointed out: then it is more likely wrong than right


def p_given_correct(puzzle: Puzzle, inputs: SolverInput, deadline: float) -> Mapping[Cell, float]:
    """Return P(right) of every given letter that can be judged, row by row; none when time runs out.

    Only single letters in cells of a slot are judged: about anything else the lists know nothing.
    """
    in_slots = {cell: content for cell, content in sorted(puzzle.given.items()) if cell in puzzle.grid.slots_through}
    letters = {cell: content for cell, content in in_slots.items() if is_letters_only(content, 1)}
    if not letters:
        return {}
    odds = PRIOR_WRONG / (1 - PRIOR_WRONG) / (len(ALPHABET) - 1)
    beliefs = propagate(puzzle, inputs, deadline, odds)
    if beliefs.stop_reason == OUT_OF_TIME:
        return {}
    return {cell: float(beliefs.letter_probs[cell][ALPHABET.index(letter)]) for cell, letter in letters.items()}
