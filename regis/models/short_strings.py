"""All strings of up to four letters that are in no list, one by one.

There are few of them, and lists have most of those that look like words: nine tenths of what the letter model thinks of
three letters. What is left is mostly put together otherwise, as MMO and TBT are, so that the letter model counts less
the shorter a string is (POWERS). Sums over all strings are products of a slot's first half, a matrix and its second
half; nothing is cut.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from regis.models.ngram import LetterModel
from regis.models.tensors import Floats, Table
from regis.puzzle.alphabet import LETTERS

POWERS = {2: 0.35, 3: 0.35, 4: 0.5}
"""To which power, by length, is the letter model's probability taken? (Measured: docs/measured.md.)"""

LISTED = 1e-4  # by which factor what is listed is less likely, as far as a list may lack it
TINY = 1e-30  # the least weight, which has a logarithm


@dataclass(frozen=True)
class ShortStrings:
    """The strings of each of the lengths in POWERS, by the model `letters`; `listed` says which of a length are not
    meant, (strings, length)."""

    letters: LetterModel
    listed: Callable[[int], NDArray[np.uint8]]
    _tables: dict[int, Floats] = field(default_factory=dict, init=False, repr=False, compare=False)

    def posterior(self, evidence: Table) -> tuple[Table, Table]:
        """What is made of `evidence` about each cell, (slots, cells, 26), non-negative.

        The natural log of each slot's weight, relative to all strings, (slots,), and the letters' probabilities.
        """
        table = self._table(evidence.shape[1])
        scale = np.maximum(evidence.max(axis=2, keepdims=True), TINY)
        seen = (evidence / scale).astype(np.float32)
        middle = evidence.shape[1] // 2
        first, second = _together(seen[:, :middle]), _together(seen[:, middle:])
        firsts, seconds = first * (second @ table.T), second * (first @ table)
        total = firsts.sum(axis=1, dtype=np.float64)
        letters = np.concatenate([_apart(firsts, middle), _apart(seconds, seen.shape[1] - middle)], axis=1)
        letters = np.where(total[:, None, None] > 0, letters / np.maximum(total, TINY)[:, None, None], 1 / LETTERS)
        return np.log(np.maximum(total, TINY)) + np.log(scale).sum(axis=(1, 2)), letters

    def string(self, codes: NDArray[np.uint8]) -> float:
        """Natural log probability of one string among those of its length."""
        every = self._table(len(codes)).reshape([LETTERS] * len(codes))
        return float(np.log(every[tuple(codes)]))

    def _table(self, length: int) -> Floats:
        """How likely each string is, by the numbers of its first half and its second."""
        if length not in self._tables:
            some = self.letters.flattened(POWERS[length]).every(length)
            some[tuple(self.listed(length).T)] *= LISTED
            middle = length // 2
            self._tables[length] = (some / some.sum()).reshape(LETTERS**middle, -1).astype(np.float32)
        return self._tables[length]


def _together(seen: Floats) -> Floats:
    """The evidence about every string of one cell or two, (slots, 26 or 676); `seen` is (slots, cells, 26)."""
    if seen.shape[1] == 1:
        return seen[:, 0]
    return (seen[:, 0, :, None] * seen[:, 1, None, :]).reshape(len(seen), LETTERS**2)


def _apart(strings: Floats, cells: int) -> Table:
    """What strings of one cell or two come to letter by letter, (slots, cells, 26)."""
    both = strings.reshape(len(strings), *[LETTERS] * cells)
    sums = [both] if cells == 1 else [both.sum(axis=2), both.sum(axis=1)]
    return np.stack(sums, axis=1).astype(np.float64)
