"""The answers' side of a clue encoder in training: a vector and a bias for each answer.

The right answer should score highest among answers of its length (sampled softmax). An answer's vector is its own plus
the vectors of its letter n-grams, so that inflections and new answers have a start. Steps are Adagrad's (Duchi 2011).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regis.building.settings import ENCODERS
from regis.index import Index
from regis.index.layers import oov_vectors
from regis.index.tables import answer_vectors
from regis.models.arrays import Float32Array
from regis.models.neural.bag_encoder import BagEncoder
from regis.models.neural.transformer import TransformerEncoder
from regis.models.neural.vector_table import DIMENSIONS, AnswerVectors, Int8Rows


class Adagrad:
    """A table of which a few rows are updated at a time."""

    def __init__(self, values: Float32Array) -> None:
        self.values = values
        self.squared_gradients = np.full(len(values), 1e-2, np.float32)  # sums of squares

    def update_rows(self, rows: NDArray[np.int64], gradients: Float32Array, learning_rate: float) -> None:
        """Move `rows` against `gradients`, (rows, ...)."""
        self.squared_gradients[rows] += (gradients**2).mean(axis=1) if gradients.ndim == 2 else gradients**2
        scale = np.float32(learning_rate) / np.sqrt(self.squared_gradients[rows])
        self.values[rows] -= gradients * (scale[:, None] if gradients.ndim == 2 else scale)


GRAM_BUCKETS = 1 << 16


class AnswerTable:
    """The vectors of all answers of an index, by length, and the vectors of letter n-grams."""

    def __init__(self, index: Index, generator: np.random.Generator) -> None:
        self.generator = generator
        self.length_offsets: dict[int, int] = {}  # where each length begins
        self._letters: dict[int, NDArray[np.uint8]] = {}  # by length
        self._cumulative_probs: dict[int, NDArray[np.float64]] = {}  # probabilities of being drawn, by length
        self._log_inclusion: dict[int, Float32Array] = {}  # log P(it is drawn): each drawn answer stands for many
        biases = []
        total = 0
        for part in index.partitions():
            self.length_offsets[part.length] = total
            self._letters[part.length] = part.answer_letters
            draw_probs = _draw_probabilities(part.use_counts)
            self._cumulative_probs[part.length] = np.cumsum(draw_probs)
            p_left_out = (1 - draw_probs) ** ENCODERS.negatives_per_batch
            self._log_inclusion[part.length] = np.log1p(-p_left_out).astype(np.float32)
            biases.append(np.log(part.use_counts + 0.3).astype(np.float32))
            total += len(part.answer_letters)
        self.own_vectors = Adagrad(np.empty((total, DIMENSIONS), np.float16))  # half precision, for millions of answers
        for batch in _split_rows(self.own_vectors.values):
            batch[:] = generator.standard_normal(batch.shape, np.float32) * np.float32(0.05)
        self.gram_vectors = Adagrad(np.zeros((GRAM_BUCKETS, DIMENSIONS), np.float32))
        self.answer_biases = Adagrad(np.concatenate(biases))

    def start_from(
        self, index: Index, starter: Index, encoder_folder: str, encoder: BagEncoder | TransformerEncoder
    ) -> None:
        """Start from the starter's answers in `encoder_folder`, whose clues `encoder` reads."""
        for part in index.partitions():
            starter_part = starter[part.length]
            new = oov_vectors.find_oov_clues(starter_part, part)
            inherited = oov_vectors.extend_answer_vectors(starter_part, part.answers, encoder_folder, encoder, new)
            rows = slice(self.length_offsets[part.length], self.length_offsets[part.length] + len(inherited.bias))
            self.own_vectors.values[rows] = inherited.vectors.dequantize(slice(None))
            self.answer_biases.values[rows] = inherited.bias
        for table in (self.own_vectors, self.gram_vectors, self.answer_biases):
            table.squared_gradients[:] = ENCODERS.inherited_squares

    def update_answers(
        self,
        answer_length: int,
        answer_rows: NDArray[np.int64],
        clue_vectors: Float32Array,
        clue_weights: Float32Array,
        learning_rate: float,
    ) -> Float32Array:
        """Take one step for clues of one answer length; return the loss's gradient with respect to `clue_vectors`.

        `answer_rows`, (clues,), are the right answers, `clue_vectors` is (clues, DIMENSIONS), and `clue_weights`,
        (clues,), weigh the losses. At learning rate 0 no answer moves.
        """
        from scipy.sparse import csr_matrix

        cumulative = self._cumulative_probs[answer_length]
        negatives = np.searchsorted(cumulative, self.generator.random(ENCODERS.negatives_per_batch), side="right")
        negatives = np.minimum(negatives, len(cumulative) - 1)  # sums of rounded numbers may end below 1
        drawn = np.unique(np.concatenate([answer_rows, negatives]))
        grams = _letter_grams(self._letters[answer_length][drawn])
        gram_rows, place = np.unique(grams.indices, return_inverse=True)
        grams = csr_matrix((grams.data, place, grams.indptr), (len(drawn), len(gram_rows)))
        at = self.length_offsets[answer_length] + drawn

        answer_vectors = self.own_vectors.values[at] + grams @ self.gram_vectors.values[gram_rows]
        score = clue_vectors @ answer_vectors.T + self.answer_biases.values[at]
        is_wrong = ~np.isin(drawn, answer_rows)
        score[:, is_wrong] -= self._log_inclusion[answer_length][drawn[is_wrong]]
        score -= score.max(axis=1, keepdims=True)
        p = np.exp(score)
        p /= p.sum(axis=1, keepdims=True)
        p[np.arange(len(answer_rows)), np.searchsorted(drawn, answer_rows)] -= 1
        p *= clue_weights[:, None]
        if learning_rate:
            answer_gradient = p.T @ clue_vectors
            self.gram_vectors.update_rows(gram_rows, grams.T @ answer_gradient, learning_rate)
            self.own_vectors.update_rows(at, answer_gradient, learning_rate)
            self.answer_biases.update_rows(at, p.sum(axis=0), learning_rate / 10)
        clue_gradient: Float32Array = p @ answer_vectors
        return clue_gradient

    def state_arrays(self) -> dict[str, Float32Array]:
        """Return the learned arrays by their names in checkpoints, not copied."""
        tables = {"own": self.own_vectors, "grams": self.gram_vectors, "bias": self.answer_biases}
        values = {f"{name} values": table.values for name, table in tables.items()}
        return values | {f"{name} slopes": table.squared_gradients for name, table in tables.items()}

    def load_state_arrays(self, state_arrays: Mapping[str, Float32Array]) -> None:
        """Load the result of `state_arrays`; raises ValueError if it is from another index."""
        for name, values in self.state_arrays().items():
            if state_arrays[name].shape != values.shape:
                raise ValueError("not of this index")
            values[:] = state_arrays[name]

    def write_vectors(self, index_folder: Path, encoder_name: str) -> None:
        for length, letters in self._letters.items():
            rows = slice(self.length_offsets[length], self.length_offsets[length] + len(letters))
            batches = zip(_split_rows(self.own_vectors.values[rows]), _split_rows(letters), strict=True)
            first, *others = (
                Int8Rows.from_vectors(own + _letter_grams(some) @ self.gram_vectors.values) for own, some in batches
            )
            vectors = AnswerVectors(first.concat_rows(others), self.answer_biases.values[rows])
            answer_vectors.write_answer_vectors(index_folder, encoder_name, length, vectors)


def _split_rows(table: NDArray[Any]) -> list[NDArray[Any]]:
    """Split a table into views of some rows; converting all to floats would take gigabytes."""
    return np.array_split(table, len(table) // 50_000 + 1)


def _draw_probabilities(use_counts: NDArray[np.integer[Any]]) -> NDArray[np.float64]:
    even = np.full(len(use_counts), 1 / len(use_counts))
    by_use = np.sqrt(use_counts.astype(np.float64))
    return ENCODERS.even_share * even + (1 - ENCODERS.even_share) * by_use / by_use.sum() if by_use.any() else even


def _letter_grams(letters: NDArray[np.uint8]) -> Any:
    """Hash each answer's letter 2-, 3- and 4-grams, with its ends marked, into a csr_matrix (answers, GRAM_BUCKETS)."""
    from scipy.sparse import csr_matrix

    count, length = letters.shape
    padded = np.pad(letters.astype(np.int64), ((0, 0), (1, 1)), constant_values=26)
    gram_codes = []
    for n in (2, 3, 4):
        if length + 2 < n:
            continue
        codes = np.zeros((count, length + 3 - n), np.int64)
        for i in range(n):
            codes = codes * 27 + padded[:, i : length + 3 - n + i]
        gram_codes.append((codes * 2_654_435_761 + n * 977) % GRAM_BUCKETS)  # Knuth: 2**32 by the golden ratio
    joined = np.concatenate(gram_codes, axis=1)
    starts = np.arange(count + 1) * joined.shape[1]
    data = np.full(joined.size, ENCODERS.gram_weight, np.float32)
    return csr_matrix((data, joined.ravel(), starts), (count, GRAM_BUCKETS))
