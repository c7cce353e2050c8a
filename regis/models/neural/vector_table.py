"""Tables of vectors, in whatever form they are kept; here as bytes, in `product_quantization` in fewer bits.

As bytes they take a quarter of their size, each row with a scale of its own, and are mapped into memory.
"""

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
    """A table of vectors of which some are wanted, one by one."""

    def dequantize(self, rows: NDArray[np.int64] | slice) -> Float32Array:
        """Return the vectors of some rows.

        Parameters
        ----------
        rows : (rows,) or a slice.

        Returns
        -------
        (rows, DIMENSIONS) float32.
        """


class VectorTable(VectorRows, Protocol):
    """A table of vectors in whatever form they are kept."""

    def take_rows(self, rows: NDArray[np.int64]) -> VectorTable:
        """Make a table of some rows alone, in the same form.

        Parameters
        ----------
        rows : (rows,).
        """

    def concat_rows(self, more_tables: Sequence[Self]) -> Self:
        """Put the rows of tables behind each other, which are in one form, by one codebook if by any."""

    def encode_like(self, vectors: Float32Array) -> Self:
        """Make a table of new vectors in the same form, by the same codebook if by any.

        Parameters
        ----------
        vectors : (rows, DIMENSIONS) float32.
        """

    def score(self, clue_vectors: Float32Array) -> Float32Array:
        """Multiply each clue's vector with each row.

        Parameters
        ----------
        clue_vectors : (clues, DIMENSIONS) float32.

        Returns
        -------
        (clues, rows) float32.
        """


class Int8Rows(NamedTuple):
    """Vectors as bytes, each row with a scale of its own (see `quantize_rows`): a `VectorTable`."""

    codes: NDArray[np.int8]  # (rows, DIMENSIONS), or fewer columns: the others are 0, as in what a starter brought
    scales: NDArray[np.float16]  # (rows,)

    @classmethod
    def from_vectors(cls, vectors: Float32Array) -> Int8Rows:
        """Keep vectors as bytes.

        Parameters
        ----------
        vectors : (rows, DIMENSIONS) float32.
        """
        codes, scales = quantize_rows(vectors)
        return cls(drop_zero_columns(codes), scales)

    def dequantize(self, rows: NDArray[np.int64] | slice) -> Float32Array:
        """Return the vectors of some rows."""
        codes, scales = self.codes[rows], self.scales[rows].astype(np.float32)
        vectors = np.zeros((len(codes), DIMENSIONS), np.float32)
        np.multiply(codes, scales[:, None], out=vectors[:, : codes.shape[1]])
        return vectors

    def take_rows(self, rows: NDArray[np.int64]) -> Int8Rows:
        """Make a table of some rows alone."""
        return Int8Rows(self.codes[rows], self.scales[rows])

    def concat_rows(self, more_tables: Sequence[Int8Rows]) -> Int8Rows:
        """Put the rows of tables behind each other, as wide as the widest."""
        tables, scales = zip(self, *more_tables, strict=True)
        width = max(table.shape[1] for table in tables)
        codes = np.zeros((sum(map(len, tables)), width), np.int8)
        for table, end in zip(tables, itertools.accumulate(map(len, tables)), strict=True):
            codes[end - len(table) : end, : table.shape[1]] = table
        return Int8Rows(codes, np.concatenate(scales))

    def encode_like(self, vectors: Float32Array) -> Int8Rows:
        """Keep other vectors as bytes."""
        return Int8Rows.from_vectors(vectors)

    def score(self, clue_vectors: Float32Array) -> Float32Array:
        """Multiply each clue's vector with each row."""
        clue_vectors = np.ascontiguousarray(clue_vectors[:, : self.codes.shape[1]])
        return score_in_batches(clue_vectors, lambda rows: self.codes[rows], self.scales)


class AnswerVectors(NamedTuple):
    """An encoder's vectors of the answers of one length."""

    vectors: VectorTable
    bias: Float32Array  # (answers,)

    def score(self, clue_vectors: Float32Array) -> Float32Array:
        """Say how well each answer goes with each clue.

        Parameters
        ----------
        clue_vectors : (clues, DIMENSIONS) float32.

        Returns
        -------
        (clues, answers) float32 log odds, up to a constant.
        """
        scores = self.vectors.score(clue_vectors)
        scores += self.bias
        return scores


def quantize_rows(vectors: Float32Array) -> tuple[NDArray[np.int8], NDArray[np.float16]]:
    """Round rows of numbers to bytes.

    Parameters
    ----------
    vectors : (rows, numbers) float32.

    Returns
    -------
    (rows, numbers) int8, and (rows,) scales to multiply them with. The error is at most 1/220 of the row's largest
    number if that is not tiny: 1/254 comes from the bytes, the rest from the scale, which is a float16 itself.
    """
    largest = np.maximum(vectors.max(axis=1), -vectors.min(axis=1))
    scales = np.maximum(largest, 1e-4).astype(np.float16).astype(np.float32) / np.float32(127)
    codes = vectors / scales[:, None]
    np.clip(np.rint(codes, out=codes), -127, 127, out=codes)
    return codes.astype(np.int8), scales.astype(np.float16)


def drop_zero_columns(codes: NDArray[np.int8]) -> NDArray[np.int8]:
    """Leave out the last columns in which all are 0; the first stays.

    Parameters
    ----------
    codes : (rows, numbers).

    Returns
    -------
    (rows, fewer numbers), contiguous.
    """
    used = np.flatnonzero(codes.any(axis=0))
    return np.ascontiguousarray(codes[:, : int(used.max(initial=0)) + 1])


def score_in_batches(
    clue_vectors: Float32Array, rows_between: Callable[[slice], NDArray[Any]], scales: NDArray[np.floating[Any]]
) -> Float32Array:
    """Multiply clues with scaled rows, some rows at a time.

    Of few clues the product is had in four fifths of the time with the many rows in front.

    Parameters
    ----------
    clue_vectors : (clues, numbers) float32.
    rows_between : gives some of the rows, (rows, numbers), not scaled.
    scales : (rows,) of all.

    Returns
    -------
    (clues, rows) float32.
    """
    scores = np.empty((len(clue_vectors), len(scales)), np.float32)
    for start in range(0, len(scales), SCORE_BATCH):
        batch = slice(start, start + SCORE_BATCH)
        scores[:, batch] = (rows_between(batch).astype(np.float32, copy=False) @ clue_vectors.T).T
    scores *= scales.astype(np.float32)
    return scores
