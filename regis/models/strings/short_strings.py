"""All strings of up to four letters that are in no list, one by one.

There are few of them, and lists have most of those that look like words: nine tenths of what the letter model thinks of
three letters. What is left is mostly put together otherwise, as MMO and TBT are, so that the letter model counts less
the shorter a string is (POWERS). Sums over all strings are products of a slot's first half, a matrix and its second
half; nothing is cut.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from regis.models.numeric.arrays import Float32Array, Float64Array
from regis.models.strings.letter_model import LetterModel
from regis.puzzle.alphabet import ALPHABET_SIZE

LENGTH_POWERS = {2: 0.35, 3: 0.35, 4: 0.5}
"""To which power, by length, is the letter model's probability taken? (Measured: docs/experiments/short-strings.md.)"""

LISTED_FACTOR = 1e-4  # by which factor what is listed is less likely, as far as a list may lack it
MIN_WEIGHT = 1e-30  # the least weight, which has a logarithm


@dataclass(frozen=True)
class ShortStrings:
    """The strings of each of the lengths in LENGTH_POWERS."""

    letter_model: LetterModel
    list_strings: Callable[[int], NDArray[np.uint8]]  # those of a length in lists, not meant here, (strings, length)
    _tables: dict[int, Float32Array] = field(default_factory=dict, init=False, repr=False, compare=False)

    def letter_posterior(self, evidence: Float64Array) -> tuple[Float64Array, Float64Array]:
        """Say which letters strings of one length have, as `StringModel.letter_posterior` does."""
        table = self._probability_table(evidence.shape[1])
        scale = np.maximum(evidence.max(axis=2, keepdims=True), MIN_WEIGHT)
        scaled = (evidence / scale).astype(np.float32)
        middle = evidence.shape[1] // 2
        first, second = _join_cells(scaled[:, :middle]), _join_cells(scaled[:, middle:])
        firsts, seconds = first * (second @ table.T), second * (first @ table)
        totals = firsts.sum(axis=1, dtype=np.float64)
        letters = np.concatenate(
            [_split_cells(firsts, middle), _split_cells(seconds, scaled.shape[1] - middle)], axis=1
        )
        letters = np.where(
            totals[:, None, None] > 0, letters / np.maximum(totals, MIN_WEIGHT)[:, None, None], 1 / ALPHABET_SIZE
        )
        return np.log(np.maximum(totals, MIN_WEIGHT)) + np.log(scale).sum(axis=(1, 2)), letters

    def string_loglik(self, letters: NDArray[np.uint8]) -> float:
        """Return the log probability of one string, as `StringModel.string_loglik` does."""
        probabilities = self._probability_table(len(letters)).reshape([ALPHABET_SIZE] * len(letters))
        return float(np.log(probabilities[tuple(letters)]))

    def _probability_table(self, length: int) -> Float32Array:
        """Return how likely each string is, by the numbers of its first half and its second."""
        if length not in self._tables:
            probabilities = self.letter_model.flatten(LENGTH_POWERS[length]).enumerate_strings(length)
            probabilities[tuple(self.list_strings(length).T)] *= LISTED_FACTOR
            middle = length // 2
            self._tables[length] = (
                (probabilities / probabilities.sum()).reshape(ALPHABET_SIZE**middle, -1).astype(np.float32)
            )
        return self._tables[length]


def _join_cells(cell_evidence: Float32Array) -> Float32Array:
    """Multiply evidence about one cell or two, (slots, cells, 26), to that about strings, (slots, 26 or 676)."""
    if cell_evidence.shape[1] == 1:
        return cell_evidence[:, 0]
    return (cell_evidence[:, 0, :, None] * cell_evidence[:, 1, None, :]).reshape(len(cell_evidence), ALPHABET_SIZE**2)


def _split_cells(strings: Float32Array, n_cells: int) -> Float64Array:
    """Sum strings of one cell or two, (slots, 26 or 676), letter by letter: (slots, cells, 26)."""
    both = strings.reshape(len(strings), *[ALPHABET_SIZE] * n_cells)
    sums = [both] if n_cells == 1 else [both.sum(axis=2), both.sum(axis=1)]
    return np.stack(sums, axis=1).astype(np.float64)
