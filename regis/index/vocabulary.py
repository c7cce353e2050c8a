"""Which word stems and word pairs the past clues of each answer have: all that a distilled index keeps of clues' words.

A feature (models.features) is known by the upper half of its hash. Which features came together in a clue is not kept,
but of an answer that had a single one they are all of that; so of pairs, which say what stood next to what, a distilled
index keeps those that several clues have.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from regis.index import schema, tables
from regis.models import features as words
from regis.models import lookup

Pairs = NDArray[np.uint64]  # a feature's upper half and an answer's row in one number


def pairs(keys: Sequence[str], answers: NDArray[np.integer], least: int = 1) -> Pairs:
    """The features of the clues with these `keys`, each with the clue's answer, a row of the table; each pair once.

    Word pairs that fewer than `least` of the clues have are left out; a clue counts with each answer that it had.
    """
    clues, codes, kinds = words.features(keys)
    which = kinds == words.STEM
    which |= (kinds == words.PAIR) & _shared(clues, codes, least)
    return joined(words.short(codes[which]), answers[clues[which]])


def _shared(clues: NDArray[np.int32], codes: NDArray[np.uint64], least: int) -> NDArray[np.bool_]:
    """Which of `codes` at least so many clues have; those of a clue may repeat."""
    _, feature = np.unique(codes, return_inverse=True)
    every = int(clues.max(initial=0)) + 1
    once = lookup.distinct(feature * every + clues)  # each feature of a clue
    shared: NDArray[np.bool_] = np.bincount(once // every) >= least
    return shared[feature]


def joined(features: NDArray[np.uint32], answers: NDArray[np.integer]) -> Pairs:
    """Features and answers, side by side, as pairs; each once, ascending."""
    return lookup.distinct((features.astype(np.uint64) << words.HALF) | answers.astype(np.uint64))


def write(folder: Path, length: int, found: Pairs) -> None:
    """Writes all pairs of one answer length, each once and ascending, into the index `folder`."""
    features, many = np.unique(words.short(found), return_counts=True)
    table = pa.table({"feature": features, "answers": many.astype(np.uint32)}, schema=tables.FEATURES)
    tables.write_packed(folder / schema.vocabulary_file(length), table, ["feature"])
    answers = (found & np.uint64(0xFFFFFFFF)).astype(np.uint32)
    tables.save_packed(folder / schema.vocabulary_answers_file(length), answers)
