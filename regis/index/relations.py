"""What thesauri and dictionaries say, looked up by the hash of a word or phrase (`schema` says how it lies on disk).

All questions are asked of many words at once, and each answer comes with `which`: the place of the word it belongs to.
In a build relations wait until the answers have their rows. Words are numbered as they come; heads and words share the
numbers.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from regis import text
from regis.corpora.entry import INFLECTIONS, RELATIONS, Relation
from regis.index import arrays, schema
from regis.models import features as words
from regis.models import lookup
from regis.system.held import Place

COMMON = 1500  # a word in more definitions than this ('person', 'used') tells too little for the time it takes

GLOSS = RELATIONS.index("gloss")

Save = Callable[[Path, NDArray[Any]], None]  # how an array is written


class Said(NamedTuple):
    """Relations, as parallel arrays: the head's place in the question, the word's number, kind, publisher."""

    which: NDArray[np.int64]
    word: NDArray[np.uint32]
    kind: NDArray[np.uint8]
    source: NDArray[np.uint8]


class Written(NamedTuple):
    """Answers that words are, as parallel arrays: the word's place in the question, the answer's row, the ending."""

    which: NDArray[np.int64]
    row: NDArray[np.uint32]
    ending: NDArray[np.uint8]  # a place in corpora.entry.RELATIONS; 0 for the word as it stands


class Relations:
    """The relations of one index. Whatever turns out unreadable is an IndexDamaged."""

    def __init__(self, folder: Place, publishers: int) -> None:
        self._folder = folder
        self._publishers = publishers
        self._tables: dict[int, tuple[NDArray[np.int32], NDArray[np.uint32], NDArray[np.uint8]]] = {}

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
        which, at = lookup.spread(np.searchsorted(inflected, words, "left"), np.searchsorted(inflected, words, "right"))
        return which, bases[at], endings[at]

    def written(self, words: NDArray[np.uint32], length: int, answers: int) -> Written:
        """The answers of `length`, of which the index has so many, that some words are, given by their numbers."""
        if length not in self._tables:
            self._tables[length] = self._table(length, answers)
        first, row, ending = self._tables[length]
        number = words.astype(np.int64)
        which, at = lookup.spread(first[number], first[number + 1])
        return Written(which, row[at], ending[at])

    def everything(self) -> tuple[NDArray[np.uint64], NDArray[np.int64], Said]:
        """All heads, sorted; where each one's relations begin, one more at the end; and all relations in that order."""
        heads, starts = self._heads
        return heads, starts, Said(np.repeat(np.arange(len(heads)), np.diff(starts)), *self._said)

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

    def forms(self, length: int, answers: int) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint8]]:
        """All answers of `length`, of which the index has so many, that any word is: word, row, ending, by the word."""
        whole = None if answers else 0  # without answers there are no files
        word = self._array("words", whole, lambda values: (values[1:] >= values[:-1]).all(), length)
        row = self._array("rows", len(word), lambda values: (values < answers).all(), length)
        return word, row, self._array("endings", len(word), _relations, length)

    def _table(self, length: int, answers: int) -> tuple[NDArray[np.int32], NDArray[np.uint32], NDArray[np.uint8]]:
        """Where the answers of each word begin, one more at the end; and the answers."""
        word, row, ending = self.forms(length, answers)
        many = np.bincount(word, minlength=self._words)[: self._words]
        return np.concatenate([[0], np.cumsum(many)]).astype(np.int32), row, ending

    @cached_property
    def _words(self) -> int:
        """One more than the largest number of a word that anything is said of."""
        return int(self._said[0].max(initial=0)) + 1

    def _array(
        self, name: str, size: int | None = None, law: arrays.Law | None = None, length: int | None = None
    ) -> NDArray[Any]:
        file = schema.relations_file(name, length)
        return arrays.read(self._folder, file, schema.RELATIONS[name], (size,), law)


def _relations(kinds: NDArray[np.uint8]) -> bool:
    return bool(kinds.max(initial=0) < len(RELATIONS))


class Relating:
    """Relations on their way into an index: `add` them all, then `write`."""

    def __init__(self) -> None:
        self._raw: dict[str, int] = {}  # as written -> number
        self._keys: dict[str, int] = {}  # as clues are compared -> number
        self._answers: list[str] = []  # number -> what stands in the grid
        self._direct = array("q")  # head, word, kind and source of each relation, in turn
        self._glosses: list[str] = []
        self._defined = array("q")  # word and source of each gloss, in turn
        self._forms: dict[tuple[int, int, int], None] = {}  # (base, ending, form), as an ordered set

    def __len__(self) -> int:
        return len(self._direct) // 4 + len(self._glosses) + len(self._forms)

    def add(self, relation: Relation, source: int) -> None:
        """Takes one relation in; `source` is its publisher's place in the manifest."""
        word, kind = self._number(relation.word), RELATIONS.index(relation.kind)
        if kind == GLOSS:
            self._glosses.append(text.clue_key(relation.head))
            self._defined.extend((word, source))
            return
        head = self._number(relation.head)
        if relation.kind in INFLECTIONS:
            self._forms[head, kind, word] = None
        elif head != word:
            self._direct.extend((head, word, kind, source))

    def forms(self) -> Iterator[tuple[str, str, str]]:
        """(base, ending, form) of every inflection, as they stand in a grid."""
        for base, kind, form in self._forms:
            yield self._answers[base], RELATIONS[kind], self._answers[form]

    def write(self, folder: Path, names: Mapping[int, NDArray[np.bytes_]]) -> None:
        """Writes the tables into `folder`; `names` are the answers of each length, sorted, as bytes."""
        codes = np.array([words.code(key) for key in self._keys], np.uint64)
        direct = np.array(self._direct, np.int64).reshape(-1, 4)
        features, defined = self._features()
        self._write_relations(
            folder,
            np.concatenate([codes[direct[:, 0]], features]),
            np.concatenate([direct[:, 1:], defined]),
        )
        forms = np.array(list(self._forms), np.int64).reshape(-1, 3)
        inflected = codes[forms[:, 2]]
        order = np.lexsort((forms[:, 0], forms[:, 1], inflected))
        _save(folder, "inflected", inflected[order])
        _save(folder, "bases", codes[forms[order, 0]])
        _save(folder, "endings", forms[order, 1])
        numbers = np.arange(len(self._answers))
        plain = np.stack([numbers, np.zeros_like(numbers), numbers], axis=1)
        self._write_rows(folder, np.concatenate([plain, forms]), names)

    def _number(self, raw: str) -> int:
        number = self._raw.get(raw)
        if number is None:
            key = text.clue_key(raw)
            number = self._raw[raw] = self._keys.setdefault(key, len(self._keys))
            if number == len(self._answers):
                self._answers.append(text.answer(raw))
        return number

    def _features(self) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """The stems and word pairs of all glosses; word, kind and source of each."""
        rows, codes, kinds = words.features(self._glosses)
        kept = kinds != words.WORD
        rows, codes = rows[kept], codes[kept]
        _, place, count = np.unique(codes, return_inverse=True, return_counts=True)
        kept = count[place] <= COMMON
        defined = np.array(self._defined, np.int64).reshape(-1, 2)[rows[kept]]
        return codes[kept], np.insert(defined, 1, GLOSS, axis=1)

    def _write_relations(self, folder: Path, heads: NDArray[np.uint64], said: NDArray[np.int64]) -> None:
        """Writes each once; `said` are word, kind and source of each head."""
        names = ["heads", "kinds", "words", "sources"]
        rows = pa.table([heads, said[:, 1], said[:, 0], said[:, 2]], names).group_by(names).aggregate([])
        rows = rows.sort_by([(name, "ascending") for name in names])
        for name in names[1:]:
            _save(folder, name, rows[name].to_numpy())
        heads, starts = np.unique(rows["heads"].to_numpy(), return_index=True)
        _save(folder, "heads", heads)
        _save(folder, "starts", np.append(starts, len(rows)))

    def _write_rows(self, folder: Path, forms: NDArray[np.int64], names: Mapping[int, NDArray[np.bytes_]]) -> None:
        """Which answers a word is, with which endings: `forms` are (word, ending, form), ending 0 for none."""
        answers = np.array(self._answers)
        sizes = np.char.str_len(answers) if len(answers) else np.empty(0, np.int64)
        for length, known in names.items():
            some = forms[sizes[forms[:, 2]] == length]
            wanted = answers[some[:, 2]].astype(f"S{length}")
            row, there = lookup.place(known, wanted)
            some, row = some[there], row[there]
            order = np.lexsort((some[:, 1], some[:, 0]))
            write_forms(folder, length, (some[order, 0], row[order], some[order, 1]))


Forms = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]
"""Words, rows of the answer table, endings."""


def write_forms(folder: Path, length: int, forms: Forms, save: Save = arrays.save) -> None:
    """Writes which rows of the answer table words are, with which endings, by the word's number."""
    for name, values in zip(schema.FORMS, forms, strict=True):
        _save(folder, name, values, length, save)


def _save(folder: Path, name: str, values: NDArray[Any], length: int | None = None, save: Save = arrays.save) -> None:
    save(folder / schema.relations_file(name, length), values.astype(schema.RELATIONS[name]))
