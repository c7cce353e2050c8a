"""`pattern`: every answer, title and word that has the letters known so far (Regis FILLbin 3.3).

It reads no clue. With no letter known it finds everything of the length, which is how every answer gets its prior.
"""

from __future__ import annotations

import numpy as np

from regis.candidates.candidate_list import Found
from regis.index import Index


def find(clue: str, pattern: str, index: Index, limit: int) -> Found:
    """All answers that fit. Score: that of the best list which has the answer; support: how often it was used."""
    part = index[len(pattern)]
    if part is None:
        return Found.nothing("pattern")
    rows = part.fitting(pattern)
    used = part.count[rows].astype(np.float32)
    return Found("pattern", rows, part.score[rows], used, np.full(len(rows), -1, np.int32))
