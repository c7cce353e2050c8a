"""`blanks`: what fills the blank of a clue, from titles, phrases, and past clues with the same words (NEMESIS).

NEMESIS let a search engine complete '___ Beta Kappa'. Here three routes lead to PHI: a longer answer with these
letters, PHIBETAKAPPA; a past clue with the phrase, 'Phi Beta Kappa member'; and a past clue with another blank in it,
'Phi ___ Kappa', filled with its answer. Columns: the share of the context's letters in the best phrase, and its square.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from regis import text
from regis.candidates.finder import MAX_PAST_CLUES, Evidence, Finder, FinderResult, Query, ask_one_by_one
from regis.index import Index, Partition
from regis.models import arrays
from regis.models.text import clue_features
from regis.puzzle.alphabet import ASCII_A, pattern_mask

PHRASE_BREAKS = re.compile(r"[,;:()!\"“”]")  # these end the phrase around a blank
MIN_CONTEXT_LETTERS = 3  # letters of context that a phrase must have; 'of' and 'a' are next to everything
BlankContext = tuple[tuple[str, ...], tuple[str, ...]]  # the words before the blank, and the words after it


def find_answers(query: Query, index: Index) -> FinderResult:
    partition, context = index[query.length], find_context(query.clue)
    if context is None or not len(partition.answer_letters):
        return FinderResult.empty()
    best: dict[int, tuple[float, str]] = {}
    ways = itertools.chain(_find_listed(context, partition, index), _find_in_clues(context, partition, index))
    for answer, share, filled_phrase in ways:
        if share > best.get(answer, (0.0, ""))[0]:
            best[answer] = share, filled_phrase
    rows = np.array(sorted(best), np.int32)
    scores = np.array([best[row][0] for row in rows], np.float32)

    def explain(row: int) -> tuple[Evidence, ...]:
        return (Evidence("blanks", "phrase", best[row][1], best[row][0], 0, None),) if row in best else ()

    columns = {"blanks": scores, "blanks squared": scores**2}
    return FinderResult(rows, columns, explain).keep_marked(partition.is_live[rows])


def find_context(clue: str) -> BlankContext | None:
    """Return the words around the first blank of `clue`; None without a blank or context."""
    for piece in (*PHRASE_BREAKS.split(clue), clue):
        words = text.clue_key(piece).split()
        if text.BLANK_TOKEN not in words:
            continue
        place = words.index(text.BLANK_TOKEN)
        before, after = words[max(place - 3, 0) : place], words[place + 1 :][:3]
        if text.BLANK_TOKEN in after:
            after = after[: after.index(text.BLANK_TOKEN)]
        if before or after:
            return tuple(before), tuple(after)
    return None


def _find_listed(context: BlankContext, partition: Partition, index: Index) -> Iterator[tuple[int, float, str]]:
    """Find the answers and titles that are the filled phrase, with as much of its context as possible."""
    before, after = context
    context_letters = sum(map(len, (*before, *after)))
    for i in range(len(before) + 1):
        for j in range(len(after) + 1):
            left, right = text.normalize_answer("".join(before[i:])), text.normalize_answer("".join(after[:j]))
            if len(left) + len(right) < MIN_CONTEXT_LETTERS:
                continue
            longer = index[len(left) + partition.length + len(right)]
            rows = _rows_with_affixes(longer, left, right)
            rows = rows[longer.is_live[rows]]
            filled = longer.answer_letters[rows, len(left) : len(left) + partition.length] + ASCII_A
            filled_names = np.ascontiguousarray(filled).view(f"S{partition.length}").ravel()
            places, is_answer = arrays.find_sorted(partition.answers, filled_names)
            for k in np.flatnonzero(is_answer):
                display_text = longer.display_texts[int(rows[k])] or longer.answers[rows[k]].decode()
                yield int(places[k]), (len(left) + len(right)) / context_letters, display_text


def _rows_with_affixes(partition: Partition, left: str, right: str) -> NDArray[np.int64]:
    low = np.searchsorted(partition.answers, left.encode())
    high = np.searchsorted(partition.answers, (left + "[").encode())  # the first character after Z
    rows = np.arange(low, high)
    return rows[pattern_mask(partition.answer_letters[low:high], "?" * (partition.length - len(right)) + right)]


def _find_in_clues(context: BlankContext, partition: Partition, index: Index) -> Iterator[tuple[int, float, str]]:
    """Find what past clues have in place of the blank, as words or as their own answer."""
    before, after = context
    context_letters = sum(map(len, (*before, *after)))
    for words in _clues_with_context(context, index):
        for start, end in _find_fillings(words, context, partition.length):
            i = j = 0
            while i < min(len(before), start) and words[start - 1 - i] == before[-1 - i]:
                i += 1
            while j < min(len(after), len(words) - end) and words[end + j] == after[j]:
                j += 1
            letters_held = sum(map(len, (*before[len(before) - i :], *after[:j])))
            row = partition.answer_row(text.normalize_answer("".join(words[start:end])))
            if row >= 0 and letters_held >= MIN_CONTEXT_LETTERS:
                yield row, letters_held / context_letters, " ".join(words[start - i : end + j])


def _find_fillings(words: list[str], context: BlankContext, length: int) -> set[tuple[int, int]]:
    """Find spans of `length` letters next to the right words."""
    before, after = context
    spans = set()
    for place, word in enumerate(words):
        if before and word == before[-1]:
            end, letters = place + 1, 0
            while end < len(words) and letters < length:
                letters += len(words[end])
                end += 1
            if letters == length:
                spans.add((place + 1, end))
        if after and word == after[0]:
            start, letters = place, 0
            while start > 0 and letters < length:
                start -= 1
                letters += len(words[start])
            if letters == length:
                spans.add((start, place))
    return spans


def _clues_with_context(context: BlankContext, index: Index) -> Iterator[list[str]]:
    """Yield the words of past clues that have the words around the blank, with their own blanks filled."""
    before, after = context
    neighbors = [*before[-1:], *after[:1]]
    pairs = [p for p in (before[-2:], after[:2]) if len(p) == 2]
    pair_codes = [clue_features.hash_pairs(*np.split(clue_features.hash_words(pair), 2)) for pair in pairs]
    codes = np.concatenate([*pair_codes, clue_features.hash_words(neighbors)])
    for partition in index.partitions():
        if len(partition.posting_features):
            yield from _clues_with_features(codes, partition)
    for word in neighbors:
        answer = text.normalize_answer(word)
        part = index[len(answer)]
        if not len(part.sorted_keys) or (row := part.answer_row(answer)) < 0:
            continue
        rows = np.flatnonzero((part.clue_answer_rows == row) & (part.clue_counts > 0))
        for key in part.clue_keys.take_texts(rows):
            words = key.split()
            if text.BLANK_TOKEN in words:
                words[words.index(text.BLANK_TOKEN)] = word
                yield words


def _clues_with_features(codes: NDArray[np.uint64], partition: Partition) -> Iterator[list[str]]:
    """Yield the words of the clues that have one of the features `codes`, except common ones."""
    places, is_known = arrays.find_sorted(partition.posting_features, codes)
    for place in places[is_known]:
        rows = partition.posting_list(place)
        if len(rows) <= MAX_PAST_CLUES:
            rows = rows[partition.clue_counts[rows] > 0]
            yield from (key.split() for key in partition.clue_keys.take_texts(rows))


FINDER = Finder(ask_one_by_one(find_answers), ("blanks", "blanks squared"), {"blanks": 3.0, "blanks squared": 2.0})
