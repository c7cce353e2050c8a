"""The search for rebus squares, in a grid that wasn't solved or seems to hide some.

If a square holds a content, the slots through it have longer answers whose other letters stay in their cells. The lists
of longer answers and the messages to those cells give the content's odds against single letters (rebus.evidence). A
content that is worth its price (rebus.prices) is written in, and the rest is filled again. The change is kept if the
whole grid, price paid, is likelier. If no single contents win, two-way contents are tried. Last, squares that were
nearly worth their price are read with their clues.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from regis.puzzle import Cell, Puzzle
from regis.solving import belief
from regis.solving.filler import SolverInput
from regis.solving.inference.evidence import GridEvidence
from regis.solving.rebus.collapsed import CollapsedLists
from regis.solving.rebus.evidence import RebusEvidence
from regis.solving.rebus.prices import (
    RebusSettings,
    SimilarityRank,
    SquareProposal,
    marginal_price,
    select_proposals,
)
from regis.solving.rebus.proposals import propose_squares
from regis.solving.rebus.squares import (
    REBUS_MOVE,
    RebusSquares,
    canonical_content,
    entry_text,
    two_way_readings,
    with_tokens,
)
from regis.solving.state import MIN_DOUBTFUL_CELLS, Assumption, State, count_doubtful
from regis.system.progress import is_past


@dataclass
class RebusSearch:
    puzzle: Puzzle  # without given contents of several letters
    inputs: SolverInput  # as without any squares
    deadline: float  # time.monotonic
    settings: RebusSettings = RebusSettings()

    def __post_init__(self) -> None:
        self._collapsed_lists = CollapsedLists(self.inputs, self.deadline)
        self._last_proposals: tuple[State, list[SquareProposal]] | None = None

    def find_squares(self, state: State) -> State:
        """Find the rebus squares of a filled grid, mostly none; squares that the person wrote stay."""
        start = self.score_squares(state)
        best, log_odds = self._add_squares(self.read_two_ways(start))
        best = self._remove_needless(best, log_odds)
        best = self._add_read_squares(best, log_odds)
        confidence = {cell: 1 / (1 + float(np.exp(-log_odds[cell]))) for cell in best.squares}
        best = replace(best, fill=replace(best.fill, confidence={**best.fill.confidence, **confidence}))
        if best.squares == start.squares:
            return best
        assumed = Assumption(REBUS_MOVE, best.price - start.price, best.log_evidence - start.log_evidence)
        return replace(best, assumptions=(*best.assumptions, assumed))

    def collapse_inputs(self, squares: RebusSquares) -> SolverInput:
        return self._collapsed_lists.collapse_inputs(squares)

    def read_two_ways(self, best: State) -> State:
        """Read given squares as one thing across and another down, if that makes the grid likelier."""
        if not best.squares or count_doubtful(best.fill) < MIN_DOUBTFUL_CELLS:
            return best
        for squares in two_way_readings(best.squares):
            if is_past(self.deadline):
                break
            if len(squares) >= max(map(self.settings.min_squares, squares.values())):
                best = self._try_squares(best, squares)
        return best

    def _add_squares(self, best: State) -> tuple[State, dict[Cell, float]]:
        """Add squares while the grid gets better; return the log odds of each added square.

        If several together don't win, the likeliest is tried alone. The search stops after the first pass that doesn't
        win.
        """
        log_odds: dict[Cell, float] = dict.fromkeys(best.squares, np.inf)  # for given squares
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
        """Remove squares of low odds one by one, if the grid is likelier without them."""
        weak = [cell for cell in best.squares if log_odds[cell] <= self.settings.content]
        for cell in sorted(weak, key=lambda cell: log_odds[cell])[:3]:
            fewer = {other: content for other, content in best.squares.items() if other != cell}
            if not fewer or is_past(self.deadline):
                break
            best = self._try_squares(best, fewer)
        return best

    def _add_read_squares(self, best: State, log_odds: dict[Cell, float]) -> State:
        """Add squares that are nearly worth their price, if the entries then fit their clues better."""
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
        slots = [slot for slot, _ in self.puzzle.grid.slots_through[cell]]
        scores = self.inputs.knowledge.score_strings(
            {slot: [entry_text(slot, grid.squares, grid.fill)] for slot in slots}
        )
        return sum(score.log_odds for (score,) in scores.values())

    def _propose(self, grid: State) -> list[SquareProposal]:
        """Propose squares for a grid, cached for the last grid."""
        if self._last_proposals is None or self._last_proposals[0] is not grid:
            evidence = RebusEvidence(self._collapsed_lists, self.puzzle, grid.squares, grid.fill, self.settings)
            self._last_proposals = grid, propose_squares(evidence)
        return self._last_proposals[1]

    def refill(self, squares: RebusSquares, state: State) -> State:
        """Fill and score the grid with these squares, starting from its beliefs, whether or not it is better."""
        puzzle, inputs = with_tokens(self.puzzle, squares), self.collapse_inputs(squares)
        fill = belief.fill(puzzle, replace(inputs, warm_start=state.fill.beliefs), self.deadline)
        return self.score_squares(replace(state, puzzle=puzzle, inputs=inputs, fill=fill, squares=squares))

    def score_squares(self, state: State) -> State:
        price = self.settings.price_squares(state.squares, self._similarity_rank)
        log_evidence = GridEvidence(state.puzzle, state.inputs).log_evidence(state.fill)
        return replace(state, price=price, log_evidence=log_evidence)

    def _try_squares(self, best: State, *squares_of_tries: RebusSquares) -> State:
        """Fill the grid with each of several sets of squares until one is better."""
        for squares in squares_of_tries:
            if is_past(self.deadline):
                break
            grid = self.refill(squares, best)
            if grid.score > best.score and not is_past(self.deadline):
                return grid
        return best

    @property
    def _similarity_rank(self) -> SimilarityRank:
        return self.inputs.knowledge.similarity_rank
