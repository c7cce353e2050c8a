"""Reranking: the best answers of a list are looked at again, with an eye on how the finders agree.

The logit of ranking adds up each finder's evidence; it cannot say that a stray keyword means little where an encoder is
sure, or that nobody knows anything about this clue. A small network can: one hidden layer over an answer's features and
what the whole list looks like. Its output is added to the answer's score, and another, linear in what the list looks
like, to the score of "in no list" (learned in `building.training.reranker`; measured: docs/measured.md).
"""

from __future__ import annotations

import base64
from dataclasses import dataclass, fields

import numpy as np

from regis.models import clue_form
from regis.models.tensors import Floats

BEST = 200  # how many answers of a list are looked at again
WIDTH = 48  # numbers in the hidden layer

MOST = 300.0
"""However odd what it sees, the network adds no more: e to this power is still a number. What it does add is some ten
at most."""

LARGEST = 1e9  # no number of a network comes near; products of larger ones would be infinite
LEAST_MISSING = 1e-12  # what P(missing) counts as where it is 0, which has no logarithm
SHAPE = len(clue_form.KINDS) + 5  # what `outlook` says of a list besides the features' maxima


def outlook(length: int, kind: str, missing: float, logp: Floats, features: Floats) -> Floats:
    """What a list looks like, (SHAPE + features,).

    The clue's class, the answers' length, how sure the first and the best together are, P(missing), and the largest of
    each feature; `logp` (best,) and `features` (best, features) are those of its best answers.
    """
    ranked = np.sort(logp)[::-1]
    lead = ranked[0] - ranked[min(1, len(ranked) - 1)]
    spread = -(np.exp(ranked) * ranked).sum()
    said = [length / 10, ranked[0], lead, spread, np.log(max(missing, LEAST_MISSING))]
    return np.concatenate([[name == kind for name in clue_form.KINDS], said, features.max(axis=0)]).astype(np.float32)


@dataclass(frozen=True)
class Reranker:
    """The network; float32."""

    answer: Floats  # (features + 1, WIDTH): an answer's features and its log probability, to the hidden layer
    about: Floats  # (SHAPE + features, WIDTH): the outlook, to the hidden layer
    hidden: Floats  # (WIDTH,)
    out: Floats  # (WIDTH,)
    shift: Floats  # (1,)
    missing: Floats  # (SHAPE + features,): the outlook, to the score of "in no list"
    missing_shift: Floats  # (1,)

    def look(self, logp: Floats, features: Floats, outlook: Floats) -> tuple[Floats, float]:
        """What to add to the log probability of each answer, (best,), and to that of the missing one."""
        hidden = features @ self.answer[:-1] + logp[:, None] * self.answer[-1] + (outlook @ self.about + self.hidden)
        add: Floats = np.clip(np.maximum(hidden, 0) @ self.out + self.shift, -MOST, MOST)
        return add, float(np.clip(outlook @ self.missing + self.missing_shift[0], -MOST, MOST))

    @staticmethod
    def shapes(features: int) -> dict[str, tuple[int, ...]]:
        """The shape of every array of a network that sees so many features of an answer."""
        about = SHAPE + features
        return {
            "answer": (features + 1, WIDTH), "about": (about, WIDTH), "hidden": (WIDTH,), "out": (WIDTH,),
            "shift": (1,), "missing": (about,), "missing_shift": (1,),
        }  # fmt: skip

    @classmethod
    def from_text(cls, text: str, features: int) -> Reranker:
        """Raises ValueError if `text` is not what `to_text` wrote for so many features."""
        flat = np.frombuffer(base64.b64decode(text, validate=True), "<f4")
        shapes = cls.shapes(features)
        ends = np.cumsum([np.prod(shape) for shape in shapes.values()])
        if len(flat) != ends[-1] or not (np.abs(flat) < LARGEST).all():
            raise ValueError("no network")
        parts = np.split(flat.astype(np.float32), ends[:-1])
        return cls(*(part.reshape(shape) for part, shape in zip(parts, shapes.values(), strict=True)))

    def to_text(self) -> str:
        """All numbers in a row, little-endian, in base 64."""
        flat = np.concatenate([getattr(self, field.name).ravel() for field in fields(self)])
        return base64.b64encode(flat.astype("<f4").tobytes()).decode("ascii")
