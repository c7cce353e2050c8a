"""Looking things up in sorted columns, many at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from regis.models.numeric.arrays import Positions


def find_sorted(sorted_values: NDArray[Any], targets: Any) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Find values in a sorted array.

    Parameters
    ----------
    sorted_values : (n,) ascending.
    targets : an array or a single value; both results have its shape.

    Returns
    -------
    Where each target stands (of what is not there, any place that is valid unless the array is empty), and
    whether it is there.
    """
    places = np.minimum(np.searchsorted(sorted_values, targets), max(len(sorted_values) - 1, 0))
    return places, sorted_values[places] == targets if len(sorted_values) else np.zeros(np.shape(targets), bool)


def unique_sorted(values: NDArray[Any]) -> NDArray[Any]:
    """Return each value once.

    That of numpy loads its masked arrays, which takes longer than all else.

    Parameters
    ----------
    values : (n,) in any order.

    Returns
    -------
    (distinct,) ascending.
    """
    values = np.sort(values)
    return values[run_starts(values)]


def run_starts(*columns: NDArray[Any]) -> Positions:
    """Find where runs of equal rows begin.

    Parameters
    ----------
    columns : (rows,) each, side by side, sorted.

    Returns
    -------
    (runs,) ascending.
    """
    new = np.ones(len(columns[0]), bool)
    new[1:] = np.any([column[1:] != column[:-1] for column in columns], axis=0)
    return np.flatnonzero(new)


def all_matches(sorted_values: NDArray[Any], targets: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Find every place of each target, (m,), in a sorted array, (n,), which may hold it several times.

    Returns
    -------
    (matches,) which of the targets, ascending, and (matches,) where it stands.
    """
    return expand_ranges(
        np.searchsorted(sorted_values, targets, "left"), np.searchsorted(sorted_values, targets, "right")
    )


def expand_ranges(starts: NDArray[Any], ends: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """List all numbers of each range from starts[i] to ends[i] - 1 in turn.

    Parameters
    ----------
    starts, ends : (ranges,) integers.

    Returns
    -------
    (numbers,) which range, and (numbers,) the number; both of the type of `starts`.
    """
    sizes = ends - starts
    size_ends = np.cumsum(sizes, dtype=starts.dtype)
    which = np.repeat(np.arange(len(sizes), dtype=starts.dtype), sizes)
    return which, np.arange(len(which), dtype=starts.dtype) + (starts - size_ends + sizes)[which]
