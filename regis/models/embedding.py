"""A learned clue encoder: clue and answer as vectors, near each other when they belong together.

A clue is a bag of hashed features: its words, stems and word pairs (models.features), the letter 4-grams of its words,
so that a misspelt or unknown word still says something, and the signs of its form (models.clue_form). Each feature has
a vector; the clue's is their weighted sum. The vectors were learned so that, among all answers of the slot's length,
the right one has the largest dot product plus bias (the idea of BCS and of fastText, without a network). Vectors are
kept as bytes, 1/4 of their size, and mapped into memory: a clue touches some thirty of them.

    encoder/features.npy           int8 (BUCKETS, DIMENSIONS)
            feature-scales.npy     float16 (BUCKETS,): what a feature's bytes are multiplied with
            length=N/answers.npy   int8 (answers, DIMENSIONS or fewer), rows as in the answer table
                     scales.npy    float16 (answers,)
                     bias.npy      float16 (answers,)
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from regis import text
from regis.models import clue_form as forms
from regis.models import features as words
from regis.models import lookup, quantization
from regis.models.tensors import Floats

DIMENSIONS = 256
BUCKETS = 1 << 18  # hash buckets for features; rare ones share a bucket with others
KIND = np.array([1.0, 0.7, 0.7, 0.3, 0.3], np.float32)  # weight of a word, stem, word pair, letter 4-gram and sign
GRAM = 4


class Bags(NamedTuple):
    """Clues as sparse rows: clue i has the features `buckets[starts[i]:starts[i + 1]]` with these weights."""

    starts: NDArray[np.int64]
    buckets: NDArray[np.int64]
    weights: Floats  # each clue's have length 1


def bags(keys: Sequence[str], said: Sequence[str]) -> Bags:
    """The features of clues, hashed into buckets: of their `keys` (text.clue_key), and of how they were `said`."""
    found = words.features(keys)
    gram_rows, gram_codes = _grams(keys)
    sign_rows, sign_codes = _signs(said)
    rows = np.concatenate([found.rows, gram_rows, sign_rows])
    kinds = np.concatenate([found.kinds, np.repeat([3, 4], [len(gram_rows), len(sign_rows)])])
    weights = KIND[kinds]
    buckets = (np.concatenate([found.codes, gram_codes, sign_codes]) % np.uint64(BUCKETS)).astype(np.int64)
    order = np.argsort(rows, kind="stable")
    rows, buckets, weights = rows[order], buckets[order], weights[order]
    starts = np.searchsorted(rows, np.arange(len(keys) + 1))
    length = np.sqrt(np.bincount(rows, weights=weights**2, minlength=len(keys))).astype(np.float32)
    return Bags(starts, buckets, weights / length[rows])


class Rows(Protocol):
    """A table of vectors of which some are wanted, one by one."""

    def unpacked(self, rows: NDArray[np.int64] | slice) -> Floats:
        """The vectors `rows`, (rows, DIMENSIONS)."""


class Vectors(Rows, Protocol):
    """A table of vectors in whatever form they are kept."""

    def taken(self, rows: NDArray[np.int64]) -> Vectors:
        """A table of the vectors `rows` alone, in the same form."""

    def joined(self, others: Sequence[Self]) -> Self:
        """These vectors and then those of `others`, which are in the same form, by the same books if by any."""

    def like(self, vectors: Floats) -> Self:
        """A table of `vectors`, (rows, DIMENSIONS), in the same form, by the same books if by any."""

    def score(self, clues: Floats) -> Floats:
        """The product of each of `clues`, (clues, DIMENSIONS), with each vector, (clues, vectors)."""


class Bytes(NamedTuple):
    """Vectors as bytes, each row with a scale of its own (see `quantised`)."""

    table: NDArray[np.int8]  # (rows, DIMENSIONS), or fewer columns: the others are 0, as in what a starter brought
    scales: NDArray[np.float16]  # (rows,)

    @classmethod
    def of(cls, vectors: Floats) -> Bytes:
        """A table of `vectors`, (rows, DIMENSIONS)."""
        rounded, scales = quantised(vectors)
        return cls(narrow(rounded), scales)

    def unpacked(self, rows: NDArray[np.int64] | slice) -> Floats:
        held, scales = self.table[rows], self.scales[rows].astype(np.float32)
        vectors = np.zeros((len(held), DIMENSIONS), np.float32)
        np.multiply(held, scales[:, None], out=vectors[:, : held.shape[1]])
        return vectors

    def taken(self, rows: NDArray[np.int64]) -> Bytes:
        return Bytes(self.table[rows], self.scales[rows])

    def joined(self, others: Sequence[Bytes]) -> Bytes:
        tables, scales = zip(self, *others, strict=True)
        width = max(table.shape[1] for table in tables)
        held = np.zeros((sum(map(len, tables)), width), np.int8)
        for table, end in zip(tables, itertools.accumulate(map(len, tables)), strict=True):
            held[end - len(table) : end, : table.shape[1]] = table
        return Bytes(held, np.concatenate(scales))

    def like(self, vectors: Floats) -> Bytes:
        return Bytes.of(vectors)

    def score(self, clues: Floats) -> Floats:
        clues = np.ascontiguousarray(clues[:, : self.table.shape[1]])
        return quantization.scored(clues, lambda rows: self.table[rows], self.scales)


class Encoder:
    """The clue's side. `encode(clues)` is all that others need of it."""

    def __init__(self, features: Rows) -> None:
        self.features = features

    def encode(self, clues: Sequence[str]) -> Floats:
        """The vectors of `clues`, (len(clues), DIMENSIONS); zeros for a clue without a single feature."""
        starts, buckets, weights = bags([text.clue_key(clue) for clue in clues], clues)
        parts = self.features.unpacked(buckets) * weights[:, None]
        vectors = np.zeros((len(clues), DIMENSIONS), np.float32)
        if len(some := np.flatnonzero(np.diff(starts))):
            vectors[some] = np.add.reduceat(parts, starts[some])
        return vectors


class AnswerVectors(NamedTuple):
    """The answers' side for one length."""

    table: Vectors
    bias: Floats  # (answers,)

    def score(self, clues: Floats) -> Floats:
        """How well each answer goes with each of the vectors `clues`, (clues, answers): log odds, up to a constant."""
        score = self.table.score(clues)
        score += self.bias
        return score


def quantised(vectors: Floats) -> tuple[NDArray[np.int8], NDArray[np.float16]]:
    """Rows as bytes, and the scale of each row; error at most 1/220 of the row's largest number if that is not tiny.

    1/254 comes from the bytes, the rest from the scale, which is a float16 itself.
    """
    scales = np.maximum(np.abs(vectors).max(axis=1), 1e-4).astype(np.float16).astype(np.float32) / np.float32(127)
    rounded = np.clip(np.rint(vectors / scales[:, None]), -127, 127).astype(np.int8)
    return rounded, scales.astype(np.float16)


def narrow(rounded: NDArray[np.int8]) -> NDArray[np.int8]:
    """Vectors as bytes without the last columns in which all are 0, the first kept."""
    used = np.flatnonzero(rounded.any(axis=0))
    return np.ascontiguousarray(rounded[:, : int(used.max(initial=0)) + 1])


def _grams(keys: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """Row and code of every letter 4-gram of every word longer than three letters, with `^` and `$` at its ends."""
    row, token, different = words.tokens(keys)
    of_word = [_word_grams(word) for word in different]
    hashed = words.codes_of([gram for grams in of_word for gram in grams])
    starts = np.cumsum([0, *map(len, of_word)])
    which, place = lookup.spread(starts[token], starts[token + 1])
    return row[which], hashed[place]


def _signs(said: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """Row and code of every sign of every clue."""
    codes: dict[str, int] = {}
    found = [[codes.setdefault(sign, len(codes)) for sign in forms.signs(clue)] for clue in said]
    hashed = words.codes_of([f"*{sign}" for sign in codes])
    row = np.repeat(np.arange(len(said)), [len(signs) for signs in found])
    return row, hashed[np.array([code for signs in found for code in signs], np.int64)]


def _word_grams(word: str) -> list[str]:
    if len(word) < GRAM:
        return []
    padded = f"^{word}$"
    return [f"#{padded[i : i + GRAM]}" for i in range(len(padded) - GRAM + 1)]
