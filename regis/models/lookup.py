"""Looking things up in sorted columns, many at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from regis.puzzle.alphabet import row_hashes

Places = NDArray[np.intp]  # in an array


def place(known: NDArray[Any], wanted: Any) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Where each of `wanted` stands in the sorted `known`, and whether it does.

    `wanted` is an array or a single value; both results have its shape. The place of what is not there means nothing,
    but is one that `known` has, unless it is empty.
    """
    places = np.minimum(np.searchsorted(known, wanted), max(len(known) - 1, 0))
    return places, known[places] == wanted if len(known) else np.zeros(np.shape(wanted), bool)


def distinct(values: NDArray[Any]) -> NDArray[Any]:
    """Each of `values` once, ascending. (That of numpy loads its masked arrays, which takes longer than all else.)"""
    values = np.sort(values)
    return values[begins(values)]


def largest(values: NDArray[Any], count: int) -> Places:
    """Where the `count` largest of `values` stand, and what equals the least of them, ascending.

    What is far from the front need not be sorted to find it.
    """
    if count >= len(values):
        return np.arange(len(values))
    return np.flatnonzero(values >= np.partition(values, -count)[-count])


def foremost(table: NDArray[np.uint8], score: NDArray[np.floating], count: int) -> Places:
    """The `count` rows of a letter table with the highest `score`, best first; equals by their letters alone."""
    rows = largest(score, count)
    return rows[np.lexsort((row_hashes(table[rows]), -score[rows]))][:count]


def begins(*columns: NDArray[Any]) -> Places:
    """Where in sorted `columns`, side by side, a row stands that is not the one before it, so that equal ones begin."""
    new = np.ones(len(columns[0]), bool)
    new[1:] = np.any([column[1:] != column[:-1] for column in columns], axis=0)
    return np.flatnonzero(new)


def every(known: NDArray[Any], wanted: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """All places at which each of `wanted` stands in the sorted `known`, in turn: which of them, and the place."""
    return spread(np.searchsorted(known, wanted, "left"), np.searchsorted(known, wanted, "right"))


def spread(low: NDArray[Any], high: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """All places from low[i] to high[i] - 1 for each i in turn: which i, and the place; of the type of `low`."""
    sizes = high - low
    ends = np.cumsum(sizes, dtype=low.dtype)
    which = np.repeat(np.arange(len(sizes), dtype=low.dtype), sizes)
    return which, np.arange(len(which), dtype=low.dtype) + (low - ends + sizes)[which]
