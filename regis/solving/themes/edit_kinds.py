"""Edits: what is done to phrases that people know, to make theme answers of them.

Some name the letters: AL added makes BREAK into BREALAK, P for F makes COFFEE into COPFEE. Others say only what kind of
change it is, since each answer is changed in letters of its own: a letter added, one moved, the first left out, a
spelling that sounds the same, all in reverse order.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

from regis.solving.themes.sounds import can_sound_alike


class EditKind(StrEnum):
    """The kinds of edits; only LETTERS names its letters."""

    LETTERS = "letters"
    REVERSED = "reversed"
    SWAPPED = "swapped"
    ADDED = "added"
    DROPPED = "dropped"
    OTHER = "other"
    FIRST = "first"
    LAST = "last"
    MOVED = "moved"
    ANAGRAM = "anagram"
    REPEATED = "repeated"
    SOUND = "sound"


KIND_DESCRIPTIONS = {
    EditKind.REVERSED: "all letters in reverse order",
    EditKind.SWAPPED: "two neighbouring letters swapped",
    EditKind.ADDED: "one letter added",
    EditKind.DROPPED: "one letter left out",
    EditKind.OTHER: "one letter changed",
    EditKind.FIRST: "the first letter left out",
    EditKind.LAST: "the last letter left out",
    EditKind.MOVED: "one letter moved",
    EditKind.ANAGRAM: "some letters in another order",
    EditKind.REPEATED: "some letters written twice",
    EditKind.SOUND: "a part respelled that sounds the same",
}
"""What edits do that name no letters, in words behind 'three answers have' or a phrase and 'with'."""

LETTERS_LOST = {
    EditKind.ADDED: [-1],
    EditKind.DROPPED: [1],
    EditKind.FIRST: [1],
    EditKind.LAST: [1],
    EditKind.REPEATED: [-2, -3],
    EditKind.SOUND: [0, -1, 1, -2, 2],
}
"""By how many letters they make phrases shorter; those that are not here do not."""

EDGE_COST = 4.0  # nats: letters only added or left out are so much less likely at an end of the phrase than inside
SPELLINGS_PER_LETTER = 10  # of a phrase, other spellings that sound the same: 8 to 11 in four phrases
MAX_ANAGRAM_LETTERS = 5  # letters that are put in another order, at most; a guess
MAX_NAMED_LETTERS = 5  # letters that an edit names, those gone and those put there together, at most


class Edit(NamedTuple):
    """One way to change phrases: for LETTERS, the new letters stand where the old stood, once."""

    kind: EditKind
    old_letters: str = ""
    new_letters: str = ""

    @property
    def letters_lost(self) -> Sequence[int]:
        """List by how many letters a phrase may become shorter; negative if it becomes longer."""
        return LETTERS_LOST.get(self.kind, [len(self.old_letters) - len(self.new_letters)])

    @property
    def description(self) -> str:
        """Say what it does, in words behind 'three answers have' or a phrase and 'with'."""
        if self.kind != EditKind.LETTERS:
            return KIND_DESCRIPTIONS[self.kind]
        if not self.old_letters:
            return f"{self.new_letters} added"
        return f"{self.new_letters} for {self.old_letters}" if self.new_letters else f"{self.old_letters} left out"


class Change(NamedTuple):
    """What was done to one phrase: the new letters stand where the old stood, from `position` on."""

    phrase: str
    position: int
    old_letters: str
    new_letters: str

    @property
    def answer(self) -> str:
        """Return what became of the phrase."""
        return self.phrase[: self.position] + self.new_letters + self._rest

    @property
    def is_at_edge(self) -> bool:
        """Return whether it only adds or leaves out letters, at an end of the phrase.

        Phrases have words before and behind them, and endings, that no theme put there.
        """
        return not (self.old_letters and self.new_letters) and (self.position == 0 or not self._rest)

    def possible_edits(self) -> Iterator[tuple[Edit, float]]:
        """Yield the edits of which it is one, with nats by which each is unlikely to make this of all its changes."""
        edge_cost = EDGE_COST if self.is_at_edge else 0.0
        phrase, old, new = self.phrase, self.old_letters, self.new_letters
        if len(old) + len(new) <= MAX_NAMED_LETTERS:
            n_places = sum(phrase.startswith(old, i) for i in range(len(phrase) - len(old) + 1))
            yield Edit(EditKind.LETTERS, old, new), math.log(n_places) + edge_cost
        for kind, n_changes in self._kinds():
            yield Edit(kind), math.log(n_changes) + edge_cost

    def _kinds(self) -> Iterator[tuple[EditKind, int]]:
        """Yield its kinds but for LETTERS, with how many such changes the phrase has."""
        size, old, new = len(self.phrase), self.old_letters, self.new_letters
        match len(old), len(new):
            case 0, 1:
                yield EditKind.ADDED, 26 * (size + 1)
            case 1, 0:
                yield EditKind.DROPPED, size
                if not self.position:
                    yield EditKind.FIRST, 1
                if not self._rest:
                    yield EditKind.LAST, 1
            case 1, 1:
                yield EditKind.OTHER, 25 * size
            case n_old, n_new if n_old == n_new and sorted(old) == sorted(new):
                if n_old == 2:
                    yield EditKind.SWAPPED, size - 1
                if new in (old[1:] + old[0], old[-1] + old[:-1]):
                    yield EditKind.MOVED, size * size
                if n_old <= MAX_ANAGRAM_LETTERS:
                    yield EditKind.ANAGRAM, size * math.factorial(n_old)
        beside = (self.phrase[self.position : self.position + len(new)], self._letters_before(len(new)))
        if len(new) > 1 and not old and new in beside:
            yield EditKind.REPEATED, 2 * size
        if self._sounds_alike():
            yield EditKind.SOUND, SPELLINGS_PER_LETTER * size

    @property
    def _rest(self) -> str:
        return self.phrase[self.position + len(self.old_letters) :]

    def _letters_before(self, count: int) -> str:
        return self.phrase[max(self.position - count, 0) : self.position]

    def _sounds_alike(self) -> bool:
        """Return whether it sounds the same, with the letters beside it."""
        before, after = self._letters_before(2), self._rest[:1]
        return can_sound_alike(before + self.old_letters + after, before + self.new_letters + after)
