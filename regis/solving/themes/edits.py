"""Edits: what is done to phrases that people know, to make theme answers of them.

Some name the letters: AL added makes BREAK into BREALAK, P for F makes COFFEE into COPFEE. Others say only what kind of
change it is, since each answer is changed in letters of its own: a letter added, one moved, the first left out, a
spelling that sounds the same, all in reverse order.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from regis.solving.themes.sounds import alike

LETTERS, REVERSED, SWAPPED = "letters", "reversed", "swapped"
ADDED, DROPPED, OTHER, FIRST, LAST = "added", "dropped", "other", "first", "last"
MOVED, ANAGRAM, REPEATED, SOUND = "moved", "anagram", "repeated", "sound"

SAID = {
    REVERSED: "all letters in reverse order",
    SWAPPED: "two neighbouring letters swapped",
    ADDED: "one letter added",
    DROPPED: "one letter left out",
    OTHER: "one letter changed",
    FIRST: "the first letter left out",
    LAST: "the last letter left out",
    MOVED: "one letter moved",
    ANAGRAM: "some letters in another order",
    REPEATED: "some letters written twice",
    SOUND: "a part respelled that sounds the same",
}
"""What edits do that name no letters, in words behind 'three answers have' or a phrase and 'with'."""

SHORTER = {ADDED: [-1], DROPPED: [1], FIRST: [1], LAST: [1], REPEATED: [-2, -3], SOUND: [0, -1, 1, -2, 2]}
"""By how many letters they make phrases shorter; those that are not here do not."""

EDGE = 4.0  # natural log of how much less likely letters only added or left out are at an end of the phrase than inside
SPELLINGS = 10  # for each letter of a phrase, ways to spell it otherwise that sound the same: 8 to 11 in four phrases
WINDOW = 5  # letters that are put in another order, at most; a guess
TOGETHER = 5  # letters that an edit names, those gone and those put there together, at most


class Edit(NamedTuple):
    """One way to change phrases: for LETTERS, `new` stands where `old` stood, once."""

    kind: str
    old: str = ""
    new: str = ""

    @property
    def shorter(self) -> Sequence[int]:
        """By how many letters a phrase becomes shorter, where it may; negative if it becomes longer."""
        return SHORTER[self.kind] if self.kind in SHORTER else [len(self.old) - len(self.new)]

    @property
    def said(self) -> str:
        """What it does, in words, behind 'three answers have' or a phrase and 'with'."""
        if self.kind != LETTERS:
            return SAID[self.kind]
        if not self.old:
            return f"{self.new} added"
        return f"{self.new} for {self.old}" if self.new else f"{self.old} left out"


class Change(NamedTuple):
    """What was done to one phrase: `new` stands where `old` stood, `at` so many letters behind its beginning."""

    phrase: str
    at: int
    old: str
    new: str

    @property
    def answer(self) -> str:
        """What became of the phrase."""
        return self.phrase[: self.at] + self.new + self._behind

    @property
    def _behind(self) -> str:
        return self.phrase[self.at + len(self.old) :]

    @property
    def at_edge(self) -> bool:
        """Whether it only adds or leaves out letters, and does so at an end of the phrase.

        Phrases have words before and behind them, and endings, that no theme put there.
        """
        return not (self.old and self.new) and (self.at == 0 or not self._behind)

    def edits(self) -> Iterator[tuple[Edit, float]]:
        """The edits of which it is one, and how unlikely each is to make it of all changes, in natural log."""
        edge = EDGE if self.at_edge else 0.0
        places = sum(self.phrase.startswith(self.old, i) for i in range(len(self.phrase) - len(self.old) + 1))
        if len(self.old) + len(self.new) <= TOGETHER:
            yield Edit(LETTERS, self.old, self.new), math.log(places) + edge
        for kind, many in self._kinds():
            yield Edit(kind), math.log(many) + edge

    def _kinds(self) -> Iterator[tuple[str, int]]:
        """The kinds of edits that name no letters of which it is one, and how many such changes the phrase has."""
        size, old, new = len(self.phrase), self.old, self.new
        match len(old), len(new):
            case 0, 1:
                yield ADDED, 26 * (size + 1)
            case 1, 0:
                yield DROPPED, size
                if not self.at:
                    yield FIRST, 1
                if not self._behind:
                    yield LAST, 1
            case 1, 1:
                yield OTHER, 25 * size
            case many, again if many == again and sorted(old) == sorted(new):
                if many == 2:
                    yield SWAPPED, size - 1
                if new in (old[1:] + old[0], old[-1] + old[:-1]):
                    yield MOVED, size * size
                if many <= WINDOW:
                    yield ANAGRAM, size * math.factorial(many)
        if len(new) > 1 and not old and new in (self.phrase[self.at : self.at + len(new)], self._before(len(new))):
            yield REPEATED, 2 * size
        if self._sounds():
            yield SOUND, SPELLINGS * size

    def _before(self, many: int) -> str:
        return self.phrase[max(self.at - many, 0) : self.at]

    def _sounds(self) -> bool:
        """Whether it sounds the same, with the letters beside it."""
        before, after = self._before(2), self._behind[:1]
        return alike(before + self.old + after, before + self.new + after)
