"""The pieces of a phrase model, and how well all of them fit in all places.

Pieces of one size lie together, their letters two by two: what two neighbouring cells make of any two letters is worked
out once for all pieces there. Where more is known of the cells, a tree (models.strings.trie) finds those that fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.models.numeric import sorted_search
from regis.models.numeric.arrays import Float64Array, Positions
from regis.models.strings.trie import MIN_PIECE_FIT, PieceFits, PieceTrie
from regis.puzzle import alphabet

MAX_PIECE_LETTERS = 14  # letters of a word that becomes a piece, at most
COUNT_POWER = 0.75  # to which power its uses count there; a guess
MIN_OPEN_SHARE = 0.7
MIN_OPEN_LETTER = 1e-3
"""Which share of all letters must be so likely, each relative to its cell's likeliest, for all pieces to be looked at?
(Measured: docs/experiments/phrase-search.md.)"""


def damp_counts(use_counts: Float64Array) -> Float64Array:
    """Say how much words count as pieces: less than in proportion to their use.

    Parameters
    ----------
    use_counts : (words,).

    Returns
    -------
    (words,).
    """
    damped: Float64Array = use_counts**COUNT_POWER
    return damped


class PiecesOfSize(NamedTuple):
    """The pieces of one size, in the order of the alphabet."""

    size: int
    piece_numbers: Positions  # (pieces,) which each is
    letter_pairs: list[Positions]  # (pieces,) each: the letters two by two (alphabet.letter_pairs)


class PieceTable:
    """The pieces of one or several models, with the probability of each as the first, a middle and the last one."""

    def __init__(self, strings: Sequence[str] | NDArray[np.bytes_], piece_probabilities: Float64Array) -> None:
        """Take the pieces.

        Parameters
        ----------
        strings : (pieces,) in capitals, each once; in the order of the alphabet it is quicker.
        piece_probabilities : (3, pieces).
        """
        self.strings = np.asarray(strings, "S")
        self.piece_probabilities = piece_probabilities

    @cached_property
    def piece_sizes(self) -> Positions:
        """Return how many letters each piece has, (pieces,)."""
        sizes: Positions = (self._bytes > 0).sum(axis=1)
        return sizes

    @property
    def _bytes(self) -> NDArray[np.uint8]:
        return self.strings.view(np.uint8).reshape(len(self.strings), self.strings.itemsize)

    @cached_property
    def _order(self) -> Positions:
        return np.argsort(self.strings, kind="stable")

    @cached_property
    def _sorted(self) -> NDArray[np.bytes_]:
        return self.strings[self._order]

    @property
    def has_distinct_pieces(self) -> bool:
        """Return whether no piece is there twice."""
        return bool((self._sorted[1:] != self._sorted[:-1]).all())

    def find_pieces(self, strings: Sequence[str]) -> Positions:
        """Find which piece each string is.

        Parameters
        ----------
        strings : in capitals.

        Returns
        -------
        (strings,); -1 for none.
        """
        places, is_piece = sorted_search.find_sorted(self._sorted, np.array(strings, "S"))
        return np.where(is_piece, self._order[places], -1) if len(self.strings) else np.full(len(strings), -1)

    @cached_property
    def _by_size(self) -> list[PiecesOfSize]:
        sizes = self.piece_sizes[self._order]
        groups = []
        for size in sorted_search.unique_sorted(sizes).tolist():
            piece = self._order[sizes == size]
            groups.append(PiecesOfSize(size, piece, alphabet.letter_pairs(self.piece_letters(piece, size))))
        return groups

    def piece_letters(self, pieces: Positions, size: int) -> Positions:
        """Return the letters of some pieces of one size.

        Parameters
        ----------
        pieces : (pieces,) which.
        size : of each.

        Returns
        -------
        (pieces, size) 0 to 25.
        """
        return self._bytes[pieces, :size].astype(np.intp) - alphabet.ASCII_A

    @cached_property
    def _trie(self) -> PieceTrie:
        return PieceTrie(self._bytes, self._order)

    def find_fits(self, cell_evidence: Float64Array) -> PieceFits:
        """Find all pieces that are not hopeless in all their places, as `PieceTrie.find_fits` does."""
        if np.count_nonzero(cell_evidence > MIN_OPEN_LETTER) < MIN_OPEN_SHARE * cell_evidence.size:
            return self._trie.find_fits(cell_evidence)
        pair_evidence = cell_evidence[:-1, :, None] * cell_evidence[1:, None, :]
        pair_evidence = pair_evidence.reshape(-1, alphabet.ALPHABET_SIZE**2)
        fits = []
        for size, piece, letters in self._by_size:
            if (n_starts := len(cell_evidence) + 1 - size) > 1:
                tables = [pair_evidence[i : i + n_starts] for i in range(0, size - 1, 2)]
                tables += [cell_evidence[size - 1 :]] * (size % 2)
                fit: Float64Array = tables[0].take(letters[0], axis=1)
                for table, pair_letters in zip(tables[1:], letters[1:], strict=True):
                    fit *= table.take(pair_letters, axis=1)
                alive = np.flatnonzero(fit > MIN_PIECE_FIT)
                start = np.repeat(np.arange(n_starts), len(piece)).take(alive)
                which = np.tile(piece, n_starts).take(alive)
                fits.append(PieceFits(start, np.full(len(alive), size), which, fit.take(alive)))
        return PieceFits.concat_fits(fits)
