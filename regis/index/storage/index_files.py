"""The files of an index, read by name.

A finished folder never changes (`publish`). A reader holds a shared lock on its manifest, so that no writer deletes it.
The starter ships packed (`packed`). It is unpacked once into the cache folder, or in memory if that folder can't be
written.
"""

from __future__ import annotations

import errno
import os
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from regis.errors import IndexError_, OutputError
from regis.index.storage import packed, publish, validation
from regis.index.storage.columns import TextColumn
from regis.index.storage.manifest import MANIFEST_NAME, Manifest
from regis.index.storage.validation import require
from regis.system import paths
from regis.system.files import array_file
from regis.system.files.array_file import ARRAY_SUFFIX, ArrayFile, FileChanged
from regis.system.files.locks import SharedLock

ArrayCheck = Callable[[NDArray[Any]], Any]  # whether an array can come from a build

DERIVED_FOLDER = "derived"  # arrays that follow from the others, written by the first process that needs them
UNPACKED_PREFIX = "unpacked-"  # begins the names of folders in the cache folder


class IndexFiles:
    """The files of an index in the folder `path`; without a manifest, the index is unfinished."""

    keeps_derived = True  # whether derived arrays may be written into the index's folder

    def __init__(
        self,
        path: Path,
        manifest: Manifest | None = None,
        lock: SharedLock | None = None,
        shown_folder: Path | None = None,
    ) -> None:
        """Take the folder as it is; errors call it `shown_folder`."""
        self.path = path
        self.shown_folder = shown_folder or path
        self.packed_files: PackedFiles | None = None  # the packed files of which this is an unpacked copy
        self.files: Mapping[str, int] = {} if manifest is None else manifest.files
        self.stored_files = self.files
        self.checksums: Mapping[str, str] = {} if manifest is None else manifest.checksums
        self._lock = lock
        self._arrays: dict[str, Mapping[str, NDArray[Any]]] = {}
        self._verified: set[str] = set()

    @property
    def named_folder(self) -> Path:
        """Return the folder under the name that the user knows."""
        return self.shown_folder if self.packed_files is None else self.packed_files.shown_folder

    def close(self) -> None:
        """Release the folder, so that it may be deleted."""
        if self._lock is not None:
            self._lock.release()
        if self.packed_files is not None:
            self.packed_files.close()

    @contextmanager
    def guard(self, name: str) -> Iterator[None]:
        """Turn any error in this context into IndexDamaged or IndexUnreadable about `name`, a file or part."""
        with validation.guard_reading(self.shown_folder, name):
            try:
                yield
            except FileNotFoundError as cause:
                if self.files and not (self.path / MANIFEST_NAME).exists():
                    raise OSError(errno.ESTALE, os.strerror(errno.ESTALE)) from cause
                raise

    def has_part(self, part: str) -> bool:
        if self.files:
            return any(name.startswith((f"{part}.", f"{part}/")) for name in self.files)
        return (self.path / part).is_dir() or self.path.joinpath(f"{part}{ARRAY_SUFFIX}").is_file()

    def has_file(self, name: str) -> bool:
        return name in self.files if self.files else (self.path / name).is_file()

    def read_arrays(self, part: str) -> Mapping[str, NDArray[Any]]:
        """Return the arrays of one part by name, none if the part is missing; raises OSError or FileChanged."""
        if part not in self._arrays:
            name = f"{part}{ARRAY_SUFFIX}"
            there = self.has_file(name)
            self._arrays[part] = ArrayFile(self.path / name, self.checksums.get(name)) if there else {}
        return self._arrays[part]

    def read_array(
        self,
        part: str,
        name: str,
        dtype: DTypeLike,
        shape: tuple[int | None, ...],
        check: ArrayCheck | None = None,
    ) -> NDArray[Any]:
        """Read an array; check its type ("S" for bytes of any size), shape (None for any size), and contents.

        An array without rows may be missing. Raises IndexDamaged or IndexUnreadable.
        """
        with self.guard(part):
            arrays = self.read_arrays(part)
            if shape[0] == 0 and name not in arrays:
                return np.empty([size or 0 for size in shape], dtype)
            values = arrays[name]
            require(values.dtype == dtype or (values.dtype.kind == "S" and np.dtype(dtype) == np.dtype("S")))
            require(values.ndim == len(shape) and all(a in (None, b) for a, b in zip(shape, values.shape, strict=True)))
            require(check is None or check(values))
            return values

    def read_texts(self, part: str, name: str, row_count: int) -> TextColumn:
        """Read a column of `row_count` texts, all empty if it is missing; raises IndexDamaged or IndexUnreadable."""
        with self.guard(part):
            if f"{name}.starts" not in self.read_arrays(part):
                return TextColumn(np.zeros(row_count + 1, np.int32), np.zeros(0, np.uint8))
        data = self.read_array(part, f"{name}.data", np.uint8, (None,))

        def is_ascending(starts: NDArray[np.int32]) -> bool:
            return bool((starts[1:] >= starts[:-1]).all()) and [*starts[[0, -1]]] == [0, len(data)]

        return TextColumn(self.read_array(part, f"{name}.starts", np.int32, (row_count + 1,), is_ascending), data)

    def copy_to(self, target_folder: Path, replaced_files: Sequence[str]) -> None:
        """Copy all files except those that match `replaced_files`, as hard links if possible.

        Raises IndexDamaged or IndexUnreadable.
        """
        for name in self.files:
            if not any(fnmatchcase(name, pattern) for pattern in replaced_files):
                self.copy_file(name, target_folder)

    def copy_file(self, name: str, target_folder: Path) -> None:
        """Copy one file, as a hard link if possible; raises IndexDamaged or IndexUnreadable."""
        with self.guard(name):
            source = self.verified_path(name)
        publish.link_or_copy(source, target_folder / name)

    def verified_path(self, name: str) -> Path:
        """Check the checksum of a file without arrays, and return its path; raises OSError or FileChanged."""
        expected = self.checksums.get(name)
        if expected is not None and name not in self._verified:
            if array_file.compute_checksum(self.path / name) != expected:
                raise FileChanged(f"{name} isn't what was written")
            self._verified.add(name)
        return self.path / name

    def read_bytes(self, name: str) -> bytes:
        """Read a file without arrays; raises OSError, or FileChanged if its checksum is wrong."""
        return self.verified_path(name).read_bytes()

    def verify_file(self, name: str) -> None:
        """Check a whole file; raises OSError or FileChanged."""
        self.verified_path(name)
        if name.endswith(ARRAY_SUFFIX):
            list(ArrayFile(self.path / name).values())

    def load_or_compute(
        self,
        name: str,
        compute: Callable[[], Iterable[NDArray[Any]]],
        is_valid: Callable[[Sequence[NDArray[Any]]], bool],
    ) -> Sequence[NDArray[Any]]:
        """Load derived arrays, or compute and store them if possible.

        Stored arrays that aren't valid come from another version.
        """
        path = self.path / DERIVED_FOLDER / f"{name}{ARRAY_SUFFIX}"
        with suppress(OSError, ValueError, TypeError, KeyError):
            kept = list(ArrayFile(path).values())
            if is_valid(kept):
                return kept
        arrays = list(compute())
        if self.keeps_derived and self.files and self._lock is not None:
            with suppress(OSError):
                temporary = path.with_name(f"{name}.half")
                array_file.write_arrays(temporary, {str(i): values for i, values in enumerate(arrays)})
                temporary.replace(path)
        return arrays


class PackedFiles(IndexFiles):
    """The files of a packed index, unpacked in memory on demand."""

    keeps_derived = False

    def __init__(self, path: Path, manifest: Manifest, lock: SharedLock | None, shown_folder: Path) -> None:
        super().__init__(path, manifest, lock, shown_folder)
        self.stored_files = manifest.files
        self._parts = packed.list_parts(manifest.files)
        in_parts = {name for names in self._parts.values() for name in names}
        sizes = {
            f"{part}{ARRAY_SUFFIX}": sum(manifest.files[name] for name in names) for part, names in self._parts.items()
        }
        self.files = {**sizes, **{name: size for name, size in manifest.files.items() if name not in in_parts}}

    def read_arrays(self, part: str) -> Mapping[str, NDArray[Any]]:
        if part not in self._arrays:
            self._arrays[part] = self._unpack(part)
        return self._arrays[part]

    def copy_file(self, name: str, target_folder: Path) -> None:
        """Copy one file; a part is unpacked. Raises IndexDamaged or IndexUnreadable."""
        if not name.endswith(ARRAY_SUFFIX):
            super().copy_file(name, target_folder)
            return
        with self.guard(name.removesuffix(ARRAY_SUFFIX)):
            arrays = self._unpack(name.removesuffix(ARRAY_SUFFIX))
        array_file.write_arrays(target_folder / name, arrays)

    def _unpack(self, part: str) -> dict[str, NDArray[Any]]:
        return packed.unpack_arrays([self.verified_path(name) for name in self._parts.get(part, ())])


def open_folder(index_folder: Path) -> tuple[IndexFiles, Manifest]:
    """Open the files of the index at `index_folder`, which can't change while they are open.

    Raises IndexMissing, IndexOutdated, IndexDamaged, or IndexUnreadable.
    """
    with validation.guard_opening(index_folder):
        home, lock = _lock_home(index_folder)
    record = validation.read_manifest(home)
    if record.is_packed:
        return _open_unpacked(PackedFiles(home, record, lock, index_folder), record)
    validation.check_files(home, record)
    return IndexFiles(home, record, lock, index_folder), record


def _lock_home(index_folder: Path) -> tuple[Path, SharedLock | None]:
    """Find and lock the folder with the files; without a manifest, there's no lock. Raises OSError."""
    for _ in range(10):
        home = paths.index_home(index_folder)
        with suppress(FileNotFoundError):
            return home, SharedLock(home / MANIFEST_NAME)
        if home == index_folder:
            break
    return validation.find_home(index_folder), None


def _open_unpacked(packed_files: PackedFiles, record: Manifest) -> tuple[IndexFiles, Manifest]:
    """Open the unpacked copy of a packed index. If there is none, unpack it first, in memory if the disk can't be
    written."""
    if (cache := paths.cache_folder()) is not None:
        checksums = zlib.crc32(repr(sorted(record.checksums.items())).encode())
        place = cache / f"{UNPACKED_PREFIX}1-{record.fingerprint}-{checksums:08x}"
        with suppress(IndexError_):
            return _open_copy(place, packed_files)
        validation.check_files(packed_files.path, record)
        with suppress(OutputError, OSError):
            _unpack(packed_files, record, place)
            return _open_copy(place, packed_files)
    validation.check_files(packed_files.path, record)
    return packed_files, record


def _open_copy(place: Path, packed_files: PackedFiles) -> tuple[IndexFiles, Manifest]:
    files, record = open_folder(place)
    files.packed_files = packed_files
    return files, record


def _unpack(packed_files: PackedFiles, record: Manifest, place: Path) -> None:
    """Unpack an index to `place`; raises OutputError, OSError, IndexDamaged, or IndexUnreadable."""
    with publish.open_workshop(place) as workshop:
        packed_files.copy_to(workshop / "index", [])
        publish.publish_index(workshop / "index", place, replace(record, unpacked_from=record.fingerprint))
    delete_unpacked_indexes(place.parent, 3)


def list_unpacked_indexes(cache_folder: Path) -> list[Path]:
    """List the unpacked indexes, the newest first; none if the cache can't be read."""
    with suppress(OSError):
        found = [path for path in cache_folder.iterdir() if path.name.startswith(UNPACKED_PREFIX) and path.is_dir()]
        return sorted(found, key=lambda path: -path.stat().st_mtime)
    return []


def delete_unpacked_indexes(cache_folder: Path, n_kept: int = 0) -> None:
    """Delete unpacked indexes, except the newest and those in use."""
    for place in list_unpacked_indexes(cache_folder)[n_kept:]:
        with suppress(OSError):
            publish.delete_index(place)
