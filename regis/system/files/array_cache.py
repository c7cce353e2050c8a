"""Arrays that took a while to make, cached on the disk: several in a safetensors file, which is mapped if it is large.

Nothing depends on it. What was cut short or changed does not add up to its checksum, and is made again; what cannot be
written is not cached. Whether it is what this version would cache is for those to see who ask. A file appears whole, by
its last step, so that two programs may cache the same things at once.

The library writes the files and does not read them: it copies what it reads, and knows neither checksums nor texts of
bytes. So the metadata have the checksum of all else in the file, and the types of numpy; texts lie there as bytes. It
is one word of metadata, since the library writes several in any order.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
import time
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from io import FileIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regis.system.files.checksum import CHUNK_BYTES

MIN_MAPPED_BYTES = 1 << 20  # smaller files are read: they are safe from whoever cuts them short, and closed
MAX_HEADER_BYTES = 1 << 16  # a header has a hundred bytes an array, and few arrays
TEMPORARY_PREFIX = "half-"  # begins the name of a file that is being written
ABANDONED_SECONDS = 3600  # after which nobody writes it any more
MAX_CACHE_FOLDERS = 3  # of the indexes that were used last
CACHE_FOLDER_NAME = re.compile("kept-[0-9a-z-]+")
NO_CHECKSUM = b"0" * 16  # stands in the file's header while its checksum is computed
METADATA_KEY = "checksum and types"
CHECKSUM_FACTOR = 0x9E3779B97F4A7C15  # any odd number: by it pieces that changed places add up to something else
NUMPY_KINDS = "biufS"  # of the types that are cached: numbers, and texts of bytes
DAMAGE_ERRORS = (OSError, ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError)


class ArrayCache:
    """A folder of such files, which need not exist yet."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._is_used = False  # by this process; so it is known to be among those that were used last
        self._is_tidied = False  # by this process, before it wrote
        self._is_full = False  # or something else that lets nothing be written

    def load_arrays(self, name: str) -> list[NDArray[Any]] | None:
        """Load what is cached under a name.

        Returns
        -------
        The arrays as they were stored, to be read only; None if there are none, or not those that were stored.
        """
        try:
            with FileIO(self.folder / name) as file:
                arrays = _read_arrays(file)
        except DAMAGE_ERRORS:
            return None
        if not self._is_used:
            self._is_used = True
            with suppress(OSError):
                os.utime(self.folder)
        return arrays

    def store_arrays(self, name: str, arrays: Sequence[NDArray[Any]]) -> None:
        """Cache arrays of any shapes, of numbers or texts of bytes, under a name, if they can be written."""
        if self._is_full or self.folder.is_symlink():
            return
        try:
            if not self.folder.is_dir():
                self.folder.mkdir(parents=True, exist_ok=True)
                delete_cache_folders(self.folder.parent, MAX_CACHE_FOLDERS)
            if not self._is_tidied:
                self._delete_abandoned()
            handle, temporary = tempfile.mkstemp(prefix=TEMPORARY_PREFIX, dir=self.folder)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.writelines(_pack_arrays(arrays))
                os.replace(temporary, self.folder / name)  # noqa: PTH105  a path as tempfile gives it
            except BaseException:
                with suppress(OSError):
                    os.unlink(temporary)  # noqa: PTH108
                raise
        except OSError:
            self._is_full = True

    def _delete_abandoned(self) -> None:
        self._is_tidied = True
        for temporary in self.folder.glob(f"{TEMPORARY_PREFIX}*"):
            with suppress(OSError):
                if temporary.stat().st_mtime < time.time() - ABANDONED_SECONDS:
                    temporary.unlink()


def list_cache_folders(parent: Path) -> list[Path]:
    """List the folders of such files in the folder `parent`, the newest first; none where it cannot be read."""
    with suppress(OSError):
        folders = [path for path in parent.iterdir() if CACHE_FOLDER_NAME.fullmatch(path.name) and path.is_dir()]
        return sorted(folders, key=lambda path: -path.stat().st_mtime)
    return []


def delete_cache_folders(parent: Path, n_kept: int = 0) -> None:
    """Delete all but the newest of these folders, if it can be done."""
    for folder in list_cache_folders(parent)[n_kept:]:
        shutil.rmtree(folder, ignore_errors=True)


def _pack_arrays(arrays: Sequence[NDArray[Any]]) -> tuple[bytes, memoryview]:
    """Make a safetensors file of the arrays, its checksum in the header: the header, and all behind it."""
    from safetensors.numpy import save

    tensors = {}
    for i, array in enumerate(map(np.ascontiguousarray, arrays)):
        as_bytes = array.dtype.kind == "S"
        tensors[str(i)] = array.reshape(*array.shape, 1).view(np.uint8) if as_bytes else array
    metadata = " ".join([NO_CHECKSUM.decode(), *(array.dtype.str for array in arrays)])
    packed = memoryview(save(tensors, {METADATA_KEY: metadata}))
    begin = 8 + int.from_bytes(packed[:8], "little")
    header, content = bytes(packed[:begin]), packed[begin:]
    return header.replace(NO_CHECKSUM, _compute_checksum(header, _split_chunks(content))), content


def _read_arrays(file: FileIO) -> list[NDArray[Any]]:
    """Read the arrays of a file. Raises one of DAMAGE_ERRORS if it is not what was written."""
    size = os.fstat(file.fileno()).st_size
    header = file.read(8)
    begin = 8 + int.from_bytes(header, "little")
    if begin > min(size, MAX_HEADER_BYTES):
        raise ValueError("no header is as long")
    header += file.read(begin - 8)
    entries = json.loads(header[8:])
    checksum, *dtypes = entries["__metadata__"][METADATA_KEY].encode().split()
    content: NDArray[np.uint8]
    if size < MIN_MAPPED_BYTES:
        content = np.frombuffer(file.read(), np.uint8)
        chunks = _split_chunks(content.data)
    else:
        content = np.memmap(file, np.uint8, "r", begin).view(np.ndarray)
        file.seek(begin)
        chunks = _read_chunks(file)  # read, not mapped: what is never asked for takes no memory
    if _compute_checksum(header.replace(checksum, NO_CHECKSUM), chunks) != checksum:
        raise ValueError("it does not add up to its checksum")
    arrays: list[NDArray[Any]] = []
    for i, dtype in enumerate(np.dtype(name.decode()) for name in dtypes):
        shape, (start, _) = entries[str(i)]["shape"], entries[str(i)]["data_offsets"]
        if dtype.kind not in NUMPY_KINDS or start < 0:  # numpy would look before the file
            raise ValueError("such arrays are not cached")
        arrays.append(np.ndarray(tuple(shape[:-1] if dtype.kind == "S" else shape), dtype, content, start))
    return arrays


def _compute_checksum(header: bytes, chunks: Iterable[NDArray[np.uint8]]) -> bytes:
    """Add up what a file holds, in pieces of CHUNK_BYTES, to 16 hexadecimal digits: a quarter of a CRC-32's time."""
    checksum = size = zlib.crc32(header)
    for chunk in chunks:
        whole = len(chunk) // 8 * 8
        words = int(chunk[:whole].view(np.uint64).sum()) + int.from_bytes(chunk[whole:].tobytes(), "little")
        checksum = CHECKSUM_FACTOR * (checksum + words) % 2**64
        size += len(chunk)
    return b"%016x" % (CHECKSUM_FACTOR * (checksum + size + 1) % 2**64)


def _split_chunks(content: memoryview) -> Iterator[NDArray[np.uint8]]:
    array = np.frombuffer(content, np.uint8)
    return (array[start : start + CHUNK_BYTES] for start in range(0, len(array), CHUNK_BYTES))


def _read_chunks(file: FileIO) -> Iterator[NDArray[np.uint8]]:
    """Read the rest of a file in such pieces, each in the place of the one before."""
    chunk = np.empty(CHUNK_BYTES, np.uint8)
    while size := file.readinto(chunk.data):
        yield chunk[:size]
