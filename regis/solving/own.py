"""What of the person's own is believed: their letters and contents of several, but for those that are probably wrong.

Contents are judged first, since letters are judged by lists that the contents have a part in.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from regis.puzzle import Cell, Puzzle
from regis.solving import letter_check
from regis.solving.letter_check import DOUBTED
from regis.solving.rebus import doubted
from regis.solving.rebus.candidates import Collapsing
from regis.solving.rebus.squares import Squares, begun
from regis.solving.rebus.written import written
from regis.solving.solution import Candidates, Filler
from regis.system.deadline import passed


class Own(NamedTuple):
    """What of it is believed, and what is not."""

    asked: Puzzle  # with all that the person wrote,
    among: Candidates  # and what is known without the contents of several letters
    puzzle: Puzzle  # without what is probably wrong,
    squares: Squares  # the contents of several letters that it has,
    known: Candidates  # and what is known with those
    wrong_letters: Mapping[Cell, float]  # letters that are probably wrong, with P(right),
    wrong_contents: Mapping[Cell, float]  # contents that are,
    judged: frozenset[Cell]  # and all that were looked at


def own(puzzle: Puzzle, among: Candidates, fill: Filler, deadline: float) -> Own:
    """Judges what the person wrote; `fill` is the filler that propagates beliefs.

    Where the time (time.monotonic) runs out, contents are believed, and letters by what was looked at until then.
    """
    every = with_contents(puzzle, among, deadline)
    contents = doubted.judged(every.puzzle, among, every.squares, fill, deadline)
    wrong = {cell: p for cell, p in contents.items() if p < DOUBTED}
    left = with_contents(puzzle.without(wrong), among, deadline) if wrong and not passed(deadline) else every
    if passed(deadline):
        return every
    return left._replace(asked=puzzle, wrong_contents=wrong, judged=left.judged | contents.keys())


def with_contents(puzzle: Puzzle, among: Candidates, deadline: float) -> Own:
    """The same, but that all contents of several letters are believed: whoever asks has judged them."""
    squares = written(puzzle)
    known = Collapsing(among, deadline).known(squares)
    right = {c: p for c, p in letter_check.judged(begun(puzzle, squares), known, deadline).items() if c not in squares}
    wrong = {cell: p for cell, p in right.items() if p < DOUBTED}
    return Own(puzzle, among, puzzle.without(wrong), squares, known, wrong, {}, frozenset(right))
