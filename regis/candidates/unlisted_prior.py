"""What a clue says of the pieces of an answer in no list: RED and SEA are likelier for "Where scrolls were found".

Most pieces of the phrase model are answers themselves, so the clue encoder has a vector for them. A piece's score for a
clue is the dot product of the two, less the average piece's; `lean` says how much of it to believe, and is fitted
(training.segmentation).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

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
        pieces = np.array(strings.phrases.pieces if strings.phrases else [], dtype=str)
        self._count = len(pieces)
        self._known: list[tuple[NDArray[np.int64], Vectors]] = []  # pieces that are answers, and their vectors
        sizes = np.char.str_len(pieces)
        for size in np.unique(sizes[sizes >= SHORTEST]) if self._encoder else ():
            part, rows = index[int(size)], np.flatnonzero(sizes == size)
            place, there = lookup.place(part.names, pieces[rows].astype("S"))
            self._known.append((rows[there], part.vectors(ENCODER).table.taken(place[there])))

    def about(self, clue: str, lean: float | None = None) -> StringModel:
        """The model with each piece exp(lean * its score for `clue`) times as likely; `lean` as fitted if None."""
        lean = self._index.lean if lean is None else lean
        if self._encoder is None or self._strings.phrases is None or not lean:
            return self._strings
        said = self._encoder.encode([clue])
        score, known = np.zeros(self._count), np.zeros(self._count, bool)
        for rows, vectors in self._known:
            score[rows], known[rows] = vectors.score(said)[0], True
        score[known] -= score[known].sum() / max(known.sum(), 1)
        return self._strings.leaning(np.exp(lean * score))
