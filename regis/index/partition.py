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

from regis.index import columns, schema, vectors
from regis.index.arrays import Law
from regis.index.keys import Keys
from regis.index.opening import must, reading
from regis.models import features as words
from regis.models import lookup
from regis.models.embedding import AnswerVectors
from regis.models.transformer import REDUCED
from regis.puzzle.alphabet import fits, table
from regis.system.held import Place

if TYPE_CHECKING:
    import pyarrow as pa


class Uses(NamedTuple):
    """Past uses of one clue: three parallel arrays."""

    answers: NDArray[np.int64]  # rows of the answer table
    times: NDArray[np.int64]
    last: NDArray[Any]  # years, 0 if unknown


class Partition:
    """All that an index holds for answers of one length.

    `sizes` says how many "clues" and "answers"; none need no files. With `hidden`, as it was before the newest year;
    `distilled`, past clues are known by numbers only. `books` are those of the index, if others use them, too: hence
    six parameters.
    """

    def __init__(
        self, folder: Place, length: int, sizes: Mapping[str, int], *, hidden: bool = False, distilled: bool = False,
        books: vectors.Books | None = None,
    ) -> None:  # fmt: skip
        self.length = length
        self._folder = folder
        self._clues, self._answers = sizes["clues"], sizes["answers"]
        self._hidden, self._last = hidden, "previous" if hidden else "last"
        self._distilled = distilled
        self._books = books or vectors.Books(folder)
        self._vectors: dict[str, AnswerVectors] = {}

    def clue_table(self) -> pa.Table:
        """The clue table as a whole, as it lies on disk."""
        from regis.index import tables

        return tables.table(self._folder, schema.clues_file(self.length), tables.CLUES, self._clues)

    @cached_property
    def _answer_columns(self) -> dict[str, NDArray[Any]]:
        """The answers with all that is a number: read at once, which is quicker than one by one."""
        kinds = schema.answer_kinds(self.length)
        return columns.columns(self._folder, schema.answers_file(self.length), kinds, self._answers)

    def _clue_column(self, name: str) -> NDArray[Any]:
        file = schema.clues_file(self.length)
        return columns.columns(self._folder, file, {name: schema.CLUES[name]}, self._clues)[name]

    def _clue_texts(self, name: str) -> columns.Texts:
        return columns.texts(self._folder, schema.clues_file(self.length), name, self._clues)

    def _posting(self, name: str, size: int | None, law: Law | None = None) -> NDArray[Any]:
        file = schema.postings_file(self.length, name)
        return columns.read(self._folder, file, schema.POSTINGS[name], (size,), law)

    # answers

    @cached_property
    def letters(self) -> NDArray[np.uint8]:
        """All answers as (rows, length), values 0 to 25, sorted."""
        return table(self.names)

    @cached_property
    def names(self) -> NDArray[np.bytes_]:
        """All answers as fixed-width bytes, sorted."""
        found: NDArray[np.bytes_] = self._answer_columns["answer"]
        return found

    @cached_property
    def count(self) -> NDArray[np.int64]:
        """How often each answer was used."""
        return self._count(self._answer_columns.__getitem__)

    @cached_property
    def last(self) -> NDArray[np.uint16]:
        """The last year each answer was used in; 0 if unknown."""
        return self._answer_columns[self._last]

    @property
    def previous(self) -> NDArray[np.uint16]:
        """The last year each answer was used in before the newest year of the index; 0 if unknown."""
        return self._answer_columns["previous"]

    @cached_property
    def score(self) -> NDArray[np.float32]:
        """The best score of any list that has the answer, at most 1; 0 where no list has it."""
        return self._answer_columns["score"]

    @cached_property
    def exists(self) -> NDArray[np.bool_]:
        """False for answers of the newest year alone, when that is hidden, and of layers that are gone (index.wide)."""
        found: NDArray[np.bool_] = (self.count > 0) | (self.score != 0)
        return found

    def fitting(self, pattern: str) -> NDArray[np.int32]:
        """The rows of the answers that have the letters of `pattern`, ascending."""
        rows = self._existing
        return rows[fits(self.letters[rows], pattern)] if pattern.strip("?") else rows

    @cached_property
    def _existing(self) -> NDArray[np.int32]:
        return np.flatnonzero(self.exists).astype(np.int32)

    @cached_property
    def texts(self) -> pa.StringArray:
        """Each answer as a title or list writes it, or null."""
        from regis.index import tables

        return tables.column(
            self._folder, schema.answers_file(self.length), tables.ANSWERS.field("text"), self._answers
        )

    @cached_property
    def written(self) -> columns.Texts:
        """The same, for a few of them; '' for none."""
        return columns.texts(self._folder, schema.answers_file(self.length), "text", self._answers)

    def answer_row(self, answer: str) -> int:
        """The row of `answer`, or -1."""
        row, there = lookup.place(self.names, answer.encode())
        return int(row) if there else -1

    # clues

    @cached_property
    def keys(self) -> Keys:
        return Keys(self.key_column)

    @cached_property
    def reversed_keys(self) -> Keys:
        file, clues = schema.reversed_file(self.length), self._clues
        order = columns.read(self._folder, file, np.uint32, (clues,), lambda rows: (rows < clues).all())
        return Keys(self.key_column, order)

    @cached_property
    def key_column(self) -> columns.Texts:
        """The key of each clue (text.clue_key)."""
        return self._clue_texts("key")

    @cached_property
    def clue_column(self) -> columns.Texts:
        """The wording of each clue, for learning and as evidence."""
        return self._clue_texts("clue")

    @cached_property
    def clue_answer(self) -> NDArray[np.uint32]:
        """Each clue's answer, as a row of the answer table."""
        return self._clue_column("answer")

    @cached_property
    def clue_count(self) -> NDArray[np.int64]:
        """How often each clue had that answer; 0 hides the row from every finder."""
        return self._count(self._clue_column)

    @cached_property
    def clue_latest(self) -> NDArray[np.uint32]:
        """How often each clue had that answer in the newest year of the index, hidden or not."""
        return self._clue_column("latest")

    @cached_property
    def clue_last(self) -> NDArray[np.uint16]:
        """The last year of each clue with that answer; 0 if unknown."""
        return self._clue_column(self._last)

    def uses(self, key: str) -> Uses:
        """Which answers exactly the clue with this key had; also where the clues themselves are not kept."""
        if not self._distilled:
            same = self.same_key(key)
            return Uses(self.clue_answer[same].astype(np.int64), self.clue_count[same], self.clue_last[same])
        clue, *rest = self.repeats
        low, high = (np.searchsorted(clue, np.uint64(words.code(key)), side) for side in ("left", "right"))
        return Uses(*(column[low:high].astype(np.int64) for column in rest))

    @cached_property
    def repeats(self) -> tuple[NDArray[Any], ...]:
        """The columns of schema.REPEATS, of a distilled index."""
        name = schema.repeats_file(self.length)
        none = None if self._answers else 0
        clue, answer, *rest = columns.columns(self._folder, name, schema.REPEATS, none).values()
        with reading(self._folder, name):
            must((answer < self._answers).all())
        return clue, answer, *rest

    @cached_property
    def used(self) -> int:
        """How many answers were used."""
        return int(np.count_nonzero(self.count))

    def having(self, features: NDArray[np.uint64]) -> list[NDArray[np.intp]]:
        """For each of some features (models.features) the answers of whose past clues any has it, ascending."""
        if self._distilled:
            known, starts, answers = self.vocabulary
            place, there = lookup.place(known, words.short(features))
            spans = zip(starts[place].tolist(), starts[place + there].tolist(), strict=True)
            return [answers[low:high].astype(np.intp) for low, high in spans]
        places, there = lookup.place(self.features, features)
        none = np.zeros(0, np.intp)
        return [self._having(place) if its else none for place, its in zip(places.tolist(), there, strict=True)]

    def _having(self, place: int) -> NDArray[np.intp]:
        """The same for `features[place]`, where past clues are kept."""
        clues = self.posting(place)
        found = np.zeros(self._answers, bool)
        found[self.clue_answer[clues[self.clue_count[clues] > 0]]] = True
        return np.flatnonzero(found)

    @cached_property
    def vocabulary(self) -> tuple[NDArray[np.uint32], NDArray[np.int64], NDArray[np.uint32]]:
        """Of a distilled index: features, where the answers of each begin, one more at the end; and these answers."""
        none = None if self._answers else 0
        name = schema.vocabulary_file(self.length)
        known, many = columns.columns(self._folder, name, schema.FEATURES, none).values()
        starts = np.concatenate([[0], np.cumsum(many, dtype=np.int64)])
        with reading(self._folder, name):
            must((known[1:] > known[:-1]).all() and (many > 0).all())

        def each_once(rows: NDArray[np.uint32]) -> bool:
            ascending = rows[1:] > rows[:-1]
            ascending[starts[1:-1] - 1] = True  # with another feature they begin anew
            return bool((rows < self._answers).all() and ascending.all() and (self.count[rows] > 0).all())

        name = schema.vocabulary_answers_file(self.length)
        rows = columns.read(self._folder, name, np.uint32, (int(starts[-1]),), each_once)
        return known, starts, rows

    @property
    def heard(self) -> tuple[NDArray[Any], NDArray[np.int64], NDArray[np.integer[Any]]]:
        """What was heard in past clues: features, sorted, where the answers of each begin, one more; these answers.

        In a distilled index upper halves of features, and each answer once; else an answer for every clue.
        """
        if self._distilled:
            return self.vocabulary
        with reading(self._folder, schema.postings_file(self.length, "rows")):
            must((self.rows < self._clues).all())
        live = self.clue_count[self.rows] > 0
        begun = np.append(0, np.cumsum(live))
        return self.features, begun[self.starts], self.clue_answer[self.rows[live]]

    def same_key(self, key: str) -> NDArray[np.int64]:
        """The rows of the clue table whose key is exactly `key`."""
        return np.arange(self.keys.place(key), bisect_right(self.keys, key.encode()))

    # postings

    @cached_property
    def features(self) -> NDArray[np.uint64]:
        return self._posting("features", None if self._clues else 0)

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        ends = [0, len(self.rows)]

        def ascending(starts: NDArray[np.int64]) -> bool:
            return [*starts[[0, -1]]] == ends and bool((np.diff(starts) >= 0).all())

        if not self._clues:
            return np.zeros(1, np.int64)
        return self._posting("starts", len(self.features) + 1, ascending)

    @cached_property
    def rows(self) -> NDArray[np.uint32]:
        return self._posting("rows", None if self._clues else 0)

    @cached_property
    def norms(self) -> NDArray[np.float32]:
        return self._posting("norms", self._clues, lambda norms: ((norms > 0) & (norms < np.inf)).all())

    def posting(self, place: int) -> NDArray[np.uint32]:
        """The rows of the clue table that have `features[place]`, ascending."""
        rows = self.rows[self.starts[place] : self.starts[place + 1]]
        with reading(self._folder, schema.postings_file(self.length, "rows")):
            must((rows < self._clues).all())
        return rows

    # the encoders

    def vectors(self, encoder: str) -> AnswerVectors:
        """The vector and bias of each answer in the encoder that lives in the folder `encoder` of the index."""
        if encoder not in self._vectors:
            count = self.count if self._distilled else None
            self._vectors[encoder] = vectors.read(self._books, encoder, self.length, self._answers, count)
        return self._vectors[encoder]

    @cached_property
    def clue_embeddings(self) -> NDArray[np.int8]:
        """What each past clue means, (clues, REDUCED), see transformer.to_bytes; rows as in `clues_by_answer`."""
        file, shape = schema.encoder_file(schema.TRANSFORMER, self.length, "clues"), (self._clues, REDUCED)
        return columns.read(self._folder, file, np.int8, shape)

    @cached_property
    def clues_by_answer(self) -> NDArray[np.uint32]:
        """The rows of the clue table in the order of their answers, ascending within an answer."""
        answers = self.clue_answer

        def each_once(rows: NDArray[np.uint32]) -> bool:
            if not (rows < len(answers)).all():
                return False
            place = answers[rows].astype(np.int64) * len(answers) + rows
            return bool((np.diff(place) > 0).all())

        file = schema.encoder_file(schema.TRANSFORMER, self.length, "by-answer")
        return columns.read(self._folder, file, np.uint32, (self._clues,), each_once)

    @cached_property
    def clue_starts(self) -> NDArray[np.int64]:
        """Where in `clues_by_answer` each answer's clues begin, (answers + 1,)."""
        return np.searchsorted(self.clue_answer[self.clues_by_answer], np.arange(self._answers + 1))

    def _count(self, column: Callable[[str], NDArray[Any]]) -> NDArray[np.int64]:
        count = column("count").astype(np.int64)
        return count - column("latest") if self._hidden else count
