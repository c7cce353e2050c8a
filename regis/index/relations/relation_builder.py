"""What thesauri and dictionaries say, on its way into an index (`relations` reads it there).

Relations wait until the answers have their rows; then they are arrays (`relation_arrays`). Words are numbered as they
come; heads and words share the numbers.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from regis import text
from regis.corpora.entry import INFLECTION_KINDS, RELATION_KINDS, Relation
from regis.index.relations.relation_arrays import RelationArrays
from regis.index.relations.relations import Forms
from regis.models.numeric import sorted_search
from regis.models.text import clue_features

MAX_DEFINITIONS = 1500  # a word in more definitions than this ('person', 'used') tells too little for the time it takes

GLOSS_KIND = RELATION_KINDS.index("gloss")


class RelationBuilder:
    """Relations on their way into an index: add them all, then build the arrays."""

    def __init__(self) -> None:
        self._raw_numbers: dict[str, int] = {}  # as written -> number
        self._key_numbers: dict[str, int] = {}  # as clues are compared -> number
        self._answers: list[str] = []  # number -> what stands in the grid
        self._direct_relations = array("q")  # head, word, kind and source of each relation, in turn
        self._glosses: list[str] = []
        self._gloss_words = array("q")  # word and source of each gloss, in turn
        self._inflections: dict[tuple[int, int, int], None] = {}  # (base, ending, form), as an ordered set

    def add_relation(self, relation: Relation, publisher_number: int) -> None:
        """Take one relation in; `publisher_number` is its publisher's place in the manifest."""
        word, kind = self._number_word(relation.word), RELATION_KINDS.index(relation.kind)
        if kind == GLOSS_KIND:
            self._glosses.append(text.clue_key(relation.head))
            self._gloss_words.extend((word, publisher_number))
            return
        head = self._number_word(relation.head)
        if relation.kind in INFLECTION_KINDS:
            self._inflections[head, kind, word] = None
        elif head != word:
            self._direct_relations.extend((head, word, kind, publisher_number))

    def inflected_forms(self) -> Iterator[tuple[str, str, str]]:
        """Yield (base, ending, form) of every inflection, as they stand in a grid."""
        for base, kind, form in self._inflections:
            yield self._answers[base], RELATION_KINDS[kind], self._answers[form]

    def build_arrays(self, answers_by_length: Mapping[int, NDArray[np.bytes_]]) -> RelationArrays:
        """Turn all relations into arrays.

        Parameters
        ----------
        answers_by_length : (answers,) bytes of each length, sorted.
        """
        codes = clue_features.hash_words(list(self._key_numbers))
        direct = np.array(self._direct_relations, np.int64).reshape(-1, 4)
        features, defined = self._gloss_features()
        heads = np.concatenate([codes[direct[:, 0]], features])
        words, kinds, sources = np.concatenate([direct[:, 1:], defined]).T
        forms = np.array(list(self._inflections), np.int64).reshape(-1, 3)
        inflected = codes[forms[:, 2]]
        order = np.lexsort((forms[:, 0], forms[:, 1], inflected))
        bases, endings = codes[forms[order, 0]], forms[order, 1]
        numbers = np.arange(len(self._answers))
        plain_forms = np.stack([numbers, np.zeros_like(numbers), numbers], axis=1)
        forms_by_length = self._find_forms(np.concatenate([plain_forms, forms]), answers_by_length)
        return RelationArrays(heads, words, kinds, sources, inflected[order], bases, endings, forms_by_length)

    def _number_word(self, raw: str) -> int:
        """Return the number of a word or phrase, a new one if it has none."""
        number = self._raw_numbers.get(raw)
        if number is None:
            key = text.clue_key(raw)
            number = self._raw_numbers[raw] = self._key_numbers.setdefault(key, len(self._key_numbers))
            if number == len(self._answers):
                self._answers.append(text.normalize_answer(raw))
        return number

    def _gloss_features(self) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """Return the stems and word pairs of all glosses; word, kind and source of each."""
        rows, codes, kinds = clue_features.extract_features(self._glosses)
        is_kept = kinds != clue_features.WORD
        rows, codes = rows[is_kept], codes[is_kept]
        _, places, counts = np.unique(codes, return_inverse=True, return_counts=True)
        is_kept = counts[places] <= MAX_DEFINITIONS
        defined = np.array(self._gloss_words, np.int64).reshape(-1, 2)[rows[is_kept]]
        return codes[is_kept], np.insert(defined, 1, GLOSS_KIND, axis=1)

    def _find_forms(
        self, forms: NDArray[np.int64], answers_by_length: Mapping[int, NDArray[np.bytes_]]
    ) -> dict[int, Forms]:
        """Find which answers a word is, with which endings: `forms` are (word, ending, form), ending 0 for none."""
        answers = np.array(self._answers)
        sizes = np.char.str_len(answers) if len(answers) else np.empty(0, np.int64)
        forms_by_length: dict[int, Forms] = {}
        for length, known in answers_by_length.items():
            of_length = forms[sizes[forms[:, 2]] == length]
            rows, there = sorted_search.find_sorted(known, answers[of_length[:, 2]].astype(f"S{length}"))
            of_length, rows = of_length[there], rows[there]
            order = np.lexsort((of_length[:, 1], of_length[:, 0]))
            forms_by_length[length] = of_length[order, 0], rows[order], of_length[order, 1]
        return forms_by_length
