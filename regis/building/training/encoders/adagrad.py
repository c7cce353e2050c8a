"""Adagrad on the rows of a table: each row moves at a rate that falls with how far it has moved (Duchi 2011)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from regis.models.numeric.arrays import Float32Array

INHERITED_SQUARES = 1.0  # sum of squares with which a table begins that was learned elsewhere: its rows move less


class Adagrad:
    """A table of rows that are moved a few at a time."""

    def __init__(self, values: Float32Array) -> None:
        self.values = values
        self.squared_gradients = np.full(len(values), 1e-2, np.float32)  # sums of squares

    def update_rows(self, rows: NDArray[np.int64], gradients: Float32Array, learning_rate: float) -> None:
        """Move `rows` against `gradients`, (rows, ...), one for each."""
        self.squared_gradients[rows] += (gradients**2).mean(axis=1) if gradients.ndim == 2 else gradients**2
        scale = np.float32(learning_rate) / np.sqrt(self.squared_gradients[rows])
        self.values[rows] -= gradients * (scale[:, None] if gradients.ndim == 2 else scale)
