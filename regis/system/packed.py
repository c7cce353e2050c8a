"""Packed files, read within bounds: a few kilobytes can be made so that they unpack to gigabytes.

Out of an archive comes at most `RATIO` times its size and `ROOM` more, and no piece of it is larger than was asked for.
So zips are read as deflate packs them and not with bzip2 or LZMA, of which zipfile unpacks a piece whole.
"""

from __future__ import annotations

import gzip
import io
import lzma
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterable
from typing import IO

from regis.system.lack import unreadable

RATIO = 50
"""What may come out for each byte that is packed? Puzzles in XML have 20, corpora 5. A guess at what none has."""

ROOM = 32 << 20  # bytes that may come out of the smallest archive
PIECE = 1 << 20  # bytes that are read at once; headers of a tar that are longer are no honest ones

GZIP = b"\x1f\x8b\x08"  # how a gzip begins

TARS = (".tar", ".tar.gz", ".tgz")  # how the names of tars end

TAR = slice(257, 263)  # where the word stands by which tars have been known since 1988; mustard has more behind it

BROKEN = (zipfile.BadZipFile, tarfile.TarError, OSError, EOFError, RuntimeError, ValueError, LookupError, struct.error,
          zlib.error, lzma.LZMAError, MemoryError)  # fmt: skip
"""What is raised about archives that are not as they should be; for encrypted ones a plain RuntimeError."""

UNUSUAL = "packed in an unusual way"


def not_now(cause: Exception) -> str | None:
    """Why an archive that raised one of BROKEN cannot be read now although nothing says that it is damaged; else None.

    Too little memory says nothing: a damaged archive may ask for any amount.
    """
    return None if isinstance(cause, MemoryError) else unreadable(cause)


class BlownUp(Exception):
    """More than may come out of an archive; it says so in words that fit after the archive's name."""


def member(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> IO[bytes]:
    """A member of a zip; no more comes out of it than it says. Raises one of BROKEN."""
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError(UNUSUAL)
    return archive.open(info)


def of_gzip(data: bytes, most: int) -> bytes:
    """Up to `most` bytes of what is packed in `data`; `data` itself if it is no gzip. Raises one of BROKEN."""
    if not data.startswith(GZIP):
        return data
    with gzip.open(io.BytesIO(data)) as stream:
        return stream.read(most)


def is_tar(data: bytes) -> bool:
    """Whether `data` is a tar, with gzip or without. Raises one of BROKEN."""
    return of_gzip(data, TAR.stop)[TAR] in (b"ustar\0", b"ustar ")


def check(sizes: Iterable[int], packed: int) -> None:
    """Raises BlownUp if members of these sizes are more than may come out of an archive of `packed` bytes."""
    if sum(sizes) > RATIO * packed + ROOM:
        raise BlownUp(f"unpacks to more than {RATIO} times its size")


class Stream:
    """An unpacked stream of which no more is read than may come out of `packed` bytes."""

    def __init__(self, file: io.BufferedIOBase, packed: int) -> None:
        self._file, self._packed = file, packed
        self.tell = file.tell

    def read(self, size: int) -> bytes:
        """Up to `size` bytes. Raises BlownUp, and ValueError for a piece that is too large."""
        if size > PIECE:
            raise ValueError(f"a piece of {size} bytes")
        found = self._file.read(size)
        check([self._file.tell()], self._packed)
        return found

    def seek(self, place: int) -> int:
        """Goes to `place`. Raises BlownUp where that is too far."""
        check([place], self._packed)
        return self._file.seek(place)
