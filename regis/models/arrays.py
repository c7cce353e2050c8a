"""Array types, unit vectors, sums of log probabilities, sorted search, and the largest few."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from regis.puzzle.alphabet import row_hashes

Float32Array = NDArray[np.float32]  # for what is learned and stored
Float64Array = NDArray[np.float64]  # for arithmetic: probabilities and their logs
FloatArray = NDArray[np.floating[Any]]  # either of the two
Positions = NDArray[np.intp]  # in an array

MIN_PROBABILITY = 1e-12  # stands for the probability 0, which has no logarithm

Float = TypeVar("Float", bound=np.floating[Any])


def normalize_rows(vectors: Float32Array) -> Float32Array:
    """Scale each vector, (..., numbers), to length 1; zeros stay zeros."""
    directions: Float32Array = vectors / (np.linalg.norm(vectors, axis=-1, keepdims=True) + np.float32(1e-9))
    return directions


def is_finite(values: NDArray[Any]) -> bool:
    return bool(np.isfinite(values).all())


def logsumexp(logs: Float64Array) -> Float64Array:
    """Sum probabilities, given as natural logs, over the last axis, which stays with length 1; -inf if there are none.

    Importing SciPy's function takes longer than filling a grid, and numpy's logaddexp.reduce takes twice as long.
    """
    largest = np.maximum(logs.max(axis=-1, keepdims=True, initial=-np.inf), np.finfo(np.float64).min)
    with np.errstate(divide="ignore"):
        total: Float64Array = largest + np.log(np.exp(logs - largest).sum(axis=-1, keepdims=True))
    return total


def log_softmax(scores: NDArray[Float], is_counted: NDArray[np.bool_] | bool = True) -> NDArray[Float]:
    """Turn scores into natural log probabilities along the last axis, in place.

    Only the answers marked in `is_counted`, (answers,), share the probability; if none is, nothing is divided by 0.
    """
    scores -= scores.max(axis=-1, keepdims=True)
    total = np.exp(scores).sum(axis=-1, keepdims=True, where=is_counted)
    scores -= np.log(np.maximum(total, np.finfo(scores.dtype).tiny))
    return scores


def find_sorted(sorted_values: NDArray[Any], targets: Any) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Find the position of each target in an ascending array, and whether the target is there.

    The position of a missing target is any valid one. Both results have the shape of `targets`.
    """
    places = np.minimum(np.searchsorted(sorted_values, targets), max(len(sorted_values) - 1, 0))
    return places, sorted_values[places] == targets if len(sorted_values) else np.zeros(np.shape(targets), bool)


def unique_sorted(values: NDArray[Any]) -> NDArray[Any]:
    """Return the distinct values, ascending; numpy's `unique` is slow at first, since it loads masked arrays."""
    values = np.sort(values)
    return values[run_starts(values)]


def run_starts(*columns: NDArray[Any]) -> Positions:
    """Find where runs of equal rows begin in sorted columns, (rows,) each."""
    new = np.ones(len(columns[0]), bool)
    new[1:] = np.any([column[1:] != column[:-1] for column in columns], axis=0)
    return np.flatnonzero(new)


def all_matches(sorted_values: NDArray[Any], targets: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Find all positions of each target in a sorted array: (matches,) the target's number, ascending; (matches,) the
    position."""
    return expand_ranges(
        np.searchsorted(sorted_values, targets, "left"), np.searchsorted(sorted_values, targets, "right")
    )


def expand_ranges(starts: NDArray[Any], ends: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """List the numbers from starts[i] to ends[i] - 1 of all ranges: (numbers,) the range, and (numbers,) the number."""
    sizes = ends - starts
    size_ends = np.cumsum(sizes, dtype=starts.dtype)
    which = np.repeat(np.arange(len(sizes), dtype=starts.dtype), sizes)
    return which, np.arange(len(which), dtype=starts.dtype) + (starts - size_ends + sizes)[which]


ROUNDING_MARGIN = 1e-5
"""Difference that rounding alone explains; the probabilities of two processors differ by 3e-6."""

MAX_SORT_DISTANCE = 40.0  # largest range of numbers that are sorted as 32-bit integers


def first_largest(values: NDArray[Any]) -> int:
    """Return the first index whose value is the largest or a near tie: the same on every processor."""
    return int((values >= values.max() - ROUNDING_MARGIN).argmax())


def top_k_indices(values: NDArray[Any], count: int, *, keep_ties: bool = True) -> Positions:
    """Return the indices of the `count` largest values, ascending; `keep_ties` adds all that equal the smallest of
    them."""
    if count >= len(values):
        return np.arange(len(values))
    part_size = len(values) // (2 * count)
    if part_size > 1:  # the count-th largest maximum of the parts is a lower bound, which rules out most values at once
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

    The order of equal scores depends only on the letters.
    """
    rows = top_k_indices(score, count)
    return rows[np.lexsort((row_hashes(letters[rows]), -score[rows]))][:count]


def stable_top_k(values: Float64Array, count: int) -> Positions:
    """Return the indices of the `count` largest values, largest first, ties by index."""
    if count >= len(values):
        return stable_descending_order(values)
    largest = top_k_indices(values, count)
    return largest[stable_descending_order(values[largest])[:count]]


def stable_descending_order(values: Float64Array) -> Positions:
    """Sort values, largest first, ties by index, in a quarter of the time of a stable sort.

    It is a radix sort of 32-bit numbers; values closer than 1e-8 count as equal.
    """
    distance = values.max() - values
    if distance.max() > MAX_SORT_DISTANCE:
        return np.argsort(distance, kind="stable")
    keys = (distance * (2**32 / (MAX_SORT_DISTANCE + 1))).astype(np.uint32)
    low = np.argsort(keys.astype(np.uint16), kind="stable")
    return low[np.argsort((keys >> 16).astype(np.uint16)[low], kind="stable")]
