"""Which answers go together: BETH with AMY and MEG, FEB with APR, by the vectors of clue encoders.

Answers with similar clues lie close together, like words with the same neighbors (Harris 1954).
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from regis.index import Index
from regis.models.numeric.arrays import Float32Array, normalize_rows


class AnswerSimilarity:
    def __init__(self, index: Index) -> None:
        self._index = index
        self._known_scores: dict[tuple[frozenset[str], int], Float32Array] = {}

    def rank_answer(self, answer: str, group: Collection[str]) -> int | None:
        """Rank an answer, from 1, by similarity to the mean of a group, among used answers of its length outside the
        group.

        None if it is in the group, or if it, all of the group, or encoders are unknown.
        """
        partition = self._index[len(answer)]
        row = partition.answer_row(answer)
        if row < 0 or answer in group:
            return None
        key = frozenset(group), len(answer)
        if key not in self._known_scores:
            self._known_scores[key] = self._score_answers(*key)
        scores = self._known_scores[key]
        if not len(scores):
            return None
        as_similar = np.flatnonzero((scores >= scores[row]) & (partition.use_counts > 0))
        not_counted = [partition.answer_row(other) for other in (answer, *group) if len(other) == len(answer)]
        return 1 + int((~np.isin(as_similar, not_counted)).sum())

    def _score_answers(self, group: frozenset[str], length: int) -> Float32Array:
        """Score each answer of a length against the group, (answers,); empty if nothing is known."""
        partitions = [(self._index[len(answer)], answer) for answer in sorted(group)]
        known = [(partition, row) for partition, answer in partitions if (row := partition.answer_row(answer)) >= 0]
        if not known or not self._index.encoders:
            return np.zeros(0, np.float32)
        scores = np.zeros(len(self._index[length].answer_letters), np.float32)
        for home in self._index.encoders:
            vectors = [partition.answer_vectors(home).vectors.dequantize(np.array([row])) for partition, row in known]
            mean: Float32Array = np.mean(normalize_rows(np.concatenate(vectors)), axis=0, keepdims=True)
            scores += self._index[length].answer_vectors(home).vectors.score(mean)[0]
        return scores
