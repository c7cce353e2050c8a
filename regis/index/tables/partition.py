"""All data for answers of one length, read array by array on demand; large arrays are mapped and shared.

Unreadable data raises IndexDamaged, which says what to do.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from regis.index.storage.columns import KeyOrder, TextColumn
from regis.index.storage.index_files import ArrayCheck, IndexFiles
from regis.index.storage.validation import require
from regis.index.tables import schema
from regis.index.tables.answer_vectors import IndexCodebooks, read_answer_vectors
from regis.models import arrays
from regis.models.neural.transformer import REDUCED_DIMENSIONS
from regis.models.neural.vector_table import AnswerVectors
from regis.models.text import clue_features
from regis.puzzle.alphabet import letter_table, pattern_mask

if TYPE_CHECKING:
    import pyarrow as pa


class ClueUses(NamedTuple):
    """Past uses of one clue: parallel arrays."""

    answer_rows: NDArray[np.int64]  # rows of the answer table
    use_counts: NDArray[np.int64]
    last_years: NDArray[Any]  # years, 0 if unknown


class Partition:
    """All data for answers of one length, optionally without the newest year."""

    def __init__(
        self, index_files: IndexFiles, answer_length: int, row_counts: Mapping[str, int], *,
        hides_newest_year: bool = False, codebooks: IndexCodebooks | None = None,
    ) -> None:  # fmt: skip
        self.length = answer_length
        self._files = index_files
        self._part = schema.length_part(answer_length, schema.TABLES)
        self._clue_count, self._answer_count = row_counts["clues"], row_counts["answers"]
        self._hides_newest_year = hides_newest_year
        self._last_column = "previous" if hides_newest_year else "last"
        self._codebooks = codebooks or IndexCodebooks(index_files)
        self._vectors: dict[str, AnswerVectors] = {}

    @cached_property
    def keeps_clues(self) -> bool:
        """Return whether past clues are stored as texts, not only as hashes."""
        with self._files.guard(self._part):
            return "clues.clue" not in self._files.read_arrays(self._part)

    def _read(self, name: str, dtype: DTypeLike, size: int | None, check: ArrayCheck | None = None) -> NDArray[Any]:
        return self._files.read_array(self._part, name, dtype, (size,), check)

    def _answer_column(self, name: str) -> NDArray[Any]:
        return self._read(f"answers.{name}", schema.ANSWER_COLUMNS[name], self._answer_count)

    def _clue_column(self, name: str) -> NDArray[Any]:
        return self._read(f"clues.{name}", schema.CLUE_COLUMNS[name], self._clue_count)

    @cached_property
    def _text_count(self) -> int:
        return self._clue_count if self.keeps_clues else 0

    # answers

    @cached_property
    def answer_letters(self) -> NDArray[np.uint8]:
        """Return all answers as (answers, length), values 0 to 25, sorted."""
        return letter_table(self.answers)

    @cached_property
    def answers(self) -> NDArray[np.bytes_]:
        """Return all answers, (answers,), sorted."""
        return self._read("answers.answer", f"S{max(self.length, 1)}", self._answer_count)

    @cached_property
    def use_counts(self) -> NDArray[np.int64]:
        """Return how often each answer was used, (answers,)."""
        return self._count_uses(self._answer_column)

    @cached_property
    def last_years(self) -> NDArray[np.uint16]:
        """Return the last year of each answer, (answers,); 0 if unknown."""
        return self._answer_column(self._last_column)

    @cached_property
    def decayed_uses(self) -> NDArray[np.uint32]:
        """Return each answer's uses weighed by age, (answers,), in DECAY_UNIT (schema.decay_uses)."""
        counts: NDArray[np.uint32] = self._answer_column("recent")
        if self._hides_newest_year:  # a year younger, without uses of the newest year
            past_counts = counts - np.minimum(schema.DECAY_UNIT * self._answer_column("latest"), counts)
            counts = np.rint(past_counts / schema.decay_factor(1)).astype(np.uint32)
        return counts

    @property
    def previous_years(self) -> NDArray[np.uint16]:
        """Return each answer's last year before the index's newest, (answers,); 0 if unknown."""
        return self._answer_column("previous")

    @cached_property
    def list_scores(self) -> NDArray[np.float32]:
        """Return each answer's best score in a list, (answers,), at most 1; 0 if in no list."""
        return self._answer_column("score")

    @cached_property
    def is_live(self) -> NDArray[np.bool_]:
        """Return a mask, (answers,), that leaves out answers of a hidden newest year or of removed layers."""
        is_live: NDArray[np.bool_] = (self.use_counts > 0) | (self.list_scores != 0)
        return is_live

    def matching_rows(self, pattern: str) -> NDArray[np.int32]:
        """Return the rows of live answers that match `pattern`, ascending."""
        rows = self._live_rows
        return rows[pattern_mask(self.answer_letters[rows], pattern)] if pattern.strip("?") else rows

    @cached_property
    def _live_rows(self) -> NDArray[np.int32]:
        return np.flatnonzero(self.is_live).astype(np.int32)

    @cached_property
    def display_texts(self) -> TextColumn:
        """Return each answer as a title or list writes it; '' if none does."""
        return self._files.read_texts(self._part, "answers.text", self._answer_count)

    @cached_property
    def display_text_array(self) -> pa.StringArray:
        """Return `display_texts` as a column; '' becomes null."""
        from regis.index.storage import parquet

        return parquet.to_text_array(self.display_texts)

    def answer_row(self, answer: str) -> int:
        """Return the row of `answer`, or -1."""
        row, there = arrays.find_sorted(self.answers, answer.encode())
        return int(row) if there else -1

    @cached_property
    def used_answer_count(self) -> int:
        return int(np.count_nonzero(self.use_counts))

    # clues

    @cached_property
    def sorted_keys(self) -> KeyOrder:
        """Return the clue keys in order, for searching by their beginnings."""
        return KeyOrder(self.clue_keys)

    @cached_property
    def reversed_keys(self) -> KeyOrder:
        """Return the clue keys sorted by their reversed words, for searching by their ends."""
        count = self._text_count
        order = self._read("clues.reversed", np.uint32, count, lambda rows: (rows < count).all())
        return KeyOrder(self.clue_keys, order)

    @cached_property
    def clue_keys(self) -> TextColumn:
        """Return each clue's key (text.clue_key); none without texts."""
        return self._files.read_texts(self._part, "clues.key", self._text_count)

    @cached_property
    def clue_texts(self) -> TextColumn:
        """Return each clue's wording; none without texts."""
        return self._files.read_texts(self._part, "clues.text", self._text_count)

    @cached_property
    def clue_hashes(self) -> NDArray[np.uint64]:
        """Return each clue's hash, (clues,), sorted; only without texts."""
        return self._read("clues.clue", np.uint64, self._clue_count)

    @cached_property
    def clue_answer_rows(self) -> NDArray[np.uint32]:
        """Return the row of each clue's answer, (clues,)."""
        limit = self._answer_count
        return self._read("clues.answer", np.uint32, self._clue_count, lambda rows: (rows < limit).all())

    @cached_property
    def clue_counts(self) -> NDArray[np.int64]:
        """Return how often each clue had its answer, (clues,); 0 hides the row from all finders."""
        return self._count_uses(self._clue_column)

    @cached_property
    def clue_newest_counts(self) -> NDArray[np.uint32]:
        """Return how often each clue had its answer in the index's newest year, hidden or not, (clues,)."""
        return self._clue_column("latest")

    @cached_property
    def clue_last_years(self) -> NDArray[np.uint16]:
        """Return the last year of each clue with its answer, (clues,); 0 if unknown."""
        return self._clue_column(self._last_column)

    @property
    def clue_previous_years(self) -> NDArray[np.uint16]:
        """Return the last year of each clue with its answer before the index's newest, (clues,); 0 if unknown."""
        return self._clue_column("previous")

    def find_uses(self, clue_key: str) -> ClueUses:
        rows = self.rows_with_key(clue_key)
        answer_rows = self.clue_answer_rows[rows].astype(np.int64)
        return ClueUses(answer_rows, self.clue_counts[rows], self.clue_last_years[rows])

    def rows_with_key(self, clue_key: str) -> NDArray[np.int64]:
        if self.keeps_clues:
            low, high = self.sorted_keys.find_position(clue_key), bisect_right(self.sorted_keys, clue_key.encode())
            return np.arange(low, high)
        code = np.uint64(clue_features.hash_word(clue_key))
        return np.arange(*(int(np.searchsorted(self.clue_hashes, code, side)) for side in ("left", "right")))

    # words of clues

    def answers_with_features(self, feature_codes: NDArray[np.uint64]) -> list[NDArray[np.intp]]:
        """Find the rows of answers with past clues that have each feature, ascending."""
        if not self.keeps_clues:
            known, starts, answers = self.vocabulary
            place, there = arrays.find_sorted(known, clue_features.upper_halves(feature_codes))
            spans = zip(starts[place].tolist(), starts[place + there].tolist(), strict=True)
            return [answers[low:high].astype(np.intp) for low, high in spans]
        places, there = arrays.find_sorted(self.posting_features, feature_codes)
        none = np.zeros(0, np.intp)
        pairs = zip(places.tolist(), there, strict=True)
        return [self._answers_with_feature(place) if is_there else none for place, is_there in pairs]

    def _answers_with_feature(self, feature_place: int) -> NDArray[np.intp]:
        """Return the answers whose past clues have `posting_features[feature_place]`."""
        clues = self.posting_list(feature_place)
        has_feature = np.zeros(self._answer_count, bool)
        has_feature[self.clue_answer_rows[clues[self.clue_counts[clues] > 0]]] = True
        return np.flatnonzero(has_feature)

    @property
    def feature_postings(self) -> tuple[NDArray[Any], NDArray[np.int64], NDArray[np.integer[Any]]]:
        """Return CSR postings from features to answers of past clues: (features,) sorted, (features + 1,) offsets,
        (postings,) answers.

        An answer occurs once per clue. Without texts, features are upper halves, and an answer occurs once.
        """
        if not self.keeps_clues:
            return self.vocabulary
        with self._files.guard(self._part):
            require((self.posting_rows < self._clue_count).all())
        is_live = self.clue_counts[self.posting_rows] > 0
        offsets = np.append(0, np.cumsum(is_live))[self.posting_starts]
        return self.posting_features, offsets, self.clue_answer_rows[self.posting_rows[is_live]]

    @cached_property
    def vocabulary(self) -> tuple[NDArray[np.uint32], NDArray[np.int64], NDArray[np.uint32]]:
        """Return CSR postings from upper halves of features, sorted, to answers, each once; only without texts."""
        features = self._read("vocabulary.feature", np.uint32, None, lambda v: (v[1:] > v[:-1]).all())
        counts = self._read("vocabulary.answers", np.uint32, len(features), lambda v: (v > 0).all())
        starts = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])

        def is_ascending(rows: NDArray[np.uint32]) -> bool:
            ascending = rows[1:] > rows[:-1]
            ascending[starts[1:-1] - 1] = True  # the answers of the next feature start again from low rows
            return bool((rows < self._answer_count).all() and ascending.all() and (self.use_counts[rows] > 0).all())

        return features, starts, self._read("vocabulary-rows", np.uint32, int(starts[-1]), is_ascending)

    @cached_property
    def posting_features(self) -> NDArray[np.uint64]:
        """Return the features of past clues, (features,), sorted; none without texts."""
        return self._read("postings.feature", np.uint64, None if self._text_count else 0)

    @cached_property
    def posting_starts(self) -> NDArray[np.int64]:
        """Return where each feature's clues begin in `posting_rows`, (features + 1,)."""
        ends = [0, len(self.posting_rows)]

        def is_ascending(starts: NDArray[np.int64]) -> bool:
            return [*starts[[0, -1]]] == ends and bool((np.diff(starts) >= 0).all())

        if not self._text_count:
            return np.zeros(1, np.int64)
        return self._read("postings.start", np.int64, len(self.posting_features) + 1, is_ascending)

    @cached_property
    def posting_rows(self) -> NDArray[np.uint32]:
        """Return rows of the clue table, (postings,), ascending within a feature."""
        return self._read("postings.row", np.uint32, None if self._text_count else 0)

    @cached_property
    def clue_norms(self) -> NDArray[np.float32]:
        """Return the norm of each clue's TF-IDF vector, (clues,); none without texts."""
        return self._read(
            "clues.norm", np.float32, self._text_count, lambda norms: ((norms > 0) & (norms < np.inf)).all()
        )

    def posting_list(self, feature_place: int) -> NDArray[np.uint32]:
        """Return the rows of clues with `posting_features[feature_place]`, ascending."""
        rows = self.posting_rows[self.posting_starts[feature_place] : self.posting_starts[feature_place + 1]]
        with self._files.guard(self._part):
            require((rows < self._clue_count).all())
        return rows

    # the encoders

    def answer_vectors(self, encoder_name: str) -> AnswerVectors:
        if encoder_name not in self._vectors:
            self._vectors[encoder_name] = read_answer_vectors(
                self._codebooks, encoder_name, self.length, self._answer_count, lambda: self.use_counts
            )
        return self._vectors[encoder_name]

    @cached_property
    def clue_embeddings(self) -> NDArray[np.int8]:
        """Return embeddings of past clues, (clues, REDUCED), rows as in `clues_by_answer`."""
        return self._read_embeddings("embeddings", np.int8, (self._text_count, REDUCED_DIMENSIONS))

    @cached_property
    def clues_by_answer(self) -> NDArray[np.uint32]:
        """Return the rows of the clue table in order of their answers, (clues,)."""
        answers = self.clue_answer_rows

        def is_ascending(rows: NDArray[np.uint32]) -> bool:
            if not (rows < len(answers)).all():
                return False
            place = answers[rows].astype(np.int64) * len(answers) + rows
            return bool((np.diff(place) > 0).all())

        return self._read_embeddings("rows", np.uint32, (self._text_count,), is_ascending)

    @cached_property
    def answer_clue_starts(self) -> NDArray[np.int64]:
        """Return where each answer's clues begin in `clues_by_answer`, (answers + 1,)."""
        return np.searchsorted(self.clue_answer_rows[self.clues_by_answer], np.arange(self._answer_count + 1))

    @cached_property
    def _read_embeddings(self) -> Callable[..., NDArray[Any]]:
        return partial(self._files.read_array, schema.length_part(self.length, schema.CLUE_EMBEDDINGS))

    def _count_uses(self, column: Callable[[str], NDArray[Any]]) -> NDArray[np.int64]:
        count = column("count").astype(np.int64)
        return count - column("latest") if self._hides_newest_year else count
