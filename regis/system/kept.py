"""Arrays that took a while to make, kept on the disk: several in a file, which is mapped if it is large.

Nothing depends on it. What was cut short or changed is not what its checksum says, and is made again; what cannot be
written is not kept. Whether it is what this version would keep is for those to see who ask. A file appears whole, by
its last step, so that two programs may keep the same things at once.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
import time
import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regis.system.checksum import checksum

MAPPED = 1 << 20  # bytes from which a file is mapped; smaller ones are safe from whoever cuts them short, and closed
HALF, LEFT = "half-", 3600  # begins the name of a file that is being written; seconds after which nobody does any more
ALIGNED = 64  # bytes: where in the file an array begins is a multiple of it
CHECKED = 8  # bytes before what is checked: a checksum (CRC-32), in hexadecimal digits
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
                    found = f"{zlib.crc32(data[CHECKED:].data):08x}"
                else:
                    data = np.memmap(file, np.uint8, "r").view(np.ndarray)
                    file.seek(CHECKED)
                    found = checksum(file)  # read, not mapped: what is never asked for takes no memory
            if found.encode() != data[:CHECKED].tobytes():
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
                with os.fdopen(handle, "wb") as file:
                    file.writelines(_packed(arrays))
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


def _packed(arrays: Sequence[NDArray[Any]]) -> list[bytes]:
    """What the file consists of, in pieces."""
    head = json.dumps([[array.dtype.str, array.shape] for array in arrays]).encode()
    pieces = [_whole(f"{len(head):0{HEAD}x}".encode() + head, CHECKED)]
    pieces += [_whole(np.ascontiguousarray(array).tobytes()) for array in arrays]
    check = 0
    for piece in pieces:
        check = zlib.crc32(piece, check)
    return [f"{check:08x}".encode(), *pieces]


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
