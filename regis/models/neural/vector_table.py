"""Tables of vectors: their protocol; int8 rows with scales; product quantization (Jegou 2011), which takes few bits."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from regis.models.arrays import Float32Array, normalize_rows

DIMENSIONS = 256  # numbers of every encoder's vectors
SCORE_BATCH = 1024  # rows that are scored at once: one megabyte, which fits in the cache


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
        """Encode new vectors, (rows, DIMENSIONS), the same way, with the same codebook if any."""

    def score(self, clue_vectors: Float32Array) -> Float32Array:
        """Multiply each clue's vector, (clues, DIMENSIONS), by each row: (clues, rows)."""


class Int8Rows(NamedTuple):
    """Vectors as int8, each row with a scale: a `VectorTable`."""

    codes: NDArray[np.int8]  # (rows, DIMENSIONS), or fewer columns: the others are 0, as in a starter
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


CODEBOOK_SIZE = 256  # entries for each piece


class PQRows(NamedTuple):
    """Vectors as codebook entries of their pieces: a `VectorTable`."""

    codes: NDArray[np.uint8]  # (vectors, pieces)
    scales: NDArray[np.floating[Any]]  # (vectors,)
    codebook: Float32Array  # (pieces, CODEBOOK_SIZE, numbers of a piece)
    dimensions: int  # at least as many as in the pieces: the others are 0, as in the starter

    def dequantize(self, rows: NDArray[np.int64] | slice) -> Float32Array:
        directions = self._directions(rows)
        vectors = np.zeros((len(directions), self.dimensions), np.float32)
        np.multiply(directions, self.scales[rows].astype(np.float32)[:, None], out=vectors[:, : directions.shape[1]])
        return vectors

    def take_rows(self, rows: NDArray[np.int64]) -> PQRows:
        return self._replace(codes=self.codes[rows], scales=self.scales[rows])

    def concat_rows(self, more_tables: Sequence[PQRows]) -> PQRows:
        tables = (self, *more_tables)
        codes, scales = [table.codes for table in tables], [table.scales for table in tables]
        return self._replace(codes=np.concatenate(codes), scales=np.concatenate(scales))

    def score(self, clue_vectors: Float32Array) -> Float32Array:
        """Multiply each clue's vector by each row; use the codebook if that is less work."""
        n_pieces, _, width = self.codebook.shape
        clue_vectors = clue_vectors[:, : n_pieces * width]
        if len(clue_vectors) * n_pieces > clue_vectors.shape[1]:
            return score_in_batches(clue_vectors, self._directions, self.scales)
        scores = np.zeros((len(clue_vectors), len(self.codes)), np.float32)
        clue_pieces = clue_vectors.reshape(-1, n_pieces, width).swapaxes(0, 1)
        piece_products = np.matmul(clue_pieces, self.codebook.swapaxes(1, 2))
        for start in range(0, len(self.codes), 16_384):
            batch = slice(start, start + 16_384)
            for products, codes in zip(piece_products, self.codes[batch].T, strict=True):
                scores[:, batch] += products.take(codes, axis=1)
        scores *= self.scales.astype(np.float32)
        return scores

    def _directions(self, rows: NDArray[np.int64] | slice) -> Float32Array:
        """Return rows before scaling, (rows, numbers of all pieces)."""
        n_pieces, n_entries, width = self.codebook.shape
        entries = self.codes[rows] + n_entries * np.arange(n_pieces)
        pieces: Float32Array = self.codebook.reshape(-1, width).take(entries, axis=0)
        return pieces.reshape(len(entries), n_pieces * width)


class TieredPQ(NamedTuple):
    """Vectors in several tables, with more bits for more frequent ones: a `VectorTable`."""

    table_numbers: NDArray[np.uint8]  # (vectors,): the table of each
    table_rows: NDArray[np.int64]  # (vectors,): the row in that table
    tables: Sequence[PQRows]

    @classmethod
    def from_tiers(cls, tier_masks: Sequence[NDArray[np.bool_]], tables: Sequence[PQRows]) -> TieredPQ:
        """Join tables; the vectors of a table are those that its mask, (vectors,), marks, in the same order."""
        table_rows = np.zeros(len(tier_masks[0]), np.int64)
        for mask in tier_masks:
            table_rows[mask] = np.arange(mask.sum())
        return cls(np.argmax(tier_masks, axis=0).astype(np.uint8), table_rows, tables)

    @property
    def arrays(self) -> list[NDArray[Any]]:
        """Return all arrays except the codebooks, for `from_arrays`."""
        of_tables = itertools.chain.from_iterable((table.codes, table.scales) for table in self.tables)
        return [self.table_numbers, self.table_rows, *of_tables]

    def from_arrays(self, arrays: Sequence[NDArray[Any]]) -> TieredPQ:
        """Make a table with the same codebooks from the `arrays` of another table."""
        table_numbers, table_rows, *table_arrays = arrays
        pairs = zip(self.tables, table_arrays[::2], table_arrays[1::2], strict=True)
        tables = [table._replace(codes=codes, scales=scales) for table, codes, scales in pairs]
        return TieredPQ(table_numbers, table_rows, tables)

    def dequantize(self, rows: NDArray[np.int64] | slice) -> Float32Array:
        table_numbers, table_rows = self.table_numbers[rows], self.table_rows[rows]
        vectors = np.empty((len(table_numbers), self.tables[0].dimensions), np.float32)
        for i, table in enumerate(self.tables):
            vectors[table_numbers == i] = table.dequantize(table_rows[table_numbers == i])
        return vectors

    def take_rows(self, rows: NDArray[np.int64]) -> TieredPQ:
        table_numbers, table_rows = self.table_numbers[rows], self.table_rows[rows]
        tier_masks = [table_numbers == i for i in range(len(self.tables))]
        tables = [table.take_rows(table_rows[mask]) for table, mask in zip(self.tables, tier_masks, strict=True)]
        return TieredPQ.from_tiers(tier_masks, tables)

    def concat_rows(self, more_tables: Sequence[TieredPQ]) -> TieredPQ:
        table_numbers = np.concatenate([self.table_numbers, *(other.table_numbers for other in more_tables)])
        same_tiers = zip(self.tables, *(other.tables for other in more_tables), strict=True)
        tables = [table.concat_rows(same_tier) for table, *same_tier in same_tiers]
        return TieredPQ.from_tiers([table_numbers == i for i in range(len(self.tables))], tables)

    def encode_like(self, vectors: Float32Array) -> TieredPQ:
        """Encode new vectors: in the first tier, or in the last if all are zero."""
        says_anything = np.asarray(vectors.any(axis=1))
        tier_masks = [says_anything, *[np.zeros_like(says_anything)] * (len(self.tables) - 2), ~says_anything]
        tables = [encode_pq(vectors[mask], table.codebook) for mask, table in zip(tier_masks, self.tables, strict=True)]
        return TieredPQ.from_tiers(tier_masks, tables)

    def score(self, clue_vectors: Float32Array) -> Float32Array:
        starts = np.cumsum([0, *(len(table.codes) for table in self.tables)])
        scores = np.empty((len(clue_vectors), starts[-1]), np.float32)
        for table, bounds in zip(self.tables, itertools.pairwise(starts), strict=True):
            scores[:, slice(*bounds)] = table.score(clue_vectors)
        # takes a fifth of the time of assignments by masks
        return scores.take(starts.take(self.table_numbers) + self.table_rows, axis=1)


def encode_pq(vectors: Float32Array, codebook: Float32Array) -> PQRows:
    """Encode vectors, (rows, dimensions), with a codebook, (pieces, CODEBOOK_SIZE, numbers of a piece).

    Dimensions that the codebook lacks count as 0.
    """
    n_dimensions, vectors = vectors.shape[1], vectors[:, : codebook.shape[0] * codebook.shape[2]]
    norms = np.linalg.norm(vectors, axis=1)
    codes = np.empty((len(vectors), len(codebook)), np.uint8)
    for start in range(0, len(vectors), 20_000):
        batch = slice(start, start + 20_000)
        for i, piece in enumerate(_split(normalize_rows(vectors[batch]), len(codebook))):  # twice as fast as SciPy's vq
            codes[batch, i] = (piece @ codebook[i].T - (codebook[i] ** 2).sum(axis=1) / 2).argmax(axis=1)
    return PQRows(codes, norms.astype(np.float16), codebook, n_dimensions)


def learn_codebook(vectors: Float32Array, n_pieces: int) -> Float32Array:
    """Learn a codebook, (pieces, CODEBOOK_SIZE, numbers of a piece), for vectors, (rows, dimensions).

    Without vectors it is all zeros.
    """
    if not len(vectors):
        return np.zeros((n_pieces, CODEBOOK_SIZE, vectors.shape[1] // n_pieces), np.float32)
    from scipy.cluster.vq import kmeans2

    generator = np.random.default_rng(1)
    sample = normalize_rows(vectors[generator.permutation(len(vectors))[:20_000]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # about a center with no vectors, which stays where it was
        starts = (
            (piece, piece[generator.integers(0, len(piece), CODEBOOK_SIZE)]) for piece in _split(sample, n_pieces)
        )
        return np.stack([kmeans2(piece, start, 10, minit="matrix")[0] for piece, start in starts])


def is_codebook(codebook: Float32Array, n_dimensions: int) -> bool:
    """Return whether an array, (pieces, CODEBOOK_SIZE, numbers of a piece), can be a codebook for such vectors."""
    fits = 0 < len(codebook) * codebook.shape[2] <= n_dimensions
    return fits and bool((np.abs(codebook) < 1.01).all())


def _split(vectors: Float32Array, n_pieces: int) -> list[Float32Array]:
    return [np.ascontiguousarray(piece) for piece in np.split(vectors, n_pieces, axis=1)]
