"""Array types, unit vectors, and sums of log probabilities."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Float32Array = NDArray[np.float32]  # what is learned and kept,
Float64Array = NDArray[np.float64]  # and what is reckoned with: probabilities and their logs
FloatArray = NDArray[np.floating[Any]]  # either of them
Positions = NDArray[np.intp]  # in an array

Float = TypeVar("Float", bound=np.floating[Any])


def normalize_rows(vectors: Float32Array) -> Float32Array:
    """Scale each vector, (..., numbers), to length 1; zeros stay zeros."""
    directions: Float32Array = vectors / (np.linalg.norm(vectors, axis=-1, keepdims=True) + np.float32(1e-9))
    return directions


def is_finite(values: NDArray[Any]) -> bool:
    return bool(np.isfinite(values).all())


def logsumexp(logs: Float64Array, extra_log: float = -np.inf) -> float:
    """Return the log of the sum of probabilities given by their natural logs, (k,), and one more; -inf for 0.

    It takes half the time of numpy's logaddexp.reduce, which adds one after another.
    """
    largest = float(logs.max(initial=extra_log))
    if np.isneginf(largest):
        return largest
    return largest + float(np.log(np.exp(logs - largest).sum() + np.exp(extra_log - largest)))


def log_softmax(scores: NDArray[Float], is_counted: NDArray[np.bool_] | bool = True) -> NDArray[Float]:
    """Turn scores into natural log probabilities along the last axis, in place.

    Only answers that `is_counted`, (answers,), marks share the probability; if there are none, nothing is divided by 0.
    """
    scores -= scores.max(axis=-1, keepdims=True)
    total = np.exp(scores).sum(axis=-1, keepdims=True, where=is_counted)
    scores -= np.log(np.maximum(total, np.finfo(scores.dtype).tiny))
    return scores
