"""Vectors in a few bits a number: product quantisation (Jegou 2011).

A vector's length is kept apart; its direction is cut into pieces, and of each piece only the number of the most similar
one in a book of 256 is kept. Books are learned from the vectors themselves (k-means).
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.models.tensors import Floats, unit

ENTRIES = 256
SAMPLE = 20_000  # vectors that a book is learned from
MOST = 1.01  # pieces of directions, which books are means of, have no larger numbers
ROUNDS = 10  # of k-means (Lloyd 1982)
SEED = 1
TOGETHER = 20_000  # vectors that are packed at once,
SCORED, ADDED = 1024, 16_384  # and scored at once, unpacked or as packed: a megabyte, which stays in the cache


class Packed(NamedTuple):
    """Vectors, packed."""

    codes: NDArray[np.uint8]  # (vectors, pieces)
    scales: NDArray[np.floating[Any]]  # (vectors,)
    book: Floats  # (pieces, ENTRIES, numbers of a piece)
    dimensions: int  # as many as the pieces have, or more: the others are 0, as in the starter

    def unpacked(self, rows: NDArray[np.int64] | slice) -> Floats:
        """The vectors `rows`, (rows, dimensions), float32."""
        directions = self._directions(rows)
        vectors = np.zeros((len(directions), self.dimensions), np.float32)
        np.multiply(directions, self.scales[rows].astype(np.float32)[:, None], out=vectors[:, : directions.shape[1]])
        return vectors

    def taken(self, rows: NDArray[np.int64]) -> Packed:
        """A table of the vectors `rows` alone."""
        return self._replace(codes=self.codes[rows], scales=self.scales[rows])

    def joined(self, others: Sequence[Packed]) -> Packed:
        """These vectors and then those of `others`, by the same book."""
        codes, scales = ([table[i] for table in (self, *others)] for i in (0, 1))
        return self._replace(codes=np.concatenate(codes), scales=np.concatenate(scales))

    def score(self, clues: Floats) -> Floats:
        """The product of each of `clues`, (clues, dimensions), with each vector, (clues, vectors).

        Where that is less to do, the clues are multiplied with the book, and what the codes say is added up.
        """
        pieces, _, width = self.book.shape
        clues = clues[:, : pieces * width]
        if len(clues) * pieces > clues.shape[1]:
            return scored(clues, self._directions, self.scales)
        score = np.zeros((len(clues), len(self.codes)), np.float32)
        parts = np.matmul(clues.reshape(-1, pieces, width).swapaxes(0, 1), self.book.swapaxes(1, 2))
        for start in range(0, len(self.codes), ADDED):
            some = slice(start, start + ADDED)
            for part, codes in zip(parts, self.codes[some].T, strict=True):
                score[:, some] += part.take(codes, axis=1)
        score *= self.scales.astype(np.float32)
        return score

    def _directions(self, rows: NDArray[np.int64] | slice) -> Floats:
        """The vectors `rows` as long as the book's, (rows, numbers of all pieces)."""
        pieces, entries, width = self.book.shape
        places = self.codes[rows] + entries * np.arange(pieces)
        directions: Floats = self.book.reshape(-1, width).take(places, axis=0).reshape(len(places), pieces * width)
        return directions


class Tiers(NamedTuple):
    """Vectors, each in one of several packed tables."""

    tier: NDArray[np.uint8]  # (vectors,), which table,
    place: NDArray[np.int64]  # (vectors,), and where in it
    packed: Sequence[Packed]

    @classmethod
    def of(cls, tiers: Sequence[NDArray[np.bool_]], packed: Sequence[Packed]) -> Tiers:
        """Those of `tiers`, (vectors,) each, in the tables `packed`, in their order."""
        place = np.zeros(len(tiers[0]), np.int64)
        for rows in tiers:
            place[rows] = np.arange(rows.sum())
        return cls(np.argmax(tiers, axis=0).astype(np.uint8), place, packed)

    @property
    def arrays(self) -> list[NDArray[Any]]:
        """All but the books, of which `of_arrays` makes it again."""
        return [self.tier, self.place, *itertools.chain.from_iterable((one.codes, one.scales) for one in self.packed)]

    def of_arrays(self, arrays: Sequence[NDArray[Any]]) -> Tiers:
        """A table by the same books, of what were its `arrays`."""
        tier, place, *each = arrays
        pairs = zip(self.packed, each[::2], each[1::2], strict=True)
        return Tiers(tier, place, [one._replace(codes=codes, scales=scales) for one, codes, scales in pairs])

    def unpacked(self, rows: NDArray[np.int64] | slice) -> Floats:
        """The vectors `rows`, (rows, dimensions), float32."""
        tier, place = self.tier[rows], self.place[rows]
        vectors = np.empty((len(tier), self.packed[0].dimensions), np.float32)
        for i, packed in enumerate(self.packed):
            vectors[tier == i] = packed.unpacked(place[tier == i])
        return vectors

    def taken(self, rows: NDArray[np.int64]) -> Tiers:
        """A table of the vectors `rows` alone."""
        tier, place = self.tier[rows], self.place[rows]
        which = [tier == i for i in range(len(self.packed))]
        return Tiers.of(which, [one.taken(place[its]) for one, its in zip(self.packed, which, strict=True)])

    def joined(self, others: Sequence[Tiers]) -> Tiers:
        """These vectors and then those of `others`, whose tables have the same books."""
        tier = np.concatenate([self.tier, *(other.tier for other in others)])
        tables = zip(self.packed, *(other.packed for other in others), strict=True)
        return Tiers.of([tier == i for i in range(len(self.packed))], [one.joined(its) for one, *its in tables])

    def like(self, vectors: Floats) -> Tiers:
        """A table of `vectors`, (rows, dimensions), by the same books: in the first, where they say anything."""
        some = np.asarray(vectors.any(axis=1))
        tiers = [some, *[np.zeros_like(some)] * (len(self.packed) - 2), ~some]
        packed = [pack(vectors[rows], one.book) for rows, one in zip(tiers, self.packed, strict=True)]
        return Tiers.of(tiers, packed)

    def score(self, clues: Floats) -> Floats:
        """The product of each of `clues`, (clues, dimensions), with each vector, (clues, vectors)."""
        starts = np.cumsum([0, *(len(packed.codes) for packed in self.packed)])
        score = np.empty((len(clues), starts[-1]), np.float32)
        for packed, pair in zip(self.packed, itertools.pairwise(starts), strict=True):
            score[:, slice(*pair)] = packed.score(clues)
        return score.take(starts.take(self.tier) + self.place, axis=1)  # in a fifth of the time of putting by masks


def scored(clues: Floats, rows: Callable[[slice], NDArray[Any]], scales: NDArray[np.floating[Any]]) -> Floats:
    """`clues` @ (rows * scales).T, (clues, rows), some rows at a time.

    Of few clues the product is had in four fifths of the time with the many rows in front.
    """
    score = np.empty((len(clues), len(scales)), np.float32)
    for start in range(0, len(scales), SCORED):
        some = slice(start, start + SCORED)
        score[:, some] = (rows(some).astype(np.float32, copy=False) @ clues.T).T
    score *= scales.astype(np.float32)
    return score


def pack(vectors: Floats, book: Floats) -> Packed:
    """`vectors` by the `book`, and by as many of their numbers as it has."""
    dimensions, vectors = vectors.shape[1], vectors[:, : book.shape[0] * book.shape[2]]
    lengths = np.linalg.norm(vectors, axis=1)
    codes = np.empty((len(vectors), len(book)), np.uint8)
    for start in range(0, len(vectors), TOGETHER):
        some = slice(start, start + TOGETHER)
        for i, piece in enumerate(_pieces(unit(vectors[some]), len(book))):  # twice as fast as scipy's vq
            codes[some, i] = (piece @ book[i].T - (book[i] ** 2).sum(axis=1) / 2).argmax(axis=1)
    return Packed(codes, lengths.astype(np.float16), book, dimensions)


def learn_book(vectors: Floats, parts: int) -> Floats:
    """A book for vectors as these cut into `parts` pieces, (parts, ENTRIES, dimensions / parts); zeros for none."""
    if not len(vectors):
        return np.zeros((parts, ENTRIES, vectors.shape[1] // parts), np.float32)
    from scipy.cluster.vq import kmeans2

    generator = np.random.default_rng(SEED)
    some = unit(vectors[generator.permutation(len(vectors))[:SAMPLE]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that nothing is near to a centre, which stays where it was
        starts = ((piece, piece[generator.integers(0, len(piece), ENTRIES)]) for piece in _pieces(some, parts))
        return np.stack([kmeans2(piece, start, ROUNDS, minit="matrix")[0] for piece, start in starts])


def _pieces(vectors: Floats, parts: int) -> list[Floats]:
    return [np.ascontiguousarray(piece) for piece in np.split(vectors, parts, axis=1)]


def is_book(book: Floats, dimensions: int) -> bool:
    """Whether an array, (pieces, ENTRIES, numbers of a piece), can be a book of vectors with so many dimensions."""
    return len(book) * book.shape[2] <= dimensions and bool((np.abs(book) < MOST).all())
