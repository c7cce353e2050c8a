"""Puzzle files wherever they lie: a file, a folder, a zip, standard input, as names and bytes.

A file that is named is taken for what it holds, a zip too; in folders and zips, which hold other things as well, the
suffix decides, and for a suffix that other files have too (.txt, .json, .xml) what the file holds. By standard input
comes one puzzle or a small zip. What came packed with gzip, as a download may be saved, is taken for what is in it,
under its own name (today.puz) or that with .gz behind.
Nothing is ever extracted to disk, no file or member is read beyond `MAX_BYTES`, and each comes when its turn does.
"""

from __future__ import annotations

import io
import os
import sys
import zipfile
from collections.abc import Callable, Collection, Iterator
from itertools import islice
from pathlib import Path, PurePath, PurePosixPath
from typing import NamedTuple

from regis.errors import PuzzleError
from regis.system import packed, paths
from regis.system.paths import STDIN

MAX_BYTES = 1 << 20  # more than any puzzle file has: the longest Sundays take 20 kB
GZ = ".gz"
ARCHIVES = (".zip", *packed.TARS)  # what may hold puzzles, too, but in a folder is passed over


class Wanted(NamedTuple):
    """Which files of a folder or zip are puzzles."""

    own: Collection[str]  # suffixes that only puzzles have
    shared: Collection[str]  # suffixes of puzzles and of other things
    detect: Callable[[bytes], bool]  # whether bytes are a puzzle; asked where the suffix is shared

    def named(self, name: str) -> bool:
        """Whether a file of this name can be a puzzle; hidden ones are not."""
        path = PurePosixPath(inner(name))
        hidden = any(part.startswith(".") and part != ".." for part in path.parts)
        return not hidden and path.suffix.lower() in (*self.own, *self.shared)

    def holds(self, name: str, data: bytes) -> bool:
        """Whether it is one."""
        return PurePosixPath(inner(name)).suffix.lower() in self.own or self.detect(of_bytes(name, data).data)


class PuzzleFile(NamedTuple):
    """The bytes of a puzzle file and a name for messages; or, where it could not be opened, one sentence why.

    Who reads it raises that sentence, so that one broken file in a folder does not hide the others.
    """

    name: str
    data: bytes
    problem: str = ""

    @property
    def stem(self) -> str:
        """What names files that are made of it: no folders, no suffix."""
        return PurePath(inner(self.name)).stem


def inner(name: str) -> str:
    """The name of what is in a file: 'today.puz' for 'today.puz.gz', else its own."""
    return name[: -len(GZ)] if name.lower().endswith(GZ) else name


def is_archive(path: Path) -> bool:
    """Whether it is called as an archive is."""
    return path.name.lower().endswith(ARCHIVES) and not path.name.startswith(".")


def of_bytes(name: str, data: bytes) -> PuzzleFile:
    """The file of these bytes, unpacked, if they are not too many, nor a tar, in which a puzzle would hide others."""
    try:
        if packed.is_tar(data):
            return PuzzleFile(name, b"", f"{name} is a tar archive; unpack it, and name the folder")
        data = packed.of_gzip(data[: MAX_BYTES + 1], MAX_BYTES + 1)
    except packed.BROKEN:
        return PuzzleFile(name, b"", f"{name} is packed with gzip and damaged; fetch it again")
    if len(data) > MAX_BYTES:
        return PuzzleFile(name, b"", f"{name} is larger than {MAX_BYTES >> 20} MiB, which no puzzle is; name another")
    return PuzzleFile(name, data)


def open_files(path: Path, wanted: Wanted) -> Iterator[PuzzleFile]:
    """The file at `path`, or all that are `wanted` in the folder or zip there, by name.

    A zip that is a puzzle file itself, as in some formats, holds no more than one. Raises PuzzleError if `path`
    cannot be read or holds nothing.
    """
    try:
        is_folder = path != STDIN and path.is_dir()
        data = b"" if is_folder else _standard_input() if path == STDIN else start_of(path)
    except FileNotFoundError as cause:
        raise PuzzleError(
            f"{paths.shown(path)} is not there; name a puzzle file, or a folder or zip of them"
        ) from cause
    except OSError as cause:
        raise PuzzleError(_unreadable(paths.shown(path), cause)) from cause
    name = "standard input" if path == STDIN else paths.shown(path)
    is_zip = not is_folder and data.startswith((b"PK\3\4", b"PK\5\6"))
    itself = not is_folder and (not is_zip or wanted.detect(data))
    found: Iterator[PuzzleFile] = iter(())
    if not itself or (is_zip and _several(data, wanted)):
        found = _in_folder(path, wanted) if is_folder else _in_zip(path, name, data, wanted)
    first = list(islice(found, 1 + itself))
    if itself and len(first) < 2:
        first, found = [of_bytes(name, data)], iter(())
    if not first:
        suffixes = ", ".join((*wanted.own, *wanted.shared))
        instead = "; name a place that does"
        if is_folder and (archive := min(filter(is_archive, path.iterdir()), default=None)):
            instead = f", and archives in a folder are not looked into; unpack {paths.shown(archive)}"
        raise PuzzleError(f"{name} holds no puzzle files ({suffixes}){instead}")
    yield from first
    yield from found


def _several(data: bytes, wanted: Wanted) -> bool:
    """Whether a zip holds more than one file that may be a puzzle."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return sum(wanted.named(m.filename) and not m.is_dir() for m in archive.infolist()) > 1
    except packed.BROKEN:
        return False


def inside(folder: Path, refused: Callable[[OSError], object] | None = None) -> Iterator[Path]:
    """What is in a folder and the folders in it, but for hidden folders; `refused` is told what cannot be looked into.

    Nothing where it is no folder.
    """
    for at, folders, names in os.walk(folder, onerror=refused):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (Path(at, name) for name in names)


def _in_folder(folder: Path, wanted: Wanted) -> Iterator[PuzzleFile]:
    refused: list[OSError] = []
    found = [path for path in inside(folder, refused.append) if wanted.named(path.name)]
    for cause in refused:
        name = paths.shown(cause.filename)
        yield PuzzleFile(name, b"", _unreadable(name, cause))
    for path in sorted(found):
        name = paths.shown(path)
        try:
            if not path.is_file():
                yield PuzzleFile(name, b"", f"{name} is not a plain file; replace it by one or remove it")
            elif wanted.holds(path.name, data := start_of(path)):
                yield of_bytes(name, data)
        except OSError as cause:
            yield PuzzleFile(name, b"", _unreadable(name, cause))


def _in_zip(path: Path, shown: str, data: bytes, wanted: Wanted) -> Iterator[PuzzleFile]:
    if path == STDIN and len(data) > MAX_BYTES:
        raise PuzzleError(f"{shown} is a zip larger than {MAX_BYTES >> 20} MiB; save it as a file and name that")
    try:
        archive = zipfile.ZipFile(io.BytesIO(data) if path == STDIN else path)
        size = len(data) if path == STDIN else path.stat().st_size
    except packed.BROKEN as cause:
        why = packed.not_now(cause)
        raise PuzzleError(
            f"{shown} cannot be read: {why}" if why else f"{shown} is a damaged zip file; fetch it again"
        ) from cause
    with archive:
        members = [m for m in archive.infolist() if wanted.named(m.filename) and not m.is_dir()]
        try:
            packed.check((min(m.file_size, MAX_BYTES + 1) for m in members), size)
        except packed.BlownUp as cause:
            raise PuzzleError(f"{shown} {cause}, which no puzzles do; unpack it and name the folder") from cause
        for member in sorted(members, key=lambda m: m.filename):
            name = paths.shown(f"{shown}/{member.filename}")
            try:
                with packed.member(archive, member) as stream:
                    inside = stream.read(MAX_BYTES + 1)
            except packed.BROKEN as cause:
                broken = f"{name} cannot be unpacked (damaged, encrypted or {packed.UNUSUAL}); fetch the zip again"
                why = packed.not_now(cause)
                yield PuzzleFile(name, b"", f"{name} cannot be read: {why}" if why else broken)
            else:
                if wanted.holds(member.filename, inside):
                    yield of_bytes(name, inside)


def _standard_input() -> bytes:
    return sys.stdin.buffer.read(MAX_BYTES + 1) if sys.stdin else b""


def start_of(path: Path) -> bytes:
    """The file at `path`; of one that is larger than any puzzle, the start. Raises OSError."""
    with path.open("rb") as stream:
        return stream.read(MAX_BYTES + 1)


def _unreadable(name: str, cause: OSError) -> str:
    return f"{name} cannot be read ({cause.strerror}); name a file that you may read"
