"""Which words follow each other in what people write: LOVE and CHILD do, LOSE and CHILD do not.

Of a pair of words only its feature is known (models.text.clue_features), or the upper half of that, and how often it
was met. So it can be asked whether two words are a pair, not which pairs there are.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.models.numeric import sorted_search
from regis.models.text import clue_features

PairFeatures = NDArray[np.uint64] | NDArray[np.uint32]  # whole, or their upper halves

RARITY_COUNT = 20
"""As how many times more is a word taken to have been met, so that what was met once with a rare one, or only seems to
have been, says little? (Measured: docs/experiments/phrase-model.md.)"""


class WordBigrams(NamedTuple):
    """Pairs of some words: what was met, and how often."""

    pairs: PairFeatures  # (pairs,), ascending
    pair_counts: NDArray[np.float32]  # (pairs,): how often each was met
    word_codes: NDArray[np.uint64]  # (words,): clue_features.hash_word of each
    word_counts: NDArray[np.float32]  # (words,): how often its stem was met in clues, next to whatever

    def succession_probability(
        self, first_words: NDArray[np.intp], second_words: NDArray[np.intp]
    ) -> NDArray[np.float32]:
        """Say how likely one word comes behind another.

        Parameters
        ----------
        first_words, second_words : (pairs,) numbers of words.

        Returns
        -------
        (pairs,) P(the second | the first), 0 where they were never met.
        """
        pair_codes = clue_features.hash_pairs(self.word_codes[first_words], self.word_codes[second_words])
        places, is_known = sorted_search.find_sorted(self.pairs, match_width(pair_codes, self.pairs))
        counts = self.pair_counts[places] if len(self.pair_counts) else np.zeros(len(first_words), np.float32)
        probabilities = np.minimum(counts / (self.word_counts[first_words] + RARITY_COUNT), 1)
        return np.where(is_known, probabilities, 0).astype(np.float32)


def match_width(full_codes: NDArray[np.uint64], known_codes: PairFeatures) -> PairFeatures:
    """Return feature codes as wide as those that are known: whole, or their upper halves.

    Parameters
    ----------
    full_codes : (features,) whole.
    known_codes : any number of codes.

    Returns
    -------
    (features,).
    """
    return clue_features.upper_halves(full_codes) if known_codes.dtype == np.uint32 else full_codes


def sum_by_feature(feature_codes: PairFeatures, counts: NDArray[Any]) -> tuple[PairFeatures, NDArray[np.float32]]:
    """Count each feature once.

    Parameters
    ----------
    feature_codes : (features,) in any order, repeated.
    counts : (features,) how often each was met.

    Returns
    -------
    (distinct,) codes, ascending, and (distinct,) how often each was met altogether.
    """
    if not len(feature_codes):
        return feature_codes, np.zeros(0, np.float32)
    order = np.argsort(feature_codes, kind="stable")
    feature_codes = feature_codes[order]
    first = sorted_search.run_starts(feature_codes)
    totals = np.add.reduceat(counts[order].astype(np.float64), first)
    return feature_codes[first], totals.astype(np.float32)
