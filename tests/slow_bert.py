"""A slow, obvious network beside regis.models.bert: one text of one layer, as the paper has it, in float64."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from regis.models import tensors
from regis.models.bert import HEADS, PLACES, TYPES, WORDS


class SlowBert:
    """The network in the file `model`."""

    def __init__(self, model: Path) -> None:
        held = tensors.unpacked(tensors.read(model))
        self.held = {name: values.astype(np.float64) for name, values in held.items()}

    def begun(self, tokens: Sequence[int], place: int = 0, kind: int = 0) -> np.ndarray:
        """The states of a text, (tokens, width), before anybody looks at anybody; it begins at a place."""
        places = self.held[PLACES][place : place + len(tokens)]
        return self._normal(self.held[WORDS][tokens] + places + self.held[TYPES][kind], "norm")

    def read(self, x: np.ndarray, others: np.ndarray) -> np.ndarray:
        """The vector of a text whose states `x` look at `others`."""
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
            np.split(self._dense(of, f"layer.0.{name}"), HEADS, axis=1)
            for of, name in ((x, "query"), (others, "key"), (others, "value"))
        )
        heads = []
        for q, k, v in zip(query, key, value, strict=True):
            chance = np.exp(q @ k.T / math.sqrt(q.shape[1]))
            heads.append(chance / chance.sum(axis=1, keepdims=True) @ v)
        return self._dense(np.hstack(heads), "layer.0.attention")
