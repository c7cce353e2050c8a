"""Which edits of known phrases make what a slot's crossings allow, and what an edit makes of all phrases.

Both ways are the same sum: how likely the phrase was, how many changes of the kind it has, and how well its letters fit
the crossings, those before the change, those put there and those behind.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from regis.models.numeric.arrays import Float64Array, Positions
from regis.puzzle.alphabet import ALPHABET, codes_to_word, letter_codes
from regis.solving.inference.evidence import crossing_loglik
from regis.solving.themes.edit_kinds import EDGE_COST, MAX_ANAGRAM_LETTERS, MAX_NAMED_LETTERS, Change, Edit, EditKind

MAX_CHANGED_LETTERS = 3  # letters that are taken away, or put there, at most
MAX_REORDERED_LETTERS = 8  # letters that have another order, at most: one moves over all others; a guess
MIN_LETTER_RATIO = 0.05  # how likely, beside the likeliest, a letter must be in its cell to be one of those put there
MAX_NEW_STRINGS = 30  # of letters put there that are looked at, at most, for each phrase and place
MAX_PHRASES_PER_PLACE = 100  # edited phrases of one kind and place that are looked at, the likeliest

LetterTable = NDArray[np.uint8]
"""Words of one length, (k, length), letters 0 to 25."""

EditedPhrases = tuple[LetterTable, Float64Array, Positions]
"""Answers, (k, length), their natural log probabilities, (k,), and of which row of the phrases each is, (k,)."""


def score_edits(
    phrases: LetterTable, logp: Float64Array, log_messages: Float64Array, min_score: float = -np.inf
) -> dict[Edit, float]:
    """Score the edits that make of a phrase what the crossings of a slot allow.

    Parameters
    ----------
    phrases : (k, length).
    logp : (k,) natural logs, relative to all that the slot may be without an edit.
    log_messages : (cells, 26) natural logs, none above 0.
    min_score : edits that score no more are left out.

    Returns
    -------
    For each edit the natural log of how likely the best phrase is that it changes, relative to the same.
    """
    scores: dict[Edit, float] = {}
    if len(phrases) and phrases.shape[1] == len(log_messages):
        best = float((logp + crossing_loglik(phrases, log_messages[::-1])).max())
        if best > min_score:
            scores[Edit(EditKind.REVERSED)] = best
    for _, change, fit in _find_changes(phrases, logp, log_messages, min_score):
        for edit, cost in change.possible_edits():
            if fit - cost > scores.get(edit, min_score):
                scores[edit] = fit - cost
    return scores


def _find_changes(
    phrases: LetterTable, logp: Float64Array, log_messages: Float64Array, min_score: float
) -> Iterator[tuple[int, Change, float]]:
    """Yield changes that the messages allow, each with the row of its phrase and its score, above `min_score`.

    How many changes of the kind a phrase has does not count yet.
    """
    if not len(phrases):
        return
    length, n_cells = phrases.shape[1], len(log_messages)
    before = _prefix_logliks(phrases, log_messages)
    behind = _prefix_logliks(phrases[:, ::-1], log_messages[::-1])
    for n_old, n_new in _change_sizes(length, n_cells):
        half = (length - n_old) // 2  # before the change or behind it is at least so much of the phrase
        hopeful = np.flatnonzero(logp + np.maximum(before[half], behind[length - n_old - half]) > min_score)
        for start in range(length - n_old + 1):
            messages = log_messages[start : start + n_new]
            rest = logp[hopeful] + before[start][hopeful] + behind[length - start - n_old][hopeful]
            rows = np.flatnonzero(rest + float(messages.max(axis=1).sum()) > min_score)
            if not len(rows):
                continue
            rows = rows[np.argsort(-rest[rows], kind="stable")][:MAX_PHRASES_PER_PLACE]
            old_letters, rows, rest = phrases[hopeful[rows], start : start + n_old], hopeful[rows], rest[rows]
            for i, new, score in _new_strings(old_letters, rest, messages, min_score):
                if not _has_common_end(old := codes_to_word(old_letters[i]), new):
                    yield int(rows[i]), Change(codes_to_word(phrases[rows[i]]), start, old, new), score


def _new_strings(
    old_letters: LetterTable, rest: Float64Array, log_messages: Float64Array, min_score: float
) -> Iterator[tuple[int, str, float]]:
    """Yield what the messages allow to be put for the old letters, (k, letters): the row, the string and the score.

    The score is above `min_score`; `rest`, (k,), is how likely the rest of each phrase is. Of more letters than an edit
    may name only other orders are looked at: with one moved over the others, or those that messages allow.
    """
    n_old = old_letters.shape[1]
    likely = _likely_strings(log_messages)
    if n_old + len(log_messages) <= MAX_NAMED_LETTERS:
        for string, fit in likely:
            yield from ((i, string, fit + float(rest[i])) for i in np.flatnonzero(rest + fit > min_score).tolist())
        return
    for step in (1, -1):
        orders = np.roll(old_letters, step, axis=1)
        fits = rest + log_messages[np.arange(n_old), orders].sum(axis=1)
        yield from ((i, codes_to_word(orders[i]), float(fits[i])) for i in np.flatnonzero(fits > min_score).tolist())
    if n_old <= MAX_ANAGRAM_LETTERS:
        sorted_letters = np.sort(old_letters, axis=1)
        for string, fit in likely:
            is_anagram = (sorted_letters == np.sort(letter_codes(string))).all(axis=1)
            rows = np.flatnonzero(is_anagram & (rest + fit > min_score))
            yield from ((i, string, fit + float(rest[i])) for i in rows.tolist())


def _change_sizes(length: int, n_cells: int) -> Iterator[tuple[int, int]]:
    """Yield how many letters of a phrase may go, and how many may be put there."""
    for n_old, n_new in itertools.product(range(MAX_CHANGED_LETTERS + 1), repeat=2):
        if length - n_old + n_new == n_cells and 0 < n_old + n_new <= MAX_NAMED_LETTERS:
            yield n_old, n_new
    if length == n_cells:
        yield from ((size, size) for size in range(MAX_CHANGED_LETTERS, min(MAX_REORDERED_LETTERS, length) + 1))


def _has_common_end(old: str, new: str) -> bool:
    """Return whether a change of fewer letters is the same."""
    return bool(old and new) and (old[0] == new[0] or old[-1] == new[-1])


def _prefix_logliks(phrases: LetterTable, log_messages: Float64Array) -> list[Float64Array]:
    """Return the log likelihood of the first n letters of each phrase in the first n cells, (k,) for each n."""
    logliks = [np.zeros(len(phrases))]
    for n in range(phrases.shape[1]):
        loglik = log_messages[n][phrases[:, n]] if n < len(log_messages) else -np.inf
        logliks.append(logliks[-1] + loglik)
    return logliks


def _likely_strings(log_messages: Float64Array) -> list[tuple[str, float]]:
    """List the strings of letters that the messages allow best, the best first, with their log likelihoods."""
    best = [("", 0.0)]
    for message in log_messages:
        letters = np.flatnonzero(message > message.max() + np.log(MIN_LETTER_RATIO)).tolist()
        longer = [(string + ALPHABET[i], fit + float(message[i])) for string, fit in best for i in letters]
        best = sorted(longer, key=lambda pair: (-pair[1], pair[0]))[:MAX_NEW_STRINGS]
    return best


def apply_edit(
    edit: Edit, phrases: LetterTable, logp: Float64Array, log_messages: Float64Array, min_score: float = -np.inf
) -> EditedPhrases:
    """Edit phrases.

    An edit that names letters or an order makes everything that it can; any other what the messages allow best.

    Parameters
    ----------
    edit : what is done to them.
    phrases : (k, length).
    logp : (k,) natural logs.
    log_messages : (cells, 26) natural logs.
    min_score : how likely a phrase and the fit of its letters must be together, where messages count.

    Returns
    -------
    Answers, (m, cells), their natural log probabilities, (m,), and the rows of their phrases, (m,).
    """
    if edit.kind == EditKind.REVERSED:
        return np.ascontiguousarray(phrases[:, ::-1]), logp, np.arange(len(phrases))
    if edit.kind in (EditKind.LETTERS, EditKind.SWAPPED) and (edited := list(_edit_each_place(edit, phrases))):
        tables, rows_of_places, costs = zip(*edited, strict=True)
        rows = np.concatenate(rows_of_places)
        n_changes = np.bincount(rows, minlength=len(phrases))
        return np.concatenate(tables), logp[rows] - np.log(n_changes[rows]) - np.concatenate(costs), rows
    found: dict[tuple[int, str], float] = {}
    for row, change, _ in _find_changes(phrases, logp, log_messages, min_score):
        for possible, cost in change.possible_edits():
            if possible == edit:
                answer = row, change.answer
                found[answer] = max(float(logp[row]) - cost, found.get(answer, -np.inf))
    answers = np.array([letter_codes(answer) for _, answer in found], np.uint8).reshape(-1, len(log_messages))
    return answers, np.array(list(found.values())), np.array([row for row, _ in found], np.intp)


def _edit_each_place(edit: Edit, phrases: LetterTable) -> Iterator[tuple[LetterTable, Positions, Float64Array]]:
    """Yield, place by place, the edited phrases, their rows, and the cost of that place in nats for each."""
    old, new = letter_codes(edit.old_letters), letter_codes(edit.new_letters)
    size = 2 if edit.kind == EditKind.SWAPPED else len(old)
    has_edge_cost = edit.kind == EditKind.LETTERS and not (edit.old_letters and edit.new_letters)
    last = phrases.shape[1] - size
    for start in range(last + 1):
        there = phrases[:, start : start + size]
        if edit.kind == EditKind.SWAPPED:
            rows = np.flatnonzero(there[:, 0] != there[:, 1])
            put = there[rows, ::-1]
        else:
            rows = np.flatnonzero((there == old).all(axis=1))
            put = np.broadcast_to(new, (len(rows), len(new)))
        cost = np.full(len(rows), EDGE_COST if has_edge_cost and start in (0, last) else 0.0)
        yield np.concatenate([phrases[rows, :start], put, phrases[rows, start + size :]], axis=1), rows, cost
