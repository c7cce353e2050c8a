"""The pieces of a phrase model, and how well they fit in every position.

With little evidence, `PieceTable` scores all pieces; pieces of one size share products of letter pairs. With more
evidence, a trie finds the pieces that fit: pieces with a common beginning share its score, and hopeless ones are
dropped early. The search goes down one level of the trie for all cells at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.models import arrays
from regis.models.arrays import Float64Array, Positions
from regis.models.settings import STRINGS
from regis.puzzle import alphabet


class TrieLevel(NamedTuple):
    """The distinct beginnings of one size, in alphabetical order."""

    letters: Positions  # (beginnings,): the last letter
    piece_numbers: Positions  # (beginnings,): the piece's number, -1 if it isn't a piece
    next_nodes: Positions  # (beginnings + 1,): where the longer beginnings start in the next level


class PieceFits(NamedTuple):
    """Pieces in their positions, the shortest first: parallel arrays, (fits,)."""

    start: Positions
    size: Positions
    piece: Positions
    fit: Float64Array  # how well the letters fit; 1 if each is the likeliest

    @staticmethod
    def concat_fits(fit_groups: Sequence[PieceFits]) -> PieceFits:
        none = np.zeros(0, np.intp)
        start, size, piece, fit = zip((none, none, none, np.zeros(0)), *fit_groups, strict=True)
        return PieceFits(np.concatenate(start), np.concatenate(size), np.concatenate(piece), np.concatenate(fit))


class PieceTrie:
    def __init__(self, letter_table: NDArray[np.uint8], alphabet_order: Positions) -> None:
        """Build the trie from ASCII letters, (pieces, longest) padded with 0, and their alphabetical order."""
        self._levels = _make_levels(letter_table[alphabet_order], alphabet_order)

    def find_fits(self, cell_evidence: Float64Array) -> PieceFits:
        """Find all pieces that may fit in each position, except those that fill all cells.

        `cell_evidence` is (cells, 26), relative to the likeliest letter.
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
                parent, node = arrays.expand_ranges(low, np.where(cell + 1 < len(cell_evidence), high, low))
                evidence_place = (26 * cell + 26).take(parent)
                evidence_place += level.letters.take(node)
                fit = fit.take(parent)
                fit *= flat_evidence.take(evidence_place)
            alive = np.flatnonzero(fit > STRINGS.min_piece_fit)
            if not len(alive):
                break
            if len(alive) < len(fit):
                evidence_place, node, fit = evidence_place.take(alive), node.take(alive), fit.take(alive)
            cell = evidence_place // 26  # the last cell of each
            piece, next_nodes = level.piece_numbers.take(node), level.next_nodes
            complete = np.flatnonzero(piece >= 0)
            start = cell.take(complete) + 1 - size
            fits.append(PieceFits(start, np.full(len(complete), size), piece.take(complete), fit.take(complete)))
        return PieceFits.concat_fits(fits)


def _make_levels(letter_table: NDArray[np.uint8], alphabet_order: Positions) -> list[TrieLevel]:
    """Make the trie's levels from rows in alphabetical order, the shortest beginnings first."""
    sizes = (letter_table > 0).sum(axis=1)
    longest = int(sizes.max(initial=0))
    is_different = np.ones((len(letter_table), longest), bool)
    np.logical_or.accumulate(letter_table[1:, :longest] != letter_table[:-1, :longest], axis=1, out=is_different[1:])
    first_rows = [np.flatnonzero(is_different[:, i] & (sizes > i)) for i in range(longest)]  # of each beginning
    levels = []
    for i, rows in enumerate(first_rows):
        piece = np.where(sizes[rows] == i + 1, alphabet_order[rows], -1)
        after = first_rows[i + 1] if i + 1 < longest else rows[:0]
        longer = np.searchsorted(after, np.append(rows, len(letter_table)))
        letters = letter_table[rows, i] - alphabet.ASCII_A
        levels.append(TrieLevel(*(values.astype(np.intp) for values in (letters, piece, longer))))
    return levels


def damp_counts(use_counts: Float64Array) -> Float64Array:
    damped: Float64Array = use_counts**STRINGS.count_power
    return damped


class PiecesOfSize(NamedTuple):
    """The pieces of one size, in alphabetical order."""

    size: int
    piece_numbers: Positions  # (pieces,)
    letter_pairs: list[Positions]  # (pieces,) each: pairs of letters (alphabet.letter_pairs)


class PieceTable:
    """The pieces of one or several models, with their probabilities as first, middle, and last piece."""

    def __init__(self, strings: Sequence[str] | NDArray[np.bytes_], piece_probabilities: Float64Array) -> None:
        """Take distinct pieces in capitals (alphabetical order is fastest) and their probabilities, (3, pieces)."""
        self.strings = np.asarray(strings, "S")
        self.piece_probabilities = piece_probabilities

    @cached_property
    def piece_sizes(self) -> Positions:
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
        return bool((self._sorted[1:] != self._sorted[:-1]).all())

    def find_pieces(self, strings: Sequence[str]) -> Positions:
        """Return the number of each string's piece, (strings,), -1 if it isn't a piece."""
        places, is_piece = arrays.find_sorted(self._sorted, np.array(strings, "S"))
        return np.where(is_piece, self._order[places], -1) if len(self.strings) else np.full(len(strings), -1)

    @cached_property
    def _by_size(self) -> list[PiecesOfSize]:
        sizes = self.piece_sizes[self._order]
        groups = []
        for size in arrays.unique_sorted(sizes).tolist():
            piece = self._order[sizes == size]
            groups.append(PiecesOfSize(size, piece, alphabet.letter_pairs(self.piece_letters(piece, size))))
        return groups

    def piece_letters(self, pieces: Positions, size: int) -> Positions:
        """Return the letters of pieces of one size, (pieces, size) 0 to 25."""
        return self._bytes[pieces, :size].astype(np.intp) - alphabet.ASCII_A

    @cached_property
    def _trie(self) -> PieceTrie:
        return PieceTrie(self._bytes, self._order)

    def find_fits(self, cell_evidence: Float64Array) -> PieceFits:
        """Find all pieces that may fit in each position, in the faster of two ways."""
        if np.count_nonzero(cell_evidence > STRINGS.min_open_letter) < STRINGS.min_open_share * cell_evidence.size:
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
                alive = np.flatnonzero(fit > STRINGS.min_piece_fit)
                start = np.repeat(np.arange(n_starts), len(piece)).take(alive)
                which = np.tile(piece, n_starts).take(alive)
                fits.append(PieceFits(start, np.full(len(alive), size), which, fit.take(alive)))
        return PieceFits.concat_fits(fits)
