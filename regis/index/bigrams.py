"""Which words follow each other, as the features of an index's past clues have it (regis.models.bigrams).

A clue with a blank is half of a phrase that somebody wrote whole: "___ Joey" and PAL tell more of new answers than all
other clues together (measured: docs/measured.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regis import text
from regis.index.partition import Partition
from regis.models import features, lookup
from regis.models.bigrams import Bigrams, Features, like, summed

Heard = tuple[NDArray[np.bytes_], Features, NDArray[np.int64], NDArray[np.integer[Any]]]
"""Answers, and what was heard in their clues (Partition.heard)."""


def counted(parts: Iterable[Partition], words: NDArray[np.bytes_]) -> Bigrams:
    """The pairs of `words`, in capitals, that the clues in `parts` have, their blanks filled."""
    lower = np.char.lower(words).astype(str).tolist()
    codes, stems = features.codes_of(lower), features.stem_codes(lower)
    heard = [(part.names, *part.heard) for part in parts]
    heard = [one for one in heard if len(one[1])]
    if not heard:
        return Bigrams(np.zeros(0, np.uint64), np.zeros(0, np.float32), codes, np.zeros(len(words), np.float32))
    every, times = summed(
        np.concatenate([known for _, known, _, _ in heard]),
        np.concatenate([np.diff(starts) for *_, starts, _ in heard]),
    )
    place, there = lookup.place(every, like(stems, every))
    used = np.where(there, times[place], 0).astype(np.float32)
    filled = [like(pairs, every) for pairs in _filled(heard, words, codes, every)]
    pairs, often = summed(np.concatenate([every, *filled]), np.concatenate([times, *(np.ones(len(x)) for x in filled)]))
    single = np.isin(pairs, np.concatenate([like(codes, pairs), like(stems, pairs)]))
    return Bigrams(pairs[~single], often[~single], codes, used)


def _filled(
    heard: Sequence[Heard], words: NDArray[np.bytes_], codes: NDArray[np.uint64], every: Features
) -> Iterator[NDArray[np.uint64]]:
    """The pairs that an answer and the word behind or before its blank are, each as often as it was met.

    `every` feature is one that was `heard`.
    """
    order = np.argsort(words, kind="stable")
    blank = np.full(len(codes), features.code(text.BLANK), np.uint64)
    for ahead in (True, False):
        gaps = like(features.pairs(*((blank, codes) if ahead else (codes, blank))), every)
        met = np.flatnonzero(lookup.place(every, gaps)[1])
        for names, known, starts, answers in heard:
            place, there = lookup.place(known, gaps[met])
            which, rows = lookup.spread(starts[place[there]], starts[place[there] + 1])
            word = met[there][which]
            answer, is_word = lookup.place(words[order], names[answers[rows]])
            pair = order[answer[is_word]], word[is_word]
            yield features.pairs(*(codes[its] for its in (pair if ahead else pair[::-1])))
