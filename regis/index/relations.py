"""What thesauri and dictionaries say, looked up by the hash of a word or phrase (`schema` says how it lies on disk).

All questions are asked of many words at once, and each answer comes with the place in the question of the word that it
belongs to (`head_index`, `word_index`).
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.corpora.entry import RELATION_KINDS
from regis.index.storage.index_files import ArrayCheck, IndexFiles
from regis.index.tables import schema
from regis.models.numeric import sorted_search

Forms = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]
"""Words by their numbers, ascending, the rows of the answers that they are, and the endings, as parallel arrays."""


class RelationRows(NamedTuple):
    """Relations, as parallel arrays: the head's place in the question, the word's number, kind, publisher."""

    head_index: NDArray[np.int64]
    word_numbers: NDArray[np.uint32]
    relation_kinds: NDArray[np.uint8]
    source_numbers: NDArray[np.uint8]


class WordAnswers(NamedTuple):
    """Answers that words are, as parallel arrays: the word's place in the question, the answer's row, the ending."""

    word_index: NDArray[np.int64]
    answer_rows: NDArray[np.uint32]
    ending_kinds: NDArray[np.uint8]  # a place in corpora.entry.RELATION_KINDS; 0 for the word as it stands


def renumber_forms(forms: Forms, old_answers: NDArray[Any], new_answers: NDArray[Any]) -> Forms:
    """Move the `forms` of answers from the rows they had in `old_answers` to those in `new_answers`.

    Parameters
    ----------
    old_answers, new_answers : (answers,) bytes, sorted; forms of an answer that is not among the new ones are dropped.
    """
    word, row, ending = forms
    place, there = sorted_search.find_sorted(new_answers, old_answers[row])
    return word[there], place[there], ending[there]


class Relations:
    """The relations of one index. Whatever turns out unreadable is an IndexDamaged."""

    def __init__(self, index_files: IndexFiles, publisher_count: int) -> None:
        self._files = index_files
        self._publisher_count = publisher_count
        self._forms_by_length: dict[int, Forms] = {}

    @property
    def head_count(self) -> int:
        """Return how many words, phrases, stems and pairs anything is said of."""
        return len(self._heads[0])

    def count_relations(self, head_hashes: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Count the relations of each head.

        Parameters
        ----------
        head_hashes : (heads,) uint64.

        Returns
        -------
        (heads,) counts, 0 for a head that has none.
        """
        low, high = self._find_spans(head_hashes)
        return high - low

    def find_relations(self, head_hashes: NDArray[np.uint64]) -> RelationRows:
        """Find the relations of some heads, given by their hashes, (heads,) uint64."""
        head_index, rows = sorted_search.expand_ranges(*self._find_spans(head_hashes))
        return RelationRows(head_index, *(column[rows] for column in self._relation_columns))

    def find_bases(
        self, word_hashes: NDArray[np.uint64]
    ) -> tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[np.uint8]]:
        """Find what some words are inflections of.

        Parameters
        ----------
        word_hashes : (words,) uint64.

        Returns
        -------
        (found,) place of the word in the question; (found,) hash of the base; (found,) ending.
        """
        inflected, bases, endings = self._inflections
        word_index, rows = sorted_search.all_matches(inflected, word_hashes)
        return word_index, bases[rows], endings[rows]

    def find_answers(self, word_numbers: NDArray[np.uint32], answer_length: int, answer_count: int) -> WordAnswers:
        """Find the answers of one length that some words are.

        Parameters
        ----------
        word_numbers : (words,) numbers of words.
        answer_count : how many answers of `answer_length` the index has.
        """
        if answer_length not in self._forms_by_length:
            self._forms_by_length[answer_length] = self.read_forms(answer_length, answer_count)
        word, row, ending = self._forms_by_length[answer_length]
        word_index, rows = sorted_search.all_matches(word, word_numbers)
        return WordAnswers(word_index, row[rows], ending[rows])

    def all_relations(self) -> tuple[NDArray[np.uint64], RelationRows]:
        """Return all heads, (heads,) sorted hashes, and all relations in that order."""
        heads, starts = self._heads
        return heads, RelationRows(np.repeat(np.arange(len(heads)), np.diff(starts)), *self._relation_columns)

    def _find_spans(self, head_hashes: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return where the relations of each head begin and end; both 0 for a head that has none."""
        heads, starts = self._heads
        place, there = sorted_search.find_sorted(heads, head_hashes)
        return np.where(there, starts[place], 0), np.where(there, starts[place + there], 0)

    @cached_property
    def _heads(self) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """Read the hashes of all heads, sorted, and where the relations of each begin."""
        heads = self._read_array("heads")
        return heads, self._read_array("starts", len(heads) + 1, lambda v: v[0] == 0 and (np.diff(v) >= 0).all())

    @cached_property
    def _relation_columns(self) -> tuple[NDArray[np.uint32], NDArray[np.uint8], NDArray[np.uint8]]:
        """Read word, kind and source of all relations."""
        size, publishers = int(self._heads[1][-1]), max(self._publisher_count, 1)
        source = self._read_array("sources", size, lambda values: values.max(initial=0) < publishers)
        return self._read_array("words", size), self._read_array("kinds", size, _are_relation_kinds), source

    @cached_property
    def _inflections(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint8]]:
        """Read inflected words, their bases and endings."""
        inflected = self._read_array("inflected")
        endings = self._read_array("endings", len(inflected), _are_relation_kinds)
        return inflected, self._read_array("bases", len(inflected)), endings

    def read_forms(self, answer_length: int, answer_count: int) -> Forms:
        """Read all answers of one length that any word is: word, row and ending, by the word."""
        size = None if answer_count else 0  # without answers there are no files
        word = self._read_array("words", size, lambda values: (values[1:] >= values[:-1]).all(), answer_length)
        row = self._read_array("rows", len(word), lambda values: (values < answer_count).all(), answer_length)
        return word, row, self._read_array("endings", len(word), _are_relation_kinds, answer_length)

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
