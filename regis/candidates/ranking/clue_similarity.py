"""How near a clue is in meaning to the past clues of each answer, as the transformer sees them.

The encoders compare a clue with answers; here it is compared with clues, which says much more where an answer has many
meanings. The vectors of all past clues are cut down to unit vectors of REDUCED_DIMENSIONS numbers and kept as bytes in
the order of their answers, so that the clues of one answer stand together (building.training). The idea is that of
nearest neighbours beside a language model (Khandelwal 2020); what it is worth here: docs/experiments/ranking.md.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from regis.index.tables.partition import Partition
from regis.models.neural.transformer import INT8_UNIT
from regis.models.numeric.arrays import Float32Array
from regis.models.numeric.sorted_search import expand_ranges
from regis.models.numeric.top_k import first_largest

SIMILARITY_FEATURES = ("similar", "similar together", "similar per clue")

VOTE_SHARPNESS = 12.0  # how much faster than its cosine a clue's vote falls
PRIOR_CLUES = 3.0  # added to the number of an answer's clues, so that one clue alone is no consensus
MIN_VOTES = 1e-6  # added to an answer's votes, which may be none


def similarity_features(
    partition: Partition, answer_rows: NDArray[np.int32], clue_embedding: Float32Array
) -> Float32Array:
    """Compare a clue with the past clues of some answers.

    Parameters
    ----------
    partition : the answers and clues of one length.
    answer_rows : (answers,) rows of its answer table.
    clue_embedding : (REDUCED_DIMENSIONS,) of the clue (Query).

    Returns
    -------
    (answers, len(SIMILARITY_FEATURES)) float32: the largest cosine, -1 where there is no clue; the log of all clues'
    votes, exp(VOTE_SHARPNESS * (cosine - 1)) each; and that log of a clue's share of the votes.
    """
    _, owners, cosines = _compare(partition, answer_rows, clue_embedding)
    best = np.full(len(answer_rows), -1, np.float32)
    np.maximum.at(best, owners, cosines)
    votes = np.bincount(owners, np.exp(VOTE_SHARPNESS * (cosines - 1)), minlength=len(answer_rows)) + MIN_VOTES
    clue_counts = np.bincount(owners, minlength=len(answer_rows))
    return np.stack([best, np.log(votes), np.log(votes / (clue_counts + PRIOR_CLUES))], axis=1).astype(np.float32)


def find_nearest_clue(partition: Partition, answer_row: int, clue_embedding: Float32Array) -> tuple[int, float] | None:
    """Find the past clue of an answer that is nearest in meaning, the first of equals.

    Parameters
    ----------
    partition : the answers and clues of one length.
    answer_row : a row of its answer table.
    clue_embedding : (REDUCED_DIMENSIONS,) of the clue (Query).

    Returns
    -------
    Its row of the clue table and its cosine; None if the answer has no clue.
    """
    clue_rows, _, cosines = _compare(partition, np.array([answer_row], np.int32), clue_embedding)
    if not len(clue_rows):
        return None
    best = first_largest(cosines)
    return int(clue_rows[best]), float(cosines[best])


def _compare(
    partition: Partition, answer_rows: NDArray[np.int32], clue_embedding: Float32Array
) -> tuple[NDArray[np.int64], NDArray[np.int64], Float32Array]:
    """Return the past clues of answers that are not hidden: rows, which answer's each is (ascending), and cosines."""
    starts = partition.answer_clue_starts
    owners, places = expand_ranges(starts[answer_rows], starts[answer_rows + 1])
    clue_rows = partition.clues_by_answer[places].astype(np.int64)
    is_live = partition.clue_counts[clue_rows] > 0
    embeddings = partition.clue_embeddings[places[is_live]].astype(np.float32)
    return clue_rows[is_live], owners[is_live], embeddings @ (clue_embedding / np.float32(INT8_UNIT))
