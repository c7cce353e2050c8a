"""Letters as numbers: A to Z are 0 to 25, and words of one length are a (words, length) table."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
ALPHABET_SIZE = len(ALPHABET)

ASCII_A = ord("A")
HASH_MULTIPLIER = 0x9E3779B97F4A7C15  # 2**64 by the golden ratio (Knuth)

Number = TypeVar("Number", bound=np.integer[Any])


def letter_codes(word: str) -> NDArray[np.uint8]:
    """Convert a word to its letters' numbers, (length,): 'CAB' -> [2, 0, 1]."""
    return np.frombuffer(word.encode("ascii"), dtype=np.uint8) - ASCII_A


def codes_to_word(codes: NDArray[np.uint8]) -> str:
    """Convert letters' numbers, (length,), to a word: [2, 0, 1] -> 'CAB'."""
    return (np.asarray(codes, dtype=np.uint8) + ASCII_A).tobytes().decode("ascii")


def letter_table(words: NDArray[np.bytes_]) -> NDArray[np.uint8]:
    """Convert words of one length to their letter table, (words, length)."""
    return words.view(np.uint8).reshape(-1, words.itemsize) - ASCII_A


def is_letters_only(entry: str, length: int) -> bool:
    """Return whether an entry is exactly `length` letters A-Z."""
    return len(entry) == length and all(letter in ALPHABET for letter in entry)


def letter_pairs(table: NDArray[Number]) -> list[NDArray[Number]]:
    """Join a letter table's columns in pairs, each (words,): 26 times the first letter plus the second. An odd last
    column stays alone."""
    columns = [np.ascontiguousarray(column) for column in table.T]
    pairs = [first * ALPHABET_SIZE + second for first, second in zip(columns[::2], columns[1::2], strict=False)]
    return pairs + columns[2 * len(pairs) :]


def row_hashes(table: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Hash each row of a letter table, (words, length), to a 64-bit number, (words,)."""
    hashes = np.zeros(len(table), np.uint64)
    with np.errstate(over="ignore"):
        for column in table.T:
            hashes = hashes * np.uint64(HASH_MULTIPLIER) + column + np.uint64(1)
    return hashes


def pattern_mask(table: NDArray[np.uint8], pattern: str) -> NDArray[np.bool_]:
    """Return which rows of a letter table, (words, length), match `pattern`, (words,)."""
    mask = np.ones(len(table), dtype=bool)
    for i, letter in enumerate(pattern):
        if letter != "?":
            mask &= table[:, i] == ord(letter) - ASCII_A
    return mask
