"""The state of solving: a filled grid, what it was filled from, its assumptions, and whether it may hide rebus squares.

States are compared by score, in nats: the grid's log evidence, less the price of the assumed rebus squares, which is
the negative log of their prior (minimum description length, Rissanen 1978).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import NamedTuple

from regis.puzzle import DOUBTFUL_BELOW, Puzzle
from regis.solving.filler import Fill, SolverInput
from regis.solving.rebus.squares import RebusSquares


class Assumption(NamedTuple):
    """Something assumed in filling a grid."""

    move: str  # name of the move that assumed it: "rebus squares"
    price: float  # negative log prior probability, nats
    gain: float  # nats of log evidence that it adds, before the price


@dataclass(frozen=True)
class State:
    """A filled grid on its way to the answer."""

    puzzle: Puzzle  # with the letters that count as right, and the tokens of rebus squares
    plain_inputs: SolverInput  # as retrieved: without rebus squares
    inputs: SolverInput  # what it was filled from: answers with these squares, after reading
    fill: Fill
    squares: RebusSquares = field(default_factory=dict)
    price: float = 0.0  # of all squares, nats
    log_evidence: float = math.nan  # nats; until the grid is scored, no other is better
    assumptions: tuple[Assumption, ...] = ()
    unread_state: State | None = None  # the grid before the reader's pass
    is_senseless: bool = False  # whether the clues mean nothing, so that no move is worthwhile

    @property
    def first_state(self) -> State:
        """Return the state before the reader's pass."""
        return self.unread_state or self

    @property
    def score(self) -> float:
        """Return the log evidence less the price."""
        return self.log_evidence - self.price


MIN_DOUBTFUL_CELLS = 3  # in a grid that is searched
MIN_DOUBTFUL_SHARE = 0.02  # the same as a share of its cells. (Measured: docs/experiments/rebus-search.md.)


def seems_to_hide_squares(state: State) -> bool:
    """Return whether a grid isn't solved, or seems to hide rebus squares."""
    fill, n_doubtful, n_white = state.fill, count_doubtful(state.fill), len(state.puzzle.grid.cells)
    if n_white > 1000:  # a Sunday has about 400; the search would take minutes
        return False
    if state.squares and (n_doubtful or fill.unlisted_slots):  # if there are some, any doubt may mean more
        return True
    n_short = sum(len(slot) <= 7 for slot in fill.unlisted_slots)  # most lists have a short answer
    return n_doubtful >= max(MIN_DOUBTFUL_CELLS, MIN_DOUBTFUL_SHARE * n_white) or n_short >= 2


def count_doubtful(fill: Fill) -> int:
    return sum(p < DOUBTFUL_BELOW for p in fill.confidence.values())
