"""Puzzle files of every format behind a few functions.

`read_puzzle` gives what a solver may see, `read_solution` what scoring may, `convert_file` the bytes of a file in
another format or with letters in it. Between them lies one `Document`, which stays in this room. A format is recognised
by what the file holds, not by its name. A new one is one module and one row in `FORMATS`.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path, PurePath
from typing import NamedTuple

from regis.errors import PuzzleError, UsageError, unknown_name
from regis.puzzle import Cell, Puzzle
from regis.puzzle.formats import (
    cfp,
    crosshare,
    exolve,
    files,
    guardian,
    ipuz,
    jpz,
    nyt_json,
    nyt_v6,
    pdf,
    picture,
    publication_date,
    puz,
    puzzleme,
    txt,
    uclick,
    unreadable_kinds,
    wsj,
    xd,
)
from regis.puzzle.formats.files import PuzzleFile, is_archive, walk_files
from regis.puzzle.formats.shared.document import Document, ReadingConfidence
from regis.puzzle.formats.shared.square_content import DEFAULT_SHADE
from regis.system import paths

__all__ = [
    "FORMATS", "KEY_COUNT", "WRITABLE_FORMATS", "Format", "PuzzleFile", "can_fill_in_place", "convert_file",
    "draw_page", "fits_scrambled_solution", "has_changed", "has_scrambled_solution", "is_archive",
    "mend_page", "open_file", "open_files", "read_confidence", "read_puzzle", "read_solution", "unlock_solution",
    "walk_files", "write_fill", "write_puzzle",
]  # fmt: skip

MAX_NAMED_CONTENTS = 5  # contents of squares that are named in a warning, at most

MAX_FILES_BESIDE = 10_000
"""How many files may a folder have that is named for the one puzzle in it? Whoever names a whole disk means none."""

WriteFormat = Callable[[Document, str], tuple[bytes, list[str]]]
"""(document, name for messages) -> a new file, and what it cannot hold. Raises PuzzleError."""

FillFormat = Callable[[bytes, str, Mapping[Cell, str]], bytes]
"""(file, its name for messages, letters by cell) -> the file itself with these as what the person wrote."""


class Format(NamedTuple):
    """One kind of puzzle file: how it is recognised, read and written.

    Attributes
    ----------
    detect : tells from all of a file's bytes, or its first 64 KiB, whether it is of this kind; it raises nothing.
    read : (file, its name for messages) -> all that it says. Raises PuzzleError, with one sentence that helps.
    """

    detect: Callable[[bytes], bool]
    read: Callable[[bytes, str], Document]
    write: WriteFormat | None = None
    fill: FillFormat | None = None
    partial_solution: bool = False  # whether a new file may have a solution with holes
    own_suffix: bool = True  # whether files have the format's name as their suffix, and no other files have it
    shared_suffixes: tuple[str, ...] = ()  # those that other files have too


FORMATS = {
    "puz": Format(puz.detect, puz.read, puz.write, puz.fill),
    "crosshare": Format(crosshare.detect, crosshare.read, own_suffix=False, shared_suffixes=(".json",)),
    "ipuz": Format(ipuz.detect, ipuz.read, ipuz.write, ipuz.fill, partial_solution=True),
    "jpz": Format(jpz.detect, jpz.read, shared_suffixes=(".xml",)),
    "nyt-json": Format(nyt_json.detect, nyt_json.read, own_suffix=False, shared_suffixes=(".json",)),
    "nyt-v6": Format(nyt_v6.detect, nyt_v6.read, own_suffix=False, shared_suffixes=(".json",)),
    "puzzleme": Format(puzzleme.detect, puzzleme.read, own_suffix=False, shared_suffixes=(".json",)),
    "guardian": Format(guardian.detect, guardian.read, own_suffix=False, shared_suffixes=(".json",)),
    "wsj": Format(wsj.detect, wsj.read, own_suffix=False, shared_suffixes=(".json",)),
    "uclick": Format(uclick.detect, uclick.read, own_suffix=False, shared_suffixes=(".xml", ".json")),
    "cfp": Format(cfp.detect, cfp.read, shared_suffixes=(".xml",)),
    "exolve": Format(exolve.detect, exolve.read, shared_suffixes=(".txt",)),
    "txt": Format(txt.detect, txt.read, own_suffix=False, shared_suffixes=(".txt",)),
    "xd": Format(xd.detect, xd.read, xd.write),
    "pdf": Format(pdf.detect, pdf.read, own_suffix=False),  # in folders PDFs are passed over: they hold other things
    "picture": Format(picture.detect, picture.read, own_suffix=False),  # and pictures more so
}
"""In the order in which they are asked whether a file is theirs: the surest marks first."""

KNOWN_KINDS = ".puz, .ipuz, .jpz, .xd, .cfp, Across Lite text, Exolve, JSON of seven websites, PDFs and photographs"

DETECTED_BYTES = 1 << 16  # bytes that tell whether a file too large for a puzzle was meant to be one

KEY_COUNT = puz.KEY_COUNT  # how many keys a locked solution can have
WRITABLE_FORMATS = tuple(name for name, format in FORMATS.items() if format.write)


def read_puzzle(file: PuzzleFile) -> tuple[Puzzle, tuple[str, ...]]:
    """Read a puzzle, without any answer.

    Returns
    -------
    puzzle : what a solver may see.
    warnings : what is odd about the file, one sentence each.

    Raises
    ------
    PuzzleError : the file cannot be read or is no puzzle for Regis.
    """
    document = _read_document(file)[1]
    file_name = files.unpacked_name(file.name)
    date = publication_date.date_in_text(document.metadata.get("date", ""))
    date = date or publication_date.find_date(document.title, document.notes, file_name)
    warnings = document.warnings
    if unusable := document.unusable_letters:
        contents = ", ".join(sorted(set(unusable.values()))[:MAX_NAMED_CONTENTS])
        squares = "1 square that holds" if len(unusable) == 1 else f"{len(unusable)} squares that hold"
        warnings += (f"{file_name} has {squares} what Regis does not read: {contents}",)
    return dataclasses.replace(document.to_puzzle(), date=date), warnings


def read_unusable_letters(file: PuzzleFile) -> Mapping[Cell, str]:
    """Read what the person wrote that a puzzle has no place for: 'C/D', '&', letters of other alphabets.

    Raises
    ------
    PuzzleError : the file cannot be read.
    """
    return _read_document(file)[1].unusable_letters


def read_confidence(file: PuzzleFile) -> ReadingConfidence | None:
    """Read how sure what stands in the file was read from a page; None for a file that says it itself.

    Raises
    ------
    PuzzleError : the file cannot be read.
    """
    return _read_document(file)[1].confidence if files.is_page(file.data) else None


def draw_page(file: PuzzleFile, number: int) -> tuple[bytes, str]:
    """Draw a page of a file that was read from pages, counted from 0.

    Returns
    -------
    data : the picture.
    kind : its media type.

    Raises
    ------
    PuzzleError : the page cannot be drawn.
    """
    from regis.puzzle.formats.paper import page_objects

    return page_objects.draw_page(file.data, number, file.name)


def mend_page(
    file: PuzzleFile, rows: tuple[str, ...], clues: Mapping[str, str]
) -> tuple[PuzzleFile, ReadingConfidence]:
    """Write an .ipuz of what is read of a page with the blocks and clues that a person saw there.

    Parameters
    ----------
    rows : the grid, of the size that was read.
    clues : those that the person typed, by their entries' names.

    Returns
    -------
    mended : the new file, by the name of the page.
    confidence : how sure its squares and clues are.

    Raises
    ------
    PuzzleError : the page cannot be read.
    UsageError : the grid has another size, or no entry.
    """
    from regis.puzzle.formats.paper import printed_puzzle

    document = printed_puzzle.read_page(file.data, file.name, rows)
    document = printed_puzzle.type_clues(document, clues)
    assert document.confidence is not None, "it is a page"
    return PuzzleFile(file.name, ipuz.write(document, file.name)[0]), document.confidence


def read_solution(file: PuzzleFile) -> Mapping[Cell, str] | None:
    """Read what each white cell holds; None if the file has no solution that can be used.

    Raises
    ------
    PuzzleError : the file cannot be read.
    """
    return _read_document(file)[1].usable_solution()


def has_scrambled_solution(file: PuzzleFile) -> bool:
    """Return whether the file has a solution that cannot be read, with a checksum of it. Raises PuzzleError."""
    return _read_document(file)[1].is_locked


def fits_scrambled_solution(file: PuzzleFile, letters: Mapping[Cell, str]) -> bool:
    """Return whether `letters` have the checksum of the scrambled solution: a wrong grid has it once in 65,536 times.

    Raises
    ------
    PuzzleError : the file cannot be read.
    """
    return puz.fits_scrambled_solution(file.data, file.name, letters)


def convert_file(
    file: PuzzleFile, target_format: str, letters: Mapping[Cell, str] | None = None
) -> tuple[bytes, tuple[str, ...]]:
    """Write `file` in another format, with `letters` for what the person wrote if given.

    Within one format everything else stays as it is. An .xd, which has one grid, has `letters` for it.

    Returns
    -------
    data : the new file.
    warnings : a sentence that says what was lost, if anything.

    Raises
    ------
    PuzzleError : the file cannot be read, or not be written in this format.
    UsageError : the format cannot be written at all.
    """
    return _convert(file, target_format, lambda document: letters)


def write_fill(file: PuzzleFile, target_format: str, letters: Mapping[Cell, str]) -> tuple[bytes, tuple[str, ...]]:
    """Write `file` with the letters of Regis's fill; the person's own stay as they wrote them.

    Returns and raises as `convert_file`. An .xd has no place for what a person wrote.
    """

    def choose_letters(document: Document) -> Mapping[Cell, str]:
        return document.keep_typed_letters(letters) if FORMATS[target_format].fill else letters

    return _convert(file, target_format, choose_letters)


def _convert(
    file: PuzzleFile, target_format: str, choose_letters: Callable[[Document], Mapping[Cell, str] | None]
) -> tuple[bytes, tuple[str, ...]]:
    """Write `file` in another format with the letters chosen for its document; None stands for those that it has."""
    write = _find_writer(target_format)
    source_format, document = _read_document(file)
    format, letters = FORMATS[target_format], choose_letters(document)
    given = document.given if letters is None else letters
    is_whole = given.keys() == set(document.grid.cells)
    if source_format == target_format and format.fill:
        return format.fill(file.data, file.name, given), ()
    if letters is not None:
        document = dataclasses.replace(document, given=given)
        if format.fill is None:  # its one grid has them, and where it is full, as a solution has
            solution, given = (given, {}) if is_whole else ({}, given)
            document = dataclasses.replace(document, solution=solution, given=given)
    return _write_document(write, document, file.name, target_format)


def _find_writer(target_format: str) -> WriteFormat:
    """Return what writes a format. Raises UsageError where nothing does."""
    write = FORMATS[target_format].write if target_format in WRITABLE_FORMATS else None
    if write is None:
        raise unknown_name("format to write", target_format, WRITABLE_FORMATS)
    return write


def _write_document(
    write: WriteFormat, document: Document, file_name: str, target_format: str
) -> tuple[bytes, tuple[str, ...]]:
    lost = ["the locked solution"] * document.is_locked + list(document.unportable)
    has_holes = bool(document.solution) and document.solution.keys() != set(document.grid.cells)
    if has_holes and not FORMATS[target_format].partial_solution:
        lost.append("a solution that is not whole")
        document = dataclasses.replace(document, solution={})
    data, lost_by_format = write(document, file_name)
    lost += lost_by_format
    return data, (f"{file_name}: a .{target_format} has no place for {', '.join(lost)}; left out",) if lost else ()


def unlock_solution(file: PuzzleFile, on_key: Callable[[], object] = lambda: None) -> PuzzleFile:
    """Unlock the solution of `file` by trying all `KEY_COUNT` keys.

    Parameters
    ----------
    on_key : called once for each key.

    Raises
    ------
    PuzzleError : nothing is locked, or no key fits.
    """
    if not _read_document(file)[1].is_locked:
        raise PuzzleError(f"{file.name} has no locked solution; leave --unlock out")
    return file._replace(data=puz.unlock(file.data, file.name, on_key))


def write_puzzle(puzzle: Puzzle, file_name: str, target_format: str) -> tuple[bytes, tuple[str, ...]]:
    """Write a new file of a puzzle that came from none, with what the person wrote.

    Returns and raises as `convert_file`.
    """
    document = Document(
        puzzle.grid,
        dict(puzzle.clues),
        title=puzzle.title,
        author=puzzle.author,
        copyright=puzzle.copyright,
        notes=puzzle.notes,
        given=puzzle.given,
        circles=puzzle.circles,
        shades=dict.fromkeys(puzzle.shaded, DEFAULT_SHADE),
    )
    return _write_document(_find_writer(target_format), document, file_name, target_format)


def open_files(path: Path) -> Iterator[PuzzleFile]:
    """Open the puzzle file at `path` (`-`: standard input) or all of a folder or zip, by name.

    Raises
    ------
    PuzzleError : `path` cannot be read or holds no puzzle file.
    """
    return files.open_matching_files(path, _file_filter())


def open_file(path: Path) -> PuzzleFile:
    """Open the one puzzle file at `path`.

    Raises
    ------
    PuzzleError : `path` cannot be read or holds no puzzle file.
    UsageError : it holds several, or more than anybody keeps beside one puzzle.
    """
    if path != paths.STDIN_PATH and os.path.isdir(path):  # noqa: PTH112 (which takes any name)
        n_files = sum(1 for _ in islice(files.walk_files(path), MAX_FILES_BESIDE + 1))
        if n_files > MAX_FILES_BESIDE:
            raise UsageError(f"{path} holds more than {MAX_FILES_BESIDE:,} files; name one file of them")
    opened = open_files(path)
    file = next(opened)
    if n_others := sum(1 for _ in opened):
        advice = "" if path.is_dir() else "unpack it, and "
        raise UsageError(f"{path} holds {n_others + 1} puzzles; {advice}name one file of them")
    return file


def is_puzzle_name(file_name: str) -> bool:
    """Return whether a file of this name, in a folder, may be a puzzle."""
    return _file_filter().matches_name(file_name)


def _file_filter() -> files.FileFilter:
    own_suffixes = [f".{name}" for name, format in FORMATS.items() if format.own_suffix]
    shared_suffixes = [suffix for format in FORMATS.values() for suffix in format.shared_suffixes]
    return files.FileFilter(own_suffixes, shared_suffixes, lambda data: _detect_format(data) is not None)


def is_puzzle_file(path: Path) -> bool:
    """Return whether the file at `path` is a puzzle, or if it is larger than any, begins as one does.

    Raises
    ------
    OSError : it cannot be read.
    """
    data = files.read_start(path)
    return _detect_format(files.puzzle_file_of(str(path), data).data or data[:DETECTED_BYTES]) is not None


def can_fill_in_place(path: Path, target_format: str) -> bool:
    """Return whether the file at `path` is of this format, and all else stays when letters are written into it.

    Of what is no plain file, a pipe for one, nothing is read: it would be gone.
    """
    with suppress(OSError):
        is_target = path.is_file() and _detect_format(files.read_start(path)) == target_format
        return is_target and FORMATS[target_format].fill is not None
    return False


def has_changed(path: Path, file: PuzzleFile, place: Path, data: str | bytes) -> bool:
    """Return whether `path` is where `file` was read, in `place`, and by now holds neither that nor `data`.

    Raises
    ------
    PuzzleError : it cannot be read any more.
    """
    return paths.is_within(path, place) and open_file(path).data not in (file.data, data)


def would_lose_solution(path: Path, data: bytes) -> bool:
    """Return whether the file at `path` is a puzzle with its solution, which `data` in its place would not have."""
    with suppress(OSError, PuzzleError, UsageError):
        if path.is_file() and is_puzzle_file(path):
            old, new = (_read_document(file)[1] for file in (open_file(path), PuzzleFile(str(path), data)))
            if old.is_locked:
                return not new.is_locked or old.clues != new.clues
            return bool(old.solution) and old.solution != new.solution
    return False


def _read_document(file: PuzzleFile) -> tuple[str, Document]:
    """Read a file, and name its format."""
    if file.problem:
        raise PuzzleError(file.problem)
    if not file.data:
        raise PuzzleError(f"{file.name} is empty; fetch it again")
    format_name = _detect_format(file.data)
    if format_name is None:
        unknown = f"is not a puzzle file that Regis knows; it reads {KNOWN_KINDS}"
        kind = unreadable_kinds.describe_kind(file.data, PurePath(files.unpacked_name(file.name)).suffix)
        raise PuzzleError(f"{file.name} {kind or unknown}")
    try:
        document = FORMATS[format_name].read(file.data, file.name)
    except RecursionError as cause:
        raise PuzzleError(f"{file.name} is nested more deeply than any puzzle; fetch it again") from cause
    return format_name, document


def _detect_format(data: bytes) -> str | None:
    return next((name for name, format in FORMATS.items() if format.detect(data)), None)
