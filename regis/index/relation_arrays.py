"""Relations of thesauri and dictionaries as arrays: built, merged, and written into an index.

Relations wait until the answers have rows. Heads and words share one numbering, in order of arrival. `relations` looks
them up.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from regis import text
from regis.corpora.entry import INFLECTION_KINDS, RELATION_KINDS, Relation
from regis.index.relations import Forms, Relations
from regis.index.tables import schema
from regis.models import arrays
from regis.models.text import clue_features
from regis.system.files import array_file
from regis.text import MAX_ANSWER_LENGTH

NO_ANSWER = -1


class RelationArrays(NamedTuple):
    """Relations, inflections, and the words that are answers, as parallel arrays in any order."""

    head_hashes: NDArray[np.uint64]
    word_numbers: NDArray[np.integer[Any]]
    relation_kinds: NDArray[np.integer[Any]]
    source_numbers: NDArray[np.integer[Any]]
    inflected_hashes: NDArray[np.uint64]  # ascending
    base_hashes: NDArray[np.uint64]
    ending_kinds: NDArray[np.integer[Any]]
    forms_by_length: Mapping[int, Forms]

    @classmethod
    def from_relations(cls, relations: Relations, forms_by_length: Mapping[int, Forms]) -> RelationArrays:
        """Return all relations of an index, with other forms, and without inflections."""
        heads, (head_index, words, kinds, sources) = relations.all_relations()
        none = np.empty(0, np.uint64)
        return cls(heads[head_index], words, kinds, sources, none, none, none, forms_by_length)

    @property
    def has_relations(self) -> bool:
        return bool(len(self.head_hashes) or len(self.inflected_hashes))

    @property
    def word_answers(self) -> NDArray[np.int64]:
        """Return the answer that equals each word, (words,), row and length in one number; NO_ANSWER for none."""
        numbers = [self.word_numbers, *(word for word, _, _ in self.forms_by_length.values())]
        found = np.full(1 + max(int(one.max(initial=0)) for one in numbers), NO_ANSWER)
        for length, (word, row, ending) in self.forms_by_length.items():
            plain = ending == 0
            found[word[plain]] = row[plain].astype(np.int64) * (MAX_ANSWER_LENGTH + 1) + length
        return found

    def renumber_words(self, new_numbers: NDArray[np.int64]) -> RelationArrays:
        """Renumber words, given new numbers by old ones; -1 drops a word."""
        is_kept = new_numbers[self.word_numbers] >= 0
        forms = {}
        for length, (word, row, ending) in self.forms_by_length.items():
            there = new_numbers[word] >= 0
            forms[length] = new_numbers[word[there]], row[there], ending[there]
        return self.select_relations(is_kept)._replace(
            word_numbers=new_numbers[self.word_numbers[is_kept]], forms_by_length=forms
        )

    def select_relations(self, is_kept: NDArray[np.bool_]) -> RelationArrays:
        """Keep the relations marked in `is_kept`, (relations,), and all forms and inflections."""
        return self._replace(
            head_hashes=self.head_hashes[is_kept],
            word_numbers=self.word_numbers[is_kept],
            relation_kinds=self.relation_kinds[is_kept],
            source_numbers=self.source_numbers[is_kept],
        )


def merge_relations(relations: RelationArrays, added_relations: RelationArrays) -> RelationArrays:
    """Add to `relations` everything in `added_relations`, for the same answers, that is new.

    The two number words differently, so words are matched by their answers. In `added_relations`, inflections are
    dropped, and so are words that don't equal an answer.
    """
    own_answers, more_answers = relations.word_answers, added_relations.word_answers
    known, first = np.unique(own_answers, return_index=True)
    place, there = arrays.find_sorted(known, more_answers)
    numbers = np.where(there, first[place], len(own_answers) + np.arange(len(more_answers)))
    added_relations = added_relations.renumber_words(np.where(more_answers == NO_ANSWER, -1, numbers))
    own_numbers = np.where(
        own_answers == NO_ANSWER, np.arange(len(own_answers)), first[np.searchsorted(known, own_answers)]
    )
    alike = relations.renumber_words(own_numbers)
    added_relations = added_relations.select_relations(~_is_row_in(added_relations[:3], alike[:3]))
    forms_by_length = {}
    for length, forms in added_relations.forms_by_length.items():
        new = ~_is_row_in(forms, alike.forms_by_length[length])
        both = zip(relations.forms_by_length[length], (column[new] for column in forms), strict=True)
        word, row, ending = (np.append(*columns) for columns in both)
        order = np.lexsort((ending, word))
        forms_by_length[length] = word[order], row[order], ending[order]
    heads, words, kinds, sources = (
        np.concatenate(both) for both in zip(relations[:4], added_relations[:4], strict=True)
    )
    return relations._replace(
        head_hashes=heads, word_numbers=words, relation_kinds=kinds, source_numbers=sources,
        forms_by_length=forms_by_length,
    )  # fmt: skip


def _is_row_in(rows: Sequence[NDArray[Any]], other_rows: Sequence[NDArray[Any]]) -> NDArray[np.bool_]:
    """Return which rows are among the other rows; both are given as columns."""
    places = np.zeros(len(rows[0]) + len(other_rows[0]), np.int64)
    for column in zip(rows, other_rows, strict=True):
        values, place = np.unique(np.append(*column), return_inverse=True)
        _, places = np.unique(places * len(values) + place, return_inverse=True)
    return np.isin(places[: len(rows[0])], places[len(rows[0]) :])


def write_relations(index_folder: Path, relations: RelationArrays) -> None:
    names = ["heads", "kinds", "words", "sources"]
    arrays = (relations.head_hashes, relations.relation_kinds, relations.word_numbers, relations.source_numbers)
    distinct = pa.table([*map(pa.array, arrays)], names).group_by(names).aggregate([])
    rows = distinct.sort_by([(name, "ascending") for name in names])
    heads, starts = np.unique(rows["heads"].to_numpy(), return_index=True)
    columns = {name: rows[name].to_numpy() for name in names} | {
        "heads": heads, "starts": np.append(starts, len(rows)),
        "inflected": relations.inflected_hashes, "bases": relations.base_hashes, "endings": relations.ending_kinds,
    }  # fmt: skip
    _write_typed(index_folder, schema.RELATIONS, columns)
    for length, forms in relations.forms_by_length.items():
        write_forms(index_folder, length, forms)


def write_forms(index_folder: Path, answer_length: int, forms: Forms) -> None:
    """Write the answer rows and endings of words, by word number."""
    part = schema.length_part(answer_length, schema.RELATIONS)
    _write_typed(index_folder, part, dict(zip(schema.FORM_ARRAYS, forms, strict=True)))


def _write_typed(index_folder: Path, part: str, columns: Mapping[str, NDArray[Any]]) -> None:
    typed = {name: values.astype(schema.RELATION_TYPES[name]) for name, values in columns.items()}
    array_file.write_arrays(schema.part_path(index_folder, part), typed)


GLOSS_KIND = RELATION_KINDS.index("gloss")


class RelationBuilder:
    """Collects relations, then builds the arrays."""

    def __init__(self) -> None:
        self._raw_numbers: dict[str, int] = {}  # as written -> number
        self._key_numbers: dict[str, int] = {}  # as clues are compared -> number
        self._answers: list[str] = []  # number -> letters in the grid
        self._direct_relations = array("q")  # head, word, kind, and source of each relation, in turn
        self._glosses: list[str] = []
        self._gloss_words = array("q")  # word and source of each gloss, in turn
        self._inflections: dict[tuple[int, int, int], None] = {}  # (base, ending, form), as an ordered set

    def add_relation(self, relation: Relation, publisher_number: int) -> None:
        """Add a relation of the publisher with this number in the manifest."""
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
        """Yield (base, ending, form) of every inflection, as letters in a grid."""
        for base, kind, form in self._inflections:
            yield self._answers[base], RELATION_KINDS[kind], self._answers[form]

    def build_arrays(self, answers_by_length: Mapping[int, NDArray[np.bytes_]]) -> RelationArrays:
        """Build the arrays, given the sorted answers of each length."""
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
        number = self._raw_numbers.get(raw)
        if number is None:
            key = text.clue_key(raw)
            number = self._raw_numbers[raw] = self._key_numbers.setdefault(key, len(self._key_numbers))
            if number == len(self._answers):
                self._answers.append(text.normalize_answer(raw))
        return number

    def _gloss_features(self) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """Return the stems and word pairs of all glosses, with the word, kind, and source of each."""
        rows, codes, kinds = clue_features.extract_features(self._glosses)
        is_kept = kinds != clue_features.WORD
        rows, codes = rows[is_kept], codes[is_kept]
        _, places, counts = np.unique(codes, return_inverse=True, return_counts=True)
        is_kept = counts[places] <= 1500
        defined = np.array(self._gloss_words, np.int64).reshape(-1, 2)[rows[is_kept]]
        return codes[is_kept], np.insert(defined, 1, GLOSS_KIND, axis=1)

    def _find_forms(
        self, forms: NDArray[np.int64], answers_by_length: Mapping[int, NDArray[np.bytes_]]
    ) -> dict[int, Forms]:
        """Find the answers that equal words; `forms` are (word, ending, form), ending 0 for none."""
        answers = np.array(self._answers)
        sizes = np.char.str_len(answers) if len(answers) else np.empty(0, np.int64)
        forms_by_length: dict[int, Forms] = {}
        for length, known in answers_by_length.items():
            of_length = forms[sizes[forms[:, 2]] == length]
            rows, there = arrays.find_sorted(known, answers[of_length[:, 2]].astype(f"S{length}"))
            of_length, rows = of_length[there], rows[there]
            order = np.lexsort((of_length[:, 1], of_length[:, 0]))
            forms_by_length[length] = of_length[order, 0], rows[order], of_length[order, 1]
        return forms_by_length
