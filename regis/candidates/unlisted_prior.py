"""What a clue says of the pieces of an answer in no list: RED and SEA are likelier for "Where scrolls were found".

Most pieces of the phrase model are answers themselves, so the clue encoder has a vector for them. A piece's score for a
clue is the dot product of the two, less the average piece's; `lean` says how much of it to believe, and is fitted
(training.segmentation).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from regis.index import Index
from regis.index.schema import ENCODER
from regis.models import lookup
from regis.models.embedding import Vectors
from regis.models.unlisted import StringModel

SHORTEST = 3  # shorter pieces are mostly endings, which mean nothing by themselves


class UnlistedPrior:
    """The string model `strings` (the index's own if None), given what clues mean as the base encoder sees them."""

    def __init__(self, index: Index, strings: StringModel | None = None) -> None:
        self._index = index
        self._encoder = index.encoder
        self._strings = strings = strings or index.strings
        pieces = np.array(strings.phrases.pieces if strings.phrases else [], dtype="S")
        self._count = len(pieces)
        sizes = np.fromiter(map(len, pieces), np.intp, len(pieces))
        rows, vectors = [np.zeros(0, np.int64)], list[Vectors]()
        for size in lookup.distinct(sizes[sizes >= SHORTEST]) if self._encoder else ():
            part, some = index[int(size)], np.flatnonzero(sizes == size)
            place, there = lookup.place(part.names, pieces[some])
            rows.append(some[there])
            vectors.append(part.vectors(ENCODER).table.taken(place[there]))
        self._known = np.concatenate(rows)  # pieces that are answers,
        self._vectors = vectors[0].joined(vectors[1:]) if vectors else None  # and their vectors

    def about(self, clues: Sequence[str], lean: float | None = None) -> list[StringModel]:
        """For each clue the model with each piece exp(lean * its score for the clue) times as likely.

        `lean` is as fitted if None. Many at once are quicker.
        """
        lean = self._index.lean if lean is None else lean
        if self._encoder is None or self._vectors is None or not lean:
            return [self._strings for _ in clues]
        found = []
        for said in self._vectors.score(self._encoder.encode(clues)):
            score = np.zeros(self._count)
            score[self._known] = said
            score[self._known] -= score.sum() / max(len(self._known), 1)
            found.append(self._strings.leaning(np.exp(lean * score)))
        return found
