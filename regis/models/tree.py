"""Pieces as a tree of their letters, in which all places of all pieces are looked at together.

Pieces that begin alike share what is worked out for their beginning, and none is looked at any further once its letters
are hopeless. A step down the tree is taken for every beginning in every cell at once. Where little is known of the
cells, next to nothing is hopeless, and looking at all pieces (models.pieces) is quicker.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.models import lookup
from regis.models.lookup import Places
from regis.models.tensors import Table
from regis.puzzle import alphabet

HOPELESS = 1e-6
"""To how little may a piece's letters multiply, each relative to its cell's likeliest? (Measured: docs/measured.md.)"""


class Level(NamedTuple):
    """The different beginnings of one size, in the order of the alphabet."""

    letters: Places  # (beginnings,): the last letter of each
    piece: Places  # (beginnings,): which piece each is, -1 for none
    longer: Places  # (beginnings + 1,): where those that go on with one more letter begin in the next level


class Fitting(NamedTuple):
    """Pieces in their places, the shortest first: parallel arrays."""

    start: Places
    size: Places
    piece: Places
    fit: Table  # how well its letters fit, the likeliest 1

    @staticmethod
    def joined(several: Sequence[Fitting]) -> Fitting:
        none = np.zeros(0, np.intp)
        start, size, piece, fit = zip((none, none, none, np.zeros(0)), *several, strict=True)
        return Fitting(np.concatenate(start), np.concatenate(size), np.concatenate(piece), np.concatenate(fit))


class Tree:
    """The tree of pieces, each given as the numbers of its letters."""

    def __init__(self, table: NDArray[np.uint8], order: Places) -> None:
        """`table`, (pieces, letters of the longest), is of bytes, 0 behind a piece's end; `order` the alphabet's."""
        self._levels = _levels(table[order], order)

    def fitting(self, seen: Table) -> Fitting:
        """All pieces in all places in which they are not hopeless, but for those that fill all cells.

        `seen`, (cells, 26), is what is known of each cell, the likeliest letter 1.
        """
        found = list[Fitting]()
        flat, longer = seen.ravel(), np.zeros(0, np.intp)
        for size, level in enumerate(self._levels[: len(seen) - 1], 1):
            if size == 1:
                cell, node = (places.ravel() for places in np.indices((len(seen), len(level.letters))))
                place = level.letters.take(node) + 26 * cell
                fit = flat.take(place)
            else:
                low, high = longer.take(node), longer.take(node + 1)
                before, node = lookup.spread(low, np.where(cell + 1 < len(seen), high, low))
                place = (26 * cell + 26).take(before)
                place += level.letters.take(node)
                fit = fit.take(before)
                fit *= flat.take(place)
            alive = np.flatnonzero(fit > HOPELESS)
            if not len(alive):
                break
            if len(alive) < len(fit):
                place, node, fit = place.take(alive), node.take(alive), fit.take(alive)
            cell = place // 26  # in which each ends
            piece, longer = level.piece.take(node), level.longer
            done = np.flatnonzero(piece >= 0)
            start = cell.take(done) + 1 - size
            found.append(Fitting(start, np.full(len(done), size), piece.take(done), fit.take(done)))
        return Fitting.joined(found)


def _levels(table: NDArray[np.uint8], order: Places) -> list[Level]:
    """The tree of rows in the order of the alphabet, the shortest beginnings first."""
    sizes = (table > 0).sum(axis=1)
    longest = int(sizes.max(initial=0))
    different = np.ones((len(table), longest), bool)
    np.logical_or.accumulate(table[1:, :longest] != table[:-1, :longest], axis=1, out=different[1:])
    first = [np.flatnonzero(different[:, i] & (sizes > i)) for i in range(longest)]  # with each beginning
    levels = []
    for i, rows in enumerate(first):
        piece = np.where(sizes[rows] == i + 1, order[rows], -1)
        after = first[i + 1] if i + 1 < longest else rows[:0]
        longer = np.searchsorted(after, np.append(rows, len(table)))
        letters = table[rows, i] - alphabet.FIRST
        levels.append(Level(*(values.astype(np.intp) for values in (letters, piece, longer))))
    return levels
