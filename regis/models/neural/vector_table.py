"""Tables of vectors: their protocol, and int8 rows, each with a scale, mapped into memory."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from regis.models.numeric.arrays import Float32Array

DIMENSIONS = 256  # numbers of every encoder's vectors
SCORE_BATCH = 1024  # rows that are scored at once: a megabyte, which stays in the cache


class VectorRows(Protocol):
    def dequantize(self, rows: NDArray[np.int64] | slice) -> Float32Array:
        """Return some rows as (rows, DIMENSIONS) float32."""


class VectorTable(VectorRows, Protocol):
    """A table of vectors, however it is stored."""

    def take_rows(self, rows: NDArray[np.int64]) -> VectorTable:
        """Make a table of some rows, stored the same way."""

    def concat_rows(self, more_tables: Sequence[Self]) -> Self:
        """Append the rows of tables stored the same way, with the same codebook if any."""

    def encode_like(self, vectors: Float32Array) -> Self:
        """Store new vectors, (rows, DIMENSIONS), the same way, with the same codebook if any."""

    def score(self, clue_vectors: Float32Array) -> Float32Array:
        """Multiply each clue's vector, (clues, DIMENSIONS), with each row: (clues, rows)."""


class Int8Rows(NamedTuple):
    """Vectors as int8, each row with a scale: a `VectorTable`."""

    codes: NDArray[np.int8]  # (rows, DIMENSIONS), or fewer columns: the others are 0, as in what a starter brought
    scales: NDArray[np.float16]  # (rows,)

    @classmethod
    def from_vectors(cls, vectors: Float32Array) -> Int8Rows:
        codes, scales = quantize_rows(vectors)
        return cls(drop_zero_columns(codes), scales)

    def dequantize(self, rows: NDArray[np.int64] | slice) -> Float32Array:
        codes, scales = self.codes[rows], self.scales[rows].astype(np.float32)
        vectors = np.zeros((len(codes), DIMENSIONS), np.float32)
        np.multiply(codes, scales[:, None], out=vectors[:, : codes.shape[1]])
        return vectors

    def take_rows(self, rows: NDArray[np.int64]) -> Int8Rows:
        return Int8Rows(self.codes[rows], self.scales[rows])

    def concat_rows(self, more_tables: Sequence[Int8Rows]) -> Int8Rows:
        tables, scales = zip(self, *more_tables, strict=True)
        width = max(table.shape[1] for table in tables)
        codes = np.zeros((sum(map(len, tables)), width), np.int8)
        for table, end in zip(tables, itertools.accumulate(map(len, tables)), strict=True):
            codes[end - len(table) : end, : table.shape[1]] = table
        return Int8Rows(codes, np.concatenate(scales))

    def encode_like(self, vectors: Float32Array) -> Int8Rows:
        return Int8Rows.from_vectors(vectors)

    def score(self, clue_vectors: Float32Array) -> Float32Array:
        clue_vectors = np.ascontiguousarray(clue_vectors[:, : self.codes.shape[1]])
        return score_in_batches(clue_vectors, lambda rows: self.codes[rows], self.scales)


class AnswerVectors(NamedTuple):
    """An encoder's vectors for the answers of one length."""

    vectors: VectorTable
    bias: Float32Array  # (answers,)

    def score(self, clue_vectors: Float32Array) -> Float32Array:
        """Compute how well each answer fits each clue: (clues, answers) log odds, up to a constant."""
        scores = self.vectors.score(clue_vectors)
        scores += self.bias
        return scores


def quantize_rows(vectors: Float32Array) -> tuple[NDArray[np.int8], NDArray[np.float16]]:
    """Round rows of floats to int8, with a float16 scale for each.

    The error is at most 1/220 of a row's largest number: 1/254 from the bytes, the rest from the scale.
    """
    largest = np.maximum(vectors.max(axis=1), -vectors.min(axis=1))
    scales = np.maximum(largest, 1e-4).astype(np.float16).astype(np.float32) / np.float32(127)
    codes = vectors / scales[:, None]
    np.clip(np.rint(codes, out=codes), -127, 127, out=codes)
    return codes.astype(np.int8), scales.astype(np.float16)


def drop_zero_columns(codes: NDArray[np.int8]) -> NDArray[np.int8]:
    """Drop trailing columns that are all 0, but not the first column."""
    used = np.flatnonzero(codes.any(axis=0))
    return np.ascontiguousarray(codes[:, : int(used.max(initial=0)) + 1])


def score_in_batches(
    clue_vectors: Float32Array, rows_between: Callable[[slice], NDArray[Any]], scales: NDArray[np.floating[Any]]
) -> Float32Array:
    """Multiply clues, (clues, numbers), with scaled rows, batch by batch: (clues, rows).

    `rows_between` returns unscaled rows. With the rows in front, the product of few clues takes four fifths of the
    time.
    """
    scores = np.empty((len(clue_vectors), len(scales)), np.float32)
    for start in range(0, len(scales), SCORE_BATCH):
        batch = slice(start, start + SCORE_BATCH)
        scores[:, batch] = (rows_between(batch).astype(np.float32, copy=False) @ clue_vectors.T).T
    scores *= scales.astype(np.float32)
    return scores
