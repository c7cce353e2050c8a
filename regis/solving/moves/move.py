"""The loop of every move: propose another model of the grid, refill it, score that, pay the price, keep it if better.

A hypothesis (rebus squares, say) is another model, and has a price: the negative log of its prior probability
(minimum description length, Rissanen 1978). The estimates by which a move proposes may be rough: what is kept is
decided here, by the evidence of the whole grid.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from regis.puzzle import Puzzle
from regis.solving.filler import Beliefs, Filler, SolverInput
from regis.solving.inference.evidence import GridEvidence
from regis.solving.rebus.squares import NO_SQUARES, RebusSquares
from regis.solving.state import Assumption, State
from regis.system.deadline import is_past


class Proposal(NamedTuple):
    """Another grid that a move would have: what it is to be filled from, and what that costs."""

    move: str  # the move's name
    puzzle: Puzzle
    inputs: SolverInput
    price: float  # of all that is assumed then, nats
    warm_start: Beliefs | None = None  # None begins anew
    squares: RebusSquares = NO_SQUARES


def improve(state: State, proposals: Iterable[Proposal], filler: Filler, deadline: float) -> State:
    """Return the first proposed grid that is likelier than the state's, all prices paid.

    Parameters
    ----------
    state : a scored grid.
    proposals : the best first; the next is asked for only where those before it did not win.
    filler : one that propagates beliefs.
    deadline : time.monotonic; nothing is filled or kept after it.

    Returns
    -------
    The better grid, its ledger with what it assumes; `state` itself if there is none.
    """
    for proposal in proposals:
        if is_past(deadline):
            break
        grid = refill(state, proposal, filler, deadline)
        if grid.score > state.score and not is_past(deadline):
            return grid
    return state


def refill(state: State, proposal: Proposal, filler: Filler, deadline: float) -> State:
    """Fill and score the grid as proposed; its ledger has the proposal's price and what it gains over `state`."""
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
    """Add a row, to the last one where that is of the same move."""
    if ledger and ledger[-1].move == row.move:
        *ledger_before, last = ledger
        return (*ledger_before, Assumption(row.move, last.price + row.price, last.gain + row.gain))
    return (*ledger, row)
