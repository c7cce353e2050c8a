"""Rows of numbers and columns on the disk, and the one way in which everything under `index` is read.

Over bytes that are not what was written, numpy, pyarrow and json raise whatever they happen to stumble over, as far as
tokenize.TokenError; to a person it is all the same: the index is damaged, and a command mends it. What has no rows
needs no file.
"""

from __future__ import annotations

import math
import os
import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import DTypeLike, NDArray

from regis import text
from regis.errors import IndexUnreadable
from regis.index import manifest
from regis.system.held import Changed, Place
from regis.system.lack import unreadable

LEVEL = 19  # of compression (zstd)

DELTA, TEXT_DELTA = "DELTA_BINARY_PACKED", "DELTA_BYTE_ARRAY"
PLAIN, PACKED = ".npy", ".parquet"
HEADER = re.compile(
    rb"\x93NUMPY\x01\x00..\{'descr': '([<|][a-z]\d+)', 'fortran_order': False, 'shape': \(([\d, ]*)\), \} *\n",
    re.DOTALL,
)
"""What stands before the numbers in an array's file, as numpy writes it; its own reader takes as long as the rest."""

LONGEST_HEADER = 1024
MAPPED = 1 << 20  # bytes from which an array is mapped; smaller ones are safe from whoever cuts files short, and closed

Law = Callable[[NDArray[Any]], Any]  # whether an array can be what was written


def must(holds: Any) -> None:
    """Raises ValueError where something read is not what any build writes."""
    if not holds:
        raise ValueError("not what was written")


@contextmanager
def reading(folder: Place, name: str) -> Iterator[None]:
    """Whatever goes wrong inside is told of `name`, a file or folder of the index at `folder`.

    It is an IndexUnreadable where the machine lacks something, else an IndexDamaged.
    """
    try:
        yield
    except Exception as cause:
        if why := unreadable(cause):
            raise IndexUnreadable(f"the index at {folder} cannot be read ({name}): {why}") from cause
        raise manifest.damaged(folder, str(cause) if isinstance(cause, Changed) else name) from cause


def read(
    folder: Place, name: str, kind: DTypeLike, shape: tuple[int | None, ...], law: Law | None = None
) -> NDArray[Any]:
    """The array in the file `name` (.npy) of the index at `folder`, or in the packed one in its place (.parquet).

    Its type is `kind`, its sizes are `shape`, None for any, and `law` holds of it. A large one that is not packed is
    mapped into memory. Raises IndexDamaged or IndexUnreadable.
    """
    with reading(folder, name):
        path, packed = folder / name, folder / (name.removesuffix(PLAIN) + PACKED)
        if not path.is_file() and packed.is_file():
            values: NDArray[Any] = whole_table(packed)["_"].to_numpy()
        elif shape[0] == 0 and not path.is_file():
            return np.empty([size or 0 for size in shape], kind)
        else:
            values = _array(path)
        must(values.dtype == kind and values.ndim == len(shape))
        must(all(size in (None, found) for size, found in zip(shape, values.shape, strict=True)))
        must(law is None or law(values))
        return values


def _array(path: Place) -> NDArray[Any]:
    """The array in the file `path` (.npy)."""
    with path.open("rb") as file:
        mapped = os.fstat(file.fileno()).st_size >= MAPPED
        begin = file.read(LONGEST_HEADER) if mapped else file.read()
        header = HEADER.match(begin)
        must(header is not None)
        assert header is not None
        kind, shape = np.dtype(header[1].decode()), tuple(map(int, header[2].replace(b",", b" ").split()))
        if mapped:
            return np.memmap(file, kind, "r", header.end(), shape).view(np.ndarray)
        return np.frombuffer(begin, kind, math.prod(shape), header.end()).reshape(shape)


def whole_table(path: Place, columns: list[str] | None = None) -> pa.Table:
    """Some columns of the table in the file `path` (.parquet), or all. Raises whatever pyarrow does."""
    with path.open("rb") as file:
        small = os.fstat(file.fileno()).st_size < MAPPED
        source = pa.BufferReader(file.read()) if small else file
        with pq.ParquetFile(source, page_checksum_verification=True) as opened:
            return opened.read(columns, use_threads=False)


def table(folder: Place, name: str, kinds: pa.Schema, rows: int | None = None) -> pa.Table:
    """The columns `kinds` of the table in the file `name` of an index, `rows` long (None: any). Raises as `read`."""
    with reading(folder, name):
        if rows == 0 and not (folder / name).is_file():
            return kinds.empty_table()
        found = whole_table(folder / name, kinds.names)
        must(found.schema.equals(kinds) and rows in (None, found.num_rows))
        return found


def column(folder: Place, name: str, kind: pa.Field, rows: int) -> pa.Array:
    """One column of such a table, in one piece."""
    return table(folder, name, pa.schema([kind]), rows).column(0).combine_chunks()


def letters(answers: pa.FixedSizeBinaryArray) -> NDArray[np.uint8]:
    """A whole column of answers as (rows, length), values 0 to 25."""
    length = answers.type.byte_width
    return np.frombuffer(answers.buffers()[1], np.uint8)[: len(answers) * length].reshape(len(answers), length) - 65


def words(texts: pa.StringArray) -> NDArray[np.bytes_]:
    """A column of words in capitals, none of them empty, as (rows,) bytes; anything else is damaged."""
    if not len(texts):
        return np.zeros(0, "S1")
    starts = np.frombuffer(texts.buffers()[1], np.int32)[texts.offset :][: len(texts) + 1]
    sizes = np.diff(starts)
    table = np.zeros((len(texts), int(sizes.max(initial=1))), np.uint8)
    letters = np.frombuffer(texts.buffers()[2] or b"", np.uint8)[starts[0] : starts[-1]]
    must((sizes > 0).all() and not texts.null_count and ((letters >= ord("A")) & (letters <= ord("Z"))).all())
    table[np.arange(table.shape[1]) < sizes[:, None]] = letters
    return table.view(f"S{table.shape[1]}")[:, 0]


def finite(values: NDArray[Any]) -> bool:
    """The law that numbers are numbers."""
    return bool(np.isfinite(values).all())


def save(path: Path, values: NDArray[Any]) -> None:
    """Writes `values` into the file `path` (.npy); its folder is made if need be."""
    path.parent.mkdir(parents=True, exist_ok=True)
    np.save(path, values, allow_pickle=False)


def save_packed(path: Path, values: NDArray[Any]) -> None:
    """Writes `values` beside the name `path` (.npy), as small as can be."""
    write_packed(path.with_suffix(PACKED), pa.table({"_": values}), ["_"] if values.dtype.itemsize > 1 else [])


def write_packed(path: Path, table: pa.Table, ordered: list[str]) -> None:
    """Writes a table as small as can be; the columns `ordered`, whole numbers or texts, by their differences."""
    path.parent.mkdir(parents=True, exist_ok=True)
    deltas = {name: TEXT_DELTA if pa.types.is_string(table.schema.field(name).type) else DELTA for name in ordered}
    pq.write_table(
        table, path, compression="zstd", compression_level=LEVEL, write_page_checksum=True,
        use_dictionary=[name for name in table.schema.names if name not in ordered],
        column_encoding=deltas,
    )  # fmt: skip


class Keys:
    """Clue keys in an order that can be searched without copying them: as they are, or read backwards."""

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
