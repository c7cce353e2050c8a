"""Archives read within bounds, because a few kilobytes can unpack to gigabytes.

An archive may unpack to `MAX_UNPACK_RATIO` times its size plus `UNPACK_ALLOWANCE`, in bounded pieces. Only zips with
deflate are read: with bzip2 or LZMA, zipfile unpacks a whole piece at once.
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

from regis.system.os_errors import describe_unreadable

MAX_UNPACK_RATIO = 50  # unpacked bytes per packed byte; XML puzzles have 20, corpora 5. A guess that none exceeds
UNPACK_ALLOWANCE = 32 << 20  # unpacked bytes that even the smallest archive may have

GZIP_MAGIC = b"\x1f\x8b\x08"
TAR_SUFFIXES = (".tar", ".tar.gz", ".tgz")
TAR_MAGIC_PLACE = slice(257, 263)  # of the word `ustar`, which tars have had since 1988

ARCHIVE_ERRORS = (
    *(zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, struct.error),
    *(OSError, EOFError, RuntimeError, ValueError, LookupError, MemoryError),
)
"""Errors of faulty archives; an encrypted one raises a plain RuntimeError."""

UNUSUAL_PACKING = "compressed in an unusual way"


def describe_unreadable_archive(cause: Exception) -> str | None:
    """Return why an archive that may be sound can't be read now, given one of ARCHIVE_ERRORS; else None.

    A lack of memory doesn't count: a damaged archive may ask for any amount.
    """
    return None if isinstance(cause, MemoryError) else describe_unreadable(cause)


class ArchiveTooLarge(Exception):
    """An archive would unpack to too much; the message fits after its name."""


def open_zip_member(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> IO[bytes]:
    """Open a member of a zip; raises one of ARCHIVE_ERRORS."""
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError(UNUSUAL_PACKING)
    return archive.open(info)


def read_gzip(data: bytes, max_bytes: int) -> bytes:
    """Unpack up to `max_bytes` of `data`; return `data` if it isn't a gzip. Raises one of ARCHIVE_ERRORS."""
    if not data.startswith(GZIP_MAGIC):
        return data
    with gzip.open(io.BytesIO(data)) as stream:
        return stream.read(max_bytes)


def is_tar(data: bytes) -> bool:
    """Return whether `data` is a tar, gzipped or not; raises one of ARCHIVE_ERRORS."""
    return read_gzip(data, TAR_MAGIC_PLACE.stop)[TAR_MAGIC_PLACE] in (b"ustar\0", b"ustar ")


def check_unpacked_size(member_sizes: Iterable[int], packed_size: int) -> None:
    """Raise ArchiveTooLarge if members of these sizes, in bytes, are too large for an archive of `packed_size`."""
    if sum(member_sizes) > MAX_UNPACK_RATIO * packed_size + UNPACK_ALLOWANCE:
        raise ArchiveTooLarge(f"unpacks to more than {MAX_UNPACK_RATIO} times its size")


class BoundedStream:
    """An unpacked stream with a bound that depends on its `packed_size`."""

    def __init__(self, file: io.BufferedIOBase, packed_size: int) -> None:
        self._file, self._packed_size = file, packed_size
        self.tell = file.tell

    def read(self, size: int) -> bytes:
        """Read up to `size` bytes; raises ArchiveTooLarge, or ValueError if a piece is too large."""
        if size > 1 << 20:
            raise ValueError(f"a piece of {size} bytes")
        piece = self._file.read(size)
        check_unpacked_size([self._file.tell()], self._packed_size)
        return piece

    def seek(self, place: int) -> int:
        check_unpacked_size([place], self._packed_size)
        return self._file.seek(place)
