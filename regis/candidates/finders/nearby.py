"""`nearby`: past clues with nearly the same spelling (Regis FILLbin 3.1).

Clue keys of a length are sorted. Neighbors of the clue share its first words, and the edit distance measures how near
they are. A changed first word moves a clue far away, so reversed keys are searched, too. Columns: the nearest past
clue's similarity, and its square; whether the same clue occurred, and the share of its uses with this answer.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from regis import text
from regis.candidates.finder import (
    MAX_PAST_CLUES,
    Evidence,
    FeatureColumn,
    Finder,
    FinderResult,
    Query,
    ask_one_by_one,
    group_past_clues,
)
from regis.candidates.settings import CANDIDATES
from regis.index import Index, Partition
from regis.models import arrays

FEATURE_NAMES = ("nearby", "nearby squared", "same clue", "share of same clue")


def find_answers(query: Query, index: Index) -> FinderResult:
    partition, key = index[query.length], query.clue_key
    if not key:
        return FinderResult.empty()
    if not len(partition.sorted_keys):
        return _find_repeated(partition, query)
    from rapidfuzz import process  # only needed if there are past clues
    from rapidfuzz.distance import Levenshtein

    same_clue_rows = partition.rows_with_key(key)
    around = []
    for keys, wanted_key in ((partition.sorted_keys, key), (partition.reversed_keys, text.reverse_key(key))):
        place = keys.find_position(wanted_key)
        around.append(keys.rows_between(place - MAX_PAST_CLUES // 4, place + MAX_PAST_CLUES // 4))
    rows = arrays.unique_sorted(np.concatenate([*around, same_clue_rows]))
    rows = rows[partition.clue_counts[rows] > 0]
    past_keys = partition.clue_keys.take_texts(rows)
    similarity = Levenshtein.normalized_similarity
    similarities = process.cdist([key], past_keys, scorer=similarity, score_cutoff=CANDIDATES.min_similarity)[0]
    is_near = similarities >= CANDIDATES.min_similarity
    grouped = group_past_clues("nearby", partition, rows[is_near], similarities[is_near])
    share = np.zeros(len(grouped.answer_rows), np.float32)
    if (uses := partition.clue_counts[same_clue_rows]).sum() > 0:
        answer_places = np.searchsorted(grouped.answer_rows, partition.clue_answer_rows[same_clue_rows[uses > 0]])
        share[answer_places] = uses[uses > 0] / uses.sum()
    return FinderResult(grouped.answer_rows, _make_columns(grouped.best_score, share), grouped.explain)


def _find_repeated(partition: Partition, query: Query) -> FinderResult:
    """Find the answers of exactly the same clue. Without clue texts, nothing else can be compared."""
    uses = partition.find_uses(query.clue_key)
    order = np.argsort(uses.answer_rows)
    answers, counts, last_years = (column[order] for column in uses)
    share = (counts / max(counts.sum(), 1)).astype(np.float32)

    def explain(row: int) -> tuple[Evidence, ...]:
        place, is_there = arrays.find_sorted(answers, row)
        if not is_there:
            return ()
        return (Evidence("nearby", "clue", query.clue, 1.0, int(counts[place]), int(last_years[place]) or None),)

    return FinderResult(answers.astype(np.int32), _make_columns(np.ones(len(answers), np.float32), share), explain)


def _make_columns(similarity: NDArray[np.float32], use_share: NDArray[np.float32]) -> dict[str, FeatureColumn]:
    columns = (similarity, similarity**2, (use_share > 0).astype(np.float32), use_share)
    return dict(zip(FEATURE_NAMES, columns, strict=True))


FINDER = Finder(
    ask_one_by_one(find_answers),
    FEATURE_NAMES,
    {"nearby squared": 5.0, "same clue": 1.0, "share of same clue": 3.0},
    uses_past_clues=True,
)
