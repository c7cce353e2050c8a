"""The learned clue encoder: clues and answers as vectors, close together if they belong together.

A clue is a bag of hashed features: words, stems, word pairs, letter 4-grams (for misspelled or unknown words), and
signs of its form. Each feature has a learned vector; the clue's vector is their weighted sum. Of all answers of the
slot's length, the right one should have the largest dot product plus bias (as in BCS and fastText).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis import text
from regis.models.arrays import Float32Array, expand_ranges
from regis.models.neural.vector_table import DIMENSIONS, VectorRows
from regis.models.text import clue_features, clue_form

BUCKET_COUNT = 1 << 18  # hash buckets for features; rare ones share a bucket with others
GRAM_LETTERS = 4  # letters in a piece of a word

FEATURE_WEIGHTS = np.array([1.0, 0.7, 0.7, 0.3, 0.3], np.float32)  # of a word, stem, word pair, letter 4-gram, and sign


class FeatureBags(NamedTuple):
    """Clues as sparse rows: clue i has the features `buckets[starts[i]:starts[i + 1]]`, of these kinds."""

    starts: NDArray[np.int64]  # (clues + 1,)
    buckets: NDArray[np.int64]  # (features,)
    kinds: NDArray[np.uint8]  # (features,) index in FEATURE_WEIGHTS


def hash_features(clue_keys: Sequence[str], clues: Sequence[str]) -> FeatureBags:
    """Hash the features of clue keys (`text.clue_key`) and the signs of clues into buckets."""
    features = clue_features.extract_features(clue_keys)
    gram_rows, gram_codes = _hash_grams(clue_keys)
    sign_rows, sign_codes = _hash_signs(clues)
    rows = np.concatenate([features.rows, gram_rows, sign_rows])
    more_kinds = np.repeat(np.array([3, 4], np.uint8), [len(gram_rows), len(sign_rows)])
    kinds = np.concatenate([features.kinds, more_kinds])
    buckets = (np.concatenate([features.codes, gram_codes, sign_codes]) % np.uint64(BUCKET_COUNT)).astype(np.int64)
    order = np.argsort(rows, kind="stable")
    starts = np.searchsorted(rows[order], np.arange(len(clue_keys) + 1))
    return FeatureBags(starts, buckets[order], kinds[order])


def weigh_features(starts: NDArray[np.integer[Any]], kinds: NDArray[np.uint8]) -> Float32Array:
    """Return the weights of a `FeatureBags`, (features,); each clue's weights have length 1."""
    weights, rows = FEATURE_WEIGHTS[kinds], np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    norms = np.sqrt(np.bincount(rows, weights=weights**2, minlength=len(starts) - 1)).astype(np.float32)
    return weights / norms[rows]


class BagEncoder:
    def __init__(self, feature_vectors: VectorRows) -> None:
        self.feature_vectors = feature_vectors  # (BUCKET_COUNT, DIMENSIONS)

    def encode(self, clues: Sequence[str]) -> Float32Array:
        """Encode clues as (clues, DIMENSIONS) vectors; a clue without features is all zeros."""
        starts, buckets, kinds = hash_features([text.clue_key(clue) for clue in clues], clues)
        weighted = self.feature_vectors.dequantize(buckets) * weigh_features(starts, kinds)[:, None]
        vectors = np.zeros((len(clues), DIMENSIONS), np.float32)
        if len(has_features := np.flatnonzero(np.diff(starts))):
            vectors[has_features] = np.add.reduceat(weighted, starts[has_features])
        return vectors


def _hash_grams(clue_keys: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """Return row and code of every letter 4-gram of words longer than three letters; `^` and `$` mark their ends."""
    rows, word_numbers, words = clue_features.tokenize_keys(clue_keys)
    grams_of_words = [_word_grams(word) for word in words]
    codes = clue_features.hash_words([gram for grams in grams_of_words for gram in grams])
    starts = np.cumsum([0, *map(len, grams_of_words)])
    which, places = expand_ranges(starts[word_numbers], starts[word_numbers + 1])
    return rows[which], codes[places]


def _hash_signs(clues: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    numbers: dict[str, int] = {}
    clue_signs = [[numbers.setdefault(sign, len(numbers)) for sign in clue_form.list_signs(clue)] for clue in clues]
    codes = clue_features.hash_words([f"*{sign}" for sign in numbers])
    rows = np.repeat(np.arange(len(clues)), [len(signs) for signs in clue_signs])
    return rows, codes[np.array([number for signs in clue_signs for number in signs], np.int64)]


def _word_grams(word: str) -> list[str]:
    if len(word) < GRAM_LETTERS:
        return []
    padded = f"^{word}$"
    return [f"#{padded[i : i + GRAM_LETTERS]}" for i in range(len(padded) - GRAM_LETTERS + 1)]
