"""The price of rebus squares, and which proposals are worth it (minimum description length, Rissanen 1978).

A rebus has a price, and so have each content and each square, so that one content in several squares is cheaper than
several contents. Proposals are selected content by content, the best first; a slot takes one square at a time.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from regis.puzzle import Cell, Puzzle, Slot
from regis.solving.rebus.squares import (
    CONTENT_SEPARATOR,
    TWO_WAY_SIGN_CONTENTS,
    RebusSquares,
    canonical_content,
    find_signs,
)

SimilarityRank = Callable[[str, Collection[str]], int | None]
"""Ranks a content by its similarity to others (ClueKnowledge.similarity_rank)."""


@dataclass(frozen=True)
class RebusSettings:
    """Prices of rebus squares in nats, and limits of the search.

    The prices are set by hand; they harm none of 89 plain grids of 2014. (Measured: docs/experiments/rebus-prices.md,
    docs/experiments/rebus-search.md)
    """

    rebus: float = 4.0  # price of any rebus
    content: float = 6.0  # price of each content; if a content pays it alone, the grid is promising
    square: float = 3.0  # price of a content's first square; of later ones less, by the log of their number, to a third
    min_two_way_squares: int = 3  # squares that must share a content that differs across and down; two may be chance
    min_single_letter_squares: int = 5  # the same for single letters each way; fewer are mostly one changed answer
    max_odd_cells: int = 40  # squares to look at, half of them first; 24 lost three grids of seven, 70 gained none
    max_contents: int = 30  # contents of a slot that are paired, and pairs that are tried: a bound on time
    max_weighed: int = 8  # contents, and squares for each, that are weighed with all strings: a bound on time

    @property
    def min_surprise(self) -> float:
        """Return how surprising a square's two slots must be together. A content can't gain more than that."""
        return 2 * self.content

    @property
    def min_square(self) -> float:
        """Return the least price of a square, or of a content next to paid ones."""
        return self.square / 3

    @property
    def min_read_log_odds(self) -> float:
        """Return the log odds below which a known content isn't even read in a square."""
        return self.min_square - self.content

    def min_squares(self, content: str) -> int:
        if CONTENT_SEPARATOR not in content or content in TWO_WAY_SIGN_CONTENTS:
            return 1
        is_single = max(map(len, content.split(CONTENT_SEPARATOR))) == 1
        return self.min_single_letter_squares if is_single else self.min_two_way_squares

    def square_price(self, n_squares: int) -> float:
        """Return the price of a square whose content `n_squares` others have (as in Polya's urn)."""
        return max(self.square - float(np.log(max(n_squares, 1))), self.min_square)

    def single_content_price(self, content: str) -> float:
        """Return the price of a rebus with only this content, without its squares."""
        return self.rebus + self._content_price(content, (), None)

    def price_squares(self, squares: RebusSquares, similarity_rank: SimilarityRank) -> float:
        """Return the price of all `squares` together, in nats."""
        counts = Counter(map(canonical_content, squares.values()))
        squares_price = sum(self.square_price(i) for count in counts.values() for i in range(count))
        return self.price_contents(counts, similarity_rank) + squares_price

    def price_contents(self, counts: Mapping[str, int], similarity_rank: SimilarityRank) -> float:
        """Return the price of a rebus with these contents, in these numbers of squares, without the squares.

        Signs are paid first, because they make others cheap, then the rest in the order of `counts`.
        """
        contents = sorted(counts, key=lambda content: content not in TWO_WAY_SIGN_CONTENTS)
        rank = similarity_rank if max(counts.values(), default=0) == 1 else None
        prices = (self._content_price(content, contents[:i], rank) for i, content in enumerate(contents))
        return self.rebus * bool(counts) + sum(prices)

    def _content_price(self, content: str, paid: Sequence[str], similarity_rank: SimilarityRank | None) -> float:
        """Return the price of a content next to paid ones; for a two-way content, the price of both.

        The two cost as much as one if they read a sign. `similarity_rank` is None unless all squares differ; then
        contents are cheaper, especially similar ones.
        """
        if find_signs(content) and any(other in TWO_WAY_SIGN_CONTENTS for other in paid):
            return self.min_square
        if CONTENT_SEPARATOR in content:
            return self.content if content in TWO_WAY_SIGN_CONTENTS else 2 * self.content
        if similarity_rank is None or len(paid) < 2:  # one content is no group
            return self.content
        rank = similarity_rank(content, paid)
        price = self.content if rank is None else min(self.content, self.min_square + float(np.log(rank)))
        return max(price - float(np.log(len(paid))), 0.0)


class SquareProposal(NamedTuple):
    """A square with a content, and its gain in nats."""

    cell: Cell
    content: str
    log_odds: float


def select_proposals(
    proposals: Sequence[SquareProposal],
    squares: RebusSquares,
    puzzle: Puzzle,
    settings: RebusSettings,
    similarity_rank: SimilarityRank,
) -> list[SquareProposal]:
    """Select the proposals that are worth their price next to `squares`, content by content, the best first."""
    n_paid = Counter(map(canonical_content, squares.values()))
    by_content: dict[str, list[tuple[float, SquareProposal]]] = defaultdict(list)
    for proposal in proposals:
        content = canonical_content(proposal.content)
        if (gain := proposal.log_odds - settings.square_price(n_paid[content])) > 0:
            by_content[content].append((gain, proposal))
    slots_through = puzzle.grid.slots_through
    used: set[Slot] = set()
    selected: list[SquareProposal] = []
    while True:
        best, best_gain, price = list[SquareProposal](), 0.0, settings.price_contents(n_paid, similarity_rank)
        for content, of_content in by_content.items():
            total, used_with, together = 0.0, set(used), list[SquareProposal]()
            for gain, proposal in sorted(of_content, key=lambda pair: (-pair[0], pair[1])):
                slots = {slot for slot, _ in slots_through[proposal.cell]}
                if not slots & used_with:
                    used_with |= slots
                    together.append(proposal)
                    total += gain
            if total <= best_gain or (content not in n_paid and len(together) < settings.min_squares(content)):
                continue
            total -= settings.price_contents(n_paid + Counter({content: len(together)}), similarity_rank) - price
            if total > best_gain:
                best, best_gain = together, total
        if not best:
            return selected
        selected += best
        n_paid += Counter(canonical_content(proposal.content) for proposal in best)
        used |= {slot for proposal in best for slot, _ in slots_through[proposal.cell]}


def marginal_price(
    squares: RebusSquares, settings: RebusSettings, similarity_rank: SimilarityRank
) -> Callable[[SquareProposal], float]:
    """Return a function for the price of one more square; inf for a new content unless all differ."""
    counts = Counter(map(canonical_content, squares.values()))
    paid = settings.price_squares(squares, similarity_rank)

    def price(proposal: SquareProposal) -> float:
        if (content := canonical_content(proposal.content)) in counts:
            return settings.square_price(counts[content])
        if len(counts) < max(len(squares), 2):
            return np.inf
        return settings.price_squares({**squares, proposal.cell: proposal.content}, similarity_rank) - paid

    return price
