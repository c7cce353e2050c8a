"""The search for rebus squares, where a grid does not come out or seems to hide some.

Suppose that a square holds the content R. Then the slots through it have answers that are longer by the rest of R, and
all their other letters stay in their cells. The lists of longer answers, and what belief propagation says of those
other cells, give the odds of that supposition against all single letters there (rebus.evidence). What is worth its
price (rebus.prices) is written in, the rest filled again, and so on; it is kept only if the whole grid, price paid, is
then more probable than without any. Where squares with one content are not worth it, those with two are looked for, one
across and another down. At last squares that nearly were worth it are read with their clues: with a known content or,
where all contents differ, with another.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from regis.puzzle import Cell, Puzzle, Slot
from regis.solving.filler import Fill, Filler, SolverInput
from regis.solving.inference.evidence import GridEvidence
from regis.solving.rebus.collapsed import CollapsedLists
from regis.solving.rebus.evidence import RebusEvidence
from regis.solving.rebus.given_squares import two_way_readings
from regis.solving.rebus.longer_lists import LongerListCache
from regis.solving.rebus.prices import (
    MAX_SHORTFALL_TO_READ,
    Proposal,
    marginal_price,
    next_square_price,
    price_squares,
    select_proposals,
)
from regis.solving.rebus.proposals import is_promising, propose_contents, propose_two_way_contents
from regis.solving.rebus.squares import RebusSquares, canonical_content, entry_text, swap_directions, with_tokens
from regis.solving.solved_puzzle import DOUBTFUL_BELOW
from regis.system.deadline import is_past

MAX_WHITE_CELLS = 1000  # white squares of a grid that is searched, at most: there are some 400 on a Sunday

MIN_DOUBTFUL_CELLS = 3
MIN_DOUBTFUL_SHARE = 0.02
MAX_SHORT_SLOT = 6
MIN_CROSSED_CELLS = 2
MAX_FITTED_SLOT = 7
MIN_FITTING_SLOTS = 2
MIN_FIT_LOG_ODDS = 6.5
"""When has a grid not come out? With so many doubtful squares, and such a share of all; or with as many slots of so
many letters at most that no list explains; or with so many doubtful squares and as many crossings of two slots that no
list explains. Or if, of the slots of so many letters at most that no list explains, so many are that much likelier by
longer answers with one content in a square, in natural log; a single one where as many squares are in doubt. (Measured:
docs/measured.md.)"""

MAX_PASSES = 5  # how often squares are added and the rest filled again, at most
MAX_READ_SQUARES = 3  # squares that are nearly worth their price and are read, at most; a guess
MAX_LONE_SQUARES = 3  # squares that share their content with none and are tried with another; a guess

WEAK_LOG_ODDS = 6.0
MAX_REMOVED_SQUARES = 2
"""Squares with lower odds, in natural log, are taken away again if the grid is more probable so: so many, at most."""

NO_SQUARES: RebusSquares = MappingProxyType({})


class Hypothesis(NamedTuple):
    """A grid filled with some rebus squares."""

    squares: RebusSquares
    fill: Fill  # with the token of each
    score: float  # natural log probability of the whole grid, less the price of the squares


class RebusSearch:
    """The search for the rebus squares of one puzzle.

    Parameters
    ----------
    puzzle : without the given contents of several letters.
    inputs : what is known without any squares.
    filler : one that propagates beliefs.
    deadline : time.monotonic.
    """

    def __init__(self, puzzle: Puzzle, inputs: SolverInput, filler: Filler, deadline: float) -> None:
        self.puzzle = puzzle
        self.inputs = inputs
        self.filler = filler
        self.deadline = deadline
        self._longer_lists = LongerListCache(inputs, deadline)
        self._collapsed_lists = CollapsedLists(inputs, deadline)
        self._last_proposals: tuple[Hypothesis, list[Proposal]] | None = None

    def find_squares(self, fill: Fill, given_squares: RebusSquares = NO_SQUARES) -> tuple[RebusSquares, Fill]:
        """Find the rebus squares of a filled grid.

        Parameters
        ----------
        fill : what the filler made of the puzzle with the given squares and no other.
        given_squares : contents that the person wrote, which stay.

        Returns
        -------
        All rebus squares, mostly none, and the fill with the token of each.
        """
        if not self._should_search(fill, given_squares) or is_past(self.deadline):
            return given_squares, fill
        best, log_odds = self._add_squares(self.read_two_ways(self.score_fill(given_squares, fill)))
        best = self._share_contents(best, log_odds)
        best = self._remove_needless(best, log_odds)
        best = self._add_read_squares(best, log_odds)
        confidence = {cell: 1 / (1 + float(np.exp(-log_odds[cell]))) for cell in best.squares}
        return best.squares, replace(best.fill, confidence={**best.fill.confidence, **confidence})

    def collapse_inputs(self, squares: RebusSquares) -> SolverInput:
        """Return the solver's input with these squares; lists that the search has made are not made again."""
        return self._collapsed_lists.collapse_inputs(squares)

    def _should_search(self, fill: Fill, given_squares: RebusSquares) -> bool:
        """Return whether the grid has not come out, or seems to hide squares, and is not too large to be searched."""
        n_doubtful = _count_doubtful(fill)
        n_short = sum(len(slot) <= MAX_SHORT_SLOT for slot in fill.unlisted_slots)
        n_slots = Counter(cell for slot in fill.unlisted_slots for cell in slot.cells)
        n_crossed = min(n_doubtful, sum(n > 1 for n in n_slots.values()))
        n_white = len(self.puzzle.grid.cells)
        if n_white > MAX_WHITE_CELLS:
            return False
        if n_short >= MIN_DOUBTFUL_CELLS or n_crossed >= MIN_CROSSED_CELLS:
            return True
        if n_doubtful >= max(MIN_DOUBTFUL_CELLS, MIN_DOUBTFUL_SHARE * n_white):
            return True
        if given_squares:  # where there are some, any doubt is a sign of more
            return n_doubtful > 0 or bool(fill.unlisted_slots)
        slots = [s for s in self.puzzle.grid.slots if s in fill.unlisted_slots and len(s) <= MAX_FITTED_SLOT]
        min_slots = 1 if n_doubtful >= MIN_FITTING_SLOTS else MIN_FITTING_SLOTS
        return len(slots) >= min_slots and self._count_fitting(slots, fill) >= min_slots

    def _count_fitting(self, slots: Sequence[Slot], fill: Fill) -> int:
        """Count the slots that longer answers fit well enough; 0 where the time is up."""
        if is_past(self.deadline):
            return 0
        evidence = RebusEvidence(self._longer_lists, self._collapsed_lists, self.puzzle, {}, fill)
        return sum(log_odds > MIN_FIT_LOG_ODDS for log_odds in evidence.best_longer_log_odds(slots))

    def read_two_ways(self, best: Hypothesis) -> Hypothesis:
        """Read given squares as one thing across and another down, where the grid is more probable so."""
        if not best.squares or _count_doubtful(best.fill) < MIN_DOUBTFUL_CELLS:
            return best
        for squares in two_way_readings(best.squares):
            if is_past(self.deadline):
                break
            best = self._keep_better(best, self.refill(squares, best))
        return best

    def _add_squares(self, best: Hypothesis) -> tuple[Hypothesis, dict[Cell, float]]:
        """Add squares while that makes the grid better; also return the log odds of every square that was added.

        Where several do not win together, the likeliest is tried alone. A pass that does not win is the last: none ever
        won after one.
        """
        log_odds: dict[Cell, float] = dict.fromkeys(best.squares, np.inf)  # the given ones
        for _ in range(MAX_PASSES):
            new = select_proposals(self._propose(best), best.squares, self.puzzle, self.inputs.similarity_rank)
            if not new or is_past(self.deadline):
                break
            counts = Counter(map(canonical_content, best.squares.values()))
            for proposal in new:
                price = next_square_price(counts[canonical_content(proposal.content)])
                log_odds |= dict.fromkeys(proposal.cells, proposal.log_odds / len(proposal.cells) - price)
            grid = self._keep_better(best, self._refill_with(best, new))
            if grid is best and len(new) > 1 and not is_past(self.deadline):
                likeliest = max(new, key=lambda proposal: proposal.log_odds)
                grid = self._keep_better(best, self._refill_with(best, [likeliest]))
            if grid is best:
                break
            best = grid
        return best, log_odds

    def _share_contents(self, best: Hypothesis, log_odds: dict[Cell, float]) -> Hypothesis:
        """Replace contents of a single square by the one that most have, where the grid is more probable so.

        Squares are found by what lists have in them, and the content that others share may make a string in none.
        """
        names = {cell: canonical_content(content) for cell, content in best.squares.items()}
        counts = Counter(names.values())
        shared = max(best.squares.values(), key=lambda x: (counts[canonical_content(x)], x), default="")
        is_shared = counts[canonical_content(shared)] > 1
        lone = [cell for cell in names if is_shared and counts[names[cell]] == 1 and log_odds[cell] < np.inf]
        for cell in sorted(lone, key=lambda cell: (log_odds[cell], cell))[:MAX_LONE_SQUARES]:
            for content in dict.fromkeys((shared, swap_directions(shared))):
                if is_past(self.deadline):
                    return best
                grid = self._keep_better(best, self.refill({**best.squares, cell: content}, best))
                log_odds[cell] += grid.score - best.score
                best = grid
        return best

    def _remove_needless(self, best: Hypothesis, log_odds: Mapping[Cell, float]) -> Hypothesis:
        """Remove squares of low odds, needless perhaps once others came, one by one where that is more probable."""
        for cell in sorted(best.squares, key=lambda cell: log_odds[cell])[:MAX_REMOVED_SQUARES]:
            fewer = {other: content for other, content in best.squares.items() if other != cell}
            if not fewer or log_odds[cell] > WEAK_LOG_ODDS or is_past(self.deadline):
                break
            best = self._keep_better(best, self.refill(fewer, best))
        return best

    def _add_read_squares(self, best: Hypothesis, log_odds: dict[Cell, float]) -> Hypothesis:
        """Add squares, each nearly worth its price, whose entries then fit their clues better."""
        if self.inputs.score_strings is None or not best.squares or is_past(self.deadline):
            return best
        price = marginal_price(best.squares, self.inputs.similarity_rank)
        nearly: dict[Cell, tuple[float, str]] = {}
        for proposal in self._propose(best):
            cell, content = proposal.cells[0], proposal.content
            if len(proposal.cells) == 1 and (gain := proposal.log_odds - price(proposal)) > -MAX_SHORTFALL_TO_READ:
                nearly[cell] = max(nearly.get(cell, (-MAX_SHORTFALL_TO_READ, "")), (gain, content))
        for cell in sorted(nearly, key=lambda cell: (-nearly[cell][0], cell))[:MAX_READ_SQUARES]:
            grid = self.refill({**best.squares, cell: nearly[cell][1]}, best)
            if is_past(self.deadline):
                break
            gain = grid.score - best.score + self._reader_log_odds(grid, cell) - self._reader_log_odds(best, cell)
            if gain > 0:
                log_odds[cell], best = gain, grid
        return best

    def _reader_log_odds(self, grid: Hypothesis, cell: Cell) -> float:
        """Return the reader's log odds of the two entries through a cell, read with their clues."""
        assert self.inputs.score_strings is not None, "or nothing is read"
        slots = [slot for slot, _ in self.puzzle.grid.slots_through[cell]]
        scores = self.inputs.score_strings({slot: [entry_text(slot, grid.squares, grid.fill)] for slot in slots})
        return sum(score.log_odds for (score,) in scores.values())

    def _propose(self, grid: Hypothesis) -> list[Proposal]:
        """Propose squares that may be added to a grid; worked out once for the grid that was last asked about."""
        if self._last_proposals is None or self._last_proposals[0] is not grid:
            evidence = RebusEvidence(self._longer_lists, self._collapsed_lists, self.puzzle, grid.squares, grid.fill)
            has_any = bool(grid.squares) or is_promising(evidence)
            proposals = [*propose_contents(evidence), *propose_two_way_contents(evidence)] if has_any else []
            self._last_proposals = grid, proposals
        return self._last_proposals[1]

    def _refill_with(self, grid: Hypothesis, proposals: Sequence[Proposal]) -> Hypothesis:
        """Fill the grid again with what is proposed."""
        contents = {cell: proposal.content for proposal in proposals for cell in proposal.cells}
        return self.refill({**grid.squares, **contents}, grid)

    def refill(self, squares: RebusSquares, before: Hypothesis) -> Hypothesis:
        """Fill the grid with these squares, starting from the beliefs that it had before."""
        inputs = replace(self.collapse_inputs(squares), warm_start=before.fill.beliefs)
        return self.score_fill(squares, self.filler(with_tokens(self.puzzle, squares), inputs, self.deadline))

    def score_fill(self, squares: RebusSquares, fill: Fill) -> Hypothesis:
        """Score a grid that was filled with these squares: its log evidence, less their price."""
        evidence = GridEvidence(with_tokens(self.puzzle, squares), self.collapse_inputs(squares))
        price = price_squares(squares, self.inputs.similarity_rank)
        return Hypothesis(squares, fill, evidence.log_evidence(fill) - price)

    def _keep_better(self, best: Hypothesis, grid: Hypothesis) -> Hypothesis:
        return grid if grid.score > best.score and not is_past(self.deadline) else best


def _count_doubtful(fill: Fill) -> int:
    return sum(p < DOUBTFUL_BELOW for p in fill.confidence.values())
