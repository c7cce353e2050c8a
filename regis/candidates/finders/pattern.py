"""`pattern`: every answer, title and word that has the letters known so far (Regis FILLbin 3.3).

It reads no clue and has no column: with no letter known it finds everything of the length, which is how every answer
gets its prior (feature_table.PRIOR).
"""

from __future__ import annotations

from collections.abc import Sequence

from regis.candidates.found import Evidence, Explain, Finder, Found
from regis.candidates.query import Query
from regis.index import Index, Partition


def find(queries: Sequence[Query], index: Index) -> list[Found]:
    """All answers that fit."""
    return [_fitting(query.pattern, index[query.length]) for query in queries]


def _fitting(pattern: str, part: Partition) -> Found:
    return Found(part.fitting(pattern), {}, _explained(part))


def _explained(part: Partition) -> Explain:
    def explain(row: int) -> tuple[Evidence, ...]:
        written, used, last = part.texts[row].as_py(), int(part.count[row]), int(part.last[row]) or None
        kind = "title" if written else "answer" if used else "word"
        return (Evidence("pattern", kind, written or "", float(part.score[row]), used, last),)

    return explain


FINDER = Finder(find, ())
