"""The pieces of a phrase model, and how well all of them fit in all places.

Pieces of one size lie together, their letters two by two: what two neighbouring cells make of any two letters is worked
out once for all pieces there. Those whose first letters are hopeless are looked at no further.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.models import lookup
from regis.models.tensors import Floats
from regis.puzzle import alphabet

LONGEST = 14  # letters of a word that becomes a piece, at most
LESS = 0.75  # to which power its uses count there; a guess
HOPELESS = np.float32(1e-6)
"""To how little must a piece's first letters multiply, each relative to its cell's likeliest, for it to be passed over?
(Measured: docs/measured.md.)"""

LETTERS = 26

Table = NDArray[np.float64]
Places = NDArray[np.intp]


def commonness(used: Table) -> Table:
    """How much words count that are `used` so often, when they become pieces: less than in proportion."""
    found: Table = used**LESS
    return found


class Sized(NamedTuple):
    """The pieces of one size, in the order of the alphabet."""

    piece: Places  # which each is
    letters: list[Places]  # two letters each, (pieces,), 26 times the first plus the second; an odd one alone
    begin: Places  # (676 + 1,) or, for one letter, (26 + 1,): where those begin whose first two letters are these


class Fit(NamedTuple):
    """The pieces that fit in one place, from `start` to `end`."""

    start: int
    end: int
    piece: Places  # which they are, (pieces,),
    fit: Floats  # and how well the letters of each fit, the likeliest 1


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
    def short(self) -> Floats:
        """The chances in half the digits."""
        return self.chances.astype(np.float32)

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
            columns = list(self.letters(piece, size).T)
            both = zip(columns[::2], columns[1::2], strict=False)
            pairs = [first * LETTERS + second for first, second in both]
            letters = [np.ascontiguousarray(column) for column in pairs + columns[2 * len(pairs) :]]
            begin = np.searchsorted(letters[0], np.arange(LETTERS ** min(size, 2) + 1))
            found.append(Sized(piece, letters, begin))
        return found

    def letters(self, pieces: Places, size: int) -> Places:
        """The letters of some pieces of one size, (pieces, size)."""
        return self._bytes[pieces, :size].astype(np.intp) - alphabet.FIRST

    def fitting(self, seen: Table) -> Iterator[Fit]:
        """All pieces in all places, the shortest first, but for those that fill all cells; some hopeless ones as well.

        `seen`, (cells, 26), is what is known of each cell, the likeliest letter 1.
        """
        single = seen.astype(np.float32)
        pairs = (single[:-1, :, None] * single[1:, None, :]).reshape(-1, LETTERS**2)
        for sized in self._sized:
            size = int(self.sizes[sized.piece[0]])
            for end in range(size, len(seen) + 1) if size < len(seen) else ():
                start = end - size
                worth = [*pairs[start : end - 1 : 2], *single[end - size % 2 : end]]
                some, fit = _fitting(sized, worth)
                yield Fit(start, end, sized.piece if some is None else sized.piece.take(some), fit)


def _fitting(sized: Sized, worth: Sequence[Floats]) -> tuple[Places | None, Floats]:
    """Which of the pieces fit, None for all, and how well each; `worth` is what each two letters are, or an odd one."""
    begin, (first, *others) = sized.begin, worth
    alive = np.flatnonzero(first > HOPELESS)
    low, high = begin.take(alive), begin.take(alive + 1)
    some = lookup.spread(low, high)[1] if 2 * int((high - low).sum()) < len(sized.piece) else None
    fit: Floats = _of(first, sized.letters[0], some)
    for table, letters in zip(others, sized.letters[1:], strict=True):
        alive = np.flatnonzero(fit > HOPELESS)
        if 2 * len(alive) < len(fit):
            some, fit = alive if some is None else some.take(alive), fit.take(alive)
        fit *= _of(table, letters, some)
    return some, fit


def _of(table: Floats, letters: Places, some: Places | None) -> Floats:
    """What the letters of some pieces, None for all, are worth."""
    return table.take(letters if some is None else letters.take(some))
