"""Tables with text in them, and packed ones: what Parquet and pyarrow are for, their columns and how they are packed.

To import pyarrow takes longer than to solve a small puzzle, so what only solves imports this where it must.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import DTypeLike, NDArray

from regis.index import schema
from regis.index.opening import must, reading
from regis.system.held import Place
from regis.system.kept import MAPPED

LEVEL = 19  # of compression (zstd)

DELTA, TEXT_DELTA = "DELTA_BINARY_PACKED", "DELTA_BYTE_ARRAY"


def _kind(kind: DTypeLike) -> pa.DataType:
    """What a column of numbers or words is in a table; words of any size are text there."""
    found = np.dtype(kind)
    if found.kind != "S":
        return pa.from_numpy_dtype(found)
    return pa.binary(found.itemsize) if found.itemsize else pa.string()


def _schema(kinds: Mapping[str, DTypeLike]) -> pa.Schema:
    return pa.schema([(name, _kind(kind)) for name, kind in kinds.items()])


_COUNTED = list(_schema(schema.COUNTED))
CLUES = pa.schema([("key", pa.string()), ("clue", pa.string()), *_schema(schema.CLUES)])
PAIRS = pa.schema([("key", pa.string()), ("clue", pa.string()), ("answer", pa.string()), *_COUNTED])
"""The clue table before its answers have their rows."""

ANSWERS = pa.schema([("answer", pa.string()), ("text", pa.string()), *_COUNTED, ("score", pa.float32())])
"""The answer table before its answers have their letters in a row."""

USED = pa.schema([("key", pa.string()), ("clue", pa.string()), ("answer", pa.string()), ("year", pa.uint16())])
"""Single uses of clues, as sources tell of them; the year is 0 if unknown."""

LISTED = pa.schema([("answer", pa.string()), ("text", pa.string()), ("score", pa.float32())])
"""What lists say of answers, with null for no text; the rest of the answer table is counted from the clues."""

LAYER = pa.schema([*USED, *LISTED.remove(LISTED.get_field_index("answer"))])
"""One entry of a layer: a use of a clue, or, with '' for key and clue, what a list says of an answer.

The text of a use is the name of the puzzle that it is of, a hash of its clues; null in a clue table."""

PIECES, SPELLING = _schema(schema.PIECES), _schema(schema.SPELLING)
REPEATS, FEATURES = _schema(schema.REPEATS), _schema(schema.FEATURES)


def answers_schema(length: int) -> pa.Schema:
    """The schema of the answer table of one length."""
    return ANSWERS.set(0, pa.field("answer", pa.binary(length)))


def whole_table(path: Place, columns: list[str] | None = None) -> pa.Table:
    """Some columns of the table in the file `path` (.parquet), or all. Raises whatever pyarrow does."""
    with path.open("rb") as file:
        small = os.fstat(file.fileno()).st_size < MAPPED
        source = pa.BufferReader(file.read()) if small else file
        with pq.ParquetFile(source, page_checksum_verification=True) as opened:
            return opened.read(columns, use_threads=False)


def table(folder: Place, name: str, kinds: pa.Schema, rows: int) -> pa.Table:
    """The columns `kinds` of the table in the file `name` of an index, `rows` long.

    Raises IndexDamaged or IndexUnreadable.
    """
    with reading(folder, name):
        if rows == 0 and not (folder / name).is_file():
            return kinds.empty_table()
        found = whole_table(folder / name, kinds.names)
        must(found.schema.equals(kinds) and found.num_rows == rows)
        return found


def column(folder: Place, name: str, kind: pa.Field, rows: int) -> pa.Array:
    """One column of such a table, in one piece."""
    return table(folder, name, pa.schema([kind]), rows).column(0).combine_chunks()


def arrays(path: Place, kinds: Mapping[str, DTypeLike]) -> list[NDArray[Any]]:
    """The columns `kinds`, numbers and words, of the table in the file `path`. Raises whatever pyarrow does."""
    found = whole_table(path, list(kinds))
    must(found.schema.equals(_schema(kinds)))
    return [_array(found[name].combine_chunks(), np.dtype(kind)) for name, kind in kinds.items()]


def texts(path: Place, name: str) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    """The column `name` of the table in the file `path`, as `written`. Raises whatever pyarrow does."""
    column = whole_table(path, [name])[name].combine_chunks()
    must(pa.types.is_string(column.type))
    return written(column)


def _array(column: pa.Array, kind: np.dtype[Any]) -> NDArray[Any]:
    must(not column.null_count)
    if kind.kind != "S":
        values: NDArray[Any] = column.to_numpy(zero_copy_only=False)
        return values
    return letters(column).view(kind)[:, 0] if kind.itemsize else words(column)


def letters(answers: pa.FixedSizeBinaryArray) -> NDArray[np.uint8]:
    """A whole column of words of one size as (rows, length) bytes."""
    length = answers.type.byte_width
    return np.frombuffer(answers.buffers()[1] or b"", np.uint8)[: len(answers) * length].reshape(len(answers), length)


def words(texts: pa.StringArray) -> NDArray[np.bytes_]:
    """A column of words in capitals, none of them empty, as (rows,) bytes; anything else is damaged."""
    if not len(texts):
        return np.zeros(0, "S1")
    starts, data = written(texts)
    sizes = np.diff(starts)
    table = np.zeros((len(texts), int(sizes.max(initial=1))), np.uint8)
    must((sizes > 0).all() and ((data >= ord("A")) & (data <= ord("Z"))).all())
    table[np.arange(table.shape[1]) < sizes[:, None]] = data
    return table.view(f"S{table.shape[1]}")[:, 0]


def written(texts: pa.StringArray) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    """A column of texts as bytes (UTF-8) one behind the other: where each begins, one more at the end; and the bytes.

    Null is as empty a text as any.
    """
    if not len(texts):
        return np.zeros(1, np.int32), np.zeros(0, np.uint8)
    starts = np.frombuffer(texts.buffers()[1], np.int32)[texts.offset :][: len(texts) + 1]
    return starts - starts[0], np.frombuffer(texts.buffers()[2] or b"", np.uint8)[starts[0] : starts[-1]]


def save_packed(path: Path, values: NDArray[Any]) -> None:
    """Writes `values` beside the name `path` (.npy), as small as can be."""
    write_packed(path.with_suffix(schema.PACKED), pa.table({"_": values}), ["_"] if values.dtype.itemsize > 1 else [])


def write_packed(path: Path, table: pa.Table, ordered: list[str]) -> None:
    """Writes a table as small as can be; the columns `ordered`, whole numbers or texts, by their differences."""
    path.parent.mkdir(parents=True, exist_ok=True)
    deltas = {name: TEXT_DELTA if pa.types.is_string(table.schema.field(name).type) else DELTA for name in ordered}
    pq.write_table(
        table, path, compression="zstd", compression_level=LEVEL, write_page_checksum=True,
        use_dictionary=[name for name in table.schema.names if name not in ordered],
        column_encoding=deltas,
    )  # fmt: skip
