"""What words have to do with each other, all of it as arrays: two such merged, and one written into an index.

`relation_builder` makes them of what sources say, `relations` looks them up one by one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from regis.index.relations.relations import Forms
from regis.index.tables import schema
from regis.models.numeric import sorted_search
from regis.system.files import array_file
from regis.text import MAX_ANSWER_LENGTH

NO_ANSWER = -1


class RelationArrays(NamedTuple):
    """Relations, what is an inflection of what, and which answers words are, as parallel arrays in any order."""

    head_hashes: NDArray[np.uint64]
    word_numbers: NDArray[np.integer[Any]]
    relation_kinds: NDArray[np.integer[Any]]
    source_numbers: NDArray[np.integer[Any]]
    inflected_hashes: NDArray[np.uint64]  # ascending
    base_hashes: NDArray[np.uint64]
    ending_kinds: NDArray[np.integer[Any]]
    forms_by_length: Mapping[int, Forms]

    @property
    def has_relations(self) -> bool:
        """Return whether anything is said at all."""
        return bool(len(self.head_hashes) or len(self.inflected_hashes))

    @property
    def word_answers(self) -> NDArray[np.int64]:
        """Return which answer each word is as it stands, (words,): row and length in one number; NO_ANSWER for none."""
        numbers = [self.word_numbers, *(word for word, _, _ in self.forms_by_length.values())]
        found = np.full(1 + max(int(one.max(initial=0)) for one in numbers), NO_ANSWER)
        for length, (word, row, ending) in self.forms_by_length.items():
            plain = ending == 0
            found[word[plain]] = row[plain].astype(np.int64) * (MAX_ANSWER_LENGTH + 1) + length
        return found

    def renumber_words(self, new_numbers: NDArray[np.int64]) -> RelationArrays:
        """Keep what is said of words that have a new number, and give them that.

        Parameters
        ----------
        new_numbers : (words,) number by the old one; -1 drops the word.
        """
        is_kept = new_numbers[self.word_numbers] >= 0
        forms = {}
        for length, (word, row, ending) in self.forms_by_length.items():
            there = new_numbers[word] >= 0
            forms[length] = new_numbers[word[there]], row[there], ending[there]
        return self.select_relations(is_kept)._replace(
            word_numbers=new_numbers[self.word_numbers[is_kept]], forms_by_length=forms
        )

    def select_relations(self, is_kept: NDArray[np.bool_]) -> RelationArrays:
        """Keep the relations that the mask `is_kept`, (relations,), has; forms and inflections stay."""
        return self._replace(
            head_hashes=self.head_hashes[is_kept],
            word_numbers=self.word_numbers[is_kept],
            relation_kinds=self.relation_kinds[is_kept],
            source_numbers=self.source_numbers[is_kept],
        )


def merge_relations(relations: RelationArrays, added_relations: RelationArrays) -> RelationArrays:
    """Merge two sets of relations of the same answers; of `added_relations` only what `relations` do not say.

    They number words each in its own way, so two words are one if they are the same answer as they stand. Of those
    is left out what is said of words that are no answer as they stand, and what is an inflection of what.
    """
    own_answers, more_answers = relations.word_answers, added_relations.word_answers
    known, first = np.unique(own_answers, return_index=True)
    place, there = sorted_search.find_sorted(known, more_answers)
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
    """Return which rows of the columns `rows` are among the rows of the columns `other_rows`."""
    places = np.zeros(len(rows[0]) + len(other_rows[0]), np.int64)
    for column in zip(rows, other_rows, strict=True):
        values, place = np.unique(np.append(*column), return_inverse=True)
        _, places = np.unique(places * len(values) + place, return_inverse=True)
    return np.isin(places[: len(rows[0])], places[len(rows[0]) :])


def write_relations(index_folder: Path, relations: RelationArrays) -> None:
    """Write the tables of relations into the index, equal relations once."""
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
    """Write which rows of the answer table words are, with which endings, by the word's number."""
    part = schema.length_part(answer_length, schema.RELATIONS)
    _write_typed(index_folder, part, dict(zip(schema.FORM_ARRAYS, forms, strict=True)))


def _write_typed(index_folder: Path, part: str, columns: Mapping[str, NDArray[Any]]) -> None:
    typed = {name: values.astype(schema.RELATION_TYPES[name]) for name, values in columns.items()}
    array_file.write_arrays(schema.part_path(index_folder, part), typed)
