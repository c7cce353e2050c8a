"""`keywords`: past clues that share rare words (Regis FILLbin 3.2, NEMESIS; TF-IDF as in Shortz Circuit).

Clues are vectors over words, stems, and word pairs, including the blank; the cosine comes from the postings of the
clue's features. Unlike in `nearby`, word order hardly matters. Columns: the best cosine and its square; the sum of
cosines, in logs, and per use of the answer; and, by weight of words, the largest share of the clue in a past clue, and
of a past clue in the clue.

`vocabulary`: answers whose past clues, taken together, have the words of the clue. In terms of text retrieval (Salton
1975), an answer is the document of all its clues. Its word stems and pairs are stored exactly, but no whole clue, so
the starter has them, too. Columns: the share of the clue's stems, and of its word pairs, by squared inverse document
frequency; and the summed rarity of those stems, and of those pairs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from regis.candidates.finder import (
    MAX_PAST_CLUES,
    Evidence,
    Finder,
    FinderResult,
    Query,
    ask_one_by_one,
    group_past_clues,
)
from regis.candidates.settings import CANDIDATES
from regis.index import Index
from regis.models import arrays
from regis.models.text.clue_features import KIND_WEIGHTS, PAIR, STEM, hash_stems, inverse_frequency

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


VOCABULARY_FEATURES = ("words covered", "rare words", "pairs covered", "rare pairs")


def find_by_vocabulary(query: Query, index: Index) -> FinderResult:
    partition = index[query.length]
    if not query.clue_key:
        return FinderResult.empty()
    codes, kinds = query.clue_features
    table = np.zeros((len(VOCABULARY_FEATURES), len(partition.use_counts)), np.float32)
    rare_features: dict[int, NDArray[np.intp]] = {}  # features rare enough to be useful, and the answers that have them
    for place, kind in enumerate((STEM, PAIR)):
        kind_codes = codes[kinds == kind]
        answers_of = partition.answers_with_features(kind_codes)
        answer_counts = np.array([len(answers) for answers in answers_of], np.int64)
        weights = inverse_frequency(answer_counts, partition.used_answer_count)
        total_weight = float((weights**2).sum())
        for code, answers, rarity in zip(kind_codes.tolist(), answers_of, weights.tolist(), strict=True):
            if rarity and len(answers) <= CANDIDATES.max_feature_share * partition.used_answer_count:
                table[2 * place, answers] += rarity**2 / total_weight
                table[2 * place + 1, answers] += rarity * CANDIDATES.rarity_scale
                rare_features[code] = answers
    rows = np.flatnonzero(table[1::2].any(axis=0))
    columns = table[:, rows]

    def explain(row: int) -> tuple[Evidence, ...]:
        place, is_found = arrays.find_sorted(rows, row)
        if not is_found or not columns[0, place]:
            return ()
        words = list(dict.fromkeys(query.clue_key.split()))
        stems = zip(words, hash_stems(words).tolist(), strict=True)
        shared_words = [word for word, code in stems if row in rare_features.get(code, ())]
        return (Evidence("vocabulary", "words", " ".join(shared_words), float(columns[0, place]), 0, None),)

    return FinderResult(rows.astype(np.int32), dict(zip(VOCABULARY_FEATURES, columns, strict=True)), explain)


VOCABULARY_FINDER = Finder(ask_one_by_one(find_by_vocabulary), VOCABULARY_FEATURES)
