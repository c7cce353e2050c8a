"""All that an index holds for answers of one length, read when first asked for, column by column.

Postings stay on disk as memory maps, shared between processes. Whatever turns out unreadable is an IndexDamaged with
the command that mends it.
"""

from __future__ import annotations

import functools
from bisect import bisect_left
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from regis import text
from regis.index import manifest, schema
from regis.models import features as words
from regis.models import quantization
from regis.models.embedding import DIMENSIONS, AnswerVectors, Bytes, quantised
from regis.models.transformer import GIST
from regis.puzzle.alphabet import fits

T = TypeVar("T")

UNREADABLE = Exception
"""Over bytes that are not what was written, numpy, pyarrow and json raise whatever they happen to stumble over, as far
as tokenize.TokenError; to a person it is all the same."""


def must(holds: bool) -> None:
    """Raises ValueError where something read is not what any build writes."""
    if not holds:
        raise ValueError("not what was written")


class Keys:
    """Sorted clue keys: a column of strings that can be searched without being copied."""

    def __init__(self, column: pa.StringArray, order: NDArray[np.uint32] | None = None) -> None:
        self._column = column
        self._order = order

    def __len__(self) -> int:
        return len(self._column)

    def __getitem__(self, place: int) -> bytes:
        if self._order is None:
            return bytes(self._column[place].as_buffer())
        key: str = self._column[int(self._order[place])].as_py()
        return text.reversed_key(key).encode()

    def place(self, key: str) -> int:
        """Where `key` stands or would stand, by binary search; with an order, where its reversed words would."""
        return bisect_left(self, key.encode())

    def rows(self, low: int, high: int) -> NDArray[np.int64]:
        """The clue table's rows at places `low` to `high` - 1 of this order."""
        low, high = max(low, 0), min(high, len(self))
        return np.arange(low, high) if self._order is None else self._order[low:high].astype(np.int64)


class Uses(NamedTuple):
    """Past uses of one clue: three parallel arrays."""

    answers: NDArray[np.int64]  # rows of the answer table
    times: NDArray[np.int64]
    last: NDArray[Any]  # years, 0 if unknown


class _Repeats(NamedTuple):
    clue: NDArray[np.uint64]
    answer: NDArray[np.uint32]
    times: NDArray[np.uint32]
    last: NDArray[np.uint16]


class Partition:
    """All that an index holds for answers of one length. With `hidden`, as it was before the newest year."""

    def __init__(self, folder: Path, length: int, sizes: Mapping[str, int], hidden: bool) -> None:
        self.length = length
        self._folder = folder
        self._sizes = sizes  # {"clues": rows, "answers": rows}
        self._hidden = hidden
        self._vectors: dict[str, AnswerVectors] = {}

    def _read(self, name: str, read: Callable[[Path], T]) -> T:
        try:
            return read(self._folder / name)
        except UNREADABLE as cause:
            raise manifest.damaged(self._folder, name) from cause

    def _column(self, name: str, column: str) -> pa.Array:
        answers = name == schema.answers_file(self.length)
        kinds = schema.answers_schema(self.length) if answers else schema.CLUES
        rows = self._sizes["answers" if answers else "clues"]
        if not rows:
            return pa.array([], kinds.field(column).type)

        def read(path: Path) -> pa.Array:
            table = pq.read_table(path, columns=[column], partitioning=None, page_checksum_verification=True)
            must(table.num_rows == rows and table.schema.names == [column])
            must(table.schema.field(0).type == kinds.field(column).type)
            return table.column(0).combine_chunks() if table.num_rows else pa.array([], table.schema.field(0).type)

        return self._read(name, read)

    def _array(self, name: str, kind: type, right: Callable[[NDArray[Any]], bool]) -> NDArray[Any]:
        """A memory map of one row of numbers; `right` says whether its values can be what was written."""

        def read(path: Path) -> NDArray[Any]:
            values: NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False).view(np.ndarray)
            must(values.dtype == kind and values.ndim == 1 and right(values))
            return values

        if not self._sizes["clues"]:
            return np.zeros(int(name == schema.postings_file(self.length, "starts")), kind)
        return self._read(name, read)

    def _posting(self, name: str, right: Callable[[NDArray[Any]], bool]) -> NDArray[Any]:
        return self._array(schema.postings_file(self.length, name), schema.POSTINGS[name], right)

    def table(self, name: str) -> pa.Table:
        """The answer table or the clue table as a whole, as it lies on disk."""
        kinds = schema.answers_schema(self.length) if name == schema.answers_file(self.length) else schema.CLUES
        return pa.table([self._column(name, column) for column in kinds.names], schema=kinds)

    def _numbers(self, name: str, column: str) -> NDArray[Any]:
        values: NDArray[Any] = self._column(name, column).to_numpy(zero_copy_only=False)
        return values

    # answers

    @cached_property
    def letters(self) -> NDArray[np.uint8]:
        """All answers as (rows, length), values 0 to 25, sorted."""
        column = self._column(schema.answers_file(self.length), "answer")
        flat = np.frombuffer(column.buffers()[1], dtype=np.uint8)[: len(column) * self.length]
        return flat.reshape(len(column), self.length) - 65

    @cached_property
    def names(self) -> NDArray[np.bytes_]:
        """All answers as fixed-width bytes, sorted."""
        return np.frombuffer((self.letters + 65).tobytes(), dtype=f"S{self.length}")

    @cached_property
    def count(self) -> NDArray[np.int64]:
        """How often each answer was used."""
        return self._count(schema.answers_file(self.length))

    @cached_property
    def last(self) -> NDArray[np.uint16]:
        """The last year each answer was used in; 0 if unknown."""
        return self._numbers(schema.answers_file(self.length), "previous" if self._hidden else "last")

    @cached_property
    def score(self) -> NDArray[np.float32]:
        """The best score of any list that has the answer; 0 where no list has it."""
        return self._numbers(schema.answers_file(self.length), "score")

    @cached_property
    def exists(self) -> NDArray[np.bool_]:
        """False for answers that come only from the newest year, when that is hidden."""
        return (self.count > 0) | (self.score > 0)

    def fitting(self, pattern: str) -> NDArray[np.int32]:
        """The rows of the answers that have the letters of `pattern`, ascending."""
        if pattern.count("?") == len(pattern):
            return self._existing
        return self._existing[fits(self.letters[self._existing], pattern)]

    @cached_property
    def _existing(self) -> NDArray[np.int32]:
        return np.flatnonzero(self.exists).astype(np.int32)

    @cached_property
    def texts(self) -> pa.StringArray:
        """Each answer as a title or list writes it, or null."""
        return self._column(schema.answers_file(self.length), "text")

    def answer_row(self, answer: str) -> int:
        """The row of `answer`, or -1."""
        if not len(self.letters):
            return -1
        row = int(np.searchsorted(self.names, answer.encode()))
        return row if row < len(self.names) and self.names[row] == answer.encode() else -1

    # clues

    @cached_property
    def keys(self) -> Keys:
        return Keys(self.key_column)

    @cached_property
    def reversed_keys(self) -> Keys:
        clues = self._sizes["clues"]
        order = self._array(
            schema.reversed_file(self.length), np.uint32, lambda v: len(v) == clues and bool((v < clues).all())
        )
        return Keys(self.key_column, order)

    @cached_property
    def key_column(self) -> pa.StringArray:
        return self._column(schema.clues_file(self.length), "key")

    @cached_property
    def clue_column(self) -> pa.StringArray:
        """The wording of each clue, for learning and as evidence."""
        return self._column(schema.clues_file(self.length), "clue")

    @cached_property
    def clue_answer(self) -> NDArray[np.uint32]:
        """Each clue's answer, as a row of the answer table."""
        return self._numbers(schema.clues_file(self.length), "answer")

    @cached_property
    def clue_count(self) -> NDArray[np.int64]:
        """How often each clue had that answer; 0 hides the row from every finder."""
        return self._count(schema.clues_file(self.length))

    @cached_property
    def clue_latest(self) -> NDArray[np.uint32]:
        """How often each clue had that answer in the newest year of the index, hidden or not."""
        return self._numbers(schema.clues_file(self.length), "latest")

    @cached_property
    def clue_last(self) -> NDArray[np.uint16]:
        """The last year of each clue with that answer; 0 if unknown."""
        return self._numbers(schema.clues_file(self.length), "previous" if self._hidden else "last")

    def uses(self, key: str) -> Uses:
        """Which answers exactly the clue with this key had; also where the clues themselves are not kept."""
        if not self._distilled:
            same = self.same_key(key)
            return Uses(self.clue_answer[same].astype(np.int64), self.clue_count[same], self.clue_last[same])
        code = np.uint64(words.code(key))
        low, high = (
            np.searchsorted(self._repeats.clue, code, "left"),
            np.searchsorted(self._repeats.clue, code, "right"),
        )
        return Uses(*(column[low:high].astype(np.int64) for column in self._repeats[1:]))

    @cached_property
    def _repeats(self) -> _Repeats:
        def read(path: Path) -> _Repeats:
            table = pq.read_table(path, partitioning=None, page_checksum_verification=True)
            must(table.schema.equals(schema.REPEATS))
            found = _Repeats(*(table[name].to_numpy() for name in schema.REPEATS.names))
            must(bool((found.answer < self._sizes["answers"]).all()))
            return found

        return self._read(schema.repeats_file(self.length), read)

    @property
    def _distilled(self) -> bool:
        return (self._folder / schema.repeats_file(self.length)).is_file()

    def same_key(self, key: str) -> NDArray[np.int64]:
        """The rows of the clue table whose key is exactly `key`."""
        low = self.keys.place(key)
        high = low
        while high < len(self.keys) and self.keys[high] == key.encode():
            high += 1
        return np.arange(low, high)

    # postings

    @cached_property
    def features(self) -> NDArray[np.uint64]:
        return self._posting("features", lambda v: True)

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        ends = [0, len(self.rows)]
        return self._posting(
            "starts",
            lambda v: len(v) == len(self.features) + 1 and [*v[[0, -1]]] == ends and bool((np.diff(v) >= 0).all()),
        )

    @cached_property
    def rows(self) -> NDArray[np.uint32]:
        return self._posting("rows", lambda v: True)

    @cached_property
    def norms(self) -> NDArray[np.float32]:
        clues = self._sizes["clues"]
        return self._posting("norms", lambda v: len(v) == clues and bool(((v > 0) & (v < np.inf)).all()))

    def posting(self, place: int) -> NDArray[np.uint32]:
        """The rows of the clue table that have `features[place]`, ascending."""
        rows = self.rows[self.starts[place] : self.starts[place + 1]]
        self._read(schema.postings_file(self.length, "rows"), lambda _: must(bool((rows < self._sizes["clues"]).all())))
        return rows

    # the encoders

    def vectors(self, encoder: str) -> AnswerVectors:
        """The vector and bias of each answer in the encoder that lives in the folder `encoder` of the index."""
        if encoder not in self._vectors:
            self._vectors[encoder] = self._read_vectors(encoder)
        return self._vectors[encoder]

    def _read_vectors(self, encoder: str) -> AnswerVectors:
        answers = self._sizes["answers"]
        if not answers:
            empty = Bytes(np.zeros((0, DIMENSIONS), np.int8), np.zeros(0, np.float16))
            return AnswerVectors(empty, np.zeros(0, np.float32))

        def one(name: str, kind: type, shape: tuple[int, ...]) -> NDArray[Any]:
            def read(path: Path) -> NDArray[Any]:
                values: NDArray[Any] = np.load(path, mmap_mode="r").view(np.ndarray)
                must(values.dtype == kind and values.shape == shape and (kind == np.int8 or np.isfinite(values).all()))
                return values

            return self._read(schema.encoder_file(encoder, self.length, name), read)

        scales, bias = one("scales", np.float16, (answers,)), one("bias", np.float16, (answers,)).astype(np.float32)
        if not (self._folder / schema.encoder_file(encoder, self.length, "often")).is_file():
            return AnswerVectors(Bytes(one("answers", np.int8, (answers, DIMENSIONS)), scales), bias)
        table, sizes = np.empty((answers, DIMENSIONS), np.int8), np.empty(answers, np.float16)
        for name, rows in schema.tiers(self.count).items():
            pieces = schema.TIERS[name]
            codes = self._codes(schema.encoder_file(encoder, self.length, name), (int(rows.sum()), pieces))
            read_book = functools.partial(quantization.read_book, pieces=pieces, dimensions=DIMENSIONS)
            book = self._read(schema.packed_file(encoder, f"{name}-book"), read_book)
            table[rows], sizes[rows] = quantised(
                quantization.Packed(codes, scales[rows], book, DIMENSIONS).unpacked(slice(None))
            )
        return AnswerVectors(Bytes(table, sizes), bias)

    def _codes(self, name: str, shape: tuple[int, int]) -> NDArray[np.uint8]:
        def read(path: Path) -> NDArray[np.uint8]:
            codes: NDArray[np.uint8] = np.load(path, allow_pickle=False)
            must(codes.dtype == np.uint8 and codes.shape == shape)
            return codes

        return self._read(name, read)

    @cached_property
    def clue_gists(self) -> NDArray[np.int8]:
        """What each past clue means, (clues, GIST), see transformer.in_bytes; rows as in `clues_by_answer`."""
        clues = self._sizes["clues"]
        if not clues:
            return np.zeros((0, GIST), np.int8)

        def read(path: Path) -> NDArray[np.int8]:
            values: NDArray[np.int8] = np.load(path, mmap_mode="r", allow_pickle=False).view(np.ndarray)
            must(values.dtype == np.int8 and values.shape == (clues, GIST))
            return values

        return self._read(schema.encoder_file(schema.TRANSFORMER, self.length, "clues"), read)

    @cached_property
    def clues_by_answer(self) -> NDArray[np.uint32]:
        """The rows of the clue table in the order of their answers, ascending within an answer."""
        answers = self.clue_answer

        def right(rows: NDArray[np.uint32]) -> bool:
            if len(rows) != len(answers) or not (rows < len(answers)).all():
                return False
            place = answers[rows].astype(np.int64) * len(answers) + rows
            return bool((np.diff(place) > 0).all())  # so that every row is there, and once

        name = schema.encoder_file(schema.TRANSFORMER, self.length, "by-answer")
        return self._array(name, np.uint32, right)

    @cached_property
    def clue_starts(self) -> NDArray[np.int64]:
        """Where in `clues_by_answer` each answer's clues begin, (answers + 1,)."""
        return np.searchsorted(self.clue_answer[self.clues_by_answer], np.arange(self._sizes["answers"] + 1))

    def _count(self, name: str) -> NDArray[np.int64]:
        count = self._numbers(name, "count").astype(np.int64)
        return count - self._numbers(name, "latest") if self._hidden else count
