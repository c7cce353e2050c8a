"""`blanks`: what fills the blank of a clue, from titles, phrases and past clues with the words around it (NEMESIS).

NEMESIS let a search engine complete '___ Beta Kappa'. Here three roads lead to PHI: an answer or title of the index
with the right letters at its end, PHIBETAKAPPA; a past clue that says the phrase, 'Phi Beta Kappa member'; and a past
clue with a blank elsewhere in the phrase, 'Phi ___ Kappa', once its answer is written in.

Columns: how much of the context the best phrase holds, as the share of the letters, and its square.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from regis import text
from regis.candidates.found import Evidence, Finder, Found, one_by_one
from regis.candidates.query import PAST_CLUES, Query
from regis.index import Index, Partition
from regis.models import features, lookup
from regis.puzzle.alphabet import FIRST, fits

PIECES = re.compile(r"[,;:()!\"“”]")  # what ends the phrase that a blank stands in
REACH = 3  # words on either side of the blank that are looked at
SHORTEST = 3  # letters of context that a phrase must hold at least: 'of' and 'a' stand beside everything
Phrase = tuple[tuple[str, ...], tuple[str, ...]]  # the words before the blank and those after it


def find(query: Query, index: Index) -> Found:
    """Answers that make a known phrase with the words around the blank."""
    part, phrase = index[query.length], context(query.clue)
    if phrase is None or not len(part.letters):
        return Found.nothing()
    best: dict[int, tuple[float, str]] = {}
    for answer, held, whole in [*_listed(phrase, part, index), *_in_clues(phrase, part, index)]:
        if held > best.get(answer, (0.0, ""))[0]:
            best[answer] = held, whole
    rows = np.array(sorted(best), np.int32)
    score = np.array([best[row][0] for row in rows], np.float32)

    def explain(row: int) -> tuple[Evidence, ...]:
        return (Evidence("blanks", "phrase", best[row][1], best[row][0], 0, None),) if row in best else ()

    return Found(rows, {"blanks": score, "blanks squared": score**2}, explain).keep(part.exists[rows])


def context(clue: str) -> Phrase | None:
    """The words around the first blank of `clue`; None if there is no blank or nothing around it."""
    pieces = [words for words in (text.clue_key(piece).split() for piece in PIECES.split(clue)) if text.BLANK in words]
    for words in [*pieces, text.clue_key(clue).split()]:
        if text.BLANK not in words or len(words) == 1:
            continue
        at = words.index(text.BLANK)
        before, after = words[max(at - REACH, 0) : at], words[at + 1 : at + 1 + REACH]
        if text.BLANK in after:
            after = after[: after.index(text.BLANK)]
        if before or after:
            return tuple(before), tuple(after)
    return None


def _listed(phrase: Phrase, part: Partition, index: Index) -> Iterator[tuple[int, float, str]]:
    """Answers and titles that are the phrase with the blank filled; as many words of it as there are."""
    before, after = phrase
    whole = sum(map(len, (*before, *after)))
    for i in range(len(before) + 1):
        for j in range(len(after) + 1):
            left, right = text.answer("".join(before[i:])), text.answer("".join(after[:j]))
            if len(left) + len(right) < SHORTEST:
                continue
            longer = index[len(left) + part.length + len(right)]
            rows = _affixed(longer, left, right)
            rows = rows[longer.exists[rows]]
            filled = np.ascontiguousarray(longer.letters[rows, len(left) : len(left) + part.length] + FIRST)
            names = filled.view(f"S{part.length}").ravel()
            place, known = lookup.place(part.names, names)
            for at in np.flatnonzero(known):
                written = longer.written[int(rows[at])] or longer.names[rows[at]].decode()
                yield int(place[at]), (len(left) + len(right)) / whole, written


def _affixed(part: Partition, left: str, right: str) -> NDArray[np.int64]:
    """The rows of the answers that begin with `left` and end with `right`."""
    low = np.searchsorted(part.names, left.encode())
    high = np.searchsorted(part.names, (left + "[").encode())  # what comes after Z
    rows = np.arange(low, high)
    return rows[fits(part.letters[low:high], "?" * (part.length - len(right)) + right)]


def _in_clues(phrase: Phrase, part: Partition, index: Index) -> Iterator[tuple[int, float, str]]:
    """What past clues have in the place of the blank, written there or as their own answer."""
    before, after = phrase
    whole = sum(map(len, (*before, *after)))
    for words in _holding(phrase, index):
        for start, end in _fillings(words, phrase, part.length):
            i = j = 0
            while i < min(len(before), start) and words[start - 1 - i] == before[-1 - i]:
                i += 1
            while j < min(len(after), len(words) - end) and words[end + j] == after[j]:
                j += 1
            held = sum(map(len, (*before[len(before) - i :], *after[:j])))
            row = part.answer_row(text.answer("".join(words[start:end])))
            if row >= 0 and held >= SHORTEST:
                yield row, held / whole, " ".join(words[start - i : end + j])


def _fillings(words: list[str], phrase: Phrase, length: int) -> set[tuple[int, int]]:
    """From where to where some words of `words` have `length` letters together and stand beside the right word."""
    before, after = phrase
    found = set()
    for at, word in enumerate(words):
        if before and word == before[-1]:
            end, letters = at + 1, 0
            while end < len(words) and letters < length:
                letters += len(words[end])
                end += 1
            if letters == length:
                found.add((at + 1, end))
        if after and word == after[0]:
            start, letters = at, 0
            while start > 0 and letters < length:
                start -= 1
                letters += len(words[start])
            if letters == length:
                found.add((start, at))
    return found


def _holding(phrase: Phrase, index: Index) -> Iterator[list[str]]:
    """The words of past clues that hold the words beside the blank, with their own blank filled."""
    before, after = phrase
    near = [*before[-1:], *after[:1]]
    pairs = [p for p in (before[-2:], after[:2]) if len(p) == 2]
    codes = [*(features.pair_code(*pair) for pair in pairs), *map(features.code, near)]
    for one in index.parts():
        if len(one.features):
            yield from _with(codes, one)
    for word in near:
        answer = text.answer(word)
        part = index[len(answer)]
        if not len(part.keys) or (row := part.answer_row(answer)) < 0:
            continue
        rows = np.flatnonzero((part.clue_answer == row) & (part.clue_count > 0))
        for key in part.key_column.of(rows):
            words = key.split()
            if text.BLANK in words:
                words[words.index(text.BLANK)] = word
                yield words


def _with(codes: list[int], part: Partition) -> Iterator[list[str]]:
    """The words of the clues that have one of the features `codes`, of which common ones are passed over."""
    wanted = np.array(codes, np.uint64)
    places, known = lookup.place(part.features, wanted)
    for place in places[known]:
        rows = part.posting(place)
        if len(rows) <= PAST_CLUES:
            rows = rows[part.clue_count[rows] > 0]
            yield from (key.split() for key in part.key_column.of(rows))


FINDER = Finder(one_by_one(find), ("blanks", "blanks squared"), {"blanks": 3.0, "blanks squared": 2.0})
