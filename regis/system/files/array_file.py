"""Arrays in one memory-mapped file: a JSON header, then the numbers.

The header has the type, shape, place, and checksum of each array. So the header's checksum covers the file, and an
array is checked only when it is used.
"""

from __future__ import annotations

import json
import math
import mmap
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

ARRAY_SUFFIX = ".arrays"
ALIGNMENT = 64  # bytes; every array begins at a multiple of it
MAX_HEADER_BYTES = 1 << 16  # a file has few arrays, and the header about a hundred bytes for each
NUMPY_KINDS = "biufS"  # types that are stored: numbers and byte strings
CHUNK_BYTES = 1 << 18  # bytes that are summed at a time
RELEASE_BYTES = 1 << 22  # bytes that are read before their memory is released


class FileChanged(ValueError):
    """A file that differs from what was written; the message names it, or an array in it."""


class ArrayFile(Mapping[str, NDArray[Any]]):
    """The arrays of one file by name, read-only, mapped and checked on first use."""

    def __init__(self, path: Path, checksum: str | None = None) -> None:
        """Open the file; `checksum` is the result of `compute_checksum`, if known. Raises OSError or FileChanged."""
        with path.open("rb") as file:
            header = _read_header(file.read(MAX_HEADER_BYTES))
            if checksum is not None and f"{zlib.crc32(header):08x}" != checksum:
                raise FileChanged(f"{path.name} isn't what was written")
            self._directory: dict[str, tuple[str, list[int], int, int]] = json.loads(header)
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self._begin = 8 + len(header)
        self._arrays: dict[str, NDArray[Any]] = {}

    def __iter__(self) -> Iterator[str]:
        return iter(self._directory)

    def __len__(self) -> int:
        return len(self._directory)

    def __contains__(self, name: object) -> bool:
        return name in self._directory

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Return an array; raises KeyError, or FileChanged if its checksum is wrong."""
        if name not in self._arrays:
            dtype_name, shape, offset, checksum = self._directory[name]
            dtype, start = np.dtype(dtype_name), self._begin + offset
            count = math.prod(shape)
            if dtype.kind not in NUMPY_KINDS or offset < 0 or start + count * dtype.itemsize > len(self._map):
                raise FileChanged(f"{name} isn't what was written")
            if self._add_up(start, start + count * dtype.itemsize) != checksum:
                raise FileChanged(f"{name} isn't what was written")
            self._arrays[name] = np.frombuffer(self._map, dtype, count, start).reshape(shape)
        return self._arrays[name]

    def _add_up(self, start: int, end: int) -> int:
        """Return the checksum of a range of bytes, and release their memory."""
        checksum = _Checksum()
        for low in range(start, end, RELEASE_BYTES):
            high = min(low + RELEASE_BYTES, end)
            checksum.update(np.frombuffer(self._map, np.uint8, high - low, low))
            if hasattr(mmap, "MADV_DONTNEED") and high - low == RELEASE_BYTES:
                page = low // mmap.PAGESIZE * mmap.PAGESIZE
                self._map.madvise(mmap.MADV_DONTNEED, page, high - page)
        return checksum.value


def write_arrays(path: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write arrays of numbers or bytes into the file `path`, and make its folder if needed."""
    directory, offset = {}, 0
    contents = {name: np.ascontiguousarray(values) for name, values in arrays.items()}
    for name, values in contents.items():
        checksum = _Checksum()
        checksum.update(values.reshape(-1).view(np.uint8))
        directory[name] = values.dtype.str, np.shape(arrays[name]), offset, checksum.value
        offset += -(-values.nbytes // ALIGNMENT) * ALIGNMENT
    header = json.dumps(directory).encode()
    header += b" " * (-(8 + len(header)) % ALIGNMENT)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)  # it may be a link to a file that mustn't change
    with path.open("wb") as file:
        file.write(len(header).to_bytes(8, "little") + header)
        for values in contents.values():
            file.write(values.data)
            file.write(bytes(-values.nbytes % ALIGNMENT))


def compute_checksum(path: Path) -> str:
    """Return a file's checksum in eight hexadecimal digits: its CRC-32, or for an array file that of the header.

    Raises OSError or FileChanged.
    """
    checksum, chunk = 0, bytearray(CHUNK_BYTES)
    with path.open("rb") as file:
        if path.suffix == ARRAY_SUFFIX:
            return f"{zlib.crc32(_read_header(file.read(MAX_HEADER_BYTES))):08x}"
        while size := file.readinto(chunk):
            checksum = zlib.crc32(memoryview(chunk)[:size], checksum)
    return f"{checksum:08x}"


class _Checksum:
    """The sum of a stream's chunks as eight-byte words; a CRC-32 takes twenty times as long."""

    def __init__(self) -> None:
        self.value = 0

    def update(self, data: NDArray[np.uint8]) -> None:
        """Add `data`, (bytes,); except at the end, its size is a multiple of CHUNK_BYTES."""
        for start in range(0, len(data), CHUNK_BYTES):
            chunk = data[start : start + CHUNK_BYTES]
            whole = len(chunk) // 8 * 8
            words = int(chunk[:whole].view(np.uint64).sum()) + int.from_bytes(chunk[whole:].tobytes(), "little")
            # any odd factor: chunks in another order then have another sum
            self.value = 0x9E3779B97F4A7C15 * (self.value + words + len(chunk)) % 2**64


def _read_header(begin: bytes) -> bytes:
    """Return the header from the beginning of an array file; raises FileChanged."""
    size = int.from_bytes(begin[:8], "little")
    if not size or 8 + size > len(begin):
        raise FileChanged("no header of arrays")
    return begin[8 : 8 + size]
