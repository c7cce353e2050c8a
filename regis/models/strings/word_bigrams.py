"""Which words follow each other in clues: LOVE and CHILD do, LOSE and CHILD don't.

Pairs are known only by their hashed feature, or its upper half, and a count. So one can ask whether two words are a
pair, not which pairs there are.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.models.numeric import sorted_search
from regis.models.settings import STRINGS
from regis.models.text import clue_features

PairFeatures = NDArray[np.uint64] | NDArray[np.uint32]  # whole, or their upper halves


class WordBigrams(NamedTuple):
    """Pairs of words and their counts."""

    pairs: PairFeatures  # (pairs,), ascending
    pair_counts: NDArray[np.float32]  # (pairs,): how often each was met
    word_codes: NDArray[np.uint64]  # (words,): clue_features.hash_word of each
    word_counts: NDArray[np.float32]  # (words,): how often its stem was met in clues, next to whatever

    def succession_probability(
        self, first_words: NDArray[np.intp], second_words: NDArray[np.intp]
    ) -> NDArray[np.float32]:
        """Return P(the second | the first) of pairs of word numbers, (pairs,), 0 if never met."""
        pair_codes = clue_features.hash_pairs(self.word_codes[first_words], self.word_codes[second_words])
        places, is_known = sorted_search.find_sorted(self.pairs, match_width(pair_codes, self.pairs))
        counts = self.pair_counts[places] if len(self.pair_counts) else np.zeros(len(first_words), np.float32)
        probabilities = np.minimum(counts / (self.word_counts[first_words] + STRINGS.rarity_count), 1)
        return np.where(is_known, probabilities, 0).astype(np.float32)


def match_width(full_codes: NDArray[np.uint64], known_codes: PairFeatures) -> PairFeatures:
    """Return feature codes as wide as `known_codes`: whole, or their upper halves."""
    return clue_features.upper_halves(full_codes) if known_codes.dtype == np.uint32 else full_codes


def sum_by_feature(feature_codes: PairFeatures, counts: NDArray[Any]) -> tuple[PairFeatures, NDArray[np.float32]]:
    """Sum the counts of each feature: (distinct,) codes, ascending, and (distinct,) totals."""
    if not len(feature_codes):
        return feature_codes, np.zeros(0, np.float32)
    order = np.argsort(feature_codes, kind="stable")
    feature_codes = feature_codes[order]
    first = sorted_search.run_starts(feature_codes)
    totals = np.add.reduceat(counts[order].astype(np.float64), first)
    return feature_codes[first], totals.astype(np.float32)
