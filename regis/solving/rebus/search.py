"""The search for rebus squares, in a grid that doesn't come out or seems to hide some.

If a square holds a content, the slots through it have longer answers whose other letters stay in their cells. The lists
of longer answers and the messages to those cells give the content's odds against single letters (rebus.evidence). What
is worth its price (rebus.prices) is written in, the rest filled again, and kept if the whole grid, price paid, is
likelier. If no single contents win, two-way contents are tried. Last, squares that were nearly worth it are read with
their clues.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from regis.puzzle import DOUBTFUL_BELOW, Cell, Puzzle
from regis.solving.filler import Fill, Filler, SolverInput
from regis.solving.rebus.collapsed import CollapsedLists
from regis.solving.rebus.evidence import LongerListCache, RebusEvidence
from regis.solving.rebus.prices import (
    RebusSettings,
    SimilarityRank,
    SquareProposal,
    marginal_price,
    select_proposals,
)
from regis.solving.rebus.proposals import propose_squares
from regis.solving.rebus.squares import RebusSquares, canonical_content, entry_text, two_way_readings, with_tokens
from regis.solving.state import Proposal, State, improve, refill
from regis.system.progress import is_past

REBUS_MOVE = "rebus squares"


MIN_UNLISTED_SLOTS = 2  # short slots whose answers no list explains: so many are a sign of squares, too
MAX_SHORT_SLOT = 7  # letters of a short slot, whose answer most lists would have
MAX_WHITE_CELLS = 1000  # of a grid that is searched, at most: there are some 400 on a Sunday
MIN_DOUBTFUL_CELLS = 3  # squares in doubt, at least, for a grid to be searched


@dataclass
class RebusSearch:
    """The search for the rebus squares of one puzzle."""

    puzzle: Puzzle  # without the given contents of several letters
    inputs: SolverInput  # what is known without any squares
    filler: Filler  # one that propagates beliefs
    deadline: float  # time.monotonic
    settings: RebusSettings = RebusSettings()

    def __post_init__(self) -> None:
        self._longer_lists = LongerListCache(self.inputs, self.deadline, self.settings.list_depth)
        self._collapsed_lists = CollapsedLists(self.inputs, self.deadline)
        self._last_proposals: tuple[State, list[SquareProposal]] | None = None

    def find_squares(self, state: State) -> State:
        """Find the rebus squares, mostly none, of a filled grid; squares that the person wrote stay."""
        if not self._should_search(state.fill, state.squares) or is_past(self.deadline):
            return state
        best, log_odds = self._add_squares(self.read_two_ways(self.score_squares(state)))
        best = self._remove_needless(best, log_odds)
        best = self._add_read_squares(best, log_odds)
        confidence = {cell: 1 / (1 + float(np.exp(-log_odds[cell]))) for cell in best.squares}
        return replace(best, fill=replace(best.fill, confidence={**best.fill.confidence, **confidence}))

    def collapse_inputs(self, squares: RebusSquares) -> SolverInput:
        """Return the solver's input with these squares, reusing lists."""
        return self._collapsed_lists.collapse_inputs(squares)

    def _should_search(self, fill: Fill, given_squares: RebusSquares) -> bool:
        """Return whether the grid hasn't come out, or seems to hide squares."""
        n_doubtful, n_white = self._count_doubtful(fill), len(self.puzzle.grid.cells)
        if n_white > MAX_WHITE_CELLS:
            return False
        if given_squares and (n_doubtful or fill.unlisted_slots):  # where there are some, any doubt is a sign of more
            return True
        n_short = sum(len(slot) <= MAX_SHORT_SLOT for slot in fill.unlisted_slots)
        min_doubtful = max(MIN_DOUBTFUL_CELLS, self.settings.min_doubtful_share * n_white)
        return n_doubtful >= min_doubtful or n_short >= MIN_UNLISTED_SLOTS

    def read_two_ways(self, best: State) -> State:
        """Read given squares as one thing across and another down, if the grid is likelier so."""
        if not best.squares or self._count_doubtful(best.fill) < MIN_DOUBTFUL_CELLS:
            return best
        for squares in two_way_readings(best.squares):
            if is_past(self.deadline):
                break
            if len(squares) >= max(map(self.settings.min_squares, squares.values())):
                best = self._try_squares(best, squares)
        return best

    def _add_squares(self, best: State) -> tuple[State, dict[Cell, float]]:
        """Add squares while the grid gets better, and return the log odds of each added square.

        If several don't win together, the likeliest is tried alone. The first pass that doesn't win is the last.
        """
        log_odds: dict[Cell, float] = dict.fromkeys(best.squares, np.inf)  # the given ones
        while not is_past(self.deadline):
            new = select_proposals(self._propose(best), best.squares, self.puzzle, self.settings, self._similarity_rank)
            if not new:
                break
            counts = Counter(map(canonical_content, best.squares.values()))
            for proposal in new:
                price = self.settings.square_price(counts[canonical_content(proposal.content)])
                log_odds[proposal.cell] = proposal.log_odds - price
            likeliest = max(new, key=lambda proposal: proposal.log_odds)
            bundles = [new, [likeliest]] if len(new) > 1 else [new]
            tries = ({**best.squares, **{x.cell: x.content for x in bundle}} for bundle in bundles)
            grid = self._try_squares(best, *tries)
            if grid is best:
                break
            best = grid
        return best, log_odds

    def _remove_needless(self, best: State, log_odds: Mapping[Cell, float]) -> State:
        """Remove squares of low odds one by one, if the grid is likelier without."""
        weak = [cell for cell in best.squares if log_odds[cell] <= self.settings.content]
        for cell in sorted(weak, key=lambda cell: log_odds[cell])[:3]:
            fewer = {other: content for other, content in best.squares.items() if other != cell}
            if not fewer or is_past(self.deadline):
                break
            best = self._try_squares(best, fewer)
        return best

    def _add_read_squares(self, best: State, log_odds: dict[Cell, float]) -> State:
        """Add squares, each nearly worth its price, whose entries then fit their clues better."""
        if not self.inputs.has_reader or not best.squares or is_past(self.deadline):
            return best
        price = marginal_price(best.squares, self.settings, self._similarity_rank)
        nearly: dict[Cell, tuple[float, str]] = {}
        for proposal in self._propose(best):
            if (gain := proposal.log_odds - price(proposal)) > -self.settings.content:
                nearly[proposal.cell] = max(nearly.get(proposal.cell, (-np.inf, "")), (gain, proposal.content))
        for cell in sorted(nearly, key=lambda cell: (-nearly[cell][0], cell))[:3]:
            grid = self.refill({**best.squares, cell: nearly[cell][1]}, best)
            if is_past(self.deadline):
                break
            gain = grid.score - best.score + self._reader_log_odds(grid, cell) - self._reader_log_odds(best, cell)
            if gain > 0:
                log_odds[cell], best = gain, grid
        return best

    def _reader_log_odds(self, grid: State, cell: Cell) -> float:
        """Return the reader's log odds of the two entries through a cell."""
        slots = [slot for slot, _ in self.puzzle.grid.slots_through[cell]]
        scores = self.inputs.knowledge.score_strings(
            {slot: [entry_text(slot, grid.squares, grid.fill)] for slot in slots}
        )
        return sum(score.log_odds for (score,) in scores.values())

    def _propose(self, grid: State) -> list[SquareProposal]:
        """Propose squares for a grid, cached for the last grid."""
        if self._last_proposals is None or self._last_proposals[0] is not grid:
            lists = self._longer_lists, self._collapsed_lists
            evidence = RebusEvidence(*lists, self.puzzle, grid.squares, grid.fill, self.settings)
            self._last_proposals = grid, propose_squares(evidence)
        return self._last_proposals[1]

    def refill(self, squares: RebusSquares, state: State) -> State:
        """Fill the grid with these squares from its beliefs, better or not."""
        return refill(state, self._propose_refill(squares, state), self.filler, self.deadline)

    def score_squares(self, state: State) -> State:
        """Score a grid that was filled with its squares, and add their price."""
        price = self.settings.price_squares(state.squares, self._similarity_rank)
        return replace(state, price=price).with_score(self.collapse_inputs(state.squares))

    def _try_squares(self, best: State, *squares_of_tries: RebusSquares) -> State:
        """Fill the grid with each of several sets of squares until one is better."""
        proposals = (self._propose_refill(squares, best) for squares in squares_of_tries)
        return improve(best, proposals, self.filler, self.deadline)

    def _propose_refill(self, squares: RebusSquares, state: State) -> Proposal:
        puzzle, inputs = with_tokens(self.puzzle, squares), self.collapse_inputs(squares)
        price = self.settings.price_squares(squares, self._similarity_rank)
        return Proposal(REBUS_MOVE, puzzle, inputs, price, state.fill.beliefs, squares)

    @property
    def _similarity_rank(self) -> SimilarityRank:
        return self.inputs.knowledge.similarity_rank

    def _count_doubtful(self, fill: Fill) -> int:
        return sum(p < DOUBTFUL_BELOW for p in fill.confidence.values())
