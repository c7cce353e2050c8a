"""What a clue says about the pieces of an unlisted answer: RED and SEA are likelier for "Where scrolls were found".

Most pieces of the phrase model are answers, so clue encoders have vectors for them. A piece's score for a clue is the
dot product of their vectors, less the average, summed over encoders; the fitted `clue_bias` scales it (measured:
docs/experiments/unlisted-prior.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regis import text
from regis.candidates.ranking import scoring
from regis.candidates.settings import CANDIDATES
from regis.index import Index
from regis.models.arrays import Float32Array, find_sorted, unique_sorted
from regis.models.neural.vector_table import TieredPQ, VectorTable
from regis.models.strings.string_model import StringModel

MIN_PIECE_LETTERS = 3  # shorter pieces are mostly endings, which mean nothing alone


class UnlistedPrior:
    """A string model, by default the index's own, adapted to the meaning of clues."""

    def __init__(self, index: Index, string_model: StringModel | None = None) -> None:
        self._index = index
        self._string_model = string_model or index.string_model
        phrase_model = self._string_model.phrase_model
        pieces = phrase_model.pieces if phrase_model else np.array([], "S")
        self._n_pieces = len(pieces)
        collect = _load_vectors if string_model is None else _collect_vectors
        self._known_pieces, self._vectors = collect(index, pieces)  # pieces that are answers, and their vectors

    def models_for_clues(self, clues: Sequence[str], clue_bias: float | None = None) -> list[StringModel]:
        """Make a string model for each clue; together is faster.

        Each piece is exp(clue_bias * its score) times as likely, with the fitted bias by default.
        """
        clue_bias = self._index.clue_bias if clue_bias is None else clue_bias
        if not len(self._known_pieces) or not clue_bias:
            return [replace(self._string_model) for _ in clues]
        encoders = self._index.encoders
        scores = np.zeros((len(clues), len(self._known_pieces)), np.float32)
        for home, vectors in self._vectors.items():
            scores += vectors.score(encoders[home].encode(clues))
        return [
            self._reweight(clue, clue_bias * (piece_scores - piece_scores.mean()))
            if text.clue_key(clue) else replace(self._string_model)
            for clue, piece_scores in zip(clues, scores, strict=True)
        ]  # fmt: skip

    def _reweight(self, clue: str, log_factors: Float32Array) -> StringModel:
        """Make each known piece exp(log_factors) times as likely, and discount words of the clue."""
        factors = np.ones(self._n_pieces, np.float32)
        factors[self._known_pieces] = np.exp(log_factors)
        repeated = [word for word in scoring.clue_words(clue) if len(word) >= CANDIDATES.min_part_letters]
        factors[self._string_model.find_known_pieces(repeated)] *= CANDIDATES.partial_factor
        return self._string_model.reweight_pieces(factors)


def _collect_vectors(index: Index, pieces: NDArray[np.bytes_]) -> tuple[NDArray[np.int64], dict[str, VectorTable]]:
    """Return the pieces that are answers, and their vectors in each encoder."""
    sizes = np.char.str_len(pieces)
    known_pieces = [np.zeros(0, np.int64)]
    vectors: dict[str, list[VectorTable]] = {home: [] for home in index.encoders}
    for size in unique_sorted(sizes[sizes >= MIN_PIECE_LETTERS]) if vectors else ():
        partition, of_size = index[int(size)], np.flatnonzero(sizes == size)
        rows, is_answer = find_sorted(partition.answers, pieces[of_size])
        known_pieces.append(of_size[is_answer])
        for home, tables in vectors.items():
            tables.append(partition.answer_vectors(home).vectors.take_rows(rows[is_answer]))
    joined = {home: tables[0].concat_rows(tables[1:]) for home, tables in vectors.items() if tables}
    return np.concatenate(known_pieces), joined


def _load_vectors(index: Index, pieces: NDArray[np.bytes_]) -> tuple[NDArray[np.int64], dict[str, VectorTable]]:
    """Do `_collect_vectors` for the index's own pieces, cached on the disk if the vectors are packed."""
    examples = {home: index[MIN_PIECE_LETTERS].answer_vectors(home).vectors for home in index.encoders}
    tiered = {home: table for home, table in examples.items() if isinstance(table, TieredPQ)}
    if not tiered or len(tiered) < len(examples):
        return _collect_vectors(index, pieces)

    def compute_arrays() -> Iterator[NDArray[Any]]:
        known_pieces, vectors = _collect_vectors(index, pieces)
        yield known_pieces
        for home, example in tiered.items():
            table = vectors.get(home)
            table = table if isinstance(table, TieredPQ) else example.take_rows(known_pieces[:0])  # without vectors
            yield from table.arrays

    size = len(next(iter(tiered.values())).arrays)
    n_arrays = 1 + len(tiered) * size
    known_pieces, *arrays = index.files.load_or_compute("pieces", compute_arrays, lambda found: len(found) == n_arrays)
    parts = (arrays[i * size : (i + 1) * size] for i in range(len(tiered)))
    return known_pieces, {home: tiered[home].from_arrays(part) for home, part in zip(tiered, parts, strict=True)}
