"""`nearby`: past clues that are spelt almost alike (Regis FILLbin 3.1).

The clue keys of a length stand sorted. Binary search finds where the clue would stand; its neighbours share its first
words, and the edit distance says how far each really is. The ancestor's known flaw is that a changed first word moves
a clue far away, so the same is done among the keys sorted by their words last to first.
"""

from __future__ import annotations

import numpy as np
from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from regis import text
from regis.candidates.candidate_list import Evidence, Found
from regis.index import Index, Partition
from regis.puzzle.alphabet import fits

CUTOFF = 0.6
"""Least similarity, 1 - distance / longer length, that still counts as nearby."""


def find(clue: str, pattern: str, index: Index, limit: int) -> Found:
    """Answers of the nearest past clues. Score: similarity of the nearest; support: where the very same clue was seen
    before, the share of its uses that had this answer, else 0."""
    part = index[len(pattern)]
    key = text.clue_key(clue)
    if part is None or not key:
        return Found.nothing("nearby")
    if not len(part.keys):
        return _repeated(part, clue, pattern)
    places = ((part.keys, part.keys.place(key)), (part.reversed_keys, part.reversed_keys.place(text.reversed_key(key))))
    same = part.same_key(key)
    around = [keys.rows(at - limit // 4, at + limit // 4) for keys, at in places]
    rows = np.unique(np.concatenate([*around, same]))
    rows = rows[part.clue_count[rows] > 0]
    past = part.key_column.take(rows).to_pylist()
    alike = process.cdist([key], past, scorer=Levenshtein.normalized_similarity, score_cutoff=CUTOFF)[0]
    near = alike >= CUTOFF
    found = Found.from_clues("nearby", rows[near], alike[near], part.clue_answer)

    share = np.zeros(len(found.answers), np.float32)
    if (uses := part.clue_count[same]).sum() > 0:
        at = np.searchsorted(found.answers, part.clue_answer[same[uses > 0]])
        share[at] = uses[uses > 0] / uses.sum()
    found = Found("nearby", found.answers, found.score, share, found.clues)
    return found.keep(fits(part.letters[found.answers], pattern))


def _repeated(part: Partition, clue: str, pattern: str) -> Found:
    """The answers of the very same clue, all that can be told where past clues themselves are not kept."""
    uses = part.uses(text.clue_key(clue))
    order = np.argsort(uses.answers)
    answers, count, last = (column[order] for column in uses)
    seen = {int(row): (int(times), int(year) or None) for row, times, year in zip(answers, count, last, strict=True)}
    found = Found(
        "nearby",
        answers.astype(np.int32),
        np.ones(len(answers), np.float32),
        (count / max(count.sum(), 1)).astype(np.float32),
        np.full(len(answers), -1, np.int32),
        lambda row: (Evidence("nearby", "clue", clue, 1.0, *seen[row]),),
    )
    return found.keep(fits(part.letters[found.answers], pattern))
