"""`meaning` and `transformer`: what the learned clue encoders think of every answer of the length (the idea of BCS).

Unlike `nearby` and `keywords` they need no past clue that looks alike, and they have something to say of every answer.
An index without that encoder is answered with nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from regis import text
from regis.candidates import Found
from regis.index import Index, tables


class Encoder(Protocol):
    """The clues' side of an encoder (regis.encoder, regis.transformer)."""

    def encode(self, clues: Sequence[str]) -> NDArray[np.float32]: ...


def find(clue: str, pattern: str, index: Index, limit: int) -> Found:
    """All answers that fit, as the base encoder sees them; see `_opinion`."""
    return _opinion("meaning", index.encoder, tables.ENCODER, clue, pattern, index)


def read(clue: str, pattern: str, index: Index, limit: int) -> Found:
    """All answers that fit, as the transformer sees them; see `_opinion`."""
    return _opinion("transformer", index.transformer, tables.TRANSFORMER, clue, pattern, index)


def _opinion(name: str, encoder: Encoder | None, home: str, clue: str, pattern: str, index: Index) -> Found:
    """Score: the encoder's natural log probability of an answer among those of the length; support: 0."""
    part = index[len(pattern)]
    if part is None or encoder is None or not text.clue_key(clue):
        return Found.nothing(name)
    score = part.vectors(home).score(encoder.encode([clue])[0])
    score -= score.max()
    score -= np.log(np.exp(score).sum(where=part.exists))
    rows = part.fitting(pattern)
    none = np.zeros(len(rows), np.float32)
    return Found(name, rows, score[rows], none, np.full(len(rows), -1, np.int32))
