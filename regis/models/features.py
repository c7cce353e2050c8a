"""A clue as a set of features: its words, their stems, and its word pairs with the blank among them.

Features are 64-bit hashes, the same today and tomorrow and on every machine, so that no vocabulary has to be kept. One
function, `features`, serves both the build (a million clues) and a query (one), which is what makes them agree. Words
are hashed once each; stems and pairs follow by table look-up and arithmetic on whole columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis import text

WORD, STEM, PAIR = 0, 1, 2  # what a feature is; also its place in KIND_WEIGHT
KIND_WEIGHT = np.array([1.0, 0.7, 0.8])  # how much a shared one counts, times its inverse document frequency
_STEM_SALT = 0x9E3779B97F4A7C15
_PAIR_FACTOR = np.uint64(0xD1342543DE82EF95)
HALF = np.uint64(32)


class Features(NamedTuple):
    """Three parallel arrays. A clue's features may repeat."""

    rows: NDArray[np.int32]  # which clue
    codes: NDArray[np.uint64]
    kinds: NDArray[np.uint8]


def features(keys: Sequence[str]) -> Features:
    """The features of all `keys` (as `text.clue_key` makes them)."""
    row, token, words = tokens(keys)
    word_code, stems = codes_of(words), stem_codes(words)
    single = np.array([w not in ("", text.BLANK) for w in words], dtype=bool)[token]
    together = row[1:] == row[:-1]
    pair = pairs(word_code[token[:-1]], word_code[token[1:]])
    return Features(
        np.concatenate([row[single], row[single], row[1:][together]]),
        np.concatenate([word_code[token[single]], stems[token[single]], pair[together]]),
        np.repeat(np.array([WORD, STEM, PAIR], np.uint8), [single.sum(), single.sum(), together.sum()]),
    )


def tokens(keys: Sequence[str]) -> tuple[NDArray[np.int32], NDArray[np.int32], list[str]]:
    """The words of `keys` one after the other: the row of each, its place among the different words, and these."""
    split = [key.split(" ") for key in keys]
    row = np.repeat(np.arange(len(split), dtype=np.int32), [len(words) for words in split])
    place: dict[str, int] = {}
    token = [place.setdefault(word, len(place)) for words in split for word in words]
    return row, np.array(token, np.int32), list(place)


def short(codes: NDArray[np.uint64]) -> NDArray[np.uint32]:
    """The upper halves of features, by which a distilled index knows them (index.vocabulary)."""
    return (codes >> HALF).astype(np.uint32)


def codes_of(words: Sequence[str]) -> NDArray[np.uint64]:
    """The hashes of words, (words,), each as `code` has it."""
    hashes = [blake2b(word.encode(), digest_size=8).digest() for word in words]
    return np.frombuffer(b"".join(hashes), "<u8").astype(np.uint64)


def stem_codes(words: Sequence[str]) -> NDArray[np.uint64]:
    """The features of the words' stems, (words,), each as `stem_code` has it."""
    return codes_of([text.stem(word) for word in words]) ^ np.uint64(_STEM_SALT)


def stem_code(word: str) -> int:
    """The feature of a word's stem."""
    return code(text.stem(word)) ^ _STEM_SALT


def pairs(first: NDArray[np.uint64], second: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The features of neighbouring words with these codes, side by side."""
    with np.errstate(over="ignore"):
        return first * _PAIR_FACTOR + second


def pair_code(first: str, second: str) -> int:
    """The feature of two neighbouring words."""
    return (code(first) * int(_PAIR_FACTOR) + code(second)) % (1 << 64)


def inverse_frequency(clues_with: NDArray[np.int64], clues: int) -> NDArray[np.float64]:
    """log of how rare a feature is among `clues` clues; never below 0."""
    rarity: NDArray[np.float64] = np.maximum(np.log((clues + 1.0) / (clues_with + 0.5)), 0.0)
    return rarity


def code(word: str) -> int:
    """The 64-bit hash of a word or phrase."""
    return int.from_bytes(blake2b(word.encode(), digest_size=8).digest(), "little")
