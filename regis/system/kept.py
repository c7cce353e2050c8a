"""Arrays that took a while to make, kept on the disk: several in a file, which is mapped if it is large.

Nothing depends on it. What was cut short or changed does not add up to what it says, and is made again; what cannot be
written is not kept. Whether it is what this version would keep is for those to see who ask. A file appears whole, by
its last step, so that two programs may keep the same things at once.
"""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regis.system.checksum import CHUNK

MAPPED = 1 << 20  # bytes from which a file is mapped; smaller ones are safe from whoever cuts them short, and closed
HALF, LEFT = "half-", 3600  # begins the name of a file that is being written; seconds after which nobody does any more
ALIGNED = 64  # bytes: where in the file an array begins is a multiple of it
CHECKED = 8  # bytes before what is checked: what that adds up to
FACTOR = 0x9E3779B97F4A7C15  # any odd number: by it pieces that changed places add up to something else
MOST = 3  # folders that are kept beside each other, of the indexes that were used last
NAMED = re.compile("kept-[0-9a-z-]+")  # what they are called
HEAD = 8  # digits of the size of the list of types and shapes behind it, which is JSON


class Kept:
    """A folder of such files, which need not exist yet."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._used = False  # by this process; so it is known to be among those that were used last
        self._tidied = False  # by this process, before it wrote
        self._full = False  # or something else that lets nothing be written

    def get(self, name: str) -> list[NDArray[Any]] | None:
        """What is kept under `name`, to be read only; None if nothing is, or not what was put there."""
        try:
            with (self.folder / name).open("rb") as file:
                if os.fstat(file.fileno()).st_size < MAPPED:
                    data = np.frombuffer(file.read(), np.uint8)
                    found = _sum(data[at : at + CHUNK] for at in range(CHECKED, len(data), CHUNK))
                else:
                    data = np.memmap(file, np.uint8, "r").view(np.ndarray)
                    found = _sum(_chunks(file))  # read, not mapped: what is never asked for takes no memory
            if found != data[:CHECKED].tobytes():
                return None
            arrays = list(_arrays(data))
        except (OSError, ValueError, TypeError):
            return None
        if not self._used:
            self._used = True
            with suppress(OSError):
                os.utime(self.folder)
        return arrays

    def put(self, name: str, arrays: Sequence[NDArray[Any]]) -> None:
        """Keeps `arrays` under `name`, if it can."""
        if self._full:
            return
        try:
            if not self.folder.is_dir():
                self.folder.mkdir(parents=True, exist_ok=True)
                clear(self.folder.parent, MOST)
            if not self._tidied:
                self._forget()
            handle, half = tempfile.mkstemp(prefix=HALF, dir=self.folder)
            try:
                with os.fdopen(handle, "w+b") as file:
                    file.writelines(_packed(arrays))
                    found = _sum(_chunks(file))
                    file.seek(0)
                    file.write(found)
                os.replace(half, self.folder / name)  # noqa: PTH105  a path as tempfile gives it
            except BaseException:
                with suppress(OSError):
                    os.unlink(half)  # noqa: PTH108
                raise
        except OSError:
            self._full = True

    def _forget(self) -> None:
        """Deletes what programs that were killed have left half written."""
        self._tidied = True
        for half in self.folder.glob(f"{HALF}*"):
            with suppress(OSError):
                if half.stat().st_mtime < time.time() - LEFT:
                    half.unlink()


def folders(beside: Path) -> list[Path]:
    """The folders of such files in the folder `beside`, the newest first; none where it cannot be read."""
    with suppress(OSError):
        found = [path for path in beside.iterdir() if NAMED.fullmatch(path.name) and path.is_dir()]
        return sorted(found, key=lambda path: -path.stat().st_mtime)
    return []


def clear(beside: Path, most: int = 0) -> None:
    """Deletes all but the newest of these folders, if it can."""
    for old in folders(beside)[most:]:
        shutil.rmtree(old, ignore_errors=True)


def _sum(chunks: Iterable[NDArray[np.uint8]]) -> bytes:
    """What a file holds behind its first bytes, in pieces of CHUNK bytes, added up: a quarter of a CRC-32's time."""
    found = size = 0
    for chunk in chunks:
        words = chunk[: len(chunk) // 8 * 8].view(np.uint64)
        found = FACTOR * (found + int(words.sum())) % 2**64
        size += len(chunk)
    return (FACTOR * (found + size + 1) % 2**64).to_bytes(CHECKED, "little")


def _chunks(file: io.BufferedIOBase) -> Iterator[NDArray[np.uint8]]:
    """These pieces, each in the place of the one before."""
    chunk = np.empty(CHUNK, np.uint8)
    file.seek(CHECKED)
    while size := file.readinto(chunk.data):
        yield chunk[:size]


def _packed(arrays: Sequence[NDArray[Any]]) -> list[bytes]:
    """What the file consists of, in pieces; what it adds up to is still to come."""
    head = json.dumps([[array.dtype.str, array.shape] for array in arrays]).encode()
    pieces = [_whole(f"{len(head):0{HEAD}x}".encode() + head, CHECKED)]
    pieces += [_whole(np.ascontiguousarray(array).tobytes()) for array in arrays]
    return [bytes(CHECKED), *pieces]


def _arrays(data: NDArray[np.uint8]) -> Iterator[NDArray[Any]]:
    """The arrays in a file with these bytes, which are what was written."""
    at = CHECKED + HEAD
    end = at + int(data[CHECKED:at].tobytes(), 16)
    head = json.loads(data[at:end].tobytes())
    for kind, shape in head:
        start = end + -end % ALIGNED
        array = np.ndarray(tuple(shape), np.dtype(kind), data, start)
        end = start + array.nbytes
        yield array


def _whole(piece: bytes, before: int = 0) -> bytes:
    """`piece`, which has so many bytes `before` it, with zeros behind it up to where the next array may begin."""
    return piece + bytes(-(before + len(piece)) % ALIGNED)
