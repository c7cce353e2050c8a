"""Which answers go together: BETH with AMY and MEG, FEB with APR. Every clue encoder has a vector for each.

Answers that clues ask for in the same way lie near each other, as words with the same neighbours do (Harris 1954).
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from regis.index import Index
from regis.models.tensors import Floats, unit


class Kin:
    """The answers of an index, and what they have to do with each other."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._found: dict[tuple[frozenset[str], int], Floats] = {}

    def place(self, answer: str, others: Collection[str]) -> int | None:
        """How many answers of its length have as much to do with all `others` together, itself among them.

        Of those that clues have asked for, without the `others`. None where it is one of these, where the index does
        not know it, or none of them, and where there is no encoder.
        """
        part = self._index[len(answer)]
        row = part.answer_row(answer)
        if row < 0 or answer in others:
            return None
        key = frozenset(others), len(answer)
        if key not in self._found:
            self._found[key] = self._scores(*key)
        scores = self._found[key]
        if not len(scores):
            return None
        as_much = np.flatnonzero((scores >= scores[row]) & (part.count > 0))
        same = [part.answer_row(other) for other in (answer, *others) if len(other) == len(answer)]
        return 1 + int((~np.isin(as_much, same)).sum())

    def _scores(self, others: frozenset[str], length: int) -> Floats:
        """How much each answer of the length has to do with the others, (answers,); empty where nothing is known."""
        parts = [(self._index[len(other)], other) for other in sorted(others)]
        known = [(part, row) for part, other in parts if (row := part.answer_row(other)) >= 0]
        if not known or not self._index.encoders:
            return np.zeros(0, np.float32)
        scores = np.zeros(len(self._index[length].letters), np.float32)
        for home in self._index.encoders:
            each = [part.vectors(home).table.unpacked(np.array([row])) for part, row in known]
            middle: Floats = np.mean(unit(np.concatenate(each)), axis=0, keepdims=True)
            scores += self._index[length].vectors(home).table.score(middle)[0]
        return scores
