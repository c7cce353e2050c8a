"""What readers of text share: any plain, .gz, .zip or .tar.gz file as a stream of lines; reasons to turn lines away.

Lines come as text. UTF-8 is expected; a line that is not UTF-8 is read as cp1252, the others around it are not touched.
Nothing is extracted to disk, no line is held beyond LONGEST bytes, and no more is unpacked than `regis.system.packed`
allows, so neither a name like `../x` nor a member that unpacks to gigabytes does any harm. A line that is too long or
holds a NUL comes as the `Reject` that says so.
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
from regis.corpora.entry import Entry, Reject
from regis.errors import SourceError
from regis.system import packed, paths

LONGEST = BLOCK = 1 << 16
"""Bytes in the longest line, and bytes read at once; with the same number for both only a block's first line can be
too long. No clue comes near (measured: docs/measured.md)."""

TOO_LONG = Reject("line longer than 64 KiB")
NUL = Reject("NUL byte")
LONG_ANSWER = Reject(f"answer longer than {text.MAX_LENGTH} letters")
SHORT_ANSWER = Reject("answer shorter than 2 letters")
NO_ANSWER = Reject("answer has digits or no letters")
SHOWN = 60  # characters of a line that an error message shows

BINARY = 0.02
"""A file whose first block has more than this share of control characters is no text: random bytes have 10 %. NULs are
not counted, which are told of line by line."""

_CONTROL = bytes(sorted({*range(1, 32)} - set(b"\t\n\v\f\r\x1a\x1b")))

Line = str | Reject
Read = Callable[[int], bytes]


class Text(NamedTuple):
    """One text and the name it goes by: the file's own, or that of a zip member."""

    name: str
    lines: Iterator[Line]


def lines(path: Path, suffixes: Sequence[str]) -> Iterator[Line]:
    """The lines of the one text in `path`; of a zip that is the one member whose name ends in one of `suffixes`.

    Raises SourceError if `path` is missing, empty, a folder, a pipe, damaged, a web page, or a zip with no or several
    texts.
    """
    _check_one(path, suffixes)
    for _, found in texts(path, suffixes):
        yield from found


def blocks(path: Path, suffixes: Sequence[str]) -> Iterator[bytes]:
    """The one text in `path` in pieces, where it is not made of lines. Raises SourceError as `lines` does."""
    _check_one(path, suffixes)
    for _, read in _opened(path, suffixes):
        yield from _blocks(path, read)


def texts(path: Path, suffixes: Sequence[str]) -> Iterator[Text]:
    """The texts in `path`: the file itself, or in turn each member of a zip or tar with one of the `suffixes`.

    Raises SourceError as `lines` does, when the text in question is read.
    """
    return (Text(name, _lines(path, read)) for name, read in _opened(path, suffixes))


def _check_one(path: Path, suffixes: Sequence[str]) -> None:
    """Raises SourceError for a zip with no or several texts."""
    with _explained(path):
        if _is_zip(path):
            with zipfile.ZipFile(path) as archive:
                count = len(_members(archive, suffixes))
            if count != 1:
                names = ", ".join("*" + suffix for suffix in suffixes)
                raise SourceError(f"{path} holds {count} files like {names}, not one; unpack it and name one")


def _opened(path: Path, suffixes: Sequence[str]) -> Iterator[tuple[str, Read]]:
    """The texts in `path` as in `texts`, each with the `read` of the open file."""
    with _explained(path):
        if _is_zip(path):
            with zipfile.ZipFile(path) as archive:
                members = _members(archive, suffixes)
                packed.check((member.file_size for member in members), path.stat().st_size)
                for member in members:
                    with packed.member(archive, member) as file:
                        yield member.filename, file.read
            return
        is_gzip = path.suffix.lower() == ".gz" or _start(path) == packed.GZIP
        with gzip.open(path) if is_gzip else path.open("rb") as file:
            stream = packed.Stream(file, path.stat().st_size)
            if path.name.lower().endswith(packed.TARS):
                yield from _on_tape(stream, suffixes)
            else:
                yield path.name, stream.read


def _on_tape(stream: packed.Stream, suffixes: Sequence[str]) -> Iterator[tuple[str, Read]]:
    """The files of a tar, except those with holes, which need not end. They may be millions, so none is remembered."""
    with tarfile.open(fileobj=cast(IO[bytes], stream), mode="r:") as tape:
        while (each := tape.next()) is not None:
            tape.members.clear()  # type: ignore[attr-defined]  # it is there
            if each.isfile() and not each.issparse() and each.name.lower().endswith(tuple(suffixes)):
                inside = tape.extractfile(each)
                assert inside is not None, "it is a file"
                yield each.name, inside.read


def is_web_page(start: bytes) -> bool:
    """Whether a file that begins so is HTML, which servers and proxies send where they do not send the file."""
    return start.lstrip()[:9].lower().startswith((b"<!doctype", b"<html"))


def stem(path: Path) -> str:
    """The name of a list: its file's without the suffixes, 'lists/broda.dict.gz' -> 'broda'."""
    name = path.name.removesuffix(path.suffix) if path.suffix.lower() in (".gz", ".zip") else path.name
    return paths.shown(Path(name).stem)


def listed(word: str, source: str, weight: float) -> Entry | Reject:
    """A word or phrase of a list, as it is written there, as an entry without a clue."""
    answer = text.answer(word)
    if not text.fits_grid(answer):
        return wrong_length(answer)
    return Entry(answer, "", "" if word.upper() == answer else text.clue(word), source, None, weight)


def without_note(title: str) -> str:
    """'Tempo (chess)' -> 'Tempo'; brackets within the brackets go too, brackets that begin the title stay."""
    while title.endswith(")"):
        start = title.rfind(" (")
        while start > 0 and title.count("(", start) < title.count(")", start):
            start = title.rfind(" (", 0, start)
        if start <= 0:
            break
        title = title[:start]
    return title


def wrong_length(answer: str) -> Reject:
    """Why an answer with fewer than 2 or more than MAX_LENGTH letters is turned away."""
    if not answer:
        return NO_ANSWER
    return SHORT_ANSWER if len(answer) < 2 else LONG_ANSWER


def shown(line: Line) -> str:
    """A line as an error message shows it: shortened, without control characters."""
    seen = f"({line.reason})" if isinstance(line, Reject) else text.clue(line)
    return seen if len(seen) <= SHOWN else seen[:SHOWN] + "..."


def _start(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(len(packed.GZIP))


def _is_zip(path: Path) -> bool:
    return path.suffix.lower() == ".zip" or _start(path).startswith(b"PK")


def _members(archive: zipfile.ZipFile, suffixes: Sequence[str]) -> list[zipfile.ZipInfo]:
    members = [one for one in archive.infolist() if one.filename.lower().endswith(tuple(suffixes))]
    return [one for one in members if not one.filename.startswith("__MACOSX/")]


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """What goes wrong with a file, as one sentence. It has to be one that can be read again, from its beginning."""
    try:
        if path.exists() and not (path.is_file() or path.is_dir()):
            raise SourceError(f"{path} is no plain file; save what comes from it as one, and name that")
        yield
    except FileNotFoundError:
        raise SourceError(f"there is no file {path}; check the name") from None
    except IsADirectoryError:
        raise SourceError(f"{path} is a folder where a file is expected; name the file in it") from None
    except packed.BlownUp as cause:
        raise SourceError(f"{path} {cause}, which no corpus does; name another") from cause
    except packed.BROKEN as cause:
        if why := packed.not_now(cause):
            raise SourceError(f"{path} cannot be read: {why}") from cause
        raise SourceError(f"{path} is damaged or cut short ({shown(str(cause))}); download it again") from cause


def _lines(path: Path, read: Read) -> Iterator[Line]:
    """The lines of an open file, by its `read`. A long line is passed over piece by piece, not gathered."""
    rest, passing = b"", False
    for block in _with_newlines(_blocks(path, read)):
        first = block.find(b"\n")
        if passing or len(rest) + (first if first >= 0 else len(block)) > LONGEST:
            if not passing:
                yield TOO_LONG
            passing = first < 0
            rest, block = b"", b"" if passing else block[first + 1 :]
        whole, newline, tail = block.rpartition(b"\n")
        if newline:
            yield from _decoded(rest + whole)
        rest = tail if newline else rest + tail
    if rest:
        yield from _decoded(rest)


def _with_newlines(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """The same pieces; where the first has carriage returns alone, as an old Mac's text, they become newlines."""
    first = next(blocks)
    alone = b"\r" in first[:-1] and b"\n" not in first  # at the end it may be half of a CRLF
    for block in itertools.chain([first], blocks):
        yield block.replace(b"\r", b"\n") if alone else block


def _blocks(path: Path, read: Read) -> Iterator[bytes]:
    """The file in pieces, after a look at the first: nothing, a web page and UTF-16 are not what anybody meant."""
    with _explained(path):
        block = read(BLOCK)
        if not block:
            raise SourceError(f"{path} is empty; download it again, or write something into it")
        if block.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise SourceError(f"{path} is UTF-16 text; save it as UTF-8")
        if packed.is_tar(block):
            raise SourceError(f"{path} is a tar archive; unpack it, and name what is in it")
        if is_web_page(block):
            raise SourceError(f"{path} is a web page and no corpus; download the file itself")
        if len(block) - len(block.translate(None, _CONTROL)) > BINARY * len(block):
            raise SourceError(f"{path} is no text file; name the corpus itself")
        yield block.removeprefix(b"\xef\xbb\xbf")
        while block := read(BLOCK):
            yield block


def _decoded(block: bytes) -> Iterable[Line]:
    """The lines of `block`, which ends where a line ends."""
    try:
        found = block.decode("utf-8").split("\n")
    except UnicodeDecodeError:
        found = [_line(line) for line in block.split(b"\n")]
    if b"\r" in block:
        found = [line.removesuffix("\r") for line in found]
    return [NUL if "\0" in line else line for line in found] if b"\0" in block else found


def _line(line: bytes) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return text.cp1252(line)
