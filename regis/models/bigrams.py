"""Which words follow each other in what people write: LOVE and CHILD do, LOSE and CHILD do not.

Of a pair of words only its feature is known (models.features), or the upper half of that, and how often it was met. So
it can be asked whether two words are a pair, not which pairs there are.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.models import features, lookup

Features = NDArray[np.uint64] | NDArray[np.uint32]  # whole, or their upper halves


RARE = 20
"""As how many times more is a word taken to have been met, so that what was met once with a rare one, or only seems to
have been, says little? (Measured: docs/measured.md.)"""


class Bigrams(NamedTuple):
    """Pairs of some words: what was met, and how often."""

    pairs: Features  # (pairs,), ascending
    times: NDArray[np.float32]  # (pairs,): how often each was met
    codes: NDArray[np.uint64]  # (words,): features.code of each word
    used: NDArray[np.float32]  # (words,): how often its stem was met in clues, next to whatever

    def following(self, first: NDArray[np.intp], second: NDArray[np.intp]) -> NDArray[np.float32]:
        """How likely each of the words `second` is behind that of `first` beside it, 0 where they were never met."""
        wanted = like(features.pairs(self.codes[first], self.codes[second]), self.pairs)
        place, there = lookup.place(self.pairs, wanted)
        times = self.times[place] if len(self.times) else np.zeros(len(first), np.float32)
        return np.where(there, np.minimum(times / (self.used[first] + RARE), 1), 0).astype(np.float32)


def like(whole: NDArray[np.uint64], known: Features) -> Features:
    """Features `whole`, or their upper halves where `known` are."""
    return features.short(whole) if known.dtype == np.uint32 else whole


def summed(found: Features, times: NDArray[Any]) -> tuple[Features, NDArray[np.float32]]:
    """Each of the features `found` once, ascending, and how often it was met altogether."""
    order = np.argsort(found, kind="stable")
    found = found[order]
    first = lookup.begins(found)
    total = np.add.reduceat(times[order].astype(np.float64), first)
    return found[first], total.astype(np.float32)
