"""Letters as numbers: A to Z are 0 to 25, a word is a row of them, words of one length are a table (rows, length)."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
LETTERS = len(ALPHABET)

FIRST = ord("A")
STEP = 0x9E3779B97F4A7C15  # of hashes: 2**64 by the golden ratio (Knuth)

Number = TypeVar("Number", bound=np.integer[Any])


def codes(word: str) -> NDArray[np.uint8]:
    """'CAB' -> [2, 0, 1]."""
    return np.frombuffer(word.encode("ascii"), dtype=np.uint8) - FIRST


def word(codes: NDArray[np.uint8]) -> str:
    """[2, 0, 1] -> 'CAB'."""
    return (np.asarray(codes, dtype=np.uint8) + FIRST).tobytes().decode("ascii")


def table(words: NDArray[np.bytes_]) -> NDArray[np.uint8]:
    """Words of one length, as bytes -> their letter table."""
    return words.view(np.uint8).reshape(-1, words.itemsize) - FIRST


def words(table: NDArray[np.uint8]) -> list[str]:
    """The words of a letter table, which is quicker so than one by one."""
    length = table.shape[1]
    every = (table + np.uint8(FIRST)).tobytes().decode("ascii")
    return [every[at : at + length] for at in range(0, len(every), length)]


def spelled(entry: str, length: int) -> bool:
    """Whether an entry is so many letters A-Z: no square of it is empty, none holds several letters or a digit."""
    return len(entry) == length and all(letter in ALPHABET for letter in entry)


def paired(table: NDArray[Number]) -> list[NDArray[Number]]:
    """The columns of a letter table two by two, 26 times the first plus the second; an odd last one alone.

    What two neighbouring cells make of any two letters can then be looked up at once. Bytes are too small for that.
    """
    columns = [np.ascontiguousarray(column) for column in table.T]
    pairs = [first * LETTERS + second for first, second in zip(columns[::2], columns[1::2], strict=False)]
    return pairs + columns[2 * len(pairs) :]


def row_hashes(table: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """One 64-bit number for each row of a letter table, so that a row is found by one comparison each."""
    number = np.zeros(len(table), np.uint64)
    with np.errstate(over="ignore"):
        for column in table.T:
            number = number * np.uint64(STEP) + column + np.uint64(1)
    return number


def fits(table: NDArray[np.uint8], pattern: str) -> NDArray[np.bool_]:
    """Which rows of a letter table have the letters of `pattern` where it has letters."""
    mask = np.ones(len(table), dtype=bool)
    for i, letter in enumerate(pattern):
        if letter != "?":
            mask &= table[:, i] == ord(letter) - FIRST
    return mask
