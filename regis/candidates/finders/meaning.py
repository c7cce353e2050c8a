"""`meaning` and `transformer`: what the learned clue encoders think of every answer of the length (the idea of BCS).

Unlike `nearby` and `keywords` they need no past clue that looks alike, and they have something to say of every answer.
An index without that encoder is answered with nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from regis import text
from regis.candidates.candidate_list import Found
from regis.index import Index, Partition, schema


class Encoder(Protocol):
    """The clues' side of an encoder (regis.models.embedding, regis.models.transformer)."""

    def encode(self, clues: Sequence[str]) -> NDArray[np.float32]: ...


class _Asked(NamedTuple):
    """What a finder was asked about answers of one length."""

    finder: str
    clue: str


_THOUGHT: WeakKeyDictionary[Partition, dict[_Asked, NDArray[np.float32]]] = WeakKeyDictionary()
"""What was thought of clues ahead: the scores of all answers."""


def find(clue: str, pattern: str, index: Index, limit: int) -> Found:
    """All answers that fit, as the base encoder sees them; see `_opinion`."""
    return _opinion("meaning", clue, pattern, index)


def read(clue: str, pattern: str, index: Index, limit: int) -> Found:
    """All answers that fit, as the transformer sees them; see `_opinion`."""
    return _opinion("transformer", clue, pattern, index)


def ahead(asked: Iterable[tuple[str, int]], index: Index) -> None:
    """Thinks about clues that are about to be asked for, with the lengths of their answers: together it is faster.

    What was thought ahead before is forgotten.
    """
    of_length: dict[int, list[str]] = defaultdict(list)
    for clue, length in asked:
        if text.clue_key(clue):
            of_length[length].append(clue)
    _THOUGHT.clear()
    if index.transformer is not None:
        index.transformer.encode([clue for clues in of_length.values() for clue in clues])
    for length, clues in of_length.items():
        part = index[length]
        if part is None:
            continue
        thought = _THOUGHT[part] = {}
        for finder in ("meaning", "transformer"):
            scores = _scores(finder, clues, part, index)
            if scores is not None:
                thought |= {_Asked(finder, clue): row for clue, row in zip(clues, scores, strict=True)}


def _opinion(name: str, clue: str, pattern: str, index: Index) -> Found:
    """Score: the encoder's natural log probability of an answer among those of the length; support: 0."""
    part = index[len(pattern)]
    if part is None or not text.clue_key(clue):
        return Found.nothing(name)
    score = _THOUGHT.get(part, {}).get(_Asked(name, clue))
    if score is None:
        scores = _scores(name, [clue], part, index)
        if scores is None:
            return Found.nothing(name)
        score = scores[0]
    rows = part.fitting(pattern)
    none = np.zeros(len(rows), np.float32)
    return Found(name, rows, score[rows], none, np.full(len(rows), -1, np.int32))


def _scores(name: str, clues: Sequence[str], part: Partition, index: Index) -> NDArray[np.float32] | None:
    """Log probabilities of all answers for each clue, (clues, answers); None without that encoder."""
    encoder: Encoder | None = index.encoder if name == "meaning" else index.transformer
    if encoder is None:
        return None
    home = schema.ENCODER if name == "meaning" else schema.TRANSFORMER
    scores = part.vectors(home).score(encoder.encode(clues))
    scores -= scores.max(axis=1, keepdims=True)
    scores -= np.log(np.exp(scores).sum(axis=1, keepdims=True, where=part.exists))
    return scores
