"""What rebus squares cost, and which of those proposed are worth it (minimum description length, Rissanen 1978).

A rebus at all has a price, each content and each square, so that one content in several squares is cheaper than several
contents. What is proposed is selected content by content, the best first; in one slot only what was found together.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from regis.puzzle import Cell, Puzzle, Slot
from regis.solving.rebus.signs import TWO_WAY_SIGN_CONTENTS, find_signs
from regis.solving.rebus.squares import CONTENT_SEPARATOR, RebusSquares, canonical_content

SimilarityRank = Callable[[str, Collection[str]], int | None]
"""The rank of a content by its similarity to others (ClueKnowledge.similarity_rank)."""


def no_similarity(content: str, other_contents: Collection[str]) -> None:
    """Return None: nobody knows how similar contents are."""


class SquareProposal(NamedTuple):
    """Squares with one content, and how much likelier they make the grid, in nats."""

    cells: tuple[Cell, ...]
    content: str
    log_odds: float


@dataclass(frozen=True)
class PriceSettings:
    """What rebus squares cost, in nats, and how many must share a content. (Measured:
    docs/experiments/rebus-prices.md)"""

    rebus: float = 4.0
    content: float = 6.0
    square: float = 3.0
    """The prices of any rebus, of each content, of each square. The last is lower by the log of how many have the
    content already, down to `min_square`: the more do, the likelier is another (as in Polya's urn). By hand; what they
    do is measured."""

    min_square: float = 1.0

    sign: float = 2.0
    anagram: float = 2.0
    """The price of a content that is read of a sign, where one that is paid is, too, with two readings; and of one that
    has the letters of one that is paid, in another order, less the log of how many of those are paid. A guess; what the
    second does is measured."""

    set_member: float = 1.0
    min_set_contents: int = 2
    """The price of a content that goes with those that are paid, if so many are and no two squares have the same: this,
    and the log of how many go with them as well. Any new one is then cheaper by the log of how many are paid. By hand;
    what they do is measured."""

    min_two_way_squares: int = 3
    min_single_letter_squares: int = 5
    """How many squares must have a content that is another across than down, and one of a single letter each: one
    letter for another is mostly what one of the answers was changed by (measured)."""

    def select_proposals(
        self,
        proposals: Sequence[SquareProposal],
        squares: RebusSquares,
        puzzle: Puzzle,
        similarity_rank: SimilarityRank = no_similarity,
    ) -> list[SquareProposal]:
        """Select the proposals that are worth their price beside `squares`, content by content, the best first."""
        n_paid = Counter(map(canonical_content, squares.values()))
        by_content: dict[str, list[tuple[float, SquareProposal]]] = defaultdict(list)
        for proposal in proposals:
            content = canonical_content(proposal.content)
            if (gain := proposal.log_odds - self.next_square_price(n_paid[content]) * len(proposal.cells)) > 0:
                by_content[content].append((gain, proposal))
        slots_through = puzzle.grid.slots_through
        used: set[Slot] = set()
        selected: list[SquareProposal] = []
        while True:
            best, best_gain, price = list[SquareProposal](), 0.0, self._contents_price(n_paid, similarity_rank)
            for content, of_content in by_content.items():
                total, used_with, together = 0.0, set(used), list[SquareProposal]()
                for gain, proposal in sorted(of_content, key=lambda pair: (-pair[0], pair[1])):
                    slots = {slot for cell in proposal.cells for slot, _ in slots_through[cell]}
                    if not slots & used_with:
                        used_with |= slots
                        together.append(proposal)
                        total += gain
                if total <= best_gain or (content not in n_paid and len(together) < self.min_squares(content)):
                    continue
                total -= self._contents_price(n_paid + _count_contents(together), similarity_rank) - price
                if total > best_gain:
                    best, best_gain = together, total
            if not best:
                return selected
            selected += best
            n_paid += _count_contents(best)
            used |= {slot for proposal in best for cell in proposal.cells for slot, _ in slots_through[cell]}

    def min_squares(self, content: str) -> int:
        """Return how many squares must have such a content, at least."""
        if CONTENT_SEPARATOR not in content or content in TWO_WAY_SIGN_CONTENTS:
            return 1
        return (
            self.min_two_way_squares
            if max(map(len, content.split(CONTENT_SEPARATOR))) > 1
            else self.min_single_letter_squares
        )

    def single_content_price(self, content: str) -> float:
        """Return the price of a rebus with this content and no other, without its squares."""
        return self.rebus + self._content_price(content, (), None)

    def price_squares(self, squares: RebusSquares, similarity_rank: SimilarityRank = no_similarity) -> float:
        """Return the price of all `squares` together, in nats."""
        counts = Counter(map(canonical_content, squares.values()))
        squares_price = sum(self.next_square_price(i) for count in counts.values() for i in range(count))
        return self._contents_price(counts, similarity_rank) + squares_price

    def marginal_price(
        self, squares: RebusSquares, similarity_rank: SimilarityRank = no_similarity
    ) -> Callable[[SquareProposal], float]:
        """Return a function for the price of one square more.

        Its content is one of theirs or, where all differ, another; the price is inf where that may not be.
        """
        counts = Counter(map(canonical_content, squares.values()))
        paid = self.price_squares(squares, similarity_rank)

        def price(proposal: SquareProposal) -> float:
            if (content := canonical_content(proposal.content)) in counts:
                return self.next_square_price(counts[content])
            if len(counts) < max(len(squares), self.min_set_contents):
                return np.inf
            return self.price_squares({**squares, proposal.cells[0]: proposal.content}, similarity_rank) - paid

        return price

    def next_square_price(self, n_squares: int) -> float:
        """Return the price of a square with a content that `n_squares` have already."""
        return max(self.square - float(np.log(max(n_squares, 1))), self.min_square)

    def _contents_price(self, counts: Mapping[str, int], similarity_rank: SimilarityRank) -> float:
        """Return the price of a rebus with these contents, each in so many squares, without that of the squares.

        Signs are paid first, which make others cheap, and the rest in the order of `counts`: what goes with what is
        paid already depends on it.
        """
        contents = sorted(counts, key=lambda content: content not in TWO_WAY_SIGN_CONTENTS)
        rank = similarity_rank if max(counts.values(), default=0) == 1 else None
        prices = (self._content_price(content, contents[:i], rank) for i, content in enumerate(contents))
        return self.rebus * bool(counts) + sum(prices)

    def _content_price(self, content: str, paid: Sequence[str], similarity_rank: SimilarityRank | None) -> float:
        """Return the price of a content beside those that are paid; of one that is another across than down, of both.

        Both cost as much as one if a sign is read so. `similarity_rank` is None unless all squares differ: then any
        content is less strange than where some are the same.
        """
        if n_anagrams := sum(sorted(content) == sorted(other) for other in paid):
            return max(self.anagram - float(np.log(n_anagrams)), 0.0)
        if find_signs(content) and any(other in TWO_WAY_SIGN_CONTENTS for other in paid):
            return self.sign
        if CONTENT_SEPARATOR in content:
            return self.content if content in TWO_WAY_SIGN_CONTENTS else 2 * self.content
        if similarity_rank is None or len(paid) < self.min_set_contents:
            return self.content
        rank = similarity_rank(content, paid)
        price = self.content if rank is None else min(self.content, self.set_member + float(np.log(rank)))
        return max(price - float(np.log(len(paid))), 0.0)


def _count_contents(proposals: Sequence[SquareProposal]) -> Counter[str]:
    """Count the squares of each content."""
    return Counter(canonical_content(proposal.content) for proposal in proposals for _ in proposal.cells)
