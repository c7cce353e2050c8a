"""The kinds of arrays that the rooms hand to each other, and vectors of length 1."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Float32Array = NDArray[np.float32]  # what is learned and kept,
Float64Array = NDArray[np.float64]  # and what is reckoned with: probabilities and their logs
FloatArray = NDArray[np.floating[Any]]  # either of them
Positions = NDArray[np.intp]  # in an array


def normalize_rows(vectors: Float32Array) -> Float32Array:
    """Scale each vector to length 1; zeros stay zeros.

    Parameters
    ----------
    vectors : (..., numbers) float32.

    Returns
    -------
    (..., numbers) float32.
    """
    directions: Float32Array = vectors / (np.linalg.norm(vectors, axis=-1, keepdims=True) + np.float32(1e-9))
    return directions


def is_finite(values: NDArray[Any]) -> bool:
    """Return whether every number in `values`, of any shape, is finite."""
    return bool(np.isfinite(values).all())
