"""`nearby`: past clues that are spelt almost alike (Regis FILLbin 3.1).

The clue keys of a length stand sorted. Binary search finds where the clue would stand; its neighbours share its first
words, and the edit distance says how far each really is. The ancestor's known flaw is that a changed first word moves
a clue far away, so the same is done among the keys sorted by their words last to first.

Columns: the similarity of the nearest past clue, and its square; whether the very same clue was seen before, and the
share of its uses that had this answer.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from regis import text
from regis.candidates.found import Column, Evidence, Finder, Found, from_past_clues, one_by_one
from regis.candidates.query import PAST_CLUES, Query
from regis.index import Index, Partition
from regis.models import lookup

CUTOFF = 0.6  # least similarity, 1 - distance / longer length, that still counts as nearby


def find(query: Query, index: Index) -> Found:
    """The answers of the nearest past clues."""
    part, key = index[query.length], query.key
    if not key:
        return Found.nothing()
    if not len(part.keys):
        return _repeated(part, query)
    from rapidfuzz import process  # only where there are past clues
    from rapidfuzz.distance import Levenshtein

    places = ((part.keys, part.keys.place(key)), (part.reversed_keys, part.reversed_keys.place(text.reversed_key(key))))
    same = part.same_key(key)
    around = [keys.rows(at - PAST_CLUES // 4, at + PAST_CLUES // 4) for keys, at in places]
    rows = lookup.distinct(np.concatenate([*around, same]))
    rows = rows[part.clue_count[rows] > 0]
    past = part.key_column.of(rows)
    alike = process.cdist([key], past, scorer=Levenshtein.normalized_similarity, score_cutoff=CUTOFF)[0]
    near = alike >= CUTOFF
    found = from_past_clues("nearby", part, rows[near], alike[near])
    share = np.zeros(len(found.answers), np.float32)
    if (uses := part.clue_count[same]).sum() > 0:
        at = np.searchsorted(found.answers, part.clue_answer[same[uses > 0]])
        share[at] = uses[uses > 0] / uses.sum()
    return Found(found.answers, _columns(found.best, share), found.explain)


def _repeated(part: Partition, query: Query) -> Found:
    """The answers of the very same clue, all that can be told where past clues themselves are not kept."""
    uses = part.uses(query.key)
    order = np.argsort(uses.answers)
    answers, count, last = (column[order] for column in uses)
    seen = {int(row): (int(times), int(year) or None) for row, times, year in zip(answers, count, last, strict=True)}
    share = (count / max(count.sum(), 1)).astype(np.float32)
    return Found(
        answers.astype(np.int32),
        _columns(np.ones(len(answers), np.float32), share),
        lambda row: (Evidence("nearby", "clue", query.clue, 1.0, *seen[row]),) if row in seen else (),
    )


def _columns(score: NDArray[np.float32], share: NDArray[np.float32]) -> dict[str, Column]:
    same = (share > 0).astype(np.float32)
    return {"nearby": score, "nearby squared": score**2, "same clue": same, "share of same clue": share}


FINDER = Finder(
    one_by_one(find),
    ("nearby", "nearby squared", "same clue", "share of same clue"),
    {"nearby squared": 5.0, "same clue": 1.0, "share of same clue": 3.0},
    past_clues=True,
)
