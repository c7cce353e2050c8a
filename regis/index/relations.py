"""What thesauri and dictionaries say, looked up by the hash of a word or phrase (`schema` says how it lies on disk).

All questions are asked of many words at once, and each answer comes with `which`: the place of the word it belongs to.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.corpora.entry import RELATIONS
from regis.index import columns, schema
from regis.index.arrays import Law
from regis.models import lookup
from regis.system.held import Place

Forms = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]
"""Words by their numbers, ascending, the rows of the answers that they are, and the endings, as parallel arrays."""


class Said(NamedTuple):
    """Relations, as parallel arrays: the head's place in the question, the word's number, kind, publisher."""

    which: NDArray[np.int64]
    word: NDArray[np.uint32]
    kind: NDArray[np.uint8]
    source: NDArray[np.uint8]


class Spelt(NamedTuple):
    """Answers that words are, as parallel arrays: the word's place in the question, the answer's row, the ending."""

    which: NDArray[np.int64]
    row: NDArray[np.uint32]
    ending: NDArray[np.uint8]  # a place in corpora.entry.RELATIONS; 0 for the word as it stands


def renumbered(forms: Forms, names: NDArray[Any], known: NDArray[Any]) -> Forms:
    """The `forms` of answers that are `known`, by their rows there; they went by those of `names`. Both are sorted."""
    word, row, ending = forms
    place, there = lookup.place(known, names[row])
    return word[there], place[there], ending[there]


class Relations:
    """The relations of one index. Whatever turns out unreadable is an IndexDamaged."""

    def __init__(self, folder: Place, publishers: int) -> None:
        self._folder = folder
        self._publishers = publishers
        self._forms: dict[int, Forms] = {}  # by length

    @property
    def heads(self) -> int:
        """How many words, phrases, stems and pairs anything is said of."""
        return len(self._heads[0])

    def sizes(self, heads: NDArray[np.uint64]) -> NDArray[np.int64]:
        """How many relations each head has, given by its hash."""
        low, high = self._places(heads)
        return high - low

    def said(self, heads: NDArray[np.uint64]) -> Said:
        """The relations of some heads, given by their hashes."""
        which, at = lookup.spread(*self._places(heads))
        word, kind, source = self._said
        return Said(which, word[at], kind[at], source[at])

    def bases(self, words: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[np.uint8]]:
        """What some words are inflections of: which of them, the hash of the base, the ending."""
        inflected, bases, endings = self._inflected
        which, at = lookup.every(inflected, words)
        return which, bases[at], endings[at]

    def written(self, words: NDArray[np.uint32], length: int, answers: int) -> Spelt:
        """The answers of `length`, of which the index has so many, that some words are, given by their numbers."""
        if length not in self._forms:
            self._forms[length] = self.forms(length, answers)
        word, row, ending = self._forms[length]
        which, at = lookup.every(word, words)
        return Spelt(which, row[at], ending[at])

    def everything(self) -> tuple[NDArray[np.uint64], Said]:
        """All heads, sorted, and all relations in that order."""
        heads, starts = self._heads
        return heads, Said(np.repeat(np.arange(len(heads)), np.diff(starts)), *self._said)

    def _places(self, heads: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Where the relations of each head begin and end; both 0 for a head that has none."""
        known, starts = self._heads
        place, there = lookup.place(known, heads)
        return np.where(there, starts[place], 0), np.where(there, starts[place + there], 0)

    @cached_property
    def _heads(self) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        heads = self._array("heads")
        return heads, self._array("starts", len(heads) + 1, lambda v: v[0] == 0 and (np.diff(v) >= 0).all())

    @cached_property
    def _said(self) -> tuple[NDArray[np.uint32], NDArray[np.uint8], NDArray[np.uint8]]:
        size, publishers = int(self._heads[1][-1]), max(self._publishers, 1)
        source = self._array("sources", size, lambda values: values.max(initial=0) < publishers)
        return self._array("words", size), self._array("kinds", size, _relations), source

    @cached_property
    def _inflected(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint8]]:
        inflected = self._array("inflected")
        return inflected, self._array("bases", len(inflected)), self._array("endings", len(inflected), _relations)

    def forms(self, length: int, answers: int) -> Forms:
        """All answers of `length`, of which the index has so many, that any word is: word, row, ending, by the word."""
        whole = None if answers else 0  # without answers there are no files
        word = self._array("words", whole, lambda values: (values[1:] >= values[:-1]).all(), length)
        row = self._array("rows", len(word), lambda values: (values < answers).all(), length)
        return word, row, self._array("endings", len(word), _relations, length)

    def _array(
        self, name: str, size: int | None = None, law: Law | None = None, length: int | None = None
    ) -> NDArray[Any]:
        file = schema.relations_file(name, length)
        return columns.read(self._folder, file, schema.RELATIONS[name], (size,), law)


def _relations(kinds: NDArray[np.uint8]) -> bool:
    return bool(kinds.max(initial=0) < len(RELATIONS))
