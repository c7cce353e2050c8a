"""Columns of an index, read through a cache: arrays in files of their own, and columns of tables, packed or not.

A table takes many times as long to unpack as its columns take to be mapped. So they are kept in the user's cache folder
(regis.system.files.array_cache) from the first time on, each index's in a folder that is named by its content: what is
there is never out of date. pyarrow, which unpacks, is imported only where there is something to unpack.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from regis.index.storage.manifest import Manifest
from regis.index.storage.npy import PACKED_SUFFIX, PLAIN_SUFFIX, ArrayCheck, load_array
from regis.index.storage.validation import guard_reading, require
from regis.system import paths
from regis.system.files.array_cache import ArrayCache
from regis.system.files.locked_folder import LockedFolder, ReadablePath

CACHE_VERSION = 3  # of what is kept, raised with every change of it


def open_column_cache(manifest: Manifest) -> ArrayCache | None:
    """Return where unpacked columns of the index with this `manifest` are kept; None if they are not."""
    cache = paths.cache_folder()
    if cache is None or not manifest.checksums:
        return None
    content = zlib.crc32(repr(sorted(manifest.checksums.items())).encode())
    return ArrayCache(cache / f"kept-{CACHE_VERSION}-{manifest.fingerprint}-{content:08x}")


def read_array(
    index_folder: ReadablePath,
    file_name: str,
    dtype: DTypeLike,
    shape: tuple[int | None, ...],
    check: ArrayCheck | None = None,
) -> NDArray[Any]:
    """Read an array of an index from its .npy file, or from the packed one (.parquet) in its place.

    A large array that is not packed is mapped into memory. What has no rows needs no file.

    Parameters
    ----------
    file_name : path in the index, ending in .npy.
    shape : expected sizes, None for any.
    check : predicate that must hold of the array; of what is in the cache it was seen to hold.

    Returns
    -------
    Array of type `dtype` and of that `shape`.

    Raises
    ------
    IndexDamaged, IndexUnreadable
    """

    def has_type(values: NDArray[Any]) -> bool:
        sizes = zip(shape, values.shape, strict=False)
        return values.dtype == dtype and values.ndim == len(shape) and all(a in (None, b) for a, b in sizes)

    def validate(values: NDArray[Any]) -> NDArray[Any]:
        require(has_type(values) and (check is None or check(values)))
        return values

    packed = file_name.removesuffix(PLAIN_SUFFIX) + PACKED_SUFFIX
    with guard_reading(index_folder, file_name):
        is_plain = (index_folder / file_name).is_file() or not (index_folder / packed).is_file()
    with guard_reading(index_folder, file_name if is_plain else packed):
        if is_plain:
            if shape[0] == 0 and not (index_folder / file_name).is_file():
                return np.empty([size or 0 for size in shape], dtype)
            return validate(load_array(index_folder / file_name))
        unpack = partial(_unpack_columns, index_folder / packed, {"_": dtype})
        (values,) = load_or_compute(
            index_folder, packed, lambda: map(validate, unpack()), lambda cached: [*map(has_type, cached)] == [True]
        )
        return values


def read_columns(
    index_folder: ReadablePath, file_name: str, column_types: Mapping[str, DTypeLike], row_count: int | None = None
) -> dict[str, NDArray[Any]]:
    """Read the columns `column_types` of the table in the file `file_name` (.parquet) of an index.

    Returns
    -------
    (row_count,) arrays by their column's name; of any length where `row_count` is None. What has no rows needs no file.

    Raises
    ------
    IndexDamaged, IndexUnreadable
    """
    dtypes = [np.dtype(dtype) for dtype in column_types.values()]

    def is_valid(arrays: Sequence[NDArray[Any]]) -> bool:
        length = len(arrays[0]) if row_count is None and arrays else row_count
        pairs = zip(arrays, dtypes, strict=False)
        typed = all(a.dtype == b or (a.dtype.kind == "S" and not b.itemsize) for a, b in pairs)
        return len(arrays) == len(dtypes) and typed and all(len(values) == length for values in arrays)

    with guard_reading(index_folder, file_name):
        if row_count == 0 and not (index_folder / file_name).is_file():
            return {column: np.empty(0, dtype) for column, dtype in column_types.items()}
        unpack = partial(_unpack_columns, index_folder / file_name, column_types)
        arrays = load_or_compute(index_folder, f"{file_name}/{'+'.join(column_types)}", unpack, is_valid)
        require(is_valid(arrays))
        return dict(zip(column_types, arrays, strict=True))


class TextColumn:
    """A column of texts, '' where there is none, each decoded when it is asked for."""

    def __init__(self, starts: NDArray[np.int32], data: NDArray[np.uint8]) -> None:
        """Hold the bytes of all texts.

        Parameters
        ----------
        starts : (rows + 1,) where in `data` each text begins, one more at the end.
        data : (bytes,) all texts in UTF-8, one behind the other.
        """
        self._starts = starts
        self._data = data.data

    def __len__(self) -> int:
        return len(self._starts) - 1

    def __getitem__(self, row: int) -> str:
        return str(self._data[self._starts[row] : self._starts[row + 1]], "utf-8")

    def take_texts(self, rows: NDArray[np.integer[Any]]) -> list[str]:
        """Return the texts in `rows`, (rows,), in that order."""
        begin, end = self._starts[rows].tolist(), self._starts[rows + 1].tolist()
        return [str(self._data[a:b], "utf-8") for a, b in zip(begin, end, strict=True)]

    @property
    def all_texts(self) -> list[str]:
        """Return the texts in all rows."""
        return self.take_texts(np.arange(len(self)))


def read_texts(index_folder: ReadablePath, file_name: str, column_name: str, row_count: int) -> TextColumn:
    """Read a column of texts, `row_count` long, of the table in the file `file_name` (.parquet) of an index.

    Raises
    ------
    IndexDamaged, IndexUnreadable
    """

    def unpack() -> Sequence[NDArray[Any]]:
        from regis.index.storage import parquet

        return parquet.read_text_column(index_folder / file_name, column_name)

    def is_valid(arrays: Sequence[NDArray[Any]]) -> bool:
        if len(arrays) != 2:
            return False
        starts, data = arrays
        ascending = len(starts) == row_count + 1 and bool((starts[1:] >= starts[:-1]).all()) and starts[-1] == len(data)
        return ascending and starts.dtype == np.int32 and data.dtype == np.uint8

    with guard_reading(index_folder, file_name):
        if row_count == 0 and not (index_folder / file_name).is_file():
            return TextColumn(np.zeros(1, np.int32), np.zeros(0, np.uint8))
        arrays = load_or_compute(index_folder, f"{file_name}/{column_name}", unpack, is_valid)
        require(is_valid(arrays))
        return TextColumn(*arrays)


def load_or_compute(
    index_folder: ReadablePath,
    cache_name: str,
    compute: Callable[[], Iterable[NDArray[Any]]],
    is_valid: Callable[[Sequence[NDArray[Any]]], bool],
) -> Sequence[NDArray[Any]]:
    """Load arrays that follow from the index from its column cache; compute and keep them where it lacks them.

    Parameters
    ----------
    cache_name : name in the cache.
    is_valid : predicate on cached arrays; what fails it was kept by another version, and is computed anew.

    Returns
    -------
    The arrays that `compute` yields.
    """
    cache = index_folder.array_cache if isinstance(index_folder, LockedFolder) else None
    cache_name = cache_name.replace("/", ",")
    arrays = None if cache is None else cache.load_arrays(cache_name)
    if arrays is None or not is_valid(arrays):
        arrays = list(compute())
        if cache is not None:
            cache.store_arrays(cache_name, arrays)
    return arrays


def _unpack_columns(path: ReadablePath, column_types: Mapping[str, DTypeLike]) -> Sequence[NDArray[Any]]:
    from regis.index.storage import parquet

    return parquet.read_number_columns(path, column_types)
