"""Puzzle files anywhere: a file, a folder, a zip, or standard input, as names and bytes.

The content decides what a file is if you name it, even if it is a zip. In folders and zips the suffix decides, and for
shared suffixes (.txt, .json, .xml) the content. Standard input has one puzzle or a small zip. Gzipped files are
unpacked, under their own name or with .gz. PDFs and pictures are read only if you name them. Nothing is extracted to
disk, and no file or member is read beyond `MAX_FILE_BYTES` (a PDF: `MAX_PAGE_BYTES`).
"""

from __future__ import annotations

import io
import json
import os
import sys
import zipfile
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path, PurePath, PurePosixPath
from typing import NamedTuple, Protocol, runtime_checkable

from regis.errors import PuzzleError, PuzzleMissing
from regis.system import paths
from regis.system.files import archives
from regis.system.paths import STDIN_PATH

MAX_FILE_BYTES = 1 << 20  # the largest Sundays have 20 kB
MAX_PAGE_BYTES = 16 << 20  # printed pages contain fonts and pictures, or are pictures
PDF_SIGN = b"%PDF-"
PICTURE_SIGNS = (b"\x89PNG\r\n", b"\xff\xd8\xff")  # PNG, JPEG
HEIC_SIGNS = (b"ftypheic", b"ftypheix", b"ftypmif1")  # after four bytes
GZIP_SUFFIX = ".gz"
ARCHIVE_SUFFIXES = (".zip", *archives.TAR_SUFFIXES)  # may contain puzzles, but are skipped in a folder


@runtime_checkable
class ReadableFile(Protocol):
    def read(self, size: int = ..., /) -> bytes: ...


class FileFilter(NamedTuple):
    """Decides which files of a folder or zip are puzzles."""

    own_suffixes: Collection[str]  # only puzzles have these
    shared_suffixes: Collection[str]  # other files have these, too
    is_puzzle: Callable[[bytes], bool]  # called if the suffix is shared

    def matches_name(self, file_name: str) -> bool:
        """Return whether a file of this name can be a puzzle; a hidden file can't."""
        path = PurePosixPath(unpacked_name(file_name))
        is_hidden = any(part.startswith(".") and part != ".." for part in path.parts)
        return not is_hidden and path.suffix.lower() in (*self.own_suffixes, *self.shared_suffixes)

    def matches_content(self, file_name: str, data: bytes) -> bool:
        has_own_suffix = PurePosixPath(unpacked_name(file_name)).suffix.lower() in self.own_suffixes
        return has_own_suffix or self.is_puzzle(puzzle_file_of(file_name, data).data)


class PuzzleFile(NamedTuple):
    """A puzzle file's bytes and its name for messages; or why it can't be opened.

    The format's reader raises the problem, so that one broken file in a folder doesn't hide the others.
    """

    name: str
    data: bytes
    problem: str = ""
    page_number: int | None = None  # from 1: where the puzzle is, if pages show several
    grid_number: int | None = None

    @property
    def stem(self) -> str:
        """Return the name without folders and suffix, for files made from it."""
        return PurePath(unpacked_name(self.name)).stem


def unpacked_name(file_name: str) -> str:
    """Return 'today.puz' for 'today.puz.gz', and any other name as it is."""
    return file_name[: -len(GZIP_SUFFIX)] if file_name.lower().endswith(GZIP_SUFFIX) else file_name


def is_archive(path: Path) -> bool:
    return path.name.lower().endswith(ARCHIVE_SUFFIXES) and not path.name.startswith(".")


def list_inner_archives(path: Path) -> list[Path]:
    """List by name the archives within the folder or zip at `path`. None of them is opened."""
    if path != STDIN_PATH and path.is_dir():
        return sorted(filter(is_archive, walk_files(path)))
    if path != STDIN_PATH and path.is_file():
        with suppress(*archives.ARCHIVE_ERRORS), zipfile.ZipFile(path) as archive:
            return sorted(filter(is_archive, (path / m.filename for m in archive.infolist() if not m.is_dir())))
    return []


def is_picture(start: bytes | bytearray) -> bool:
    """Return whether a file that begins with `start` is a photograph or scan."""
    return start.startswith(PICTURE_SIGNS) or start[4:12].startswith(HEIC_SIGNS)


def is_pdf(start: bytes | bytearray) -> bool:
    """Return whether `start` has the mark of a PDF near its beginning."""
    return PDF_SIGN in start[: 1024 + len(PDF_SIGN)]  # PDF readers allow 1024 bytes before the mark


def is_page(start: bytes | bytearray) -> bool:
    """Return whether a file that begins with `start` is a printed page."""
    return is_pdf(start) or is_picture(start)


def max_file_bytes(start: bytes | bytearray) -> int:
    """Return the size limit of a puzzle file that begins with `start`."""
    return MAX_PAGE_BYTES if is_page(start) else MAX_FILE_BYTES


def puzzle_file_of(name: str, data: bytes) -> PuzzleFile:
    """Unpack bytes into a puzzle file, with a problem if they are too large or a tar, which could hide puzzles."""
    try:
        if archives.is_tar(data):
            return PuzzleFile(name, b"", f"{name} is a tar archive; unpack it and name the folder")
        if data.startswith(archives.GZIP_MAGIC) or not is_page(data):  # a gzip may contain the mark of a PDF
            data = archives.read_gzip(data[: MAX_FILE_BYTES + 1], MAX_FILE_BYTES + 1)
    except archives.ARCHIVE_ERRORS:
        return PuzzleFile(name, b"", f"{name} is a damaged gzip file; download it again")
    if len(data) > (limit := max_file_bytes(data)):
        return PuzzleFile(name, b"", f"{name} is larger than {limit >> 20} MiB, too large for a puzzle; choose another")
    return PuzzleFile(name, data)


def open_matching_files(path: Path, file_filter: FileFilter) -> Iterator[PuzzleFile]:
    """Open the file at `path`, or all puzzles in the folder or zip there, by name. Raises PuzzleError if there are
    none.

    A zip that is itself a puzzle file, as in some formats, counts as one puzzle.
    """
    try:
        is_folder = path != STDIN_PATH and path.is_dir()
        data = b"" if is_folder else _read_stdin() if path == STDIN_PATH else read_start(path)
    except FileNotFoundError as cause:
        shown = paths.printable_path(path)
        raise PuzzleMissing(f"{shown} doesn't exist; name a puzzle file, or a folder or zip of them") from cause
    except OSError as cause:
        raise PuzzleError(_unreadable_message(paths.printable_path(path), cause)) from cause
    name = "standard input" if path == STDIN_PATH else paths.printable_path(path)
    is_zip = not is_folder and data.startswith((b"PK\3\4", b"PK\5\6"))
    is_one_file = not is_folder and (not is_zip or file_filter.is_puzzle(data))
    opened: Iterator[PuzzleFile] = iter(())
    if not is_one_file or (is_zip and _holds_several(data, file_filter)):
        opened = _open_folder(path, file_filter) if is_folder else _open_zip(path, name, data, file_filter)
    first = list(islice(opened, 1 + is_one_file))
    if is_one_file and len(first) < 2:
        first, opened = [puzzle_file_of(name, data)], iter(())
    if not first:
        suffixes = ", ".join(dict.fromkeys((*file_filter.own_suffixes, *file_filter.shared_suffixes)))
        advice = "; name one that does"
        if is_folder and holds_index(path):
            advice = "; it's an index; name a puzzle"
        if inner := list_inner_archives(path):
            place = "a folder" if is_folder else "a zip"
            advice = f", and Regis doesn't look into archives in {place}; unpack {paths.printable_path(inner[0])}"
        raise PuzzleError(f"{name} contains no puzzle files ({suffixes}){advice}")
    yield from first
    yield from opened


def _holds_several(data: bytes, file_filter: FileFilter) -> bool:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return len(_puzzle_members(archive, file_filter)) > 1
    except archives.ARCHIVE_ERRORS:
        return False


def _puzzle_members(archive: zipfile.ZipFile, file_filter: FileFilter) -> list[zipfile.ZipInfo]:
    return [m for m in archive.infolist() if file_filter.matches_name(m.filename) and not m.is_dir()]


def walk_files(folder: Path, on_refused: Callable[[OSError], object] | None = None) -> Iterator[Path]:
    """List the files in a folder and its subfolders, except hidden ones and indexes; `on_refused` gets errors."""
    for parent, folders, names in os.walk(folder, onerror=on_refused):
        if paths.MANIFEST_NAME in names and holds_index(Path(parent)):
            folders.clear()
            continue
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (Path(parent, name) for name in names)


def holds_index(folder: Path) -> bool:
    """Return whether `folder` is an index; some of an index's files look like puzzles."""
    with suppress(OSError, ValueError, RecursionError, AttributeError):
        return bool(
            {"format_version", "regis"}
            <= json.loads((paths.index_home(folder) / paths.MANIFEST_NAME).read_bytes()).keys()
        )
    return False


def _open_folder(folder: Path, file_filter: FileFilter) -> Iterator[PuzzleFile]:
    refused: list[OSError] = []
    found = [path for path in walk_files(folder, refused.append) if file_filter.matches_name(path.name)]
    for cause in refused:
        name = paths.printable_path(cause.filename)
        yield PuzzleFile(name, b"", _unreadable_message(name, cause))
    for path in sorted(found):
        name = paths.printable_path(path)
        try:
            if not path.is_file():
                yield PuzzleFile(name, b"", f"{name} isn't a regular file; replace or remove it")
            elif file_filter.matches_content(path.name, data := read_start(path)):
                yield puzzle_file_of(name, data)
        except OSError as cause:
            yield PuzzleFile(name, b"", _unreadable_message(name, cause))


def _open_zip(path: Path, name: str, data: bytes, file_filter: FileFilter) -> Iterator[PuzzleFile]:
    if path == STDIN_PATH and len(data) > MAX_FILE_BYTES:
        raise PuzzleError(f"{name} is a zip larger than {MAX_FILE_BYTES >> 20} MiB; save it as a file")
    try:
        archive = zipfile.ZipFile(io.BytesIO(data) if path == STDIN_PATH else path)
        packed_size = len(data) if path == STDIN_PATH else path.stat().st_size
    except archives.ARCHIVE_ERRORS as cause:
        why = archives.describe_unreadable_archive(cause)
        raise PuzzleError(
            f"{name} can't be read: {why}" if why else f"{name} is a damaged zip file; download it again"
        ) from cause
    with archive:
        members = _puzzle_members(archive, file_filter)
        try:
            archives.check_unpacked_size((min(m.file_size, MAX_FILE_BYTES + 1) for m in members), packed_size)
        except archives.ArchiveTooLarge as cause:
            raise PuzzleError(f"{name} {cause}, which puzzles don't; unpack it and name the folder") from cause
        for member in sorted(members, key=lambda m: m.filename):
            member_name = paths.printable_path(f"{name}/{member.filename}")
            try:
                with archives.open_zip_member(archive, member) as stream:
                    member_data = stream.read(MAX_FILE_BYTES + 1)
            except archives.ARCHIVE_ERRORS as cause:
                reasons = f"damaged, encrypted or {archives.UNUSUAL_PACKING}"
                broken = f"{member_name} can't be unpacked ({reasons}); download the zip again"
                why = archives.describe_unreadable_archive(cause)
                yield PuzzleFile(member_name, b"", f"{member_name} can't be read: {why}" if why else broken)
            else:
                if file_filter.matches_content(member.filename, member_data):
                    yield puzzle_file_of(member_name, member_data)


def _read_stdin() -> bytes:
    return read_bounded(sys.stdin.buffer) if sys.stdin else b""


def read_bounded(stream: ReadableFile) -> bytes:
    """Read a stream, but only its start if it is larger than any puzzle."""
    data = stream.read(MAX_FILE_BYTES + 1)
    return data + stream.read(max_file_bytes(data) - MAX_FILE_BYTES) if len(data) > MAX_FILE_BYTES else data


def read_start(path: Path) -> bytes:
    """Read the file at `path`, but only its start if it is larger than any puzzle; raises OSError."""
    with path.open("rb") as stream:
        return read_bounded(stream)


def _unreadable_message(name: str, cause: OSError) -> str:
    return f"{name} can't be read ({cause.strerror}); choose a file you're allowed to read"
