"""Which letters the person wrote are probably wrong: one run of belief propagation in which they are soft.

Each letter of the person's is right with probability 1 - `WRONG` before anything else is known (the usual model of a
noisy observation). Clues, crossings and all the other letters then speak, and what comes out is the probability that
the letter is right. One below `DOUBTED` is more likely wrong than right. Whoever fills the grid is not shown it, and so
not misled; the person's grid keeps it all the same.
"""

from __future__ import annotations

from collections.abc import Mapping

from regis.puzzle import Cell, Puzzle
from regis.puzzle.alphabet import ALPHABET, spelled
from regis.solving.propagation import propagate
from regis.solving.solution import OUT_OF_TIME, Candidates

WRONG = 0.02
"""P(a letter that the person wrote is wrong), before anything else is known. More finds more of the wrong ones, and
accuses more of the right ones (docs/measured.md)."""

DOUBTED = 0.5  # P(right) below which a letter is pointed out: then it is more likely wrong than right


def judged(puzzle: Puzzle, candidates: Candidates, deadline: float) -> Mapping[Cell, float]:
    """P(right) of every letter that the person wrote and that can be judged, row by row; none when time runs out.

    Only single letters in cells of a slot are judged: about anything else the lists know nothing.
    """
    written = {c: x for c, x in sorted(puzzle.given.items()) if c in puzzle.grid.through and spelled(x, 1)}
    if not written:
        return {}
    odds = WRONG / (1 - WRONG) / (len(ALPHABET) - 1)
    beliefs = propagate(puzzle, candidates, deadline, odds)
    if beliefs.stopped == OUT_OF_TIME:
        return {}
    return {cell: float(beliefs.letters[cell][ALPHABET.index(letter)]) for cell, letter in written.items()}
