"""A clue as a set of features: words, stems, and word pairs, including the blank.

Features are 64-bit hashes, the same on every machine, so no vocabulary is stored. The build and the queries both use
`extract_features`, so they agree. Each word is hashed once; the rest is arithmetic on columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis import text

WORD, STEM, PAIR = range(3)  # kinds of features, and indices in KIND_WEIGHTS
KIND_WEIGHTS = np.array([1.0, 0.7, 0.8])  # how much a shared feature counts, times its inverse document frequency
_STEM_SALT = np.uint64(0x9E3779B97F4A7C15)
_PAIR_FACTOR = np.uint64(0xD1342543DE82EF95)
HALF_BITS = np.uint64(32)


class ClueFeatures(NamedTuple):
    """Features of clues, parallel arrays; they may repeat."""

    rows: NDArray[np.int32]  # (features,) which clue
    codes: NDArray[np.uint64]  # (features,)
    kinds: NDArray[np.uint8]  # (features,) WORD, STEM or PAIR


def extract_features(clue_keys: Sequence[str]) -> ClueFeatures:
    rows, word_numbers, words = tokenize_keys(clue_keys)
    word_codes, stem_codes = hash_words(words)[word_numbers], hash_stems(words)[word_numbers]
    is_word = np.array([word not in ("", text.BLANK_TOKEN) for word in words], dtype=bool)[word_numbers]
    same_clue = rows[1:] == rows[:-1]
    pair_codes = hash_pairs(word_codes[:-1], word_codes[1:])
    return ClueFeatures(
        np.concatenate([rows[is_word], rows[is_word], rows[1:][same_clue]]),
        np.concatenate([word_codes[is_word], stem_codes[is_word], pair_codes[same_clue]]),
        np.repeat(np.array([WORD, STEM, PAIR], np.uint8), [is_word.sum(), is_word.sum(), same_clue.sum()]),
    )


def tokenize_keys(clue_keys: Sequence[str]) -> tuple[NDArray[np.int32], NDArray[np.int32], list[str]]:
    """Split clue keys into words: (words,) key numbers, (words,) numbers of distinct words, and those words."""
    split_keys = [key.split(" ") for key in clue_keys]
    rows = np.repeat(np.arange(len(split_keys), dtype=np.int32), [len(words) for words in split_keys])
    numbers: dict[str, int] = {}
    word_numbers = [numbers.setdefault(word, len(numbers)) for words in split_keys for word in words]
    return rows, np.array(word_numbers, np.int32), list(numbers)


def upper_halves(codes: NDArray[np.uint64]) -> NDArray[np.uint32]:
    return (codes >> HALF_BITS).astype(np.uint32)


def hash_words(words: Sequence[str]) -> NDArray[np.uint64]:
    hashes = [blake2b(word.encode(), digest_size=8).digest() for word in words]
    return np.frombuffer(b"".join(hashes), "<u8").astype(np.uint64)


def hash_stems(words: Sequence[str]) -> NDArray[np.uint64]:
    return hash_words([text.stem_word(word) for word in words]) ^ _STEM_SALT


def hash_pairs(first_codes: NDArray[np.uint64], second_codes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the features of neighboring words, given by their codes, (pairs,) each."""
    with np.errstate(over="ignore"):
        return first_codes * _PAIR_FACTOR + second_codes


def inverse_frequency(clue_counts: NDArray[np.int64], n_clues: int) -> NDArray[np.float64]:
    """Return inverse document frequencies as natural logs, (features,), at least 0."""
    rarity: NDArray[np.float64] = np.maximum(np.log((n_clues + 1.0) / (clue_counts + 0.5)), 0.0)
    return rarity


def hash_word(word: str) -> int:
    return int(hash_words([word])[0])
