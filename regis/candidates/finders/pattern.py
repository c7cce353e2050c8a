"""`pattern`: every answer, title, and word with the known letters (Regis FILLbin 3.3).

It reads no clue and has no column. Without known letters it finds everything of the length, so every answer gets its
prior (weights.PRIOR_FEATURES).
"""

from __future__ import annotations

from regis.candidates.finder import Evidence, EvidenceKind, Finder, FinderResult, Query, ask_one_by_one
from regis.index import Index


def find_answers(query: Query, index: Index) -> FinderResult:
    partition = index[query.length]

    def explain(row: int) -> tuple[Evidence, ...]:
        display_text, use_count = partition.display_texts[row], int(partition.use_counts[row])
        kind: EvidenceKind = "title" if display_text else "answer" if use_count else "word"
        score, last_year = max(float(partition.list_scores[row]), 0.0), int(partition.last_years[row]) or None
        return (Evidence("pattern", kind, display_text or "", score, use_count, last_year),)

    return FinderResult(partition.matching_rows(query.pattern), {}, explain)


FINDER = Finder(ask_one_by_one(find_answers), ())
