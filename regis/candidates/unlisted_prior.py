"""What a clue says of the pieces of an answer in no list: RED and SEA are likelier for "Where scrolls were found".

Most pieces of the phrase model are answers themselves, so every clue encoder has a vector for them. A piece's score for
a clue is the dot product of the two, less the average piece's, all encoders' together; `lean` says how much of it to
believe, and is fitted (training.segmentation).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from regis import text
from regis.index import Index
from regis.models import lookup
from regis.models.embedding import Vectors
from regis.models.tensors import Floats
from regis.models.unlisted import StringModel

SHORTEST = 3  # shorter pieces are mostly endings, which mean nothing by themselves


class UnlistedPrior:
    """The string model `strings` (the index's own if None), given what clues mean as the encoders see them."""

    def __init__(self, index: Index, strings: StringModel | None = None) -> None:
        self._index = index
        self._strings = strings = strings or index.strings
        pieces = strings.phrases.pieces if strings.phrases else np.array([], "S")
        sizes = np.char.str_len(pieces)
        rows = [np.zeros(0, np.int64)]
        vectors: dict[str, list[Vectors]] = {home: [] for home in index.encoders}
        for size in lookup.distinct(sizes[sizes >= SHORTEST]) if vectors else ():
            part, some = index[int(size)], np.flatnonzero(sizes == size)
            place, there = lookup.place(part.names, pieces[some])
            rows.append(some[there])
            for home, its in vectors.items():
                its.append(part.vectors(home).table.taken(place[there]))
        self._count = len(pieces)
        self._known = np.concatenate(rows)  # pieces that are answers,
        self._vectors = {home: its[0].joined(its[1:]) for home, its in vectors.items() if its}  # and their vectors

    def about(self, clues: Sequence[str], lean: float | None = None) -> list[StringModel]:
        """For each clue the model with each piece exp(lean * its score for the clue) times as likely.

        `lean` is as fitted if None. Many at once are quicker.
        """
        lean = self._index.lean if lean is None else lean
        if not len(self._known) or not lean:
            return [self._strings for _ in clues]
        encoders = self._index.encoders
        said = np.sum([its.score(encoders[home].encode(clues)) for home, its in self._vectors.items()], axis=0)
        return [self._leaning(lean * (one - one.mean())) if text.clue_key(clue) else self._strings
                for clue, one in zip(clues, said, strict=True)]  # fmt: skip

    def _leaning(self, more: Floats) -> StringModel:
        """The model with each piece that is an answer exp(more) times as likely; `more` (answers among the pieces,)."""
        factor = np.ones(self._count)
        factor[self._known] = np.exp(more)
        return self._strings.leaning(factor)
