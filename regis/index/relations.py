"""Relations of thesauri and dictionaries, looked up by the hash of a word or phrase (stored as in `schema`).

Each query takes many words; each result names its word by the position in the query (`head_index`, `word_index`).
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.corpora.entry import RELATION_KINDS
from regis.index.storage.index_files import ArrayCheck, IndexFiles
from regis.index.tables import schema
from regis.models import arrays

Forms = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]
"""Numbers of words, ascending, with the rows of their answers and the endings: parallel arrays."""


class RelationRows(NamedTuple):
    """Relations: the head's position in the query, the word's number, kind, publisher; parallel arrays."""

    head_index: NDArray[np.int64]
    word_numbers: NDArray[np.uint32]
    relation_kinds: NDArray[np.uint8]
    source_numbers: NDArray[np.uint8]


class WordAnswers(NamedTuple):
    """Words that are answers: the word's position in the query, the answer's row, the ending; parallel arrays."""

    word_index: NDArray[np.int64]
    answer_rows: NDArray[np.uint32]
    ending_kinds: NDArray[np.uint8]  # an index in corpora.entry.RELATION_KINDS; 0 for the word as it is


class Relations:
    """The relations of one index; raises IndexDamaged if they can't be read."""

    def __init__(self, index_files: IndexFiles, publisher_count: int) -> None:
        self._files = index_files
        self._publisher_count = publisher_count
        self._forms_by_length: dict[int, Forms] = {}

    @property
    def head_count(self) -> int:
        """Return the number of words, phrases, stems, and pairs with relations."""
        return len(self._heads[0])

    def count_relations(self, head_hashes: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Count the relations of each head, (heads,) hashes."""
        low, high = self._find_spans(head_hashes)
        return high - low

    def find_relations(self, head_hashes: NDArray[np.uint64]) -> RelationRows:
        head_index, rows = arrays.expand_ranges(*self._find_spans(head_hashes))
        return RelationRows(head_index, *(column[rows] for column in self._relation_columns))

    def find_bases(
        self, word_hashes: NDArray[np.uint64]
    ) -> tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[np.uint8]]:
        """Find the bases of inflected words, (words,) hashes: word's position in the query, hash of the base,
        ending."""
        inflected, bases, endings = self._inflections
        word_index, rows = arrays.all_matches(inflected, word_hashes)
        return word_index, bases[rows], endings[rows]

    def find_answers(self, word_numbers: NDArray[np.uint32], answer_length: int, answer_count: int) -> WordAnswers:
        """Find the answers of one length, `answer_count` in all, that are forms of words, (words,) numbers."""
        if answer_length not in self._forms_by_length:
            self._forms_by_length[answer_length] = self.read_forms(answer_length, answer_count)
        word, row, ending = self._forms_by_length[answer_length]
        word_index, rows = arrays.all_matches(word, word_numbers)
        return WordAnswers(word_index, row[rows], ending[rows])

    def all_relations(self) -> tuple[NDArray[np.uint64], RelationRows]:
        """Return all heads, (heads,) sorted hashes, and all relations in that order."""
        heads, starts = self._heads
        return heads, RelationRows(np.repeat(np.arange(len(heads)), np.diff(starts)), *self._relation_columns)

    def _find_spans(self, head_hashes: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return where each head's relations begin and end; both are 0 if it has none."""
        heads, starts = self._heads
        place, there = arrays.find_sorted(heads, head_hashes)
        return np.where(there, starts[place], 0), np.where(there, starts[place + there], 0)

    @cached_property
    def _heads(self) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        heads = self._read_array("heads")
        return heads, self._read_array("starts", len(heads) + 1, lambda v: v[0] == 0 and (np.diff(v) >= 0).all())

    @cached_property
    def _relation_columns(self) -> tuple[NDArray[np.uint32], NDArray[np.uint8], NDArray[np.uint8]]:
        size, publishers = int(self._heads[1][-1]), max(self._publisher_count, 1)
        source = self._read_array("sources", size, lambda values: values.max(initial=0) < publishers)
        return self._read_array("words", size), self._read_array("kinds", size, _are_relation_kinds), source

    @cached_property
    def _inflections(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint8]]:
        inflected = self._read_array("inflected")
        endings = self._read_array("endings", len(inflected), _are_relation_kinds)
        return inflected, self._read_array("bases", len(inflected)), endings

    def read_forms(self, answer_length: int, answer_count: int) -> Forms:
        """Read word, row, and ending of all answers of one length that are forms of words, by word."""
        size = None if answer_count else 0  # without answers there are no files
        word = self._read_array("words", size, lambda values: (values[1:] >= values[:-1]).all(), answer_length)
        row = self._read_array("rows", len(word), lambda values: (values < answer_count).all(), answer_length)
        return word, row, self._read_array("endings", len(word), _are_relation_kinds, answer_length)

    def move_forms(self, old_answers: NDArray[np.bytes_], new_answers: NDArray[np.bytes_]) -> Forms:
        """Move the forms of sorted answers of one length to their rows among `new_answers`, and drop the others."""
        word, row, ending = self.read_forms(new_answers.itemsize, len(old_answers))
        place, there = arrays.find_sorted(new_answers, old_answers[row])
        return word[there], place[there], ending[there]

    def _read_array(
        self,
        array_name: str,
        size: int | None = None,
        check: ArrayCheck | None = None,
        answer_length: int | None = None,
    ) -> NDArray[Any]:
        part = schema.RELATIONS if answer_length is None else schema.length_part(answer_length, schema.RELATIONS)
        return self._files.read_array(part, array_name, schema.RELATION_TYPES[array_name], (size,), check)


def _are_relation_kinds(kinds: NDArray[np.uint8]) -> bool:
    return bool(kinds.max(initial=0) < len(RELATION_KINDS))
