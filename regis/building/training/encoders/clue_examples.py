"""The clues that an encoder learns on, length by length, each with its answer and its weight."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.index import Index, Partition
from regis.models.numeric.arrays import Float32Array

CLUE_HALF_LIFE = 28.0  # years after which a clue counts half
MAX_CLUE_AGE = 60  # years; older clues count as this old; a guess
REHEARSED_SHARE = 0.35  # of the clues that the starter knows, those that are learned on again; a guess
UNDATED_CLUE_AGE = 20  # years that a clue without a year counts as; a guess


def rehearsal_chances(last_years: NDArray[np.int64], starter_year: int) -> NDArray[np.float64]:
    """Return the chance of each clue to be learned on, (clues,): less for those that a starter may have learned on.

    Parameters
    ----------
    last_years : (clues,) when each was last used; 0 if unknown.
    starter_year : the newest that the starter knows.
    """
    return np.where(last_years > starter_year, 1.0, REHEARSED_SHARE)


class ClueExamples(NamedTuple):
    """The clues of one answer length: parallel arrays."""

    answer_length: int
    clue_inputs: Any  # one row each, as the clues' side reads them
    answer_rows: NDArray[np.int64]  # rows of the answer table
    clue_weights: Float32Array  # more if a clue came often, less the older it is; about 1/64 each
    last_years: NDArray[np.int64]  # when each clue was last used; 0 if unknown


def collect_examples(index: Index, read_clues: Callable[[Partition, NDArray[np.intp]], Any]) -> Iterator[ClueExamples]:
    """Yield all clues of `index`, length by length.

    Parameters
    ----------
    read_clues : turns rows of the clue table into what the clues' side of the encoder reads, one row each.
    """
    for part in index.partitions():
        live = np.flatnonzero(part.clue_counts > 0)
        last_years = part.clue_last_years[live].astype(np.int64)
        age = np.clip((index.manifest.newest_year or 0) - last_years, 0, MAX_CLUE_AGE)
        age = np.where(last_years > 0, age, UNDATED_CLUE_AGE)
        weights = np.sqrt(np.log1p(part.clue_counts[live])) * 0.5 ** (age / CLUE_HALF_LIFE) / 64
        answer_rows = part.clue_answer_rows[live].astype(np.int64)
        yield ClueExamples(part.length, read_clues(part, live), answer_rows, weights.astype(np.float32), last_years)
