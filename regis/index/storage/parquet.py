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

from regis.index.storage.npy import PACKED_SUFFIX
from regis.index.storage.validation import guard_reading, require
from regis.system.files.array_cache import MIN_MAPPED_BYTES
from regis.system.files.locked_folder import ReadablePath

COMPRESSION_LEVEL = 19  # of zstd


def _arrow_type(dtype: DTypeLike) -> pa.DataType:
    """Return the type of a column of numbers or words in a table; words of any size are text there."""
    numpy_type = np.dtype(dtype)
    if numpy_type.kind != "S":
        return pa.from_numpy_dtype(numpy_type)
    return pa.binary(numpy_type.itemsize) if numpy_type.itemsize else pa.string()


def arrow_schema(column_types: Mapping[str, DTypeLike]) -> pa.Schema:
    """Return the schema of a table with the columns `column_types`, numpy's types by their names."""
    return pa.schema([(name, _arrow_type(kind)) for name, kind in column_types.items()])


def read_table_file(path: ReadablePath, columns: list[str] | None = None) -> pa.Table:
    """Read `columns` of the table in the file `path` (.parquet), or all. Raise whatever pyarrow does."""
    with path.open("rb") as file:
        is_small = os.fstat(file.fileno()).st_size < MIN_MAPPED_BYTES
        source = pa.BufferReader(file.read()) if is_small else file
        with pq.ParquetFile(source, page_checksum_verification=True) as opened:
            return opened.read(columns, use_threads=False)


def read_table(index_folder: ReadablePath, file_name: str, schema: pa.Schema, row_count: int) -> pa.Table:
    """Read the table in the file `file_name` of an index: the columns of `schema`, `row_count` rows.

    Raises
    ------
    IndexDamaged, IndexUnreadable
    """
    with guard_reading(index_folder, file_name):
        if row_count == 0 and not (index_folder / file_name).is_file():
            return schema.empty_table()
        table = read_table_file(index_folder / file_name, schema.names)
        require(table.schema.equals(schema) and table.num_rows == row_count)
        return table


def read_column(index_folder: ReadablePath, file_name: str, field: pa.Field, row_count: int) -> pa.Array:
    """Read one column of such a table, in one piece. Raise as `read_table` does."""
    return read_table(index_folder, file_name, pa.schema([field]), row_count).column(0).combine_chunks()


def read_number_columns(path: ReadablePath, column_types: Mapping[str, DTypeLike]) -> list[NDArray[Any]]:
    """Read columns of numbers and words from the table in the file `path`. Raise whatever pyarrow does.

    Returns
    -------
    (rows,) arrays of the types `column_types`, in their order.
    """
    table = read_table_file(path, list(column_types))
    require(table.schema.equals(arrow_schema(column_types)))
    return [_to_numpy(table[name].combine_chunks(), np.dtype(kind)) for name, kind in column_types.items()]


def read_text_column(path: ReadablePath, column_name: str) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    """Read the column `column_name` of the table in the file `path`. Raise whatever pyarrow does.

    Returns
    -------
    (rows + 1,) starts and (bytes,) data, see `to_utf8_bytes`.
    """
    column = read_table_file(path, [column_name])[column_name].combine_chunks()
    require(pa.types.is_string(column.type))
    return to_utf8_bytes(column)


def _to_numpy(column: pa.Array, dtype: np.dtype[Any]) -> NDArray[Any]:
    require(not column.null_count)
    if dtype.kind != "S":
        values: NDArray[Any] = column.to_numpy(zero_copy_only=False)
        return values
    return to_letter_rows(column).view(dtype)[:, 0] if dtype.itemsize else to_word_array(column)


def to_letter_rows(words: pa.FixedSizeBinaryArray) -> NDArray[np.uint8]:
    """View a whole column of `words` of one size as (rows, length) bytes."""
    length = words.type.byte_width
    return np.frombuffer(words.buffers()[1] or b"", np.uint8)[: len(words) * length].reshape(len(words), length)


def to_word_array(texts: pa.StringArray) -> NDArray[np.bytes_]:
    """Turn a column of words in capitals, none of them empty, into (rows,) bytes; anything else is damaged."""
    if not len(texts):
        return np.zeros(0, "S1")
    starts, data = to_utf8_bytes(texts)
    sizes = np.diff(starts)
    table = np.zeros((len(texts), int(sizes.max(initial=1))), np.uint8)
    require((sizes > 0).all() and ((data >= ord("A")) & (data <= ord("Z"))).all())
    table[np.arange(table.shape[1]) < sizes[:, None]] = data
    return table.view(f"S{table.shape[1]}")[:, 0]


def to_utf8_bytes(texts: pa.StringArray) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    """View a column of texts as bytes, one behind the other; null is as empty a text as any.

    Returns
    -------
    (rows + 1,) int32 where each text begins, one more at the end; (bytes,) uint8, UTF-8.
    """
    if not len(texts):
        return np.zeros(1, np.int32), np.zeros(0, np.uint8)
    starts = np.frombuffer(texts.buffers()[1], np.int32)[texts.offset :][: len(texts) + 1]
    return starts - starts[0], np.frombuffer(texts.buffers()[2] or b"", np.uint8)[starts[0] : starts[-1]]


def save_packed_array(path: Path, values: NDArray[Any]) -> None:
    """Write `values`, (rows,), as small as can be, beside the name `path` (.npy), with the suffix of packed arrays."""
    delta_columns = ["_"] if values.dtype.itemsize > 1 else []
    write_packed_table(path.with_suffix(PACKED_SUFFIX), pa.table({"_": values}), delta_columns)


def write_packed_table(path: Path, table: pa.Table, delta_columns: list[str]) -> None:
    """Write a table as small as can be; `delta_columns`, whole numbers or texts, by their differences."""
    path.parent.mkdir(parents=True, exist_ok=True)
    by_differences = {True: "DELTA_BYTE_ARRAY", False: "DELTA_BINARY_PACKED"}  # texts, and numbers
    pq.write_table(
        table, path, compression="zstd", compression_level=COMPRESSION_LEVEL, write_page_checksum=True,
        use_dictionary=[name for name in table.schema.names if name not in delta_columns],
        column_encoding={name: by_differences[pa.types.is_string(table[name].type)] for name in delta_columns},
    )  # fmt: skip
