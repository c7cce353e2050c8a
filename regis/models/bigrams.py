"""Which words follow each other in what people write: LOVE and CHILD do, LOSE and CHILD do not.

Of a pair its number and a probability are kept, not the words, so that any pieces can be asked about.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from regis.models import lookup

Codes = NDArray[np.uint64]

_PRIME, _MIXED = np.uint64(0x100000001B3), np.uint64(0x9E3779B97F4A7C15)
_BITS, _HALF = np.uint64(16), np.uint64(32)  # that a pair's number is shorter by than 64; that are folded together


class Bigrams:
    """Pairs of words: `pairs`, (n,), their numbers, ascending, and `chances`, (n,), P(the second | the first)."""

    def __init__(self, pairs: Codes, chances: NDArray[np.float32]) -> None:
        self.pairs = pairs
        self.chances = chances

    @classmethod
    def of(cls, times: Mapping[tuple[str, str], int], used: Mapping[str, int]) -> Bigrams:
        """From how many times each pair was met, and each word."""
        first, second = (words(np.array([pair[i] for pair in times], "S")) for i in (0, 1))
        pairs = _numbers(first, second)
        chances = np.array([count / used[pair[0]] for pair, count in times.items()], np.float32)
        order = np.argsort(pairs, kind="stable")
        alone = np.append(True, np.diff(pairs[order]) > 0)[: len(order)]  # two of one number are one: that is rare
        return cls(pairs[order][alone], chances[order][alone])

    def following(self, first: Codes, second: Codes) -> NDArray[np.float32]:
        """P(each of the words `second` | that of `first` beside it), (words,), 0 where that is not known."""
        if not len(self.pairs):
            return np.zeros(len(first), np.float32)
        place, there = lookup.place(self.pairs, _numbers(first, second))
        return np.where(there, self.chances[place], np.float32(0))


def words(names: NDArray[np.bytes_]) -> Codes:
    """A number for each of these words."""
    letters = names.view(np.uint8).reshape(len(names), names.itemsize)
    found = np.zeros(len(names), np.uint64)
    for column in letters.T:
        found = np.where(column > 0, (found + column) * _PRIME, found)
    return _stirred(found)


def _numbers(first: Codes, second: Codes) -> Codes:
    """A number for each pair of words with these numbers."""
    return _stirred(first * _MIXED + second) >> _BITS


def _stirred(numbers: Codes) -> Codes:
    numbers = (numbers ^ (numbers >> _HALF)) * _MIXED
    return numbers ^ (numbers >> _HALF)
