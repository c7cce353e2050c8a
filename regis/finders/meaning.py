"""`meaning`: the learned clue encoder's opinion of every answer of the length (the idea of BCS, see `encoder`).

Unlike `nearby` and `keywords` it needs no past clue that looks alike, and it has something to say of every answer. An
index without an encoder is answered with nothing.
"""

from __future__ import annotations

import numpy as np

from regis import text
from regis.candidates import Found, fits
from regis.index import Index


def find(clue: str, pattern: str, index: Index, limit: int) -> Found:
    """All answers that fit. Score: the encoder's natural log probability among those of the length; support: 0."""
    part = index[len(pattern)]
    if part is None or index.encoder is None or not text.clue_key(clue):
        return Found.nothing("meaning")
    score = part.vectors.score(index.encoder.encode([clue])[0])
    score -= np.log(np.exp(score[part.exists]).sum())
    rows = np.flatnonzero(fits(part.letters, pattern) & part.exists).astype(np.int32)
    none = np.zeros(len(rows), np.float32)
    return Found("meaning", rows, score[rows], none, np.full(len(rows), -1, np.int32))
