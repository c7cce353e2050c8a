"""A trie: pieces as a tree of their letters, in which all places of all pieces are looked at together.

Pieces that begin alike share what is worked out for their beginning, and none is looked at any further once its letters
are hopeless. A step down the tree is taken for every beginning in every cell at once. Where little is known of the
cells, next to nothing is hopeless, and looking at all pieces (models.strings.pieces) is quicker.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.models.numeric import sorted_search
from regis.models.numeric.arrays import Float64Array, Positions
from regis.puzzle import alphabet

MIN_PIECE_FIT = 1e-6
"""To how little may a piece's letters multiply, each relative to its cell's likeliest? (Measured:
docs/experiments/phrase-search.md.)"""


class TrieLevel(NamedTuple):
    """The different beginnings of one size, in the order of the alphabet."""

    letters: Positions  # (beginnings,): the last letter of each
    piece_numbers: Positions  # (beginnings,): which piece each is, -1 for none
    next_nodes: Positions  # (beginnings + 1,): where those that go on with one more letter begin in the next level


class PieceFits(NamedTuple):
    """Pieces in their places, the shortest first: parallel arrays, (fits,) each."""

    start: Positions
    size: Positions
    piece: Positions
    fit: Float64Array  # how well its letters fit, the likeliest 1

    @staticmethod
    def concat_fits(fit_groups: Sequence[PieceFits]) -> PieceFits:
        """Put groups of fits behind each other; none is as good as any."""
        none = np.zeros(0, np.intp)
        start, size, piece, fit = zip((none, none, none, np.zeros(0)), *fit_groups, strict=True)
        return PieceFits(np.concatenate(start), np.concatenate(size), np.concatenate(piece), np.concatenate(fit))


class PieceTrie:
    """The trie of pieces, each given by its letters."""

    def __init__(self, letter_table: NDArray[np.uint8], alphabet_order: Positions) -> None:
        """Grow the trie.

        Parameters
        ----------
        letter_table : (pieces, letters of the longest) ASCII, 0 behind a piece's end.
        alphabet_order : (pieces,) the rows in the order of the alphabet.
        """
        self._levels = _make_levels(letter_table[alphabet_order], alphabet_order)

    def find_fits(self, cell_evidence: Float64Array) -> PieceFits:
        """Find all pieces in all places in which they are not hopeless, but for those that fill all cells.

        Parameters
        ----------
        cell_evidence : (cells, 26) what is known of each cell, the likeliest letter 1.
        """
        fits = list[PieceFits]()
        flat_evidence, next_nodes = cell_evidence.ravel(), np.zeros(0, np.intp)
        for size, level in enumerate(self._levels[: len(cell_evidence) - 1], 1):
            if size == 1:
                cell, node = (places.ravel() for places in np.indices((len(cell_evidence), len(level.letters))))
                evidence_place = level.letters.take(node) + 26 * cell
                fit = flat_evidence.take(evidence_place)
            else:
                low, high = next_nodes.take(node), next_nodes.take(node + 1)
                parent, node = sorted_search.expand_ranges(low, np.where(cell + 1 < len(cell_evidence), high, low))
                evidence_place = (26 * cell + 26).take(parent)
                evidence_place += level.letters.take(node)
                fit = fit.take(parent)
                fit *= flat_evidence.take(evidence_place)
            alive = np.flatnonzero(fit > MIN_PIECE_FIT)
            if not len(alive):
                break
            if len(alive) < len(fit):
                evidence_place, node, fit = evidence_place.take(alive), node.take(alive), fit.take(alive)
            cell = evidence_place // 26  # in which each ends
            piece, next_nodes = level.piece_numbers.take(node), level.next_nodes
            complete = np.flatnonzero(piece >= 0)
            start = cell.take(complete) + 1 - size
            fits.append(PieceFits(start, np.full(len(complete), size), piece.take(complete), fit.take(complete)))
        return PieceFits.concat_fits(fits)


def _make_levels(letter_table: NDArray[np.uint8], alphabet_order: Positions) -> list[TrieLevel]:
    """Make the trie's levels of rows in the order of the alphabet, the shortest beginnings first."""
    sizes = (letter_table > 0).sum(axis=1)
    longest = int(sizes.max(initial=0))
    is_different = np.ones((len(letter_table), longest), bool)
    np.logical_or.accumulate(letter_table[1:, :longest] != letter_table[:-1, :longest], axis=1, out=is_different[1:])
    first_rows = [np.flatnonzero(is_different[:, i] & (sizes > i)) for i in range(longest)]  # with each beginning
    levels = []
    for i, rows in enumerate(first_rows):
        piece = np.where(sizes[rows] == i + 1, alphabet_order[rows], -1)
        after = first_rows[i + 1] if i + 1 < longest else rows[:0]
        longer = np.searchsorted(after, np.append(rows, len(letter_table)))
        letters = letter_table[rows, i] - alphabet.ASCII_A
        levels.append(TrieLevel(*(values.astype(np.intp) for values in (letters, piece, longer))))
    return levels
