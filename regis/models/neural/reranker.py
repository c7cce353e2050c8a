"""Reranking: a small network scores a list's best answers again, given how far the finders agree.

The ranker's logit is a sum of each finder's evidence. It can't express that a stray keyword means little if an encoder
is sure. The network's hidden layer sees an answer's features and a summary of the list. Its output is added to the
answer's score; a linear output of the summary is added to the score of "in no list" (measured:
docs/experiments/reranker.md).
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from regis.models.arrays import MIN_PROBABILITY, Float32Array
from regis.models.text import clue_form

RERANK_DEPTH = 200  # answers of a list that are scored again
HIDDEN_WIDTH = 48  # numbers in the hidden layer

MAX_ADJUSTMENT = 300.0
"""Bound on an adjustment, so that its exponential is finite; real ones are ten or so at most."""

SUMMARY_SIZE = len(clue_form.CLUE_KINDS) + 5  # numbers in `summarize_list` before the features' maxima


def summarize_list(
    length: int, clue_kind: str, missing_probability: float, logp: Float32Array, features: Float32Array
) -> Float32Array:
    """Summarize a list: clue class, length, how sure its best answers are, and each feature's maximum.

    `logp` is (best,) and `features` (best, features). Returns (SUMMARY_SIZE + features,).
    """
    sorted_logp = np.sort(logp)[::-1]
    lead = sorted_logp[0] - sorted_logp[min(1, len(sorted_logp) - 1)]
    entropy = -(np.exp(sorted_logp) * sorted_logp).sum()
    shape_numbers = [length / 10, sorted_logp[0], lead, entropy, np.log(max(missing_probability, MIN_PROBABILITY))]
    clue_kinds = [name == clue_kind for name in clue_form.CLUE_KINDS]
    return np.concatenate([clue_kinds, shape_numbers, features.max(axis=0)]).astype(np.float32)


@dataclass(frozen=True)
class Reranker:
    """The network's weights, in the order of learned.json."""

    answer_weights: Float32Array  # (features + 1, HIDDEN_WIDTH): an answer's features and log probability -> hidden
    summary_weights: Float32Array  # (SUMMARY_SIZE + features, HIDDEN_WIDTH): the list's summary -> hidden
    hidden_bias: Float32Array  # (HIDDEN_WIDTH,)
    output_weights: Float32Array  # (HIDDEN_WIDTH,)
    output_bias: Float32Array  # (1,)
    missing_weights: Float32Array  # (SUMMARY_SIZE + features,): the list's summary -> the score of "in no list"
    missing_bias: Float32Array  # (1,)

    def adjust(
        self, logp: Float32Array, features: Float32Array, list_summary: Float32Array
    ) -> tuple[Float32Array, float]:
        """Compute nats to add to each of a list's best answers, (best,), and to "in no list".

        Shapes are as in `summarize_list`; no adjustment exceeds MAX_ADJUSTMENT.
        """
        of_list = list_summary @ self.summary_weights + self.hidden_bias
        hidden = features @ self.answer_weights[:-1] + logp[:, None] * self.answer_weights[-1] + of_list
        output = np.maximum(hidden, 0) @ self.output_weights + self.output_bias
        adjustments: Float32Array = np.clip(output, -MAX_ADJUSTMENT, MAX_ADJUSTMENT)
        missing = list_summary @ self.missing_weights + self.missing_bias[0]
        return adjustments, float(np.clip(missing, -MAX_ADJUSTMENT, MAX_ADJUSTMENT))

    def with_columns(self, fitted_columns: Sequence[str], columns: Sequence[str]) -> Reranker:
        """Make a network for other feature columns: new columns have weight 0, missing ones count as 0."""
        if tuple(fitted_columns) == tuple(columns):
            return self
        rows = [fitted_columns.index(name) if name in fitted_columns else len(fitted_columns) for name in columns]

        def select_rows(weights: Float32Array, head: Float32Array, tail: Float32Array) -> Float32Array:
            padded = np.concatenate([weights, np.zeros_like(weights[:1])])
            return np.concatenate([head, padded[rows], tail])

        answer, summary, missing = self.answer_weights, self.summary_weights, self.missing_weights
        return replace(
            self,
            answer_weights=select_rows(answer[:-1], answer[:0], answer[-1:]),
            summary_weights=select_rows(summary[SUMMARY_SIZE:], summary[:SUMMARY_SIZE], summary[:0]),
            missing_weights=select_rows(missing[SUMMARY_SIZE:], missing[:SUMMARY_SIZE], missing[:0]),
        )

    @staticmethod
    def array_shapes(n_features: int) -> dict[str, tuple[int, ...]]:
        summary_size = SUMMARY_SIZE + n_features
        return {
            "answer_weights": (n_features + 1, HIDDEN_WIDTH),
            "summary_weights": (summary_size, HIDDEN_WIDTH),
            "hidden_bias": (HIDDEN_WIDTH,),
            "output_weights": (HIDDEN_WIDTH,),
            "output_bias": (1,),
            "missing_weights": (summary_size,),
            "missing_bias": (1,),
        }

    @classmethod
    def from_text(cls, encoded_text: str, n_features: int) -> Reranker:
        """Decode a network from the result of `to_text`; raises ValueError if the text isn't one."""
        numbers = np.frombuffer(base64.b64decode(encoded_text, validate=True), "<f4")
        array_shapes = cls.array_shapes(n_features)
        ends = np.cumsum([np.prod(shape) for shape in array_shapes.values()])
        if len(numbers) != ends[-1] or not (np.abs(numbers) < 1e9).all():
            raise ValueError("no network")
        arrays = np.split(numbers.astype(np.float32), ends[:-1])
        return cls(*(array.reshape(shape) for array, shape in zip(arrays, array_shapes.values(), strict=True)))

    def to_text(self) -> str:
        """Encode all numbers in base 64, little-endian."""
        numbers = np.concatenate([getattr(self, field.name).ravel() for field in fields(self)])
        return base64.b64encode(numbers.astype("<f4").tobytes()).decode("ascii")
