"""What a learned clue encoder thinks of every answer of a length (the idea of BCS).

Unlike finders that look past clues up, an encoder needs none that looks alike, and it has something to say of every
answer. Each encoder is a finder of its own.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from regis.candidates.found import Evidence, Finder, Found
from regis.candidates.query import Query
from regis.index import Index
from regis.models import lookup

NAMED = 0.001  # probability from which an encoder's opinion is named as a reason; it has one of every answer


def finder(name: str, home: str, weight: float = 0.0) -> Finder:
    """The finder `name` of the encoder in the folder `home` of an index (schema.ENCODER, schema.TRANSFORMER).

    Its column is the encoder's natural log probability of an answer among those of the length. An index without that
    encoder, or a clue without a word, is answered with nothing.
    """

    def find(queries: Sequence[Query], index: Index) -> list[Found]:
        read = [query.vectors[home] for query in queries if home in query.vectors]
        part = index[queries[0].length]
        if not read or not len(part.letters):
            return [Found.nothing() for _ in queries]
        rows = part.fitting("?" * part.length)
        logp = iter(_log_softmax(part.vectors(home).score(np.stack(read)), part.exists))
        return [opinion(rows, next(logp)) if home in query.vectors else Found.nothing() for query in queries]

    def opinion(rows: NDArray[np.int32], logp: NDArray[np.float32]) -> Found:
        named = np.flatnonzero(logp >= np.log(NAMED))
        chances = np.exp(logp[named])

        def explain(row: int) -> tuple[Evidence, ...]:
            place, known = lookup.place(named, row)
            return (Evidence(name, "meaning", "", float(chances[place]), 0, None),) if known else ()

        return Found(rows, {name: logp[rows] if len(rows) < len(logp) else logp}, explain)

    return Finder(find, (name, f"{name}, never used"), {name: weight}, dense=True)


def _log_softmax(scores: NDArray[np.float32], exists: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Scores (clues, answers) as log probabilities among the answers that exist, if any do; written over."""
    scores -= scores.max(axis=1, keepdims=True)
    total = np.exp(scores).sum(axis=1, keepdims=True, where=exists)
    scores -= np.log(np.maximum(total, np.finfo(np.float32).tiny))
    return scores
