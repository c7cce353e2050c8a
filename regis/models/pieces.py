"""The pieces of a phrase model as a tree of their letters, in which all places of all pieces are looked at together.

Pieces that begin alike share what is worked out for their beginning, and none is looked at any further once its letters
are hopeless. A step down the tree is taken for every beginning in every cell at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.models import lookup
from regis.puzzle import alphabet

LONGEST = 14  # letters of a word that becomes a piece, at most
LESS = 0.75  # to which power its uses count there; a guess
HOPELESS = 1e-6
"""To how little may a piece's letters multiply, each relative to its cell's likeliest? (Measured: docs/measured.md.)"""

Table = NDArray[np.float64]
Places = NDArray[np.intp]


def commonness(used: Table) -> Table:
    """How much words count that are `used` so often, when they become pieces: less than in proportion."""
    found: Table = used**LESS
    return found


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

    def take(self, some: Places) -> Fitting:
        return Fitting(self.start[some], self.size[some], self.piece[some], self.fit[some])

    @staticmethod
    def joined(several: Sequence[Fitting]) -> Fitting:
        none = np.zeros(0, np.intp)
        start, size, piece, fit = zip((none, none, none, np.zeros(0)), *several, strict=True)
        return Fitting(np.concatenate(start), np.concatenate(size), np.concatenate(piece), np.concatenate(fit))


class Pieces:
    """The pieces of one or several models: `chances`, (3, pieces), of each as the first, a middle and the last one."""

    def __init__(self, names: Sequence[str] | NDArray[np.bytes_], chances: Table) -> None:
        """In capitals; no piece may be there twice. Where they are in the order of the alphabet, it is quicker."""
        self.names = np.asarray(names, "S")
        self.chances = chances

    @cached_property
    def together(self) -> Table:
        """The chances of all pieces together as each kind, (3,)."""
        found: Table = self.chances.sum(axis=1)
        return found

    @cached_property
    def sizes(self) -> Places:
        """How many letters each piece has, (pieces,)."""
        sizes: Places = (self._bytes > 0).sum(axis=1)
        return sizes

    @property
    def _bytes(self) -> NDArray[np.uint8]:
        return self.names.view(np.uint8).reshape(len(self.names), self.names.itemsize)

    @cached_property
    def _order(self) -> Places:
        return np.argsort(self.names, kind="stable")

    @cached_property
    def _sorted(self) -> NDArray[np.bytes_]:
        return self.names[self._order]

    @property
    def distinct(self) -> bool:
        """Whether no piece is there twice."""
        return bool((self._sorted[1:] != self._sorted[:-1]).all())

    def find(self, strings: Sequence[str]) -> Places:
        """Which piece each of `strings` is, (strings,); -1 for none."""
        place, there = lookup.place(self._sorted, np.array(strings, "S"))
        return np.where(there, self._order[place], -1) if len(self.names) else np.full(len(strings), -1)

    @cached_property
    def levels(self) -> list[Level]:
        """The tree, the shortest beginnings first."""
        order = self._order
        table, sizes = self._bytes[order], self.sizes[order]
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

    def letters(self, pieces: Places, size: int) -> Places:
        """The letters of some pieces of one size, (pieces, size)."""
        return self._bytes[pieces, :size].astype(np.intp) - alphabet.FIRST

    def fitting(self, seen: Table) -> Fitting:
        """All pieces in all places in which they are not hopeless, but for those that fill all cells.

        `seen`, (cells, 26), is what is known of each cell, the likeliest letter 1.
        """
        found = list[Fitting]()
        flat, longer = seen.ravel(), np.zeros(0, np.intp)
        for size, level in enumerate(self.levels[: len(seen) - 1], 1):
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
