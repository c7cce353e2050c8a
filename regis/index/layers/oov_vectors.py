"""Vectors of answers that an encoder hasn't learned.

An answer with clues gets the mean vector of the answers that the encoder prefers for these clues. It becomes likelier
for similar clues, and for no others (measured: docs/experiments/building-on-the-starter.md). An answer without clues
gets no vector, only the bias of an unused answer.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from regis.index.tables.partition import Partition
from regis.models import arrays
from regis.models.arrays import Float32Array
from regis.models.neural.bag_encoder import BagEncoder
from regis.models.neural.transformer import TransformerEncoder
from regis.models.neural.vector_table import DIMENSIONS, AnswerVectors

OovClues = Sequence[Sequence[str]]
"""The clues of each answer that an encoder doesn't know, in alphabetical order of answers; none for a list's answer."""


def collect_oov_clues(answers: NDArray[np.bytes_], use_rows: pa.Table) -> OovClues:
    """Collect the clues of the new `answers` from rows of USE_SCHEMA."""
    clues: dict[str, list[str]] = {answer.decode(): [] for answer in answers.tolist()}
    for answer, clue in zip(use_rows["answer"].to_pylist(), use_rows["clue"].to_pylist(), strict=True):
        if answer in clues:
            clues[answer].append(clue)
    return list(clues.values())


def extend_answer_vectors(
    known_part: Partition,
    answers: NDArray[np.bytes_],
    encoder_folder: str,
    encoder: BagEncoder | TransformerEncoder,
    oov_clues: OovClues,
) -> AnswerVectors:
    """Extend the vectors and biases of `known_part` to sorted `answers`, stored in the same way."""
    place, there = arrays.find_sorted(known_part.answers, answers)
    known = known_part.answer_vectors(encoder_folder)
    new_vectors, new_bias = estimate_vectors(known_part, encoder_folder, encoder, oov_clues)
    rows = np.where(there, place, len(known_part.answers) + np.cumsum(~there) - 1)
    vectors = known.vectors.concat_rows([known.vectors.encode_like(new_vectors)]).take_rows(rows)
    return AnswerVectors(vectors, np.append(known.bias, new_bias)[rows])


def find_oov_clues(known_part: Partition, part: Partition) -> OovClues:
    rows = np.flatnonzero(~arrays.find_sorted(known_part.answers, part.answers)[1])
    clue_rows = np.flatnonzero(np.isin(part.clue_answer_rows, rows) & (part.clue_counts > 0))
    clues: list[list[str]] = [[] for _ in rows]
    positions = np.searchsorted(rows, part.clue_answer_rows[clue_rows])
    for position, clue in zip(positions.tolist(), part.clue_texts.take_texts(clue_rows), strict=True):
        clues[position].append(clue)
    return clues


def estimate_vectors(
    known_part: Partition, encoder_folder: str, encoder: BagEncoder | TransformerEncoder, oov_clues: OovClues
) -> tuple[Float32Array, Float32Array]:
    """Estimate vectors, (new, DIMENSIONS), and biases, (new,), of new answers from `known_part`.

    All are 0 if the encoder knows no answer of the length.
    """
    known = known_part.answer_vectors(encoder_folder)
    vectors = np.zeros((len(oov_clues), DIMENSIONS), np.float32)
    if not len(known.bias):
        return vectors, np.zeros(len(oov_clues), np.float32)
    read_clues = [(row, clue) for row, clues in enumerate(oov_clues) for clue in list(dict.fromkeys(clues))[:20]]
    for start in range(0, len(read_clues), 256):
        rows, clues = zip(*read_clues[start : start + 256], strict=True)
        np.add.at(vectors, np.array(rows), _mean_of_nearest(known, encoder.encode(clues)))
    clue_counts = np.bincount(np.array([row for row, _ in read_clues], np.int64), minlength=len(vectors))
    vectors /= np.maximum(clue_counts, 1).astype(np.float32)[:, None]
    bias_once, bias_never = (_mean_bias(known, known_part.use_counts == count) for count in (1, 0))
    bias = np.where(clue_counts > 0, bias_once, bias_never)
    return vectors, bias.astype(np.float32)


def _mean_of_nearest(answer_vectors: AnswerVectors, clue_vectors: Float32Array) -> Float32Array:
    """Return the mean vector of the answers that fit each clue best, (clues, DIMENSIONS)."""
    scores = answer_vectors.score(clue_vectors)
    best = np.argsort(-scores, axis=1) if scores.shape[1] <= 10 else np.argpartition(-scores, 10)[:, :10]
    best.sort(axis=1)
    means: Float32Array = answer_vectors.vectors.dequantize(best.ravel()).reshape(*best.shape, DIMENSIONS).mean(axis=1)
    return means


def _mean_bias(answer_vectors: AnswerVectors, selected: NDArray[np.bool_]) -> np.float32:
    """Return the mean bias of the `selected` answers, or of all if there are none."""
    return np.float32((answer_vectors.bias[selected] if selected.any() else answer_vectors.bias).mean())
