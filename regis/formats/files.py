"""Puzzle files wherever they lie: a file, a folder, a zip, as names and bytes.

A file that is named is taken for what it holds, a zip too; in folders and zips, which hold other things as well, the
suffix decides. Nothing is ever extracted to disk, and no file or member is read beyond `MAX_BYTES`.
"""

from __future__ import annotations

import lzma
import os
import struct
import zipfile
import zlib
from collections.abc import Collection, Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from regis.errors import PuzzleError

MAX_BYTES = 2 << 20
"""More than any puzzle file has: the longest Sundays take 20 kB."""

_BROKEN_ZIP = (zipfile.BadZipFile, OSError, EOFError, RuntimeError, ValueError, LookupError, struct.error, zlib.error,
               lzma.LZMAError, MemoryError)  # fmt: skip
"""What zipfile raises about archives that are not as they should be; for encrypted ones a plain RuntimeError."""


class PuzzleFile(NamedTuple):
    """The bytes of a puzzle file and a name for messages; or, where it could not be opened, one sentence why.

    Who reads it raises that sentence, so that one broken file in a folder does not hide the others.
    """

    name: str
    data: bytes
    problem: str = ""


def open_files(path: Path, suffixes: Collection[str]) -> Iterator[PuzzleFile]:
    """The file at `path`, or all with one of `suffixes` in the folder or zip there, by name; hidden ones left out.

    Raises PuzzleError if `path` cannot be read or holds no such file.
    """
    try:
        is_folder = path.is_dir()
        data = b"" if is_folder else _start_of(path)
    except FileNotFoundError as cause:
        raise PuzzleError(f"{_shown(path)} is not there; name a puzzle file, or a folder or zip of them") from cause
    except OSError as cause:
        raise PuzzleError(_unreadable(_shown(path), cause)) from cause
    if not is_folder and not data.startswith((b"PK\3\4", b"PK\5\6")):
        yield _file(_shown(path), data)
        return
    number = 0
    found = _in_folder(path, suffixes) if is_folder else _in_zip(path, suffixes)
    for number, file in enumerate(found, 1):  # noqa: B007
        yield file
    if not number:
        raise PuzzleError(f"{_shown(path)} holds no puzzle files ({', '.join(suffixes)}); name a place that does")


def _in_folder(folder: Path, suffixes: Collection[str]) -> Iterator[PuzzleFile]:
    refused: list[OSError] = []
    paths: list[Path] = []
    for at, folders, names in os.walk(folder, onerror=refused.append):
        folders[:] = [name for name in folders if not name.startswith(".")]
        paths += [Path(at, name) for name in names if _wanted(name, suffixes)]
    for cause in refused:
        name = _shown(cause.filename)
        yield PuzzleFile(name, b"", _unreadable(name, cause))
    for path in sorted(paths):
        name = _shown(path)
        if not path.is_file():
            yield PuzzleFile(name, b"", f"{name} is not a plain file; replace it by one or remove it")
            continue
        try:
            yield _file(name, _start_of(path))
        except OSError as cause:
            yield PuzzleFile(name, b"", _unreadable(name, cause))


def _in_zip(path: Path, suffixes: Collection[str]) -> Iterator[PuzzleFile]:
    try:
        archive = zipfile.ZipFile(path)
    except _BROKEN_ZIP as cause:
        raise PuzzleError(f"{_shown(path)} is a damaged zip file; fetch it again") from cause
    with archive:
        for member in sorted(archive.infolist(), key=lambda m: m.filename):
            if member.is_dir() or not _wanted(member.filename, suffixes):
                continue
            name = _shown(f"{path}/{member.filename}")
            try:
                with archive.open(member) as stream:
                    data = stream.read(MAX_BYTES + 1)
            except _BROKEN_ZIP:
                yield PuzzleFile(name, b"", f"{name} cannot be unpacked (damaged or encrypted); fetch the zip again")
            else:
                yield _file(name, data)


def _file(name: str, data: bytes) -> PuzzleFile:
    if len(data) > MAX_BYTES:
        return PuzzleFile(name, b"", f"{name} is larger than {MAX_BYTES >> 20} MiB, which no puzzle is; name another")
    return PuzzleFile(name, data)


def _start_of(path: Path) -> bytes:
    with path.open("rb") as stream:
        return stream.read(MAX_BYTES + 1)


def _wanted(name: str, suffixes: Collection[str]) -> bool:
    path = PurePosixPath(name)
    hidden = any(part.startswith(".") and part != ".." for part in path.parts)
    return not hidden and path.suffix.lower() in suffixes


def _shown(path: Path | str) -> str:
    """A path that can be printed on one line of any terminal, whatever bytes it is made of."""
    return "".join(c if c.isprintable() else "?" for c in str(path))


def _unreadable(name: str, cause: OSError) -> str:
    return f"{name} cannot be read ({cause.strerror}); name a file that you may read"
