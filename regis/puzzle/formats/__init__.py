"""Puzzle files of every format behind a few functions.

`read` gives what a solver may see, `solution` what scoring may, `written` the bytes of a file in another format or with
letters in it. Between them lies one `Document`, which stays in this folder. A format is recognised by what the file
holds, not by its name. A new one is one module and one row in `FORMATS`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from regis.errors import PuzzleError, UsageError, unknown
from regis.puzzle import Cell, Puzzle
from regis.puzzle.formats import dates, files, ipuz, jpz, nyt_json, puz, txt, xd
from regis.puzzle.formats.document import GREY, Document
from regis.puzzle.formats.files import PuzzleFile, inside, is_archive
from regis.system import paths

__all__ = [
    "FORMATS",
    "KEYS",
    "WRITABLE",
    "Format",
    "PuzzleFile",
    "changed",
    "drawn",
    "fills",
    "inside",
    "is_archive",
    "open_file",
    "open_files",
    "read",
    "solution",
    "unlocked",
    "written",
]


Write = Callable[[Document, str], tuple[bytes, list[str]]]
"""(document, name for messages) -> a new file, and what it cannot hold."""


class Format(NamedTuple):
    detect: Callable[[bytes], bool]
    read: Callable[[bytes, str], Document]  # (file, its name for messages) -> what it says; like the next, PuzzleError
    write: Write | None = None
    fill: Callable[[bytes, str, Mapping[Cell, str]], bytes] | None = None  # the file itself with letters in it
    partial: bool = False  # whether a new file may have a solution with holes
    own: bool = True  # whether files have the format's name as their suffix, and no other files have it
    suffixes: tuple[str, ...] = ()  # those that other files have too


FORMATS = {
    "puz": Format(puz.detect, puz.read, puz.write, puz.fill),
    "ipuz": Format(ipuz.detect, ipuz.read, ipuz.write, ipuz.fill, partial=True),
    "jpz": Format(jpz.detect, jpz.read, suffixes=(".xml",)),
    "nyt-json": Format(nyt_json.detect, nyt_json.read, own=False, suffixes=(".json",)),
    "txt": Format(txt.detect, txt.read, own=False, suffixes=(".txt",)),
    "xd": Format(xd.detect, xd.read, xd.write),
}
"""In the order in which they are asked whether a file is theirs: the surest marks first."""

START = 1 << 16  # bytes that tell whether a file too large for a puzzle was meant to be one

KEYS = puz.KEYS  # how many keys a locked solution can have
WRITABLE = tuple(name for name, format in FORMATS.items() if format.write)


def read(file: PuzzleFile) -> tuple[Puzzle, tuple[str, ...]]:
    """The puzzle, without any answer, and warnings of one sentence each. Raises PuzzleError."""
    paper = _document(file)[1]
    named = files.inner(file.name)
    date = dates.in_text(paper.more.get("date", "")) or dates.find(paper.title, paper.notes, named)
    return dataclasses.replace(paper.puzzle(), date=date), paper.warnings


def unread(file: PuzzleFile) -> Mapping[Cell, str]:
    """What the person wrote that a puzzle has no place for: 'C/D', '&', letters of other alphabets.

    Raises PuzzleError.
    """
    return _document(file)[1].unread


def solution(file: PuzzleFile) -> Mapping[Cell, str] | None:
    """What each white cell holds; None if the file has no solution that can be used. Raises PuzzleError."""
    return _document(file)[1].answers()


def written(file: PuzzleFile, target: str, letters: Mapping[Cell, str] | None = None) -> tuple[bytes, tuple[str, ...]]:
    """`file` in the format `target`, with `letters` for what the person wrote if given; and what was lost, if anything.

    Within one format everything else stays as it is. An .xd, which has one grid, has `letters` for it.

    Raises PuzzleError, and UsageError for a format that cannot be written.
    """
    return _written(file, target, lambda paper: letters)


def filled(file: PuzzleFile, target: str, letters: Mapping[Cell, str]) -> tuple[bytes, tuple[str, ...]]:
    """The same for `letters` that are Regis's: the person's own stay as they wrote them (`Document.kept`).

    An .xd has no place for what a person wrote.
    """
    return _written(file, target, lambda paper: paper.kept(letters) if FORMATS[target].fill else letters)


def _written(
    file: PuzzleFile, target: str, of: Callable[[Document], Mapping[Cell, str] | None]
) -> tuple[bytes, tuple[str, ...]]:
    """The same with the letters `of` what the file says, None for those that it has."""
    write = _writer(target)
    name, paper = _document(file)
    format, letters = FORMATS[target], of(paper)
    given = paper.given if letters is None else letters
    if name == target and format.fill:
        return format.fill(file.data, file.name, given), ()
    if letters is not None:
        paper = dataclasses.replace(paper, given=given)
        if format.fill is None:
            paper = dataclasses.replace(paper, solution={})
    elif format.fill is None and not paper.solution and paper.given.keys() == set(paper.grid.cells):
        paper = dataclasses.replace(paper, own=(*paper.own, "the mark that all its letters are a person's"))
    return _new(write, paper, file.name, target)


def _writer(target: str) -> Write:
    """What writes the format `target`. Raises UsageError where nothing does."""
    write = FORMATS[target].write if target in WRITABLE else None
    if write is None:
        raise unknown("format to write", target, WRITABLE)
    return write


def _new(write: Write, paper: Document, name: str, target: str) -> tuple[bytes, tuple[str, ...]]:
    """`paper` as a new file."""
    lost = ["the locked solution"] * paper.locked + list(paper.own)
    if paper.partial and not FORMATS[target].partial:
        lost.append("a solution that is not whole")
        paper = dataclasses.replace(paper, solution={})
    data, more = write(paper, name)
    lost += more
    return data, (f"{name}: a .{target} has no place for {', '.join(lost)}; left out",) if lost else ()


def unlocked(file: PuzzleFile, tried: Callable[[], object] = lambda: None) -> PuzzleFile:
    """`file` with its solution unlocked by one of all `KEYS`, of which each is told as `tried`.

    Raises PuzzleError where nothing is locked, or no key fits.
    """
    if not _document(file)[1].locked:
        raise PuzzleError(f"{file.name} has no locked solution; leave --unlock out")
    return file._replace(data=puz.unlock(file.data, file.name, tried))


def drawn(puzzle: Puzzle, name: str, target: str) -> tuple[bytes, tuple[str, ...]]:
    """A new file of a puzzle that came from none, with what the person wrote; and what was lost, if anything.

    Raises as `written`.
    """
    shades = dict.fromkeys(puzzle.shaded, GREY)
    shown = {key: getattr(puzzle, key) for key in ("title", "author", "copyright", "notes", "given", "circles")}
    paper = Document(puzzle.grid, dict(puzzle.clues), shades=shades, **shown)
    return _new(_writer(target), paper, name, target)


def open_files(path: Path) -> Iterator[PuzzleFile]:
    """The puzzle file at `path` (`-`: standard input) or all of a folder or zip, by name. Raises PuzzleError."""
    return files.open_files(path, _wanted())


def named(name: str) -> bool:
    """Whether a file of this name, in a folder, may be a puzzle."""
    return _wanted().named(name)


def _wanted() -> files.Wanted:
    own = [f".{name}" for name, format in FORMATS.items() if format.own]
    shared = [suffix for format in FORMATS.values() for suffix in format.suffixes]
    return files.Wanted(own, shared, lambda data: _name(data) is not None)


def holds(path: Path) -> bool:
    """Whether the file at `path` is a puzzle, or if it is larger than any, begins as one does. Raises OSError."""
    data = files.start_of(path)
    return _name(files.of_bytes(str(path), data).data or data[:START]) is not None


def fills(path: Path, target: str) -> bool:
    """Whether the file at `path` is of the format `target`, and all else stays when letters are written into it.

    Of what is no plain file, a pipe for one, nothing is read: it would be gone.
    """
    with suppress(OSError):
        return path.is_file() and _name(files.start_of(path)) == target and FORMATS[target].fill is not None
    return False


def changed(path: Path, file: PuzzleFile, place: Path, data: str | bytes) -> bool:
    """Whether `path` is where `file` was read, in `place`, and by now holds neither that nor `data`.

    Raises PuzzleError where it cannot be read any more.
    """
    return paths.within(path, place) and open_file(path).data not in (file.data, data)


def bereft(path: Path, data: bytes) -> bool:
    """Whether the file at `path` is a puzzle with its solution, which `data` in its place would not have."""
    with suppress(OSError, PuzzleError, UsageError):
        if path.is_file() and holds(path):
            old, new = (_document(file)[1] for file in (open_file(path), PuzzleFile(str(path), data)))
            if old.locked:
                return not new.locked or old.clues != new.clues
            return bool(old.solution) and old.solution != new.solution
    return False


def open_file(path: Path) -> PuzzleFile:
    """The one puzzle file at `path`. Raises PuzzleError, or UsageError where there are several."""
    files = open_files(path)
    file = next(files)
    if others := sum(1 for _ in files):
        first = "" if path.is_dir() else "unpack it, and "
        raise UsageError(f"{path} holds {others + 1} puzzles; {first}name one file of them")
    return file


def _document(file: PuzzleFile) -> tuple[str, Document]:
    if file.problem:
        raise PuzzleError(file.problem)
    if not file.data:
        raise PuzzleError(f"{file.name} is empty; fetch it again")
    name = _name(file.data)
    if name is None:
        raise PuzzleError(f"{file.name} is not a puzzle file that Regis knows; it reads {', '.join(FORMATS)}")
    try:
        return name, FORMATS[name].read(file.data, file.name)
    except RecursionError as cause:
        raise PuzzleError(f"{file.name} is nested more deeply than any puzzle; fetch it again") from cause


def _name(data: bytes) -> str | None:
    """The format of `data`; None if it is none that is known."""
    return next((name for name, format in FORMATS.items() if format.detect(data)), None)
