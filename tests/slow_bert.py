"""A slow, obvious version of regis.models.neural.bert: one text of one layer, as in the paper, in float64."""

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from regis.models.neural import tensor_file
from regis.models.neural.bert import HEAD_COUNT, POSITION_VECTORS, TOKEN_VECTORS, TYPE_VECTORS


class SlowBert:
    """The network in the file `model`."""

    def __init__(self, model: Path) -> None:
        held = tensor_file.dequantize_tensors(tensor_file.read_tensors(model))
        self.held = {name: values.astype(np.float64) for name, values in held.items()}

    def begun(self, tokens: Sequence[int], place: int = 0, kind: int = 0) -> np.ndarray:
        """Return the states of a text, (tokens, width), before attention; the text begins at position `place`."""
        places = self.held[POSITION_VECTORS][place : place + len(tokens)]
        return self._normal(self.held[TOKEN_VECTORS][tokens] + places + self.held[TYPE_VECTORS][kind], "norm")

    def read(self, x: np.ndarray, others: np.ndarray) -> np.ndarray:
        """Return the vector of a text whose states `x` see `others`."""
        x = self._normal(x + self._seen(x, others), "layer.0.attention.norm")
        inner = self._dense(x, "layer.0.intermediate")
        inner *= 0.5 * (1 + np.vectorize(math.erf)(inner / math.sqrt(2)))
        x = self._normal(x + self._dense(inner, "layer.0.output"), "layer.0.output.norm")
        return self._dense(x.mean(axis=0, keepdims=True), "turn")[0]

    def _dense(self, x: np.ndarray, name: str) -> np.ndarray:
        return x @ self.held[f"{name}.weight"].T + self.held[f"{name}.bias"]

    def _normal(self, x: np.ndarray, name: str) -> np.ndarray:
        x = (x - x.mean(axis=1, keepdims=True)) / x.std(axis=1, keepdims=True)
        return x * self.held[f"{name}.weight"] + self.held[f"{name}.bias"]

    def _seen(self, x: np.ndarray, others: np.ndarray) -> np.ndarray:
        query, key, value = (
            np.split(self._dense(of, f"layer.0.{name}"), HEAD_COUNT, axis=1)
            for of, name in ((x, "query"), (others, "key"), (others, "value"))
        )
        heads = []
        for q, k, v in zip(query, key, value, strict=True):
            chance = np.exp(q @ k.T / math.sqrt(q.shape[1]))
            heads.append(chance / chance.sum(axis=1, keepdims=True) @ v)
        return self._dense(np.hstack(heads), "layer.0.attention")
