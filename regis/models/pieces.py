"""The pieces of a phrase model, and how well all of them fit in all places.

Pieces of one size lie together, their letters two by two: what two neighbouring cells make of any two letters is worked
out once for all pieces there. Where more is known of the cells, a tree (models.tree) finds those that fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.models import lookup
from regis.models.lookup import Places
from regis.models.tensors import Table
from regis.models.tree import HOPELESS, Fitting, Tree
from regis.puzzle import alphabet

LONGEST = 14  # letters of a word that becomes a piece, at most
LESS = 0.75  # to which power its uses count there; a guess
FLAT, POSSIBLE = 0.7, 1e-3
"""Which share of all letters must be so likely, each relative to its cell's likeliest, for all pieces to be looked at?
(Measured: docs/measured.md.)"""


def commonness(used: Table) -> Table:
    """How much words count that are `used` so often, when they become pieces: less than in proportion."""
    found: Table = used**LESS
    return found


class Sized(NamedTuple):
    """The pieces of one size, in the order of the alphabet."""

    size: int
    piece: Places  # which each is
    letters: list[Places]  # two by two (alphabet.paired), (pieces,) each


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
    def _sized(self) -> list[Sized]:
        """All pieces, the shortest first."""
        sizes = self.sizes[self._order]
        found = []
        for size in lookup.distinct(sizes).tolist():
            piece = self._order[sizes == size]
            found.append(Sized(size, piece, alphabet.paired(self.letters(piece, size))))
        return found

    def letters(self, pieces: Places, size: int) -> Places:
        """The letters of some pieces of one size, (pieces, size)."""
        return self._bytes[pieces, :size].astype(np.intp) - alphabet.FIRST

    @cached_property
    def _tree(self) -> Tree:
        return Tree(self._bytes, self._order)

    def fitting(self, seen: Table) -> Fitting:
        """All pieces in all places in which they are not hopeless, but for those that fill all cells.

        `seen`, (cells, 26), is what is known of each cell, the likeliest letter 1.
        """
        if np.count_nonzero(seen > POSSIBLE) < FLAT * seen.size:
            return self._tree.fitting(seen)
        double = (seen[:-1, :, None] * seen[1:, None, :]).reshape(-1, alphabet.LETTERS**2)
        found = []
        for size, piece, letters in self._sized:
            if (places := len(seen) + 1 - size) > 1:
                worth = [double[i : i + places] for i in range(0, size - 1, 2)] + [seen[size - 1 :]] * (size % 2)
                fit: Table = worth[0].take(letters[0], axis=1)
                for table, its in zip(worth[1:], letters[1:], strict=True):
                    fit *= table.take(its, axis=1)
                alive = np.flatnonzero(fit > HOPELESS)
                start = np.repeat(np.arange(places), len(piece)).take(alive)
                which = np.tile(piece, places).take(alive)
                found.append(Fitting(start, np.full(len(alive), size), which, fit.take(alive)))
        return Fitting.joined(found)
