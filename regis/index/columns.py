"""What an index has in columns: arrays in files of their own, and the columns of tables, packed or not.

A table takes many times as long to unpack as its columns take to be mapped. So they are kept in the user's cache folder
(regis.system.kept) from the first time on, each index's in a folder that is named by its content: what is there is
never out of date. pyarrow, which unpacks, is imported only where there is something to unpack.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from regis.index.arrays import Law, load
from regis.index.manifest import Manifest
from regis.index.opening import must, reading
from regis.index.schema import PACKED, PLAIN
from regis.system import paths
from regis.system.held import Held, Place
from regis.system.kept import Kept

VERSION = 2  # of what is kept, raised with every change of it


def kept(record: Manifest) -> Kept | None:
    """Where columns of the index with the manifest `record` are kept; None if they are not."""
    cache = paths.cache()
    if cache is None or not record.checksums:
        return None
    content = zlib.crc32(repr(sorted(record.checksums.items())).encode())
    return Kept(cache / f"kept-{VERSION}-{record.fingerprint}-{content:08x}")


def read(
    folder: Place, name: str, kind: DTypeLike, shape: tuple[int | None, ...], law: Law | None = None
) -> NDArray[Any]:
    """The array in the file `name` (.npy) of the index at `folder`, or in the packed one in its place (.parquet).

    Its type is `kind`, its sizes are `shape`, None for any, and `law` holds of it: of what is kept it was seen to hold.
    A large array that is not packed is mapped into memory. What has no rows needs no file. Raises IndexDamaged or
    IndexUnreadable.
    """

    def fits(values: NDArray[Any]) -> bool:
        sizes = zip(shape, values.shape, strict=False)
        return values.dtype == kind and values.ndim == len(shape) and all(a in (None, b) for a, b in sizes)

    def sound(values: NDArray[Any]) -> NDArray[Any]:
        must(fits(values) and (law is None or law(values)))
        return values

    packed = name.removesuffix(PLAIN) + PACKED
    with reading(folder, name):
        plain = (folder / name).is_file() or not (folder / packed).is_file()
    with reading(folder, name if plain else packed):
        if plain:
            nothing = shape[0] == 0 and not (folder / name).is_file()
            return np.empty([size or 0 for size in shape], kind) if nothing else sound(load(folder / name))
        unpacked = partial(_unpacked, folder / packed, {"_": kind})
        (values,) = once(folder, packed, lambda: map(sound, unpacked()), lambda found: [*map(fits, found)] == [True])
        return values


def columns(
    folder: Place, name: str, kinds: Mapping[str, DTypeLike], rows: int | None = None
) -> dict[str, NDArray[Any]]:
    """The columns `kinds` of the table in the file `name` (.parquet) of an index, `rows` long (None: any).

    What has no rows needs no file. Raises IndexDamaged or IndexUnreadable.
    """
    wanted = [np.dtype(kind) for kind in kinds.values()]

    def fits(found: Sequence[NDArray[Any]]) -> bool:
        long = len(found[0]) if rows is None and found else rows
        same = (a.dtype == b or (a.dtype.kind == "S" and not b.itemsize) for a, b in zip(found, wanted, strict=False))
        return len(found) == len(wanted) and all(same) and all(len(values) == long for values in found)

    with reading(folder, name):
        if rows == 0 and not (folder / name).is_file():
            return {column: np.empty(0, kind) for column, kind in kinds.items()}
        found = once(folder, f"{name}/{'+'.join(kinds)}", partial(_unpacked, folder / name, kinds), fits)
        must(fits(found))
        return dict(zip(kinds, found, strict=True))


class Texts:
    """A column of texts, '' where there is none, each of them read when it is asked for."""

    def __init__(self, starts: NDArray[np.int32], data: NDArray[np.uint8]) -> None:
        """Where in the bytes `data` (UTF-8) each text begins, one more at the end."""
        self._starts = starts
        self._data = data.data

    def __len__(self) -> int:
        return len(self._starts) - 1

    def __getitem__(self, row: int) -> str:
        return str(self._data[self._starts[row] : self._starts[row + 1]], "utf-8")

    def of(self, rows: NDArray[np.integer[Any]]) -> list[str]:
        """The texts in these rows."""
        begin, end = self._starts[rows].tolist(), self._starts[rows + 1].tolist()
        return [str(self._data[a:b], "utf-8") for a, b in zip(begin, end, strict=True)]

    @property
    def all(self) -> list[str]:
        """The texts in all rows."""
        return self.of(np.arange(len(self)))


def texts(folder: Place, name: str, column: str, rows: int) -> Texts:
    """The column `column` of such a table, `rows` long: texts or nothing."""

    def unpacked() -> Sequence[NDArray[Any]]:
        from regis.index import tables

        return tables.texts(folder / name, column)

    def fits(found: Sequence[NDArray[Any]]) -> bool:
        if len(found) != 2:
            return False
        starts, data = found
        ascending = len(starts) == rows + 1 and bool((starts[1:] >= starts[:-1]).all()) and starts[-1] == len(data)
        return ascending and starts.dtype == np.int32 and data.dtype == np.uint8

    with reading(folder, name):
        if rows == 0 and not (folder / name).is_file():
            return Texts(np.zeros(1, np.int32), np.zeros(0, np.uint8))
        found = once(folder, f"{name}/{column}", unpacked, fits)
        must(fits(found))
        return Texts(*found)


def once(
    folder: Place,
    name: str,
    make: Callable[[], Iterable[NDArray[Any]]],
    fits: Callable[[Sequence[NDArray[Any]]], bool],
) -> Sequence[NDArray[Any]]:
    """The arrays that `make` makes of the index at `folder`; once, where such things are kept, under this name.

    What is kept and no longer `fits`, another version kept.
    """
    there = folder.kept if isinstance(folder, Held) else None
    name = name.replace("/", ",")
    found = None if there is None else there.get(name)
    if found is None or not fits(found):
        found = list(make())
        if there is not None:
            there.put(name, found)
    return found


def _unpacked(path: Place, kinds: Mapping[str, DTypeLike]) -> Sequence[NDArray[Any]]:
    from regis.index import tables

    return tables.arrays(path, kinds)
