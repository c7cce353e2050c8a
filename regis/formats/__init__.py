"""Puzzle files of every format behind two functions, and the one way to go through a file, a folder or a zip of them.

`read` gives what a solver may see, `solution` what only the scoring may. A format is recognised by what the file holds;
its name matters only in folders and zips, which hold other things too. Nothing is extracted to disk, and no file or
member is read beyond `MAX_BYTES`. A new format is one module and one row in `FORMATS`.
"""

from __future__ import annotations

import dataclasses
import lzma
import os
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import BinaryIO, NamedTuple

from regis.errors import PuzzleError
from regis.formats import dates, puz
from regis.puzzle import Cell, Puzzle

MAX_BYTES = 2 << 20
"""More than any puzzle file has: the longest Sundays take 20 kB."""


class Format(NamedTuple):
    suffix: str  # of the files to take from a folder or a zip
    detect: Callable[[bytes], bool]
    read: Callable[[bytes, str], tuple[Puzzle, tuple[str, ...]]]
    solution: Callable[[bytes, str], Mapping[Cell, str] | None]


FORMATS: dict[str, Format] = {
    "puz": Format(".puz", puz.detect, puz.read, puz.solution),
}


class PuzzleFile(NamedTuple):
    """The bytes of a puzzle file and a name for messages; or, where it could not be opened, one sentence why.

    `read` and `solution` raise that sentence, so that one broken file in a folder does not hide the others.
    """

    name: str
    data: bytes
    problem: str = ""


def read(file: PuzzleFile) -> tuple[Puzzle, tuple[str, ...]]:
    """The puzzle, without any answer, and warnings of one sentence each. Raises PuzzleError."""
    puzzle, warnings = _format(file).read(file.data, file.name)
    if puzzle.date is None:
        puzzle = dataclasses.replace(puzzle, date=dates.find(puzzle.title, puzzle.notes, file.name))
    return puzzle, warnings


def solution(file: PuzzleFile) -> Mapping[Cell, str] | None:
    """What each white cell holds; None if the file has no solution that can be used. Raises PuzzleError."""
    return _format(file).solution(file.data, file.name)


def open_files(path: Path) -> Iterator[PuzzleFile]:
    """The puzzle file at `path`, or all of those in the folder or zip there, by name; hidden ones are passed over.

    Raises PuzzleError if `path` cannot be read or holds no puzzle file.
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
    for number, file in enumerate(_in_folder(path) if is_folder else _in_zip(path), 1):  # noqa: B007
        yield file
    if not number:
        suffixes = ", ".join(format.suffix for format in FORMATS.values())
        raise PuzzleError(f"{_shown(path)} holds no puzzle files ({suffixes}); name a place that does")


def _format(file: PuzzleFile) -> Format:
    if file.problem:
        raise PuzzleError(file.problem)
    if not file.data:
        raise PuzzleError(f"{file.name} is empty; fetch it again")
    for format in FORMATS.values():
        if format.detect(file.data):
            return format
    raise PuzzleError(f"{file.name} is not a puzzle file that Regis knows; it reads {', '.join(sorted(FORMATS))}")


def _in_folder(folder: Path) -> Iterator[PuzzleFile]:
    refused: list[OSError] = []
    paths: list[Path] = []
    for at, folders, names in os.walk(folder, onerror=refused.append):
        folders[:] = [name for name in folders if not name.startswith(".")]
        paths += [Path(at, name) for name in names if _wanted(name)]
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


def _in_zip(path: Path) -> Iterator[PuzzleFile]:
    try:
        archive = zipfile.ZipFile(path)
    except _BROKEN_ZIP as cause:
        raise PuzzleError(f"{_shown(path)} is a damaged zip file; fetch it again") from cause
    with archive:
        for member in sorted(archive.infolist(), key=lambda m: m.filename):
            if member.is_dir() or not _wanted(member.filename):
                continue
            name = _shown(f"{path}/{member.filename}")
            try:
                with archive.open(member) as stream:
                    data = stream.read(MAX_BYTES + 1)
            except _BROKEN_ZIP:
                yield PuzzleFile(name, b"", f"{name} cannot be unpacked (damaged or encrypted); fetch the zip again")
            else:
                yield _file(name, data)


_BROKEN_ZIP = (zipfile.BadZipFile, OSError, EOFError, RuntimeError, ValueError, LookupError, struct.error, zlib.error,
               lzma.LZMAError, MemoryError)  # fmt: skip
"""What zipfile raises about archives that are not as they should be; for encrypted ones a plain RuntimeError."""


def _file(name: str, data: bytes) -> PuzzleFile:
    if len(data) > MAX_BYTES:
        return PuzzleFile(name, b"", f"{name} is larger than {MAX_BYTES >> 20} MiB, which no puzzle is; name another")
    return PuzzleFile(name, data)


def _start_of(path: Path) -> bytes:
    stream: BinaryIO
    with path.open("rb") as stream:
        return stream.read(MAX_BYTES + 1)


def _wanted(name: str) -> bool:
    path = PurePosixPath(name)
    hidden = any(part.startswith(".") and part != ".." for part in path.parts)
    return not hidden and path.suffix.lower() in {format.suffix for format in FORMATS.values()}


def _shown(path: Path | str) -> str:
    """A path that can be printed on one line of any terminal, whatever bytes it is made of."""
    return "".join(c if c.isprintable() else "?" for c in str(path))


def _unreadable(name: str, cause: OSError) -> str:
    return f"{name} cannot be read ({cause.strerror}); name a file that you may read"
