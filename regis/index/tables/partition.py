"""All that an index holds for answers of one length, read when first asked for, column by column.

Postings stay on disk as memory maps, shared between processes. Whatever turns out unreadable is an IndexDamaged with
the command that mends it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.index.storage import cached_columns
from regis.index.storage.npy import ArrayCheck
from regis.index.storage.validation import guard_reading, require
from regis.index.tables import answer_vectors, schema
from regis.index.tables.key_order import KeyOrder
from regis.models.neural.transformer import REDUCED_DIMENSIONS
from regis.models.neural.vector_table import AnswerVectors
from regis.models.numeric import sorted_search
from regis.models.text import clue_features
from regis.puzzle.alphabet import letter_table, pattern_mask
from regis.system.files.locked_folder import ReadablePath

if TYPE_CHECKING:
    import pyarrow as pa


class ClueUses(NamedTuple):
    """Past uses of one clue: parallel arrays."""

    answer_rows: NDArray[np.int64]  # rows of the answer table
    use_counts: NDArray[np.int64]
    last_years: NDArray[Any]  # years, 0 if unknown


class Partition:
    """All that an index holds for answers of one length.

    `row_counts` says how many "clues" and "answers"; none need no files. With `hides_newest_year`, as it was before
    that year; if `is_distilled`, past clues are known by hashes only. `codebooks` are those of the whole index.
    """

    def __init__(
        self, index_folder: ReadablePath, answer_length: int, row_counts: Mapping[str, int], *,
        hides_newest_year: bool = False, is_distilled: bool = False,
        codebooks: answer_vectors.IndexCodebooks | None = None,
    ) -> None:  # fmt: skip
        self.length = answer_length
        self._index_folder = index_folder
        self._clue_count, self._answer_count = row_counts["clues"], row_counts["answers"]
        self._hides_newest_year = hides_newest_year
        self._last_column = "previous" if hides_newest_year else "last"
        self._is_distilled = is_distilled
        self._codebooks = codebooks or answer_vectors.IndexCodebooks(index_folder)
        self._vectors: dict[str, AnswerVectors] = {}

    def clue_table(self) -> pa.Table:
        """Read the clue table as a whole, as it lies on disk."""
        from regis.index.storage import parquet
        from regis.index.tables.arrow_schemas import CLUE_SCHEMA

        return parquet.read_table(self._index_folder, schema.clues_file(self.length), CLUE_SCHEMA, self._clue_count)

    @cached_property
    def _answer_columns(self) -> dict[str, NDArray[Any]]:
        """Read the answers with all that is a number: at once, which is quicker than one by one."""
        types = schema.answer_columns(self.length)
        return cached_columns.read_columns(
            self._index_folder, schema.answers_file(self.length), types, self._answer_count
        )

    def _clue_column(self, name: str) -> NDArray[Any]:
        file = schema.clues_file(self.length)
        return cached_columns.read_columns(
            self._index_folder, file, {name: schema.CLUE_COLUMNS[name]}, self._clue_count
        )[name]

    def _clue_texts(self, name: str) -> cached_columns.TextColumn:
        return cached_columns.read_texts(self._index_folder, schema.clues_file(self.length), name, self._clue_count)

    def _posting(self, name: str, size: int | None, check: ArrayCheck | None = None) -> NDArray[Any]:
        file = schema.postings_file(self.length, name)
        return cached_columns.read_array(self._index_folder, file, schema.POSTING_TYPES[name], (size,), check)

    # answers

    @cached_property
    def answer_letters(self) -> NDArray[np.uint8]:
        """Return all answers as (answers, length), values 0 to 25, sorted."""
        return letter_table(self.answers)

    @cached_property
    def answers(self) -> NDArray[np.bytes_]:
        """Return all answers as fixed-width bytes, (answers,), sorted."""
        answers: NDArray[np.bytes_] = self._answer_columns["answer"]
        return answers

    @cached_property
    def use_counts(self) -> NDArray[np.int64]:
        """Return how often each answer was used, (answers,)."""
        return self._count_uses(self._answer_columns.__getitem__)

    @cached_property
    def last_years(self) -> NDArray[np.uint16]:
        """Return the last year each answer was used in, (answers,); 0 if unknown."""
        return self._answer_columns[self._last_column]

    @cached_property
    def decayed_uses(self) -> NDArray[np.uint32]:
        """Return how much the uses of each answer count by their age, (answers,), in DECAY_UNIT (schema.decay_uses)."""
        counts: NDArray[np.uint32] = self._answer_columns["recent"]
        if self._hides_newest_year:  # a year younger, without what counted whole
            past_counts = counts - np.minimum(schema.DECAY_UNIT * self._answer_columns["latest"], counts)
            counts = np.rint(past_counts / schema.decay_factor(1)).astype(np.uint32)
        return counts

    @property
    def previous_years(self) -> NDArray[np.uint16]:
        """Return the last year of each answer before the newest year of the index, (answers,); 0 if unknown."""
        return self._answer_columns["previous"]

    @cached_property
    def list_scores(self) -> NDArray[np.float32]:
        """Return the best score of any list that has the answer, (answers,), at most 1; 0 where no list has it."""
        return self._answer_columns["score"]

    @cached_property
    def is_live(self) -> NDArray[np.bool_]:
        """Return a mask, (answers,), without answers of a hidden newest year or of layers that are gone."""
        is_live: NDArray[np.bool_] = (self.use_counts > 0) | (self.list_scores != 0)
        return is_live

    def matching_rows(self, pattern: str) -> NDArray[np.int32]:
        """Return the rows of the live answers that have the letters of `pattern`, ascending."""
        rows = self._live_rows
        return rows[pattern_mask(self.answer_letters[rows], pattern)] if pattern.strip("?") else rows

    @cached_property
    def _live_rows(self) -> NDArray[np.int32]:
        """Return the rows of the live answers, ascending."""
        return np.flatnonzero(self.is_live).astype(np.int32)

    @cached_property
    def display_text_array(self) -> pa.StringArray:
        """Read each answer as a title or list writes it, or null, as a whole column."""
        from regis.index.storage import parquet
        from regis.index.tables.arrow_schemas import ANSWER_SCHEMA

        file_name = schema.answers_file(self.length)
        return parquet.read_column(self._index_folder, file_name, ANSWER_SCHEMA.field("text"), self._answer_count)

    @cached_property
    def display_texts(self) -> cached_columns.TextColumn:
        """Read each answer as a title or list writes it, to be asked for a few; '' for none."""
        return cached_columns.read_texts(
            self._index_folder, schema.answers_file(self.length), "text", self._answer_count
        )

    def answer_row(self, answer: str) -> int:
        """Return the row of `answer`, or -1."""
        row, there = sorted_search.find_sorted(self.answers, answer.encode())
        return int(row) if there else -1

    # clues

    @cached_property
    def sorted_keys(self) -> KeyOrder:
        """Return the clue keys as they are sorted, to search by their beginning."""
        return KeyOrder(self.clue_keys)

    @cached_property
    def reversed_keys(self) -> KeyOrder:
        """Return the clue keys sorted by their words read backwards, to search by their end."""
        file, clues = schema.reversed_file(self.length), self._clue_count
        order = cached_columns.read_array(
            self._index_folder, file, np.uint32, (clues,), lambda rows: (rows < clues).all()
        )
        return KeyOrder(self.clue_keys, order)

    @cached_property
    def clue_keys(self) -> cached_columns.TextColumn:
        """Return the key of each clue (text.clue_key)."""
        return self._clue_texts("key")

    @cached_property
    def clue_texts(self) -> cached_columns.TextColumn:
        """Return the wording of each clue, for learning and as evidence."""
        return self._clue_texts("clue")

    @cached_property
    def clue_answer_rows(self) -> NDArray[np.uint32]:
        """Return each clue's answer, as a row of the answer table, (clues,)."""
        return self._clue_column("answer")

    @cached_property
    def clue_counts(self) -> NDArray[np.int64]:
        """Return how often each clue had its answer, (clues,); 0 hides the row from every finder."""
        return self._count_uses(self._clue_column)

    @cached_property
    def clue_newest_counts(self) -> NDArray[np.uint32]:
        """Return how often each clue had its answer in the newest year of the index, hidden or not, (clues,)."""
        return self._clue_column("latest")

    @cached_property
    def clue_last_years(self) -> NDArray[np.uint16]:
        """Return the last year of each clue with its answer, (clues,); 0 if unknown."""
        return self._clue_column(self._last_column)

    def find_uses(self, clue_key: str) -> ClueUses:
        """Find which answers exactly the clue with this key had; also where the clues themselves are not kept."""
        if not self._is_distilled:
            rows = self.rows_with_key(clue_key)
            answer_rows = self.clue_answer_rows[rows].astype(np.int64)
            return ClueUses(answer_rows, self.clue_counts[rows], self.clue_last_years[rows])
        clue, *rest = self.hashed_clues
        low, high = (
            np.searchsorted(clue, np.uint64(clue_features.hash_word(clue_key)), side) for side in ("left", "right")
        )
        return ClueUses(*(column[low:high].astype(np.int64) for column in rest))

    @cached_property
    def hashed_clues(self) -> tuple[NDArray[Any], ...]:
        """Return the columns of HASHED_CLUE_COLUMNS, each (hashed clues,), of a distilled index."""
        name = schema.hashed_clues_file(self.length)
        none = None if self._answer_count else 0
        clue, answer, *rest = cached_columns.read_columns(
            self._index_folder, name, schema.HASHED_CLUE_COLUMNS, none
        ).values()
        with guard_reading(self._index_folder, name):
            require((answer < self._answer_count).all())
        return clue, answer, *rest

    @cached_property
    def used_answer_count(self) -> int:
        """Return how many answers were used."""
        return int(np.count_nonzero(self.use_counts))

    def answers_with_features(self, feature_codes: NDArray[np.uint64]) -> list[NDArray[np.intp]]:
        """Find the answers of whose past clues any has a feature.

        Parameters
        ----------
        feature_codes : (features,) codes of features (models.text.clue_features).

        Returns
        -------
        For each feature the rows of its answers, ascending.
        """
        if self._is_distilled:
            known, starts, answers = self.packed_postings
            place, there = sorted_search.find_sorted(known, clue_features.upper_halves(feature_codes))
            spans = zip(starts[place].tolist(), starts[place + there].tolist(), strict=True)
            return [answers[low:high].astype(np.intp) for low, high in spans]
        places, there = sorted_search.find_sorted(self.posting_features, feature_codes)
        none = np.zeros(0, np.intp)
        pairs = zip(places.tolist(), there, strict=True)
        return [self._answers_with_feature(place) if is_there else none for place, is_there in pairs]

    def _answers_with_feature(self, feature_place: int) -> NDArray[np.intp]:
        """Return the answers whose past clues have `posting_features[feature_place]`, where past clues are kept."""
        clues = self.posting_list(feature_place)
        has_feature = np.zeros(self._answer_count, bool)
        has_feature[self.clue_answer_rows[clues[self.clue_counts[clues] > 0]]] = True
        return np.flatnonzero(has_feature)

    @cached_property
    def packed_postings(self) -> tuple[NDArray[np.uint32], NDArray[np.int64], NDArray[np.uint32]]:
        """Return the postings of a distilled index: feature -> answers, each once.

        Returns
        -------
        (features,) upper halves, sorted; (features + 1,) offsets; (postings,) answers.
        """
        none = None if self._answer_count else 0
        name = schema.packed_postings_file(self.length)
        features, counts = cached_columns.read_columns(self._index_folder, name, schema.FEATURE_COLUMNS, none).values()
        starts = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
        with guard_reading(self._index_folder, name):
            require((features[1:] > features[:-1]).all() and (counts > 0).all())

        def is_ascending(rows: NDArray[np.uint32]) -> bool:
            ascending = rows[1:] > rows[:-1]
            ascending[starts[1:-1] - 1] = True  # with another feature they begin anew
            return bool((rows < self._answer_count).all() and ascending.all() and (self.use_counts[rows] > 0).all())

        name = schema.packed_answers_file(self.length)
        rows = cached_columns.read_array(self._index_folder, name, np.uint32, (int(starts[-1]),), is_ascending)
        return features, starts, rows

    @property
    def feature_postings(self) -> tuple[NDArray[Any], NDArray[np.int64], NDArray[np.integer[Any]]]:
        """Return CSR postings feature -> answers of past clues.

        Returns
        -------
        (features,) sorted; (features + 1,) offsets; (postings,) answers. In a distilled index features are upper
        halves, and each answer comes once; else one comes for every clue.
        """
        if self._is_distilled:
            return self.packed_postings
        with guard_reading(self._index_folder, schema.postings_file(self.length, "rows")):
            require((self.posting_rows < self._clue_count).all())
        is_live = self.clue_counts[self.posting_rows] > 0
        offsets = np.append(0, np.cumsum(is_live))[self.posting_starts]
        return self.posting_features, offsets, self.clue_answer_rows[self.posting_rows[is_live]]

    def rows_with_key(self, clue_key: str) -> NDArray[np.int64]:
        """Return the rows of the clue table whose key is exactly `clue_key`."""
        return np.arange(self.sorted_keys.find_position(clue_key), bisect_right(self.sorted_keys, clue_key.encode()))

    # postings

    @cached_property
    def posting_features(self) -> NDArray[np.uint64]:
        """Return the features of past clues, (features,), sorted."""
        return self._posting("features", None if self._clue_count else 0)

    @cached_property
    def posting_starts(self) -> NDArray[np.int64]:
        """Return where in `posting_rows` the clues of each feature begin, (features + 1,)."""
        ends = [0, len(self.posting_rows)]

        def is_ascending(starts: NDArray[np.int64]) -> bool:
            return [*starts[[0, -1]]] == ends and bool((np.diff(starts) >= 0).all())

        if not self._clue_count:
            return np.zeros(1, np.int64)
        return self._posting("starts", len(self.posting_features) + 1, is_ascending)

    @cached_property
    def posting_rows(self) -> NDArray[np.uint32]:
        """Return rows of the clue table, (postings,), ascending within a feature."""
        return self._posting("rows", None if self._clue_count else 0)

    @cached_property
    def clue_norms(self) -> NDArray[np.float32]:
        """Return the length of each clue's TF-IDF vector, (clues,)."""
        return self._posting("norms", self._clue_count, lambda norms: ((norms > 0) & (norms < np.inf)).all())

    def posting_list(self, feature_place: int) -> NDArray[np.uint32]:
        """Return the rows of the clue table that have `posting_features[feature_place]`, ascending."""
        rows = self.posting_rows[self.posting_starts[feature_place] : self.posting_starts[feature_place + 1]]
        with guard_reading(self._index_folder, schema.postings_file(self.length, "rows")):
            require((rows < self._clue_count).all())
        return rows

    # the encoders

    def answer_vectors(self, encoder_folder: str) -> AnswerVectors:
        """Return the vector and bias of each answer in the encoder that lives in this folder of the index."""
        if encoder_folder not in self._vectors:
            count = self.use_counts if self._is_distilled else None
            self._vectors[encoder_folder] = answer_vectors.read_answer_vectors(
                self._codebooks, encoder_folder, self.length, self._answer_count, count
            )
        return self._vectors[encoder_folder]

    @cached_property
    def clue_embeddings(self) -> NDArray[np.int8]:
        """Return embeddings of past clues, (clues, REDUCED), see quantize_embeddings; rows as in `clues_by_answer`."""
        file, shape = (
            schema.encoder_length_file(schema.TRANSFORMER_FOLDER, self.length, "clues"),
            (self._clue_count, REDUCED_DIMENSIONS),
        )
        return cached_columns.read_array(self._index_folder, file, np.int8, shape)

    @cached_property
    def clues_by_answer(self) -> NDArray[np.uint32]:
        """Return the rows of the clue table in the order of their answers, (clues,), ascending within an answer."""
        answers = self.clue_answer_rows

        def is_ascending(rows: NDArray[np.uint32]) -> bool:
            if not (rows < len(answers)).all():
                return False
            place = answers[rows].astype(np.int64) * len(answers) + rows
            return bool((np.diff(place) > 0).all())

        file = schema.encoder_length_file(schema.TRANSFORMER_FOLDER, self.length, "by-answer")
        return cached_columns.read_array(self._index_folder, file, np.uint32, (self._clue_count,), is_ascending)

    @cached_property
    def answer_clue_starts(self) -> NDArray[np.int64]:
        """Return where in `clues_by_answer` each answer's clues begin, (answers + 1,)."""
        return np.searchsorted(self.clue_answer_rows[self.clues_by_answer], np.arange(self._answer_count + 1))

    def _count_uses(self, column: Callable[[str], NDArray[Any]]) -> NDArray[np.int64]:
        count = column("count").astype(np.int64)
        return count - column("latest") if self._hides_newest_year else count
