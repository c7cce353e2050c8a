"""The word stems and word pairs of each answer's past clues, in an index without clue texts.

A feature (models.text.clue_features) is stored as the upper half of its hash. The index doesn't store which features
occurred together, but all features of an answer with one clue come from that clue. So only word pairs of several clues
are kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.index.tables.partition import Partition
from regis.models import arrays
from regis.models.text import clue_features


class FeatureAnswers(NamedTuple):
    """Features of clues, each with an answer: parallel arrays in any order."""

    features: NDArray[np.uint32]  # upper halves
    answers: NDArray[np.bytes_]

    @classmethod
    def from_clues(
        cls, clue_keys: Sequence[str], clue_answers: NDArray[np.bytes_], min_clues: int = 1
    ) -> FeatureAnswers:
        """Pair the features of clues with each clue's answer; word pairs need `min_clues` clues."""
        clues, codes, kinds = clue_features.extract_features(clue_keys)
        is_kept = kinds == clue_features.STEM
        is_kept |= (kinds == clue_features.PAIR) & _is_shared(clues, codes, min_clues)
        return cls(clue_features.upper_halves(codes[is_kept]), clue_answers[clues[is_kept]])

    @classmethod
    def from_partition(cls, part: Partition) -> FeatureAnswers:
        features, starts, rows = part.vocabulary
        return cls(np.repeat(features, np.diff(starts)), part.answers[rows])

    def concat(self, new_pairs: FeatureAnswers) -> FeatureAnswers:
        return FeatureAnswers(*(np.concatenate(columns) for columns in zip(self, new_pairs, strict=True)))

    def to_arrays(self, answers: NDArray[np.bytes_]) -> dict[str, NDArray[Any]]:
        """Return the arrays to store, given all sorted answers."""
        rows, _ = arrays.find_sorted(answers, self.answers)
        pairs = arrays.unique_sorted(
            (self.features.astype(np.uint64) << clue_features.HALF_BITS) | rows.astype(np.uint64)
        )
        features, counts = np.unique(clue_features.upper_halves(pairs), return_counts=True)
        return {
            "vocabulary.feature": features,
            "vocabulary.answers": counts.astype(np.uint32),
            "vocabulary-rows": (pairs & np.uint64(0xFFFFFFFF)).astype(np.uint32),
        }


def _is_shared(clues: NDArray[np.int32], codes: NDArray[np.uint64], min_clues: int) -> NDArray[np.bool_]:
    """Return which of `codes` occur in at least `min_clues` clues."""
    _, features = np.unique(codes, return_inverse=True)
    clue_count = int(clues.max(initial=0)) + 1
    distinct = arrays.unique_sorted(features * clue_count + clues)  # each feature of a clue, once
    is_shared: NDArray[np.bool_] = np.bincount(distinct // clue_count) >= min_clues
    return is_shared[features]
