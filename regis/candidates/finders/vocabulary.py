"""`vocabulary`: answers whose past clues, taken together, have the words of the clue.

An answer is the document of all its clues, in the terms of text retrieval (Salton 1975). Its word stems and pairs are
known exactly, without any whole clue, so the starter has them, too. Columns: the share of the clue's stems, and of its
word pairs, by squared inverse document frequency; and the summed rarity of those stems, and of those pairs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from regis.candidates.finder import Evidence, Finder, FinderResult, Query, ask_one_by_one
from regis.candidates.settings import CANDIDATES
from regis.index import Index
from regis.models import arrays
from regis.models.text.clue_features import PAIR, STEM, hash_stem, inverse_frequency

FEATURE_NAMES = ("words covered", "rare words", "pairs covered", "rare pairs")


def find_answers(query: Query, index: Index) -> FinderResult:
    partition = index[query.length]
    if not query.clue_key:
        return FinderResult.empty()
    codes, kinds = query.clue_features
    table = np.zeros((len(FEATURE_NAMES), len(partition.use_counts)), np.float32)
    rare_features: dict[int, NDArray[np.intp]] = {}  # features that are rare enough to tell anything, and who has them
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
        answers_of = ((word, rare_features.get(hash_stem(word), ())) for word in dict.fromkeys(query.clue_key.split()))
        shared_words = [word for word, answers in answers_of if row in answers]
        return (Evidence("vocabulary", "words", " ".join(shared_words), float(columns[0, place]), 0, None),)

    return FinderResult(rows.astype(np.int32), dict(zip(FEATURE_NAMES, columns, strict=True)), explain)


FINDER = Finder(ask_one_by_one(find_answers), FEATURE_NAMES)
