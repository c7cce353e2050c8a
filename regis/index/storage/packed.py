"""A packed index, as small as possible: arrays in numpy files and Parquet tables.

The arrays of a part, such as `length=5/tables`, are files in its folder. An array `NAME` is in NAME.npy, or in
NAME.parquet as the only column `_`; other columns are arrays NAME.COLUMN. A column of texts becomes two arrays
(`columns.TextColumn`), or none if all are empty.
"""

from __future__ import annotations

import shutil
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regis.system.files.array_file import ARRAY_SUFFIX, ArrayFile

PACKED_SUFFIXES = (".npy", ".parquet")
ONLY_COLUMN = "_"  # column name in a table with a single array
PACKED_ARRAY_PARTS = ("relations",)  # parts whose single arrays are packed as tables; others are small or random
DELTA_COLUMNS = (ONLY_COLUMN, "clue", "answer", "feature", "piece")  # sorted columns are written as differences


def list_parts(file_names: Iterable[str]) -> Mapping[str, Sequence[str]]:
    parts: dict[str, list[str]] = defaultdict(list)
    for name in file_names:
        part, _, file_name = name.rpartition("/")
        if file_name.endswith(PACKED_SUFFIXES) and part != "layers":
            parts[part].append(name)
    return parts


def unpack_arrays(packed_files: Sequence[Path]) -> dict[str, NDArray[Any]]:
    """Return the arrays of some files by name; raises what numpy and pyarrow raise."""
    from regis.index.storage import parquet

    arrays: dict[str, NDArray[Any]] = {}
    for path in packed_files:
        if path.suffix == ".npy":
            arrays[path.stem] = np.load(path, allow_pickle=False)
        else:
            unpacked = parquet.table_arrays(path.stem, parquet.read_table_file(path))
            arrays |= {name.removesuffix(f".{ONLY_COLUMN}"): values for name, values in unpacked.items()}
    return arrays


def pack_index(index_folder: Path, file_names: Iterable[str], packed_folder: Path) -> None:
    """Write a packed copy of an index's files, without the manifest; raises OSError or FileChanged."""
    for name in file_names:
        part, target = name.removesuffix(ARRAY_SUFFIX), packed_folder / name
        if part == name:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(index_folder / name, target)
        else:
            _pack_arrays(packed_folder / part, ArrayFile(index_folder / name))


def _pack_arrays(part_folder: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write the arrays of a part: the columns of a table into one file, every other array into its own."""
    tables: dict[str, dict[str, NDArray[Any]]] = defaultdict(dict)
    part_folder.mkdir(parents=True, exist_ok=True)
    for name, values in arrays.items():
        table_name, _, column_name = name.partition(".")
        if column_name or part_folder.name in PACKED_ARRAY_PARTS or table_name.endswith("-rows"):
            tables[table_name][column_name or ONLY_COLUMN] = values
        else:
            np.save(part_folder / f"{name}.npy", values, allow_pickle=False)
    for table_name, columns in tables.items():
        _pack_table(part_folder / f"{table_name}.parquet", columns)


def _pack_table(path: Path, columns: Mapping[str, NDArray[Any]]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    from regis.index.storage import parquet

    names = dict.fromkeys(name.removesuffix(".starts").removesuffix(".data") for name in columns)
    table = pa.table({name: parquet.to_arrow(columns, name) for name in names})
    delta_columns = [name for name in names if name in DELTA_COLUMNS and _has_differences(columns.get(name))]
    by_differences = {True: "DELTA_BYTE_ARRAY", False: "DELTA_BINARY_PACKED"}  # for texts, and for numbers
    pq.write_table(
        table, path, compression="zstd", compression_level=19, write_page_checksum=True,
        use_dictionary=[name for name in names if name not in delta_columns],
        column_encoding={name: by_differences[pa.types.is_string(table[name].type)] for name in delta_columns},
    )  # fmt: skip


def _has_differences(values: NDArray[Any] | None) -> bool:
    """Return whether a column can be delta-encoded; None stands for texts."""
    return values is None or (values.dtype.kind in "iu" and values.itemsize > 1)
