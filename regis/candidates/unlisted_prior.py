"""What a clue says of the pieces of an answer in no list: RED and SEA are likelier for "Where scrolls were found".

Most pieces of the phrase model are answers themselves, so every clue encoder has a vector for them. A piece's score for
a clue is the dot product of the two, less the average piece's, all encoders' together; `lean` says how much of it to
believe, and is fitted (training.segmentation; measured: docs/measured.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regis import text
from regis.candidates import said
from regis.index import Index
from regis.models import lookup
from regis.models.embedding import Vectors
from regis.models.quantization import Tiers
from regis.models.tensors import Floats
from regis.models.unlisted import StringModel

SHORTEST = 3  # shorter pieces are mostly endings, which mean nothing by themselves


class UnlistedPrior:
    """The string model `strings` (the index's own if None), given what clues mean as the encoders see them."""

    def __init__(self, index: Index, strings: StringModel | None = None) -> None:
        self._index = index
        self._strings = strings or index.strings
        phrases = self._strings.phrases
        pieces = phrases.pieces if phrases else np.array([], "S")
        self._count = len(pieces)
        known = _known if strings is None else _gathered
        self._known, self._vectors = known(index, pieces)  # pieces that are answers, and their vectors

    def about(self, clues: Sequence[str], lean: float | None = None) -> list[StringModel]:
        """For each clue a model of its own, with each piece exp(lean * its score for the clue) times as likely.

        `lean` is as fitted if None. Many at once are quicker. What a model keeps of strings goes with its clue.
        """
        lean = self._index.lean if lean is None else lean
        if not len(self._known) or not lean:
            return [replace(self._strings) for _ in clues]
        encoders = self._index.encoders
        scores = np.zeros((len(clues), len(self._known)), np.float32)
        for home, its in self._vectors.items():
            scores += its.score(encoders[home].encode(clues))
        return [self._leaning(clue, lean * (one - one.mean())) if text.clue_key(clue) else replace(self._strings)
                for clue, one in zip(clues, scores, strict=True)]  # fmt: skip

    def _leaning(self, clue: str, more: Floats) -> StringModel:
        """The model with each piece that is an answer exp(more) times as likely; `more` (answers among the pieces,).

        Those that the clue says count for little.
        """
        factor = np.ones(self._count, np.float32)
        factor[self._known] = np.exp(more)
        again = [word for word in said.words(clue) if len(word) >= said.SHORTEST]
        factor[self._strings.places(again)] *= said.PARTLY
        return self._strings.leaning(factor)


def _gathered(index: Index, pieces: NDArray[np.bytes_]) -> tuple[NDArray[np.int64], dict[str, Vectors]]:
    """Which of `pieces` are answers, and their vectors in each encoder; without any none."""
    sizes = np.char.str_len(pieces)
    rows = [np.zeros(0, np.int64)]
    vectors: dict[str, list[Vectors]] = {home: [] for home in index.encoders}
    for size in lookup.distinct(sizes[sizes >= SHORTEST]) if vectors else ():
        part, some = index[int(size)], np.flatnonzero(sizes == size)
        place, there = lookup.place(part.names, pieces[some])
        rows.append(some[there])
        for home, its in vectors.items():
            its.append(part.vectors(home).table.taken(place[there]))
    return np.concatenate(rows), {home: its[0].joined(its[1:]) for home, its in vectors.items() if its}


def _known(index: Index, pieces: NDArray[np.bytes_]) -> tuple[NDArray[np.int64], dict[str, Vectors]]:
    """The same for the index's own pieces, kept where the vectors lie packed: they are of nearly all its lengths."""
    some = {home: index[SHORTEST].vectors(home).table for home in index.encoders}
    packed = {home: table for home, table in some.items() if isinstance(table, Tiers)}
    if not packed or len(packed) < len(some):
        return _gathered(index, pieces)

    def arrays() -> Iterator[NDArray[Any]]:
        rows, vectors = _gathered(index, pieces)
        yield rows
        for home, table in packed.items():
            its = vectors.get(home)
            yield from (its if isinstance(its, Tiers) else table.taken(rows[:0])).arrays  # of none, if there are none

    size = len(next(iter(packed.values())).arrays)
    rows, *held = index.kept("pieces", arrays, lambda found: len(found) == 1 + len(packed) * size)
    return rows, {home: packed[home].of_arrays(held[i * size : (i + 1) * size]) for i, home in enumerate(packed)}
