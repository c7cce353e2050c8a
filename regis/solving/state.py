"""The state of solving: a filled grid, what it was filled from, and what was assumed for it.

Every move (solving.moves.move) makes of one state another. Two are compared by their score, in nats: the log evidence
of the grid, less the price of all that it assumes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from regis.puzzle import Puzzle
from regis.solving.filler import Fill, SolverInput
from regis.solving.inference.evidence import GridEvidence
from regis.solving.inference.reader_evidence import ReaderEvidence
from regis.solving.rebus.squares import RebusSquares


class Assumption(NamedTuple):
    """What a grid was filled on the assumption of: a row of the ledger (solving.moves.move)."""

    move: str  # the name of the move that assumed it: "rebus squares"
    price: float  # negative log prior probability, nats
    gain: float  # nats of log evidence by which the grid is likelier for it, before the price


@dataclass(frozen=True)
class State:
    """A filled grid on its way to the answer."""

    puzzle: Puzzle  # with the letters that are taken for right, and those that stand for rebus squares
    inputs: SolverInput  # with the answers that have these squares
    fill: Fill
    squares: RebusSquares = field(default_factory=dict)
    price: float = 0.0  # of all squares, nats
    log_evidence: float = math.nan  # nats; until the grid is scored, no other is better
    ledger: tuple[Assumption, ...] = ()
    unread_state: State | None = None  # the grid before the reader's pass
    reading: ReaderEvidence | None = None  # all that was read since then
    is_senseless: bool = False  # clues that mean nothing: no move is worth its work

    @property
    def first_state(self) -> State:
        """Return the grid as it was before the reader's pass."""
        return self.unread_state or self

    @property
    def score(self) -> float:
        """Return the log evidence of the grid, less the price of what it assumes."""
        return self.log_evidence - self.price

    def with_score(self, inputs: SolverInput) -> State:
        """Score the grid by these inputs."""
        return replace(self, log_evidence=GridEvidence(self.puzzle, inputs).log_evidence(self.fill))
