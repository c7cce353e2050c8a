"""Edits: what makes a theme answer of a phrase that people know.

An edit takes some letters of a phrase away and puts others there, or none: AL added makes BREAK into BREALAK, P for F
makes COFFEE into COPFEE. Or it turns the whole phrase round, or swaps two neighbouring letters anywhere. `edits` finds
which of them make what a slot's crossings allow of any phrase of a list, `made` what one makes of all phrases.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.puzzle.alphabet import ALPHABET, codes, word
from regis.solving.solution import Table

LETTERS, REVERSED, SWAPPED = "letters", "reversed", "swapped"  # kinds of edits

MOST = 3  # letters that are taken away, or put there, at most,
TOGETHER = 5  # and both together
POSSIBLE = 0.05  # how likely, beside the likeliest, a letter must be in its cell to be one of those put there
STRINGS = 30  # of letters put there that are looked at, at most, for each phrase and place
EDGE = 4.0  # natural log of how much less likely letters only added or left out are at an end of the phrase than inside
READ = 100  # changed phrases of one kind and place that are looked at, the likeliest

Phrases = NDArray[np.uint8]


class Edit(NamedTuple):
    """One way to change phrases: for LETTERS, `new` stands where `old` stood, once."""

    kind: str
    old: str = ""
    new: str = ""

    @property
    def shorter(self) -> int:
        """By how many letters a phrase becomes shorter; negative if it becomes longer."""
        return len(self.old) - len(self.new)

    def at_edge(self, at: int, length: int) -> bool:
        """Whether it only adds or leaves out letters, and does so at an end of a phrase of this `length`.

        Phrases have words before and behind them, and endings, that no theme put there.
        """
        alone = self.kind == LETTERS and not (self.old and self.new)
        return alone and at in (0, length - len(self.old))

    @property
    def said(self) -> str:
        """What it does, in words, behind 'three answers have' or a phrase and a comma."""
        if self.kind == REVERSED:
            return "letters in reverse order"
        if self.kind == SWAPPED:
            return "two neighbouring letters swapped"
        if not self.old:
            return f"{self.new} added"
        return f"{self.new} for {self.old}" if self.new else f"{self.old} left out"


def edits(phrases: Phrases, logp: Table, messages: Table, least: float = -np.inf) -> dict[Edit, float]:
    """The edits that make what the `messages`, (cells, 26), allow of one of the `phrases`, (k, length).

    Both are natural logs, `logp` (k,) relative to all that the slot may be without an edit; so are the results: how
    likely the best phrase so changed is, where that is more than `least`.
    """
    found: dict[Edit, float] = {}
    length, cells = phrases.shape[1], len(messages)
    if not len(phrases):
        return found
    ahead, behind = _fits(phrases, messages), _fits(phrases[:, ::-1], messages[::-1])
    if length == cells:
        backwards = logp + sum(messages[-1 - i][phrases[:, i]] for i in range(cells))
        if (best := float(backwards.max())) > least:
            found[Edit(REVERSED)] = best
    for old, new in itertools.product(range(MOST + 1), repeat=2):
        if length - old + new != cells or not 0 < old + new <= TOGETHER:
            continue
        for at in range(length - old + 1):
            put = messages[at : at + new]
            free = float(put.max(axis=1).sum())
            total = logp + ahead[at] + behind[length - at - old] + free
            rows = np.flatnonzero(total > least)
            strings = _likely(put) if len(rows) else []
            for row in rows[np.argsort(-total[rows], kind="stable")][:READ].tolist():
                phrase = word(phrases[row])
                rest = float(total[row]) - free
                possible = [(string, fit) for string, fit in strings if rest + fit > least]
                for edit, fit in _named(phrase, phrase[at : at + old], possible):
                    best = rest + fit - (EDGE if edit.at_edge(at, length) else 0.0)
                    if best > found.get(edit, least):
                        found[edit] = best
    return found


def _fits(phrases: Phrases, messages: Table) -> list[Table]:
    """How well the first n letters of each phrase fit the first n cells, for each n: natural logs, (k,)."""
    found = [np.zeros(len(phrases))]
    for n in range(phrases.shape[1]):
        fit = messages[n][phrases[:, n]] if n < len(messages) else -np.inf
        found.append(found[-1] + fit)
    return found


def _likely(messages: Table) -> list[tuple[str, float]]:
    """Strings of letters that `messages` allow, and how well they fit."""
    each = []
    for message in messages:
        some = np.flatnonzero(message > message.max() + np.log(POSSIBLE))
        each.append([(ALPHABET[i], float(message[i])) for i in some.tolist()])
    some_of_all = itertools.islice(itertools.product(*each), STRINGS)
    return [("".join(letter for letter, _ in letters), sum(p for _, p in letters)) for letters in some_of_all]


def _named(phrase: str, old: str, strings: Sequence[tuple[str, float]]) -> Iterator[tuple[Edit, float]]:
    """The edits of `phrase` that put one of the `strings` for `old`, and how well that fits."""
    places = sum(phrase.startswith(old, i) for i in range(len(phrase) - len(old) + 1))
    for new, fit in strings:
        if old and new and (old[0] == new[0] or old[-1] == new[-1]):
            continue  # less says the same
        yield Edit(LETTERS, old, new), fit - math.log(places)
        if len(old) == 2 and new == old[::-1]:
            yield Edit(SWAPPED), fit - math.log(len(phrase) - 1)


def made(edit: Edit, phrases: Phrases, logp: Table) -> tuple[Phrases, Table, NDArray[np.intp]]:
    """All that `edit` makes of `phrases`, (k, length), with log probabilities, and of which phrase each was made."""
    every = np.arange(len(phrases))
    if edit.kind == REVERSED:
        return np.ascontiguousarray(phrases[:, ::-1]), logp, every
    tables, rows, less = zip(*_places(edit, phrases), strict=True)
    which = np.concatenate(rows)
    ways = np.bincount(which, minlength=len(phrases))
    return np.concatenate(tables), logp[which] - np.log(ways[which]) - np.concatenate(less), which


def _places(edit: Edit, phrases: Phrases) -> Iterator[tuple[Phrases, NDArray[np.intp], Table]]:
    """Place by place, the phrases that the edit changes there, changed, which they are, and what that place costs."""
    old, new = codes(edit.old), codes(edit.new)
    size = 2 if edit.kind == SWAPPED else len(old)
    for at in range(phrases.shape[1] - size + 1):
        there = phrases[:, at : at + size]
        if edit.kind == SWAPPED:
            rows = np.flatnonzero(there[:, 0] != there[:, 1])
            put = there[rows, ::-1]
        else:
            rows = np.flatnonzero((there == old).all(axis=1))
            put = np.broadcast_to(new, (len(rows), len(new)))
        less = np.full(len(rows), EDGE if edit.at_edge(at, phrases.shape[1]) else 0.0)
        yield np.concatenate([phrases[rows, :at], put, phrases[rows, at + size :]], axis=1), rows, less
