"""The largest few of many numbers, found before anything is sorted.

They differ in what becomes of equals and in the order of the result, so that each result is the same on every machine.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from regis.models.numeric.arrays import Float64Array, Positions
from regis.puzzle.alphabet import row_hashes

ROUNDING_MARGIN = 1e-5
"""Within what distance do two values differ by rounding alone? Probabilities of two processors are 3e-6 apart."""

MAX_SORT_DISTANCE = 40.0  # between the largest and the smallest of numbers that are sorted by 32 bits


def first_largest(values: NDArray[Any], margin: float = ROUNDING_MARGIN) -> int:
    """Find the first of the values that no other exceeds by more than rounding: the same place on every processor.

    Parameters
    ----------
    values : (n,), at least one.
    margin : distance within which values are equal.

    Returns
    -------
    Its place.
    """
    return int((values >= values.max() - margin).argmax())


def top_k_indices(values: NDArray[Any], count: int, *, keep_ties: bool = True) -> Positions:
    """Find the largest of many values.

    Parameters
    ----------
    values : (n,).
    count : how many to find.
    keep_ties : whether all that equal the least of them are found too; otherwise only the first of these.

    Returns
    -------
    (count or more if ties are kept, or n if fewer,) their places, ascending.
    """
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
    """Find the `count` rows of a letter table, (rows, length), with the highest score, (rows,).

    Returns
    -------
    (count,) rows, best first; equals in an order that depends on their letters alone.
    """
    rows = top_k_indices(score, count)
    return rows[np.lexsort((row_hashes(letters[rows]), -score[rows]))][:count]


def stable_top_k(values: Float64Array, count: int) -> Positions:
    """Find the largest of many values, in order.

    Parameters
    ----------
    values : (n,).
    count : how many to find.

    Returns
    -------
    (count,) their places, largest first, equal ones as they come.
    """
    if count >= len(values):
        return stable_descending_order(values)
    largest = top_k_indices(values, count)
    return largest[stable_descending_order(values[largest])[:count]]


def stable_descending_order(values: Float64Array) -> Positions:
    """Sort `values`, (n,), largest first, equal ones as they come: a stable sort in a quarter of its time.

    Numbers of 32 bits are sorted by their lower half and then by their upper one (radix sort). What is nearer than
    1e-8 counts as equal.

    Returns
    -------
    (n,) places.
    """
    distance = values.max() - values
    if distance.max() > MAX_SORT_DISTANCE:
        return np.argsort(distance, kind="stable")
    keys = (distance * (2**32 / (MAX_SORT_DISTANCE + 1))).astype(np.uint32)
    low = np.argsort(keys.astype(np.uint16), kind="stable")
    return low[np.argsort((keys >> 16).astype(np.uint16)[low], kind="stable")]
