"""Conversions between pyarrow tables and numpy arrays, and Parquet files.

Importing pyarrow takes longer than solving a small puzzle, so solving imports this module only on demand.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from regis.index.storage.columns import TextColumn, text_arrays
from regis.index.storage.validation import require


def read_table_file(path: Path) -> pa.Table:
    """Read a Parquet file; raises what pyarrow raises."""
    with path.open("rb") as file, pq.ParquetFile(file, page_checksum_verification=True) as opened:
        return opened.read(use_threads=False)


def table_arrays(table_name: str, table: pa.Table) -> dict[str, NDArray[Any]]:
    """Return the columns of a table as arrays `table_name`.COLUMN; raises ValueError if a number is missing.

    A column of texts becomes two arrays, or none if all are empty.
    """
    arrays: dict[str, NDArray[Any]] = {}
    for column_name in table.column_names:
        column, name = table[column_name].combine_chunks(), f"{table_name}.{column_name}"
        if not pa.types.is_string(column.type):
            arrays[name] = to_numpy(column)
        elif column.null_count < len(column) or not len(column):
            arrays |= text_arrays(name, TextColumn(*to_utf8_bytes(column)))
    return arrays


def to_numpy(column: pa.Array) -> NDArray[Any]:
    """Return a column of numbers or fixed-size bytes; raises ValueError if one is missing."""
    require(not column.null_count)
    if pa.types.is_fixed_size_binary(column.type):
        return to_letter_rows(column).view(f"S{column.type.byte_width}")[:, 0]
    values: NDArray[Any] = column.to_numpy(zero_copy_only=False)
    return values


def to_arrow(arrays: Mapping[str, NDArray[Any]], name: str) -> pa.Array:
    """Return the column of numbers, fixed-size bytes, or texts that is stored under `name`."""
    if name not in arrays:
        return to_text_array(TextColumn(arrays[f"{name}.starts"], arrays[f"{name}.data"]))
    values = arrays[name]
    if values.dtype.kind != "S":
        return pa.array(values)
    kind, data = pa.binary(values.dtype.itemsize), pa.py_buffer(np.ascontiguousarray(values).tobytes())
    return pa.FixedSizeBinaryArray.from_buffers(kind, len(values), [None, data])


def to_letter_rows(words: pa.FixedSizeBinaryArray) -> NDArray[np.uint8]:
    """View words of one size as (rows, length) bytes."""
    length = words.type.byte_width
    return np.frombuffer(words.buffers()[1] or b"", np.uint8)[: len(words) * length].reshape(len(words), length)


def to_utf8_bytes(texts: pa.StringArray) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    """View a column of texts as starts and end, (rows + 1,), and UTF-8 bytes; null becomes ''."""
    if not len(texts):
        return np.zeros(1, np.int32), np.zeros(0, np.uint8)
    starts = np.frombuffer(texts.buffers()[1], np.int32)[texts.offset :][: len(texts) + 1]
    return starts - starts[0], np.frombuffer(texts.buffers()[2] or b"", np.uint8)[starts[0] : starts[-1]]


def to_text_array(texts: TextColumn) -> pa.StringArray:
    """View texts as a column; '' becomes null."""
    column = pa.StringArray.from_buffers(len(texts), pa.py_buffer(texts.starts), pa.py_buffer(texts.data))
    sizes = np.diff(texts.starts)
    return column if (sizes > 0).all() else pa.array(column.to_pylist(), pa.string(), mask=sizes == 0)
