"""How near a clue is in meaning to the past clues of each answer, as the transformer sees them.

The encoders compare a clue with answers; here it is compared with clues, which says much more where an answer has many
meanings. Vectors of past clues are cut down to GIST numbers, made unit vectors, and kept as bytes in the order of their
answers, so that the clues of one answer stand together. (The idea is that of nearest neighbours beside a language
model, Khandelwal 2020.) On clues of 2014 it brings 2 % more right answers to the first place.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from regis.index.partition import Partition

FEATURES = ("similar", "similar together", "similar per clue")

SHARPNESS = 12.0
"""How much faster than its cosine a clue's vote falls."""

FEW = 3.0
"""Added to the number of an answer's clues, so that one clue alone is no consensus."""

NO_VOTES = 1e-6

Table = NDArray[np.float32]


def similar(part: Partition, answers: NDArray[np.int32], gist: Table) -> Table:
    """What the past clues of `answers` say to a clue with the unit vector `gist`, (answers, len(FEATURES)).

    The largest cosine, -1 where there is no clue; the log of all clues' votes, exp(SHARPNESS * (cosine - 1)) each; and
    the same as a share of the answer's clues.
    """
    places, owner = _places(part, answers)
    cosine = part.clue_gists[places].astype(np.float32) @ (gist / np.float32(127))
    best = np.full(len(answers), -1, np.float32)
    some = np.flatnonzero(np.diff(owner, prepend=-1))
    if len(some):
        best[owner[some]] = np.maximum.reduceat(cosine, some)
    votes = np.bincount(owner, np.exp(SHARPNESS * (cosine - 1)), minlength=len(answers)) + NO_VOTES
    count = np.bincount(owner, minlength=len(answers))
    return np.stack([best, np.log(votes), np.log(votes / (count + FEW))], axis=1).astype(np.float32)


def nearest(part: Partition, answer: int, gist: Table) -> tuple[int, float] | None:
    """The past clue of `answer` that is nearest in meaning, as a row of the clue table, and its cosine."""
    places, _ = _places(part, np.array([answer], np.int32))
    if not len(places):
        return None
    cosine = part.clue_gists[places].astype(np.float32) @ (gist / np.float32(127))
    best = int(cosine.argmax())
    return int(part.clues_by_answer[places[best]]), float(cosine[best])


def _places(part: Partition, answers: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where in the order of answers the clues of `answers` stand that are seen, and which of `answers` has each."""
    starts = part.clue_starts
    size = starts[answers + 1] - starts[answers]
    ends = np.cumsum(size)
    places = np.repeat(starts[answers] - ends + size, size) + np.arange(size.sum())
    owner = np.repeat(np.arange(len(answers)), size)
    seen = part.clue_count[part.clues_by_answer[places]] > 0
    return places[seen], owner[seen]
