"""What a learned clue encoder thinks of every answer of a length (the idea of BCS).

Unlike finders that look past clues up, an encoder needs none that looks alike, and it has something to say of every
answer. Each encoder is a finder of its own.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from regis.candidates.finder import Evidence, Finder, FinderResult
from regis.candidates.query import Query
from regis.index import Index
from regis.models.numeric.arrays import log_softmax
from regis.models.numeric.sorted_search import find_sorted

MIN_NAMED_PROBABILITY = 0.001  # from which an encoder's opinion is named as a reason; it has one of every answer


def encoder_finder(name: str, encoder_folder: str, default_weight: float = 0.0) -> Finder:
    """Make the finder of one encoder of the index.

    Its column is the encoder's natural log probability of an answer among those of the length. An index without that
    encoder, or a clue without a word, is answered with nothing.

    Parameters
    ----------
    name : of the finder and its column.
    encoder_folder : of an index (schema).
    default_weight : of its column, set by hand.
    """

    def find_answers(queries: Sequence[Query], index: Index) -> list[FinderResult]:
        vectors = [query.clue_vectors[encoder_folder] for query in queries if encoder_folder in query.clue_vectors]
        partition = index[queries[0].length]
        if not vectors or not len(partition.answer_letters):
            return [FinderResult.empty() for _ in queries]
        rows = partition.matching_rows("?" * partition.length)
        scores = partition.answer_vectors(encoder_folder).score(np.stack(vectors))
        logp = iter(log_softmax(scores, partition.is_live))
        is_encoded = [encoder_folder in query.clue_vectors for query in queries]
        return [_make_result(rows, next(logp)) if encoded else FinderResult.empty() for encoded in is_encoded]

    def _make_result(rows: NDArray[np.int32], logp: NDArray[np.float32]) -> FinderResult:
        named_rows = np.flatnonzero(logp >= np.log(MIN_NAMED_PROBABILITY))
        probabilities = np.exp(logp[named_rows])

        def explain(row: int) -> tuple[Evidence, ...]:
            place, is_named = find_sorted(named_rows, row)
            return (Evidence(name, "meaning", "", float(probabilities[place]), 0, None),) if is_named else ()

        return FinderResult(rows, {name: logp[rows] if len(rows) < len(logp) else logp}, explain)

    return Finder(find_answers, (name, f"{name}, never used"), {name: default_weight}, is_dense=True)
