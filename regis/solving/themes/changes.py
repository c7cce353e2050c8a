"""Which changes of known phrases make what a slot's crossings allow, and what an edit makes of all phrases.

Both ways are the same sum: how likely the phrase was, how many changes of the kind it has, and how well its letters fit
the crossings, those before the change, those put there and those behind.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from regis.models.tensors import Table
from regis.puzzle.alphabet import ALPHABET, codes, word
from regis.solving.surprise import by_crossings
from regis.solving.themes.edits import EDGE, LETTERS, REVERSED, SWAPPED, TOGETHER, WINDOW, Change, Edit

MOST = 3  # letters that are taken away, or put there, at most
FARTHEST = 8  # letters that have another order, at most: one moves over all others; a guess
POSSIBLE = 0.05  # how likely, beside the likeliest, a letter must be in its cell to be one of those put there
STRINGS = 30  # of letters put there that are looked at, at most, for each phrase and place
READ = 100  # changed phrases of one kind and place that are looked at, the likeliest

Phrases = NDArray[np.uint8]
Made = tuple[Phrases, Table, NDArray[np.intp]]  # answers, (k, length), their natural logs, and of which phrase each is


def edits(phrases: Phrases, logp: Table, messages: Table, least: float = -np.inf) -> dict[Edit, float]:
    """The edits that make what the `messages`, (cells, 26), allow of one of the `phrases`, (k, length).

    Both are natural logs, none above 0 in the messages, `logp` (k,) relative to all that the slot may be without an
    edit; so are the results: how likely the best phrase so changed is, where that is more than `least`.
    """
    found: dict[Edit, float] = {}
    if len(phrases) and phrases.shape[1] == len(messages):
        best = float((logp + by_crossings(phrases, messages[::-1])).max())
        if best > least:
            found[Edit(REVERSED)] = best
    for _, change, fit in _changes(phrases, logp, messages, least):
        for edit, less in change.edits():
            if fit - less > found.get(edit, least):
                found[edit] = fit - less
    return found


def _changes(phrases: Phrases, logp: Table, messages: Table, least: float) -> Iterator[tuple[int, Change, float]]:
    """Changes that make what the messages allow, each with the row of its phrase and how likely that is, above `least`.

    How many changes of the kind a phrase has does not count yet.
    """
    if not len(phrases):
        return
    length, cells = phrases.shape[1], len(messages)
    ahead, behind = _fits(phrases, messages), _fits(phrases[:, ::-1], messages[::-1])
    for old, new in _sizes(length, cells):
        half = (length - old) // 2  # before the change or behind it is at least so much of the phrase
        some = np.flatnonzero(logp + np.maximum(ahead[half], behind[length - old - half]) > least)
        for at in range(length - old + 1):
            put = messages[at : at + new]
            rest = logp[some] + ahead[at][some] + behind[length - at - old][some]
            rows = np.flatnonzero(rest + float(put.max(axis=1).sum()) > least)
            if not len(rows):
                continue
            rows = rows[np.argsort(-rest[rows], kind="stable")][:READ]
            gone, rows, rest = phrases[some[rows], at : at + old], some[rows], rest[rows]
            for i, string, fit in _strings(gone, rest, put, least):
                if not _said_with_less(was := word(gone[i]), string):
                    yield int(rows[i]), Change(word(phrases[rows[i]]), at, was, string), fit


def _strings(gone: Phrases, rest: Table, messages: Table, least: float) -> Iterator[tuple[int, str, float]]:
    """What the messages allow to be put for the letters that are `gone`, (k, letters), and how likely all is then.

    It is above `least`; `rest`, (k,), is how likely the rest of each phrase is. Of more letters than an edit may name
    only other orders are looked at: with one moved over the others, or those that messages allow.
    """
    likely = _likely(messages)
    if gone.shape[1] + len(messages) <= TOGETHER:
        for string, fit in likely:
            yield from ((i, string, fit + float(rest[i])) for i in np.flatnonzero(rest + fit > least).tolist())
        return
    for moved in (1, -1):
        orders = np.roll(gone, moved, axis=1)
        fits = rest + messages[np.arange(gone.shape[1]), orders].sum(axis=1)
        yield from ((i, word(orders[i]), float(fits[i])) for i in np.flatnonzero(fits > least).tolist())
    if gone.shape[1] <= WINDOW:
        ordered = np.sort(gone, axis=1)
        for string, fit in likely:
            same = (ordered == np.sort(codes(string))).all(axis=1) & (rest + fit > least)
            yield from ((i, string, fit + float(rest[i])) for i in np.flatnonzero(same).tolist())


def _sizes(length: int, cells: int) -> Iterator[tuple[int, int]]:
    """How many letters of a phrase may go, and how many may be put there."""
    for old, new in itertools.product(range(MOST + 1), repeat=2):
        if length - old + new == cells and 0 < old + new <= TOGETHER:
            yield old, new
    if length == cells:
        yield from ((size, size) for size in range(MOST, min(FARTHEST, length) + 1))


def _said_with_less(old: str, new: str) -> bool:
    """Whether a change of fewer letters is the same."""
    return bool(old and new) and (old[0] == new[0] or old[-1] == new[-1])


def _fits(phrases: Phrases, messages: Table) -> list[Table]:
    """How well the first n letters of each phrase fit the first n cells, for each n: natural logs, (k,)."""
    found = [np.zeros(len(phrases))]
    for n in range(phrases.shape[1]):
        fit = messages[n][phrases[:, n]] if n < len(messages) else -np.inf
        found.append(found[-1] + fit)
    return found


def _likely(messages: Table) -> list[tuple[str, float]]:
    """The strings of letters that `messages` allow best, the best first, and how well they fit."""
    best = [("", 0.0)]
    for message in messages:
        some = np.flatnonzero(message > message.max() + np.log(POSSIBLE)).tolist()
        longer = [(string + ALPHABET[i], fit + float(message[i])) for string, fit in best for i in some]
        best = sorted(longer, key=lambda pair: (-pair[1], pair[0]))[:STRINGS]
    return best


def made(edit: Edit, phrases: Phrases, logp: Table, messages: Table, least: float = -np.inf) -> Made:
    """What `edit` makes of `phrases`, (k, length), whose natural logs are `logp`, (k,).

    An edit that names letters or an order makes everything that it can; any other what `messages`, (cells, 26), allow
    best, in natural logs together more than `least`.
    """
    if edit.kind == REVERSED:
        return np.ascontiguousarray(phrases[:, ::-1]), logp, np.arange(len(phrases))
    if edit.kind in (LETTERS, SWAPPED) and (places := list(_places(edit, phrases))):
        tables, rows, costs = zip(*places, strict=True)
        which = np.concatenate(rows)
        ways = np.bincount(which, minlength=len(phrases))
        return np.concatenate(tables), logp[which] - np.log(ways[which]) - np.concatenate(costs), which
    found: dict[tuple[int, str], float] = {}
    for row, change, _ in _changes(phrases, logp, messages, least):
        for one, less in change.edits():
            if one == edit:
                found[row, change.answer] = max(float(logp[row]) - less, found.get((row, change.answer), -np.inf))
    answers = np.array([codes(answer) for _, answer in found], np.uint8).reshape(-1, len(messages))
    return answers, np.array(list(found.values())), np.array([row for row, _ in found], np.intp)


def _places(edit: Edit, phrases: Phrases) -> Iterator[tuple[Phrases, NDArray[np.intp], Table]]:
    """Place by place, the phrases that the edit changes there, changed, which they are, and what that place costs."""
    old, new = codes(edit.old), codes(edit.new)
    size = 2 if edit.kind == SWAPPED else len(old)
    alone = edit.kind == LETTERS and not (edit.old and edit.new)
    last = phrases.shape[1] - size
    for at in range(last + 1):
        there = phrases[:, at : at + size]
        if edit.kind == SWAPPED:
            rows = np.flatnonzero(there[:, 0] != there[:, 1])
            put = there[rows, ::-1]
        else:
            rows = np.flatnonzero((there == old).all(axis=1))
            put = np.broadcast_to(new, (len(rows), len(new)))
        less = np.full(len(rows), EDGE if alone and at in (0, last) else 0.0)
        yield np.concatenate([phrases[rows, :at], put, phrases[rows, at + size :]], axis=1), rows, less
