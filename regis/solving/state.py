"""The state of solving: a filled grid, what it was filled from, and its assumptions; and how a move improves it.

States are compared by score, in nats: the grid's log evidence, less the price of all that it assumes. A move with an
assumption (rebus squares, say) proposes another model, at a price: the negative log of its prior (minimum description
length, Rissanen 1978). Proposals may be rough: `improve` refills the grid, and keeps it if its score is better.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from regis.puzzle import Puzzle
from regis.solving.filler import Beliefs, Fill, Filler, SolverInput
from regis.solving.inference.evidence import GridEvidence, ReaderEvidence
from regis.solving.rebus.squares import NO_SQUARES, RebusSquares
from regis.system.progress import is_past


class Assumption(NamedTuple):
    """A row of the ledger: what a grid was filled on the assumption of."""

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
        """Return the state before the reader's pass."""
        return self.unread_state or self

    @property
    def score(self) -> float:
        """Return the log evidence less the price."""
        return self.log_evidence - self.price

    def with_score(self, inputs: SolverInput) -> State:
        return replace(self, log_evidence=GridEvidence(self.puzzle, inputs).log_evidence(self.fill))


class Proposal(NamedTuple):
    """Another grid to fill, and its price."""

    move: str  # the move's name
    puzzle: Puzzle
    inputs: SolverInput
    price: float  # of all that is assumed then, nats
    warm_start: Beliefs | None = None  # None begins anew
    squares: RebusSquares = NO_SQUARES


def improve(state: State, proposals: Iterable[Proposal], filler: Filler, deadline: float) -> State:
    """Return the first proposed grid that beats the scored state, or the state itself.

    Proposals come best first, and are taken one by one. Nothing is filled or kept after the deadline (time.monotonic).
    """
    for proposal in proposals:
        if is_past(deadline):
            break
        grid = refill(state, proposal, filler, deadline)
        if grid.score > state.score and not is_past(deadline):
            return grid
    return state


def refill(state: State, proposal: Proposal, filler: Filler, deadline: float) -> State:
    """Fill and score the grid as proposed, with a ledger row for its price and gain over `state`."""
    fill = filler(proposal.puzzle, replace(proposal.inputs, warm_start=proposal.warm_start), deadline)
    log_evidence = GridEvidence(proposal.puzzle, proposal.inputs).log_evidence(fill)
    row = Assumption(proposal.move, proposal.price - state.price, log_evidence - state.log_evidence)
    return replace(
        state,
        puzzle=proposal.puzzle,
        inputs=proposal.inputs,
        fill=fill,
        squares=proposal.squares,
        price=proposal.price,
        log_evidence=log_evidence,
        ledger=_add_row(state.ledger, row),
    )


def _add_row(ledger: tuple[Assumption, ...], row: Assumption) -> tuple[Assumption, ...]:
    """Add a row, to the last one if that is of the same move."""
    if ledger and ledger[-1].move == row.move:
        *ledger_before, last = ledger
        return (*ledger_before, Assumption(row.move, last.price + row.price, last.gain + row.gain))
    return (*ledger, row)
