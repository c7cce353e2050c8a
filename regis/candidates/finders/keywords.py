"""`keywords`: past clues that share rare words (Regis FILLbin 3.2, NEMESIS; TF-IDF as in Shortz Circuit).

Clues are vectors over words, stems, and word pairs, with the blank among them; the cosine comes from the postings of
the clue's features. Unlike in `nearby`, word order hardly matters. Columns: the best cosine and its square; the sum of
cosines, in logs, and per use of the answer; and, by weight of words, the largest share of the clue in a past clue, and
of a past clue in the clue.
"""

from __future__ import annotations

import numpy as np

from regis.candidates.finder import MAX_PAST_CLUES, Finder, FinderResult, Query, ask_one_by_one, group_past_clues
from regis.candidates.settings import CANDIDATES
from regis.index import Index
from regis.models import arrays
from regis.models.text.clue_features import KIND_WEIGHTS, inverse_frequency

FEATURE_NAMES = (
    "keywords", "keywords squared", "keywords sum", "keywords per use", "clue covered", "past clue covered",
)  # fmt: skip


def find_answers(query: Query, index: Index) -> FinderResult:
    partition = index[query.length]
    if not query.clue_key or not len(partition.posting_features):
        return FinderResult.empty()
    codes, kinds = query.clue_features
    places, is_known = arrays.find_sorted(partition.posting_features, codes)
    sizes = np.where(is_known, partition.posting_starts[places + 1] - partition.posting_starts[places], 0)
    weights = inverse_frequency(sizes, len(partition.clue_norms)) * KIND_WEIGHTS[kinds]
    is_rare = is_known & (sizes <= CANDIDATES.max_feature_share * len(partition.clue_norms))
    used_features = np.flatnonzero(is_rare if is_rare.any() else is_known)
    if not len(used_features):
        return FinderResult.empty()

    dot_products = np.zeros(len(partition.clue_norms), np.float32)
    for i in used_features:  # a clue has each feature once, so no row repeats within a posting
        dot_products[partition.posting_list(places[i])] += weights[i] ** 2
    clue_weight = np.float32((weights**2).sum())
    cosines = dot_products / partition.clue_norms / np.sqrt(clue_weight)
    cosines[partition.clue_counts == 0] = 0
    best_clues = np.flatnonzero(cosines > 0)
    if len(best_clues) > MAX_PAST_CLUES:
        best_clues = best_clues[np.argpartition(-cosines[best_clues], MAX_PAST_CLUES)[:MAX_PAST_CLUES]]
    grouped = group_past_clues("keywords", partition, best_clues, cosines[best_clues])
    shared_weight = dot_products[best_clues]
    past_clue_weight = partition.clue_norms[best_clues] ** 2
    shares = np.stack([shared_weight / clue_weight, shared_weight / past_clue_weight], axis=1)
    covered = np.zeros((len(grouped.answer_rows), 2), np.float32)
    np.maximum.at(covered, np.searchsorted(grouped.answer_rows, partition.clue_answer_rows[best_clues]), shares)
    per_use = grouped.total_score / (partition.use_counts[grouped.answer_rows] + CANDIDATES.prior_uses)
    columns = (grouped.best_score, grouped.best_score**2, np.log1p(grouped.total_score), per_use, *covered.T)
    return FinderResult(grouped.answer_rows, dict(zip(FEATURE_NAMES, columns, strict=True)), grouped.explain)


DEFAULT_WEIGHTS = {"keywords": 4.0, "keywords squared": 3.0, "keywords sum": 0.5}
FINDER = Finder(ask_one_by_one(find_answers), FEATURE_NAMES, DEFAULT_WEIGHTS, uses_past_clues=True)
