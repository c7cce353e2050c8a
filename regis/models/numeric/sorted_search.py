"""Vectorized lookup in sorted arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from regis.models.numeric.arrays import Positions


def find_sorted(sorted_values: NDArray[Any], targets: Any) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Find the place of each target in an ascending array, and whether it is there.

    The place of a missing target is any valid one. Both results have the shape of `targets`.
    """
    places = np.minimum(np.searchsorted(sorted_values, targets), max(len(sorted_values) - 1, 0))
    return places, sorted_values[places] == targets if len(sorted_values) else np.zeros(np.shape(targets), bool)


def unique_sorted(values: NDArray[Any]) -> NDArray[Any]:
    """Return distinct values, ascending; numpy's `unique` first loads its masked arrays, which takes longer."""
    values = np.sort(values)
    return values[run_starts(values)]


def run_starts(*columns: NDArray[Any]) -> Positions:
    """Find where runs of equal rows begin in sorted columns, (rows,) each."""
    new = np.ones(len(columns[0]), bool)
    new[1:] = np.any([column[1:] != column[:-1] for column in columns], axis=0)
    return np.flatnonzero(new)


def all_matches(sorted_values: NDArray[Any], targets: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Find every place of each target in a sorted array: (matches,) which target, ascending, and (matches,) its
    place."""
    return expand_ranges(
        np.searchsorted(sorted_values, targets, "left"), np.searchsorted(sorted_values, targets, "right")
    )


def expand_ranges(starts: NDArray[Any], ends: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """List the numbers from starts[i] to ends[i] - 1 of all ranges: (numbers,) which range, and (numbers,) each
    number."""
    sizes = ends - starts
    size_ends = np.cumsum(sizes, dtype=starts.dtype)
    which = np.repeat(np.arange(len(sizes), dtype=starts.dtype), sizes)
    return which, np.arange(len(which), dtype=starts.dtype) + (starts - size_ends + sizes)[which]
