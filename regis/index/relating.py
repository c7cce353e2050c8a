"""What thesauri and dictionaries say, on its way into an index (`relations` reads it there).

Relations wait until the answers have their rows; then they are arrays (`related`). Words are numbered as they come;
heads and words share the numbers.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from regis import text
from regis.corpora.entry import INFLECTIONS, RELATIONS, Relation
from regis.index.related import Related
from regis.index.relations import Forms
from regis.models import features as words
from regis.models import lookup

COMMON = 1500  # a word in more definitions than this ('person', 'used') tells too little for the time it takes

GLOSS = RELATIONS.index("gloss")


class Relating:
    """Relations on their way into an index: `add` them all, then they are `related`."""

    def __init__(self) -> None:
        self._raw: dict[str, int] = {}  # as written -> number
        self._keys: dict[str, int] = {}  # as clues are compared -> number
        self._answers: list[str] = []  # number -> what stands in the grid
        self._direct = array("q")  # head, word, kind and source of each relation, in turn
        self._glosses: list[str] = []
        self._defined = array("q")  # word and source of each gloss, in turn
        self._forms: dict[tuple[int, int, int], None] = {}  # (base, ending, form), as an ordered set

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

    def related(self, names: Mapping[int, NDArray[np.bytes_]]) -> Related:
        """All of it as arrays; `names` are the answers of each length, sorted, as bytes."""
        codes = words.codes_of(list(self._keys))
        direct = np.array(self._direct, np.int64).reshape(-1, 4)
        features, defined = self._features()
        heads = np.concatenate([codes[direct[:, 0]], features])
        said = np.concatenate([direct[:, 1:], defined])
        forms = np.array(list(self._forms), np.int64).reshape(-1, 3)
        inflected = codes[forms[:, 2]]
        order = np.lexsort((forms[:, 0], forms[:, 1], inflected))
        bases, endings = codes[forms[order, 0]], forms[order, 1]
        numbers = np.arange(len(self._answers))
        plain = np.stack([numbers, np.zeros_like(numbers), numbers], axis=1)
        written = self._written(np.concatenate([plain, forms]), names)
        return Related(heads, said[:, 0], said[:, 1], said[:, 2], inflected[order], bases, endings, written)

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

    def _written(self, forms: NDArray[np.int64], names: Mapping[int, NDArray[np.bytes_]]) -> dict[int, Forms]:
        """Which answers a word is, with which endings: `forms` are (word, ending, form), ending 0 for none."""
        answers = np.array(self._answers)
        sizes = np.char.str_len(answers) if len(answers) else np.empty(0, np.int64)
        found: dict[int, Forms] = {}
        for length, known in names.items():
            some = forms[sizes[forms[:, 2]] == length]
            row, there = lookup.place(known, answers[some[:, 2]].astype(f"S{length}"))
            some, row = some[there], row[there]
            order = np.lexsort((some[:, 1], some[:, 0]))
            found[length] = some[order, 0], row[order], some[order, 1]
        return found
