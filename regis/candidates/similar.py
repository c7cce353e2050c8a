"""How near a clue is in meaning to the past clues of each answer, as the transformer sees them.

The encoders compare a clue with answers; here it is compared with clues, which says much more where an answer has many
meanings. The vectors of all past clues are cut down to unit vectors of REDUCED numbers and kept as bytes in the order
of their answers, so that the clues of one answer stand together (training.reading). The idea is that of nearest
neighbours beside a language model (Khandelwal 2020); what it is worth here: docs/measured.md.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from regis.index.partition import Partition
from regis.models import lookup
from regis.models.tensors import Floats
from regis.models.transformer import ONE

FEATURES = ("similar", "similar together", "similar per clue")

SHARPNESS = 12.0  # how much faster than its cosine a clue's vote falls
FEW = 3.0  # added to the number of an answer's clues, so that one clue alone is no consensus

NO_VOTES = 1e-6


def similar(part: Partition, answers: NDArray[np.int32], embedding: Floats) -> Floats:
    """What the past clues of `answers` say to a clue with this `embedding` (Query), (len(answers), len(FEATURES)).

    The largest cosine, -1 where there is no clue; the log of all clues' votes, exp(SHARPNESS * (cosine - 1)) each; and
    the same as a share of the answer's clues.
    """
    _, owner, cosine = _compared(part, answers, embedding)
    best = np.full(len(answers), -1, np.float32)
    np.maximum.at(best, owner, cosine)
    votes = np.bincount(owner, np.exp(SHARPNESS * (cosine - 1)), minlength=len(answers)) + NO_VOTES
    count = np.bincount(owner, minlength=len(answers))
    return np.stack([best, np.log(votes), np.log(votes / (count + FEW))], axis=1).astype(np.float32)


def nearest(part: Partition, answer: int, embedding: Floats) -> tuple[int, float] | None:
    """The past clue of `answer` that is nearest in meaning, as a row of the clue table, and its cosine, if any."""
    clue, _, cosine = _compared(part, np.array([answer], np.int32), embedding)
    if not len(clue):
        return None
    best = int(cosine.argmax())
    return int(clue[best]), float(cosine[best])


def _compared(
    part: Partition, answers: NDArray[np.int32], embedding: Floats
) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats]:
    """All past clues of `answers` that are not hidden: rows, which answer each has (ascending), and the cosines."""
    owner, place = lookup.spread(part.clue_starts[answers], part.clue_starts[answers + 1])
    clue = part.clues_by_answer[place].astype(np.int64)
    seen = part.clue_count[clue] > 0
    cosine = part.clue_embeddings[place[seen]].astype(np.float32) @ (embedding / np.float32(ONE))
    return clue[seen], owner[seen], cosine
