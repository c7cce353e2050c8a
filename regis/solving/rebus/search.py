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
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from regis.puzzle import DOUBTFUL_BELOW, Cell, Puzzle, Slot
from regis.solving.filler import Fill, Filler, SolverInput
from regis.solving.moves.move import Proposal, improve, refill
from regis.solving.rebus.collapsed import CollapsedLists
from regis.solving.rebus.evidence import RebusEvidence
from regis.solving.rebus.given_squares import two_way_readings
from regis.solving.rebus.longer_lists import LongerListCache
from regis.solving.rebus.prices import SquareProposal
from regis.solving.rebus.proposals import (
    ProposalSettings,
    is_promising,
    propose_contents,
    propose_two_way_contents,
    weigh_contents,
)
from regis.solving.rebus.squares import RebusSquares, canonical_content, entry_text, swap_directions, with_tokens
from regis.solving.state import State
from regis.system.deadline import is_past

REBUS_MOVE = "rebus squares"


@dataclass(frozen=True)
class RebusSettings:
    """When squares are searched, and how long. (Measured: docs/experiments/rebus-search.md)"""

    max_white_cells: int = 1000  # of a grid that is searched, at most: there are some 400 on a Sunday

    doubtful_below: float = DOUBTFUL_BELOW
    min_doubtful_cells: int = 3
    min_doubtful_share: float = 0.02
    max_short_slot: int = 6
    min_crossed_cells: int = 2
    max_fitted_slot: int = 7
    min_fitting_slots: int = 2
    min_fit_log_odds: float = 6.5
    """When has a grid not come out? With so many doubtful squares, and such a share of all; or with as many slots of so
    many letters at most that no list explains; or with so many doubtful squares and as many crossings of two slots that
    no list explains. Or if, of the slots of so many letters at most that no list explains, so many are that much
    likelier by longer answers with one content in a square, in nats; a single one where as many squares are in doubt.
    """

    proposals: ProposalSettings = ProposalSettings()

    max_passes: int = 5  # how often squares are added and the rest filled again, at most
    max_read_squares: int = 3  # squares that are nearly worth their price and are read, at most; a guess
    max_lone_squares: int = 3  # squares that share their content with none and are tried with another; a guess

    weak_log_odds: float = 6.0
    max_removed_squares: int = 2
    """Squares with lower odds, in nats, are taken away again if the grid is more probable so: so many, at most."""


@dataclass
class RebusSearch:
    """The search for the rebus squares of one puzzle."""

    puzzle: Puzzle  # without the given contents of several letters
    inputs: SolverInput  # what is known without any squares
    filler: Filler  # one that propagates beliefs
    deadline: float  # time.monotonic
    settings: RebusSettings = RebusSettings()

    def __post_init__(self) -> None:
        self.prices = self.settings.proposals.prices
        self._longer_lists = LongerListCache(self.inputs, self.deadline)
        self._collapsed_lists = CollapsedLists(self.inputs, self.deadline)
        self._last_proposals: tuple[State, list[SquareProposal]] | None = None

    def find_squares(self, state: State) -> State:
        """Find the rebus squares of a filled grid.

        Parameters
        ----------
        state : what the filler made of the puzzle with the squares that the person wrote, which stay, and no other.

        Returns
        -------
        The grid with all its squares, mostly none.
        """
        if not self._should_search(state.fill, state.squares) or is_past(self.deadline):
            return state
        best, log_odds = self._add_squares(self.read_two_ways(self.score_squares(state)))
        best = self._share_contents(best, log_odds)
        best = self._remove_needless(best, log_odds)
        best = self._add_read_squares(best, log_odds)
        confidence = {cell: 1 / (1 + float(np.exp(-log_odds[cell]))) for cell in best.squares}
        return replace(best, fill=replace(best.fill, confidence={**best.fill.confidence, **confidence}))

    def collapse_inputs(self, squares: RebusSquares) -> SolverInput:
        """Return the solver's input with these squares; lists that the search has made are not made again."""
        return self._collapsed_lists.collapse_inputs(squares)

    def _should_search(self, fill: Fill, given_squares: RebusSquares) -> bool:
        """Return whether the grid has not come out, or seems to hide squares, and is not too large to be searched."""
        n_doubtful = self._count_doubtful(fill)
        n_short = sum(len(slot) <= self.settings.max_short_slot for slot in fill.unlisted_slots)
        n_slots = Counter(cell for slot in fill.unlisted_slots for cell in slot.cells)
        n_crossed = min(n_doubtful, sum(n > 1 for n in n_slots.values()))
        n_white = len(self.puzzle.grid.cells)
        if n_white > self.settings.max_white_cells:
            return False
        if n_short >= self.settings.min_doubtful_cells or n_crossed >= self.settings.min_crossed_cells:
            return True
        if n_doubtful >= max(self.settings.min_doubtful_cells, self.settings.min_doubtful_share * n_white):
            return True
        if given_squares:  # where there are some, any doubt is a sign of more
            return n_doubtful > 0 or bool(fill.unlisted_slots)
        slots = [
            s for s in self.puzzle.grid.slots if s in fill.unlisted_slots and len(s) <= self.settings.max_fitted_slot
        ]
        min_slots = 1 if n_doubtful >= self.settings.min_fitting_slots else self.settings.min_fitting_slots
        return len(slots) >= min_slots and self._count_fitting(slots, fill) >= min_slots

    def _count_fitting(self, slots: Sequence[Slot], fill: Fill) -> int:
        """Count the slots that longer answers fit well enough; 0 where the time is up."""
        if is_past(self.deadline):
            return 0
        evidence = RebusEvidence(self._longer_lists, self._collapsed_lists, self.puzzle, {}, fill)
        return sum(log_odds > self.settings.min_fit_log_odds for log_odds in evidence.best_longer_log_odds(slots))

    def read_two_ways(self, best: State) -> State:
        """Read given squares as one thing across and another down, where the grid is more probable so."""
        if not best.squares or self._count_doubtful(best.fill) < self.settings.min_doubtful_cells:
            return best
        for squares in two_way_readings(best.squares, prices=self.prices):
            if is_past(self.deadline):
                break
            best = self._try_squares(best, squares)
        return best

    def _add_squares(self, best: State) -> tuple[State, dict[Cell, float]]:
        """Add squares while that makes the grid better; also return the log odds of every square that was added.

        Where several do not win together, the likeliest is tried alone. A pass that does not win is the last: none ever
        won after one.
        """
        log_odds: dict[Cell, float] = dict.fromkeys(best.squares, np.inf)  # the given ones
        for _ in range(self.settings.max_passes):
            new = self.prices.select_proposals(
                self._propose(best), best.squares, self.puzzle, self.inputs.knowledge.similarity_rank
            )
            if not new or is_past(self.deadline):
                break
            counts = Counter(map(canonical_content, best.squares.values()))
            for proposal in new:
                price = self.prices.next_square_price(counts[canonical_content(proposal.content)])
                log_odds |= dict.fromkeys(proposal.cells, proposal.log_odds / len(proposal.cells) - price)
            likeliest = max(new, key=lambda proposal: proposal.log_odds)
            bundles = [new, [likeliest]] if len(new) > 1 else [new]
            grid = self._try_squares(best, *({**best.squares, **_contents(bundle)} for bundle in bundles))
            if grid is best:
                break
            best = grid
        return best, log_odds

    def _share_contents(self, best: State, log_odds: dict[Cell, float]) -> State:
        """Replace contents of a single square by the one that most have, where the grid is more probable so.

        Squares are found by what lists have in them, and the content that others share may make a string in none.
        """
        names = {cell: canonical_content(content) for cell, content in best.squares.items()}
        counts = Counter(names.values())
        shared = max(best.squares.values(), key=lambda x: (counts[canonical_content(x)], x), default="")
        is_shared = counts[canonical_content(shared)] > 1
        lone = [cell for cell in names if is_shared and counts[names[cell]] == 1 and log_odds[cell] < np.inf]
        for cell in sorted(lone, key=lambda cell: (log_odds[cell], cell))[: self.settings.max_lone_squares]:
            for content in dict.fromkeys((shared, swap_directions(shared))):
                if is_past(self.deadline):
                    return best
                grid = self._try_squares(best, {**best.squares, cell: content})
                log_odds[cell] += grid.score - best.score
                best = grid
        return best

    def _remove_needless(self, best: State, log_odds: Mapping[Cell, float]) -> State:
        """Remove squares of low odds, needless perhaps once others came, one by one where that is more probable."""
        for cell in sorted(best.squares, key=lambda cell: log_odds[cell])[: self.settings.max_removed_squares]:
            fewer = {other: content for other, content in best.squares.items() if other != cell}
            if not fewer or log_odds[cell] > self.settings.weak_log_odds or is_past(self.deadline):
                break
            best = self._try_squares(best, fewer)
        return best

    def _add_read_squares(self, best: State, log_odds: dict[Cell, float]) -> State:
        """Add squares, each nearly worth its price, whose entries then fit their clues better."""
        if not self.inputs.has_reader or not best.squares or is_past(self.deadline):
            return best
        price = self.prices.marginal_price(best.squares, self.inputs.knowledge.similarity_rank)
        nearly: dict[Cell, tuple[float, str]] = {}
        for proposal in self._propose(best):
            cell, content = proposal.cells[0], proposal.content
            if (
                len(proposal.cells) == 1
                and (gain := proposal.log_odds - price(proposal)) > -self.settings.proposals.max_shortfall_to_read
            ):
                nearly[cell] = max(
                    nearly.get(cell, (-self.settings.proposals.max_shortfall_to_read, "")), (gain, content)
                )
        for cell in sorted(nearly, key=lambda cell: (-nearly[cell][0], cell))[: self.settings.max_read_squares]:
            grid = self.refill({**best.squares, cell: nearly[cell][1]}, best)
            if is_past(self.deadline):
                break
            gain = grid.score - best.score + self._reader_log_odds(grid, cell) - self._reader_log_odds(best, cell)
            if gain > 0:
                log_odds[cell], best = gain, grid
        return best

    def _reader_log_odds(self, grid: State, cell: Cell) -> float:
        """Return the reader's log odds of the two entries through a cell, read with their clues."""
        slots = [slot for slot, _ in self.puzzle.grid.slots_through[cell]]
        scores = self.inputs.knowledge.score_strings(
            {slot: [entry_text(slot, grid.squares, grid.fill)] for slot in slots}
        )
        return sum(score.log_odds for (score,) in scores.values())

    def _propose(self, grid: State) -> list[SquareProposal]:
        """Propose squares that may be added to a grid; worked out once for the grid that was last asked about."""
        if self._last_proposals is None or self._last_proposals[0] is not grid:
            evidence = RebusEvidence(self._longer_lists, self._collapsed_lists, self.puzzle, grid.squares, grid.fill)
            settings, proposals = self.settings.proposals, list[SquareProposal]()
            if grid.squares or is_promising(evidence, settings):
                proposals = [*propose_contents(evidence, settings), *propose_two_way_contents(evidence, settings)]
                proposals += weigh_contents(evidence, proposals, settings)
            self._last_proposals = grid, proposals
        return self._last_proposals[1]

    def refill(self, squares: RebusSquares, state: State) -> State:
        """Fill the grid with these squares, from the beliefs that it had before, whether or not it is better."""
        return refill(state, self._propose_refill(squares, state), self.filler, self.deadline)

    def score_squares(self, state: State) -> State:
        """Score a grid that was filled with its squares, and add their price."""
        price = self.prices.price_squares(state.squares, self.inputs.knowledge.similarity_rank)
        return replace(state, price=price).with_score(self.collapse_inputs(state.squares))

    def _try_squares(self, best: State, *squares_of_tries: RebusSquares) -> State:
        """Fill the grid with each of several sets of squares until one is better."""
        proposals = (self._propose_refill(squares, best) for squares in squares_of_tries)
        return improve(best, proposals, self.filler, self.deadline)

    def _propose_refill(self, squares: RebusSquares, state: State) -> Proposal:
        puzzle, inputs = with_tokens(self.puzzle, squares), self.collapse_inputs(squares)
        price = self.prices.price_squares(squares, self.inputs.knowledge.similarity_rank)
        return Proposal(REBUS_MOVE, puzzle, inputs, price, state.fill.beliefs, squares)

    def _count_doubtful(self, fill: Fill) -> int:
        return sum(p < self.settings.doubtful_below for p in fill.confidence.values())


def _contents(proposals: Iterable[SquareProposal]) -> RebusSquares:
    """Return the squares that are proposed together."""
    return {cell: proposal.content for proposal in proposals for cell in proposal.cells}
