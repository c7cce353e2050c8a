"""Which words follow each other, as the features of an index's past clues have it (regis.models.strings.word_bigrams).

A clue with a blank is half of a phrase that somebody wrote whole: "___ Joey" and PAL tell more of new answers than all
other clues together (measured: docs/experiments/phrase-model.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regis import text
from regis.index.tables.partition import Partition
from regis.models.numeric import sorted_search
from regis.models.strings.word_bigrams import PairFeatures, WordBigrams, match_width, sum_by_feature
from regis.models.text import clue_features

AnswerPostings = tuple[NDArray[np.bytes_], PairFeatures, NDArray[np.int64], NDArray[np.integer[Any]]]
"""Answers, and the postings of their clues (Partition.feature_postings)."""


def count_bigrams(partitions: Iterable[Partition], words: NDArray[np.bytes_]) -> WordBigrams:
    """Count the pairs of `words` in the clues of `partitions`, their blanks filled with the answer.

    Parameters
    ----------
    words : (words,) bytes in capitals.
    """
    lower = np.char.lower(words).astype(str).tolist()
    codes, stems = clue_features.hash_words(lower), clue_features.hash_stems(lower)
    postings = [(part.answers, *part.feature_postings) for part in partitions]
    postings = [one for one in postings if len(one[1])]
    if not postings:
        return WordBigrams(np.zeros(0, np.uint64), np.zeros(0, np.float32), codes, np.zeros(len(words), np.float32))
    known, counts = _sum_counts([(features, np.diff(starts)) for _, features, starts, _ in postings])
    place, there = sorted_search.find_sorted(known, match_width(stems, known))
    word_counts = np.where(there, counts[place], 0).astype(np.float32)
    filled = [match_width(pairs, known) for pairs in _find_filled_blanks(postings, words, codes, known)]
    pairs, pair_counts = sum_by_feature(
        np.concatenate([known, *filled]), np.concatenate([counts, *(np.ones(len(x)) for x in filled)])
    )
    is_single = np.isin(pairs, np.concatenate([match_width(codes, pairs), match_width(stems, pairs)]))
    return WordBigrams(pairs[~is_single], pair_counts[~is_single], codes, word_counts)


def _sum_counts(
    feature_counts: Sequence[tuple[PairFeatures, NDArray[np.int64]]],
) -> tuple[PairFeatures, NDArray[np.float32]]:
    """Return each feature of several partitions once, ascending, and how often it was met altogether."""
    features, counts = zip(*feature_counts, strict=True)
    return sum_by_feature(np.concatenate(features), np.concatenate(counts))


def _find_filled_blanks(
    postings: Sequence[AnswerPostings],
    words: NDArray[np.bytes_],
    codes: NDArray[np.uint64],
    known_features: PairFeatures,
) -> Iterator[NDArray[np.uint64]]:
    """Yield the pairs that an answer and the word behind or before its blank are, each as often as it was met.

    `known_features` are all that clues have.
    """
    order = np.argsort(words, kind="stable")
    blank = np.full(len(codes), clue_features.hash_word(text.BLANK_TOKEN), np.uint64)
    for ahead in (True, False):
        gaps = match_width(clue_features.hash_pairs(*((blank, codes) if ahead else (codes, blank))), known_features)
        met = np.flatnonzero(sorted_search.find_sorted(known_features, gaps)[1])
        for names, features, starts, answers in postings:
            place, there = sorted_search.find_sorted(features, gaps[met])
            which, rows = sorted_search.expand_ranges(starts[place[there]], starts[place[there] + 1])
            word = met[there][which]
            answer, is_word = sorted_search.find_sorted(words[order], names[answers[rows]])
            pair = order[answer[is_word]], word[is_word]
            yield clue_features.hash_pairs(*(codes[side] for side in (pair if ahead else pair[::-1])))
