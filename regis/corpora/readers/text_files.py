"""The lines of any plain, .gz, .zip or .tar.gz file, streamed.

A line that isn't UTF-8 is read as cp1252. Nothing is extracted to disk, no line is longer than MAX_LINE_BYTES, and
unpacking is bounded (`regis.system.files.archives`), so hostile names and sizes do no harm. A line that is too long or
has a NUL comes as a `Reject`.
"""

from __future__ import annotations

import gzip
import itertools
import tarfile
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NamedTuple, cast

from regis import text
from regis.corpora.entry import Reject
from regis.errors import SourceError, SourceMissing
from regis.system import paths
from regis.system.files import archives

BLOCK_BYTES = 1 << 16  # bytes per read

MAX_LINE_BYTES = BLOCK_BYTES
"""Longest line; no clue is nearly as long (measured: docs/experiments/text-limits.md). It equals a block, so that only
the first line of a block can be too long."""

LINE_TOO_LONG = Reject("line longer than 64 KiB")
NUL_BYTE = Reject("NUL byte")

_CONTROL = bytes(sorted({*range(1, 32)} - set(b"\t\n\v\f\r\x1a\x1b")))

TextLine = str | Reject
ReadBytes = Callable[[int], bytes]


class TextMember(NamedTuple):
    name: str
    lines: Iterator[TextLine]


def read_lines(path: Path, suffixes: Sequence[str]) -> Iterator[TextLine]:
    """Yield the lines of the only text in `path`; in a zip, of the member with one of `suffixes`.

    Raises SourceError if `path` is missing, empty, no file, damaged, a web page, or a zip with no or several texts.
    """
    _check_one_text(path, suffixes)
    for _, found in read_texts(path, suffixes):
        yield from found


def read_blocks(path: Path, suffixes: Sequence[str]) -> Iterator[bytes]:
    """Yield the only text in `path` in blocks; raises SourceError as `read_lines` does."""
    _check_one_text(path, suffixes)
    for _, read in _open_members(path, suffixes):
        yield from _check_and_read(path, read)


def read_texts(path: Path, suffixes: Sequence[str]) -> Iterator[TextMember]:
    """Yield the texts in `path`: the file itself, or each member of a zip or tar with one of `suffixes`.

    Raises SourceError as `read_lines` does, when a text is read.
    """
    return (TextMember(name, _split_lines(path, read)) for name, read in _open_members(path, suffixes))


def _check_one_text(path: Path, suffixes: Sequence[str]) -> None:
    with _source_errors(path):
        if _is_zip(path):
            with zipfile.ZipFile(path) as archive:
                count = len(_zip_members(archive, suffixes))
            if count != 1:
                patterns = ", ".join("*" + suffix for suffix in suffixes)
                raise SourceError(f"{path} contains {count} files like {patterns}, not one; unpack it and choose one")


def _open_members(path: Path, suffixes: Sequence[str]) -> Iterator[tuple[str, ReadBytes]]:
    with _source_errors(path):
        if _is_zip(path):
            with zipfile.ZipFile(path) as archive:
                members = _zip_members(archive, suffixes)
                archives.check_unpacked_size((member.file_size for member in members), path.stat().st_size)
                for member in members:
                    with archives.open_zip_member(archive, member) as file:
                        yield member.filename, file.read
            return
        is_gzip = path.suffix.lower() == ".gz" or _first_bytes(path) == archives.GZIP_MAGIC
        with gzip.open(path) if is_gzip else path.open("rb") as file:
            packed_stream = archives.BoundedStream(file, path.stat().st_size)
            if path.name.lower().endswith(archives.TAR_SUFFIXES):
                yield from _tar_members(packed_stream, suffixes)
            else:
                yield path.name, packed_stream.read


def _tar_members(stream: archives.BoundedStream, suffixes: Sequence[str]) -> Iterator[tuple[str, ReadBytes]]:
    """Yield the regular files of a tar, except sparse ones. Remember none, since there may be millions."""
    with tarfile.open(fileobj=cast(IO[bytes], stream), mode="r:") as tape:
        while (each := tape.next()) is not None:
            tape.members.clear()  # type: ignore[attr-defined]  # it is there
            if each.isfile() and not each.issparse() and each.name.lower().endswith(tuple(suffixes)):
                inside = tape.extractfile(each)
                assert inside is not None, "it is a file"
                yield each.name, inside.read


def is_web_page(first_bytes: bytes) -> bool:
    """Return whether a file begins as HTML; servers and proxies may send a web page instead."""
    return first_bytes.lstrip()[:9].lower().startswith((b"<!doctype", b"<html"))


def list_name(path: Path) -> str:
    """Return a list's name, its file name without suffixes: 'lists/broda.dict.gz' -> 'broda'."""
    name = path.name.removesuffix(path.suffix) if path.suffix.lower() in (".gz", ".zip") else path.name
    return paths.printable_path(Path(name).stem)


def shorten_line(line: TextLine) -> str:
    """Shorten a line for an error message and remove control characters."""
    seen = f"({line.reason})" if isinstance(line, Reject) else text.clean_clue(line)
    return seen if len(seen) <= 60 else seen[:60] + "..."


def _first_bytes(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(len(archives.GZIP_MAGIC))


def _is_zip(path: Path) -> bool:
    return path.suffix.lower() == ".zip" or _first_bytes(path).startswith(b"PK")


def _zip_members(archive: zipfile.ZipFile, suffixes: Sequence[str]) -> list[zipfile.ZipInfo]:
    members = [one for one in archive.infolist() if one.filename.lower().endswith(tuple(suffixes))]
    return [one for one in members if not one.filename.startswith("__MACOSX/")]


@contextmanager
def _source_errors(path: Path) -> Iterator[None]:
    """Turn errors about a file into one sentence; anything but a regular file is an error."""
    try:
        if path.exists() and not (path.is_file() or path.is_dir()):
            raise SourceError(f"{path} isn't a regular file; save its content as one")
        yield
    except FileNotFoundError:
        raise SourceMissing(f"{path} doesn't exist; check the name") from None
    except IsADirectoryError:
        raise SourceError(f"{path} is a folder; name the file in it") from None
    except archives.ArchiveTooLarge as cause:
        raise SourceError(f"{path} {cause}, which no corpus does; choose another") from cause
    except archives.ARCHIVE_ERRORS as cause:
        if why := archives.describe_unreadable_archive(cause):
            raise SourceError(f"{path} can't be read: {why}") from cause
        raise SourceError(f"{path} is damaged or incomplete ({shorten_line(str(cause))}); download it again") from cause


def _split_lines(path: Path, read: ReadBytes) -> Iterator[TextLine]:
    """Yield the lines of an open file; skip a long line block by block."""
    rest, passing_over = b"", False
    for block in _with_newlines(_check_and_read(path, read)):
        first = block.find(b"\n")
        if passing_over or len(rest) + (first if first >= 0 else len(block)) > MAX_LINE_BYTES:
            if not passing_over:
                yield LINE_TOO_LONG
            passing_over = first < 0
            rest, block = b"", b"" if passing_over else block[first + 1 :]
        complete, newline, tail = block.rpartition(b"\n")
        if newline:
            yield from _decode_lines(rest + complete)
        rest = tail if newline else rest + tail
    if rest:
        yield from _decode_lines(rest)


def _with_newlines(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the blocks; turn carriage returns into newlines if the first block has only those (old Mac text)."""
    first = next(blocks)
    returns_only = b"\r" in first[:-1] and b"\n" not in first  # the last one may be half of a CRLF
    for block in itertools.chain([first], blocks):
        yield block.replace(b"\r", b"\n") if returns_only else block


def _check_and_read(path: Path, read: ReadBytes) -> Iterator[bytes]:
    """Yield the file in blocks, after checking the first for emptiness, web pages, UTF-16, and binary data."""
    with _source_errors(path):
        block = read(BLOCK_BYTES)
        if not block:
            raise SourceError(f"{path} is empty; download it again, or add something to it")
        if block.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise SourceError(f"{path} is UTF-16 text; save it as UTF-8")
        if archives.is_tar(block):
            raise SourceError(f"{path} is a tar archive; unpack it, and name the file inside")
        if is_web_page(block):
            raise SourceError(f"{path} is a web page, not a corpus; download the file itself")
        if len(block) - len(block.translate(None, _CONTROL)) > 0.02 * len(block):  # random bytes have 10 %
            raise SourceError(f"{path} isn't a text file; name the corpus itself")
        yield block.removeprefix(b"\xef\xbb\xbf")
        while block := read(BLOCK_BYTES):
            yield block


def _decode_lines(block: bytes) -> Iterable[TextLine]:
    """Return the lines of `block`, which ends at the end of a line."""
    try:
        found = block.decode("utf-8").split("\n")
    except UnicodeDecodeError:
        found = [_decode_line(line) for line in block.split(b"\n")]
    if b"\r" in block:
        found = [line.removesuffix("\r") for line in found]
    return [NUL_BYTE if "\0" in line else line for line in found] if b"\0" in block else found


def _decode_line(line: bytes) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return text.decode_cp1252(line)
