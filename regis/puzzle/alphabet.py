"""Letters as numbers: A to Z are 0 to 25, a word is a row of them, words of one length are a table (rows, length)."""

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
    """Turn a word into its letters' numbers, (length,): 'CAB' -> [2, 0, 1]."""
    return np.frombuffer(word.encode("ascii"), dtype=np.uint8) - ASCII_A


def codes_to_word(codes: NDArray[np.uint8]) -> str:
    """Turn letters' numbers, (length,), into a word: [2, 0, 1] -> 'CAB'."""
    return (np.asarray(codes, dtype=np.uint8) + ASCII_A).tobytes().decode("ascii")


def letter_table(words: NDArray[np.bytes_]) -> NDArray[np.uint8]:
    """Turn words of one length, (words,) bytes, into their letter table, (words, length)."""
    return words.view(np.uint8).reshape(-1, words.itemsize) - ASCII_A


def is_letters_only(entry: str, length: int) -> bool:
    """Return whether an entry is so many letters A-Z: no square of it is empty or holds several letters or a digit."""
    return len(entry) == length and all(letter in ALPHABET for letter in entry)


def letter_pairs(table: NDArray[Number]) -> list[NDArray[Number]]:
    """Join the columns of a letter table two by two, so that two neighbouring cells are looked up at once.

    Parameters
    ----------
    table : (words, length), of a type larger than bytes.

    Returns
    -------
    (words,) for each pair, 26 times the first letter plus the second; an odd last column alone.
    """
    columns = [np.ascontiguousarray(column) for column in table.T]
    pairs = [first * ALPHABET_SIZE + second for first, second in zip(columns[::2], columns[1::2], strict=False)]
    return pairs + columns[2 * len(pairs) :]


def row_hashes(table: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Hash each row of a letter table, (words, length), to one 64-bit number, (words,)."""
    hashes = np.zeros(len(table), np.uint64)
    with np.errstate(over="ignore"):
        for column in table.T:
            hashes = hashes * np.uint64(HASH_MULTIPLIER) + column + np.uint64(1)
    return hashes


def pattern_mask(table: NDArray[np.uint8], pattern: str) -> NDArray[np.bool_]:
    """Return which rows of a letter table, (words, length), have the letters of `pattern`: a mask, (words,)."""
    mask = np.ones(len(table), dtype=bool)
    for i, letter in enumerate(pattern):
        if letter != "?":
            mask &= table[:, i] == ord(letter) - ASCII_A
    return mask
