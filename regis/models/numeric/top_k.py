"""The largest few of many numbers, found before anything is sorted.

The functions differ in ties and order, so that each result is the same on every machine.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from regis.models.numeric.arrays import Float64Array, Positions
from regis.puzzle.alphabet import row_hashes

ROUNDING_MARGIN = 1e-5
"""Distance within which two values differ by rounding alone; two processors' probabilities differ by 3e-6."""

MAX_SORT_DISTANCE = 40.0  # between the largest and the smallest of numbers that are sorted by 32 bits


def first_largest(values: NDArray[Any], margin: float = ROUNDING_MARGIN) -> int:
    """Return the first place whose value no other exceeds by more than `margin`: the same on every processor."""
    return int((values >= values.max() - margin).argmax())


def top_k_indices(values: NDArray[Any], count: int, *, keep_ties: bool = True) -> Positions:
    """Return the places of the `count` largest values, ascending; more if `keep_ties` keeps all equals of the least."""
    if count >= len(values):
        return np.arange(len(values))
    part_size = len(values) // (2 * count)
    if part_size > 1:  # none found is below the count-th of the parts' maxima, so most are passed over at once
        maxima = values[: len(values) // part_size * part_size].reshape(-1, part_size).max(axis=1)
        contenders = np.flatnonzero(values >= np.partition(maxima, -count)[-count])
        values = values[contenders]
    least = np.partition(values, -count)[-count]
    if keep_ties:
        found = np.flatnonzero(values >= least)
    else:
        larger, equal = np.flatnonzero(values > least), np.flatnonzero(values == least)
        found = np.sort(np.append(larger, equal[: count - len(larger)]))
    return contenders[found] if part_size > 1 else found


def top_k_rows(letters: NDArray[np.uint8], score: NDArray[np.floating], count: int) -> Positions:
    """Return the `count` rows of a letter table, (rows, length), with the highest scores, best first.

    The order of equal scores depends only on their letters.
    """
    rows = top_k_indices(score, count)
    return rows[np.lexsort((row_hashes(letters[rows]), -score[rows]))][:count]


def stable_top_k(values: Float64Array, count: int) -> Positions:
    """Return the places of the `count` largest values, largest first, ties in order of place."""
    if count >= len(values):
        return stable_descending_order(values)
    largest = top_k_indices(values, count)
    return largest[stable_descending_order(values[largest])[:count]]


def stable_descending_order(values: Float64Array) -> Positions:
    """Sort values, largest first, ties in order of place: a stable sort in a quarter of its time.

    A radix sort of 32-bit numbers; values nearer than 1e-8 count as equal.
    """
    distance = values.max() - values
    if distance.max() > MAX_SORT_DISTANCE:
        return np.argsort(distance, kind="stable")
    keys = (distance * (2**32 / (MAX_SORT_DISTANCE + 1))).astype(np.uint32)
    low = np.argsort(keys.astype(np.uint16), kind="stable")
    return low[np.argsort((keys >> 16).astype(np.uint16)[low], kind="stable")]
