"""Which word stems and word pairs past clues of each answer have, all that an index without clue texts keeps of them.

A feature (models.text.clue_features) is known by the upper half of its hash. Which features came together in a clue is
not kept, but of an answer that had a single one they are all of that; so of pairs, which say what stood next to what,
such an index keeps those that several clues have.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.index.tables.partition import Partition
from regis.models.numeric import sorted_search
from regis.models.text import clue_features


class FeatureAnswers(NamedTuple):
    """Features of clues, each with an answer that such a clue had: parallel arrays in any order."""

    features: NDArray[np.uint32]  # upper halves
    answers: NDArray[np.bytes_]

    @classmethod
    def from_clues(
        cls, clue_keys: Sequence[str], clue_answers: NDArray[np.bytes_], min_clues: int = 1
    ) -> FeatureAnswers:
        """Pair the features of clues with the answer of each clue.

        Parameters
        ----------
        clue_keys : keys of the clues.
        clue_answers : (clues,) the answer of each.
        min_clues : word pairs that fewer clues have are left out; a clue counts with each answer that it had.
        """
        clues, codes, kinds = clue_features.extract_features(clue_keys)
        is_kept = kinds == clue_features.STEM
        is_kept |= (kinds == clue_features.PAIR) & _is_shared(clues, codes, min_clues)
        return cls(clue_features.upper_halves(codes[is_kept]), clue_answers[clues[is_kept]])

    @classmethod
    def from_partition(cls, part: Partition) -> FeatureAnswers:
        """Return what `part` keeps."""
        features, starts, rows = part.vocabulary
        return cls(np.repeat(features, np.diff(starts)), part.answers[rows])

    def concat(self, new_pairs: FeatureAnswers) -> FeatureAnswers:
        """Put both behind each other."""
        return FeatureAnswers(*(np.concatenate(columns) for columns in zip(self, new_pairs, strict=True)))

    def to_arrays(self, answers: NDArray[np.bytes_]) -> dict[str, NDArray[Any]]:
        """Return the arrays that an index stores.

        Parameters
        ----------
        answers : (answers,) sorted, all of the index.
        """
        rows, _ = sorted_search.find_sorted(answers, self.answers)
        pairs = sorted_search.unique_sorted(
            (self.features.astype(np.uint64) << clue_features.HALF_BITS) | rows.astype(np.uint64)
        )
        features, counts = np.unique(clue_features.upper_halves(pairs), return_counts=True)
        return {
            "vocabulary.feature": features,
            "vocabulary.answers": counts.astype(np.uint32),
            "vocabulary-rows": (pairs & np.uint64(0xFFFFFFFF)).astype(np.uint32),
        }


def _is_shared(clues: NDArray[np.int32], codes: NDArray[np.uint64], min_clues: int) -> NDArray[np.bool_]:
    """Return which of `codes` at least `min_clues` clues have; those of a clue may repeat."""
    _, features = np.unique(codes, return_inverse=True)
    clue_count = int(clues.max(initial=0)) + 1
    distinct = sorted_search.unique_sorted(features * clue_count + clues)  # each feature of a clue
    is_shared: NDArray[np.bool_] = np.bincount(distinct // clue_count) >= min_clues
    return is_shared[features]
