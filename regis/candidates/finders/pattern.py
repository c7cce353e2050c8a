"""`pattern`: every answer, title and word that has the letters known so far (Regis FILLbin 3.3).

It reads no clue and has no column: with no letter known it finds everything of the length, which is how every answer
gets its prior (weights.PRIOR).
"""

from __future__ import annotations

from regis.candidates.found import Evidence, Finder, Found, Kind, one_by_one
from regis.candidates.query import Query
from regis.index import Index


def find(query: Query, index: Index) -> Found:
    """All answers that fit."""
    part = index[query.length]

    def explain(row: int) -> tuple[Evidence, ...]:
        written, used, last = part.written[row], int(part.count[row]), int(part.last[row]) or None
        kind: Kind = "title" if written else "answer" if used else "word"
        return (Evidence("pattern", kind, written or "", max(float(part.score[row]), 0.0), used, last),)

    return Found(part.fitting(query.pattern), {}, explain)


FINDER = Finder(one_by_one(find), ())
