"""Which word stems and word pairs the past clues of each answer have: all that a distilled index keeps of clues' words.

A feature (models.text.clue_features) is known by the upper half of its hash. Which features came together in a clue is
not kept, but of an answer that had a single one they are all of that; so of pairs, which say what stood next to what, a
distilled index keeps those that several clues have.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from regis.index.storage import parquet
from regis.index.tables import arrow_schemas, schema
from regis.models.numeric import sorted_search
from regis.models.text import clue_features

FeaturePairs = NDArray[np.uint64]  # a feature's upper half and an answer's row in one number


def pair_features(clue_keys: Sequence[str], answer_rows: NDArray[np.integer], min_clues: int = 1) -> FeaturePairs:
    """Pair the features of clues with the answer of each clue.

    Parameters
    ----------
    clue_keys : keys of the clues.
    answer_rows : (clues,) rows of the answer table.
    min_clues : word pairs that fewer clues have are left out; a clue counts with each answer that it had.

    Returns
    -------
    Pairs, each once, ascending.
    """
    clues, codes, kinds = clue_features.extract_features(clue_keys)
    is_kept = kinds == clue_features.STEM
    is_kept |= (kinds == clue_features.PAIR) & _is_shared(clues, codes, min_clues)
    return encode_pairs(clue_features.upper_halves(codes[is_kept]), answer_rows[clues[is_kept]])


def _is_shared(clues: NDArray[np.int32], codes: NDArray[np.uint64], min_clues: int) -> NDArray[np.bool_]:
    """Return which of `codes` at least `min_clues` clues have; those of a clue may repeat."""
    _, features = np.unique(codes, return_inverse=True)
    clue_count = int(clues.max(initial=0)) + 1
    distinct = sorted_search.unique_sorted(features * clue_count + clues)  # each feature of a clue
    is_shared: NDArray[np.bool_] = np.bincount(distinct // clue_count) >= min_clues
    return is_shared[features]


def encode_pairs(features: NDArray[np.uint32], answer_rows: NDArray[np.integer]) -> FeaturePairs:
    """Encode features and answers as one number a pair, each pair once, ascending.

    Parameters
    ----------
    features : (pairs,) upper halves of features.
    answer_rows : (pairs,) rows of the answer table.
    """
    return sorted_search.unique_sorted(
        (features.astype(np.uint64) << clue_features.HALF_BITS) | answer_rows.astype(np.uint64)
    )


def write_packed_postings(index_folder: Path, answer_length: int, feature_pairs: FeaturePairs) -> None:
    """Write all pairs of one answer length, each once and ascending, into the index."""
    features, counts = np.unique(clue_features.upper_halves(feature_pairs), return_counts=True)
    table = pa.table({"feature": features, "answers": counts.astype(np.uint32)}, schema=arrow_schemas.FEATURE_SCHEMA)
    parquet.write_packed_table(index_folder / schema.packed_postings_file(answer_length), table, ["feature"])
    answers = (feature_pairs & np.uint64(0xFFFFFFFF)).astype(np.uint32)
    parquet.save_packed_array(index_folder / schema.packed_answers_file(answer_length), answers)
