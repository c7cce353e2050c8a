"""Looking things up in a sorted column, many at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def place(known: NDArray[Any], wanted: Any) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Where each of `wanted` stands in the sorted `known`, and whether it does.

    `wanted` is an array or a single value; both results have its shape. The place of what is not there means nothing,
    but is one that `known` has, unless it is empty.
    """
    places = np.minimum(np.searchsorted(known, wanted), max(len(known) - 1, 0))
    return places, known[places] == wanted if len(known) else np.zeros(np.shape(wanted), bool)
