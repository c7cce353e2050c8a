"""Vectors in a few bits a number: product quantisation (Jegou 2011).

A vector's length is kept apart; its direction is cut into pieces, and of each piece only the number of the most similar
one in a book of 256 is kept. Books are learned from the vectors themselves (k-means).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

ENTRIES = 256

SAMPLE = 20_000
"""Vectors that a book is learned from."""

MOST = 1.01
"""Pieces of directions, which books are means of, have no larger numbers."""

ROUNDS = 10
SEED = 1
TOGETHER = 20_000

Floats = NDArray[np.float32]


class Packed(NamedTuple):
    """Vectors, packed."""

    codes: NDArray[np.uint8]  # (vectors, pieces)
    scales: NDArray[np.floating[Any]]  # (vectors,)
    book: Floats  # (pieces, ENTRIES, numbers of a piece)
    dimensions: int  # as many as the pieces have, or more: the others are 0, as in the starter

    def unpacked(self, rows: NDArray[np.int64] | slice) -> Floats:
        """The vectors `rows`, (rows, dimensions), float32."""
        codes = self.codes[rows]
        width = self.book.shape[2]
        vectors = np.zeros((len(codes), self.dimensions), np.float32)
        for i, book in enumerate(self.book):
            vectors[:, i * width : (i + 1) * width] = book[codes[:, i]]
        vectors *= self.scales[rows].astype(np.float32)[:, None]
        return vectors


def pack(vectors: Floats, book: Floats) -> Packed:
    """`vectors` by the `book`."""
    lengths = np.linalg.norm(vectors, axis=1)
    codes = np.empty((len(vectors), len(book)), np.uint8)
    for start in range(0, len(vectors), TOGETHER):
        some = slice(start, start + TOGETHER)
        for i, piece in enumerate(_pieces(_directions(vectors[some]), len(book))):
            codes[some, i] = _nearest(piece, book[i])
    return Packed(codes, lengths.astype(np.float16), book, vectors.shape[1])


def learn_book(vectors: Floats, parts: int) -> Floats:
    """A book for vectors as these cut into `parts` pieces, (parts, ENTRIES, dimensions / parts); zeros for none."""
    if not len(vectors):
        return np.zeros((parts, ENTRIES, vectors.shape[1] // parts), np.float32)
    generator = np.random.default_rng(SEED)
    some = _directions(vectors[generator.permutation(len(vectors))[:SAMPLE]])
    return np.stack([_k_means(piece, generator) for piece in _pieces(some, parts)])


def _directions(vectors: Floats) -> Floats:
    directions: Floats = vectors / (np.linalg.norm(vectors, axis=1, keepdims=True) + np.float32(1e-9))
    return directions


def _pieces(vectors: Floats, parts: int) -> list[Floats]:
    return [np.ascontiguousarray(piece) for piece in np.split(vectors, parts, axis=1)]


def _nearest(points: Floats, centres: Floats) -> NDArray[np.intp]:
    near: NDArray[np.intp] = (points @ centres.T - (centres**2).sum(axis=1) / 2).argmax(axis=1)
    return near


def _k_means(points: Floats, generator: np.random.Generator) -> Floats:
    """ENTRIES centres of `points`; one that nothing is near to stays where it was (Lloyd 1982)."""
    centres = points[generator.integers(0, len(points), ENTRIES)]
    for _ in range(ROUNDS):
        near = _nearest(points, centres)
        count = np.bincount(near, minlength=ENTRIES)
        sums = np.stack([np.bincount(near, weights=column, minlength=ENTRIES) for column in points.T], axis=1)
        centres = np.where(count[:, None] > 0, sums / np.maximum(count, 1)[:, None], centres).astype(np.float32)
    return centres


def read_book(path: Path, pieces: int, dimensions: int) -> Floats:
    """The book in the file `path`. Raises OSError, or ValueError if it is none of so many pieces of vectors."""
    book: Floats = np.load(path, allow_pickle=False)
    if book.dtype != np.float32 or book.ndim != 3 or book.shape[:2] != (pieces, ENTRIES):
        raise ValueError("no book")
    if pieces * book.shape[2] > dimensions or not (np.abs(book) < MOST).all():
        raise ValueError("no book of such vectors")
    return book
