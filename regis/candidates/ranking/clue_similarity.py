"""How near a clue is in meaning to each answer's past clues, by the transformer.

Comparing with clues says more than comparing with answers if an answer has many meanings. Embeddings of past clues are
stored as bytes in the order of their answers. Nearest neighbors supplement a language model (Khandelwal 2020); their
worth: docs/experiments/ranking.md.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from regis.candidates.settings import CANDIDATES
from regis.index.tables.partition import Partition
from regis.models.arrays import Float32Array, expand_ranges, first_largest
from regis.models.neural.transformer import INT8_UNIT

SIMILARITY_FEATURES = ("similar", "similar together", "similar per clue")


def similarity_features(
    partition: Partition, answer_rows: NDArray[np.int32], clue_embedding: Float32Array
) -> Float32Array:
    """Compare a clue with the past clues of answers, (answers, len(SIMILARITY_FEATURES)).

    The columns: the largest cosine, -1 without clues; the log of all clues' votes, exp(vote_sharpness * (cosine - 1))
    each; and the log of the mean vote.
    """
    _, owners, cosines = _compare(partition, answer_rows, clue_embedding)
    best = np.full(len(answer_rows), -1, np.float32)
    np.maximum.at(best, owners, cosines)
    votes = (
        np.bincount(owners, np.exp(CANDIDATES.vote_sharpness * (cosines - 1)), minlength=len(answer_rows))
        + CANDIDATES.min_votes
    )
    clue_counts = np.bincount(owners, minlength=len(answer_rows))
    return np.stack([best, np.log(votes), np.log(votes / (clue_counts + CANDIDATES.prior_clues))], axis=1).astype(
        np.float32
    )


def find_nearest_clue(partition: Partition, answer_row: int, clue_embedding: Float32Array) -> tuple[int, float] | None:
    """Find the past clue of an answer that is nearest in meaning: its row and cosine; None without clues."""
    clue_rows, _, cosines = _compare(partition, np.array([answer_row], np.int32), clue_embedding)
    if not len(clue_rows):
        return None
    best = first_largest(cosines)
    return int(clue_rows[best]), float(cosines[best])


def _compare(
    partition: Partition, answer_rows: NDArray[np.int32], clue_embedding: Float32Array
) -> tuple[NDArray[np.int64], NDArray[np.int64], Float32Array]:
    """Return the live past clues of answers: rows, the answer of each (ascending), and cosines."""
    starts = partition.answer_clue_starts
    owners, places = expand_ranges(starts[answer_rows], starts[answer_rows + 1])
    clue_rows = partition.clues_by_answer[places].astype(np.int64)
    is_live = partition.clue_counts[clue_rows] > 0
    embeddings = partition.clue_embeddings[places[is_live]].astype(np.float32)
    return clue_rows[is_live], owners[is_live], embeddings @ (clue_embedding / np.float32(INT8_UNIT))
