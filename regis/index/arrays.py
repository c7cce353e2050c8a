"""One row of numbers on the disk: a memory map, or, where a distilled index has to be small, a packed column."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

LEVEL = 19
"""Of compression (zstd)."""

DELTA = "DELTA_BINARY_PACKED"


def load(path: Path) -> NDArray[Any]:
    """The array in the file `path` (.npy), or in the packed one that stands in its place (.parquet).

    Raises whatever numpy and pyarrow raise over a file that is damaged or not there.
    """
    other = path.with_suffix(".parquet")
    if not path.exists() and other.exists():
        values: NDArray[Any] = pq.read_table(other, partitioning=None, page_checksum_verification=True)["_"].to_numpy()
        return values
    mapped: NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False).view(np.ndarray)
    return mapped


def save_packed(path: Path, values: NDArray[Any]) -> None:
    """Writes `values` beside the name `path` (.npy), as small as can be."""
    write_packed(path.with_suffix(".parquet"), pa.table({"_": values}), ["_"] if values.dtype.itemsize > 1 else [])


def write_packed(path: Path, table: pa.Table, whole_numbers: list[str]) -> None:
    """Writes a table as small as can be; the columns `whole_numbers` by their differences."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(
        table, path, compression="zstd", compression_level=LEVEL, write_page_checksum=True,
        use_dictionary=[name for name in table.schema.names if name not in whole_numbers],
        column_encoding=dict.fromkeys(whole_numbers, DELTA),
    )  # fmt: skip
