"""Puzzle files of every format, through a few functions.

`read_puzzle` returns what a solver may see, and `read_solution` what scoring may see. `convert_file` returns the bytes
of a file in another format or with other letters. They share one `Document`, which stays in this room. A file's
content, not its name, decides its format, and a format's module is imported when a file needs it. A new format is one
module, one function in `detection`, and one row in `FORMATS`.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path, PurePath
from typing import Any, NamedTuple

from regis.errors import PuzzleError, UsageError, unknown_name
from regis.puzzle import Cell, Puzzle
from regis.puzzle.formats import detection, files, publication_date
from regis.puzzle.formats.detection import has_fields
from regis.puzzle.formats.files import PuzzleFile, is_archive, list_inner_archives, walk_files
from regis.puzzle.formats.shared.document import Document, ReadingConfidence, list_losses
from regis.puzzle.formats.shared.squares import DEFAULT_SHADE
from regis.system import paths

__all__ = [
    "FORMATS", "KEY_COUNT", "WRITABLE_FORMATS", "Format", "PuzzleFile", "can_fill_in_place", "convert_file",
    "draw_page", "fits_scrambled_solution", "has_changed", "has_scrambled_solution", "is_archive",
    "list_inner_archives", "mend_page", "open_file", "open_files", "read_confidence", "read_puzzle", "read_solution",
    "unlock_solution", "walk_files", "write_fill", "write_puzzle",
]  # fmt: skip

KNOWN_KINDS = ".puz, .ipuz, .jpz, .xd, .cfp, Across Lite text, Exolve, JSON of seven websites, PDFs, and photographs"
KEY_COUNT = 10_000  # possible keys of a locked solution: four digits

MAX_FILES_BESIDE = 10_000
"""Most files that a folder may hold if you name the folder to mean its one puzzle; a whole disk is a mistake."""


class Format(NamedTuple):
    """One kind of puzzle file. `detect` recognizes it by the whole file, or by its first 64 KiB, and raises nothing."""

    detect: Callable[[bytes], bool]
    module_name: str
    reader_name: str = "read"
    can_write: bool = False
    can_fill: bool = False  # whether letters can be written into a file without changing anything else
    partial_solution: bool = False  # whether a new file's solution may have holes
    own_suffix: bool = True  # whether only this format's files have its name as a suffix
    shared_suffixes: tuple[str, ...] = ()  # suffixes that other files have, too

    @property
    def module(self) -> Any:
        """Import the module that reads and writes this kind."""
        return importlib.import_module(f"{__name__}.{self.module_name}")

    def read(self, data: bytes, file_name: str) -> Document:
        document: Document = getattr(self.module, self.reader_name)(data, file_name)
        return document

    def write(self, document: Document, file_name: str) -> tuple[bytes, list[str]]:
        """Write a new file, and list what it can't hold. Raises PuzzleError if it would read differently."""
        data: bytes = self.module.write(document, file_name)
        return data, list_losses(document, self.read(data, file_name), file_name, self.module_name)


def _website_format(reader_name: str, *fields: str) -> Format:
    """Make the row of a website's JSON: objects with these fields, unlike any other format."""
    return Format(
        lambda data: has_fields(data, *fields), "websites", reader_name, own_suffix=False, shared_suffixes=(".json",)
    )


FORMATS = {
    "puz": Format(detection.is_puz, "puz", can_write=True, can_fill=True),
    "crosshare": _website_format("read_crosshare", "authorName", "grid", "size", "clues"),
    "ipuz": Format(detection.is_ipuz, "ipuz", can_write=True, can_fill=True, partial_solution=True),
    "jpz": Format(
        lambda data: detection.may_be_jpz(data) and _ask_module("jpz", data), "jpz", shared_suffixes=(".xml", ".js")
    ),
    "nyt-json": _website_format("read_xwordinfo", "gridnums", "grid", "clues"),
    "nyt-v6": _website_format("read_nyt_v6", "clueLists", "cells", "dimensions"),
    "puzzleme": _website_format("read_puzzleme", "placedWords", "box"),
    "guardian": _website_format("read_guardian", "entries", "dimensions", "position", "direction"),
    "wsj": _website_format("read_wsj", "copy", "gridsize", "grid", "Blank"),
    "uclick": Format(detection.is_uclick, "uclick", own_suffix=False, shared_suffixes=(".xml", ".json")),
    "cfp": Format(detection.is_cfp, "cfp", shared_suffixes=(".xml",)),
    "exolve": Format(detection.is_exolve, "exolve", shared_suffixes=(".txt",)),
    "txt": Format(detection.is_txt, "txt", own_suffix=False, shared_suffixes=(".txt",)),
    # a folder's PDFs and pictures are skipped: most aren't puzzles
    "pdf": Format(files.is_pdf, "paper.printed_puzzle", "read_page", own_suffix=False),
    "picture": Format(files.is_picture, "paper.printed_puzzle", "read_page", own_suffix=False),
    "xd": Format(lambda data: _ask_module("xd", data), "xd", can_write=True),  # its parts are its only mark
}
"""The formats in the order in which they are tried: the surest first."""


def _ask_module(format_name: str, data: bytes) -> bool:
    return bool(FORMATS[format_name].module.detect(data))


WRITABLE_FORMATS = tuple(name for name, format in FORMATS.items() if format.can_write)


class ReadFile(NamedTuple):
    format_name: str
    document: Document


@functools.lru_cache(maxsize=4)  # so that each file is parsed once
def _read(file: PuzzleFile) -> ReadFile:
    if file.problem:
        raise PuzzleError(file.problem)
    if not file.data:
        raise PuzzleError(f"{file.name} is empty; download it again")
    try:
        if document := _read_embedded(file):
            return ReadFile("", document)
        format_name = _detect_format(file.data)
        if (file.page_number, file.grid_number) != (None, None):
            return ReadFile(format_name or "", _read_place(file, format_name))
        if format_name:
            return ReadFile(format_name, FORMATS[format_name].read(file.data, file.name))
    except RecursionError as cause:
        raise PuzzleError(f"{file.name} is nested too deeply; download it again") from cause
    unknown = f"isn't a puzzle file Regis knows; it reads {KNOWN_KINDS}"
    kind = detection.describe_kind(file.data, PurePath(files.unpacked_name(file.name)).suffix)
    raise PuzzleError(f"{file.name} {kind or unknown}")


def _read_embedded(file: PuzzleFile) -> Document | None:
    """Read the puzzle in a saved web page's scripts or attributes; None if there is none."""
    if not detection.is_web_page(file.data):
        return None
    from regis.puzzle.formats import web_page

    for data in web_page.list_embedded(file.data):
        format_name = _detect_format(data)
        with suppress(PuzzleError):
            if format_name:
                return FORMATS[format_name].read(data, file.name)
    return None


def _read_place(file: PuzzleFile, format_name: str | None) -> Document:
    """Read the puzzle at a place on pages; raises PuzzleError, UsageError."""
    if not format_name or FORMATS[format_name].reader_name != "read_page":
        raise UsageError(f"{file.name} has no pages; remove --page or --grid")
    document: Document = FORMATS[format_name].module.read_page(
        file.data, file.name, page_number=file.page_number, grid_number=file.grid_number
    )
    return document


def _detect_format(data: bytes) -> str | None:
    return next((name for name, format in FORMATS.items() if format.detect(data)), None)


def read_puzzle(file: PuzzleFile) -> tuple[Puzzle, tuple[str, ...]]:
    """Read a puzzle, without any answer, and warnings about the file; raises PuzzleError."""
    document = _read(file).document
    file_name = files.unpacked_name(file.name)
    date = publication_date.date_in_text(document.metadata.get("date", ""))
    date = date or publication_date.find_date(document.title, document.notes, file_name)
    warnings = document.warnings
    if unusable := document.unusable_letters:
        contents = ", ".join(sorted(set(unusable.values()))[:5])
        squares = "1 square" if len(unusable) == 1 else f"{len(unusable)} squares"
        warnings += (f"{file_name} has {squares} that Regis can't read: {contents}",)
    return dataclasses.replace(document.to_puzzle(), date=date), warnings


def read_unusable_letters(file: PuzzleFile) -> Mapping[Cell, str]:
    """Read the given contents that a puzzle can't hold: 'C/D', '&', letters of other alphabets. Raises PuzzleError."""
    return _read(file).document.unusable_letters


def read_confidence(file: PuzzleFile) -> ReadingConfidence | None:
    """Return how likely each square and clue of a page was read right; None for other files. Raises PuzzleError."""
    return _read(file).document.confidence


def read_solution(file: PuzzleFile) -> Mapping[Cell, str] | None:
    """Read the content of each white cell; None without a usable solution. Raises PuzzleError."""
    return _read(file).document.usable_solution()


def draw_page(file: PuzzleFile, number: int) -> tuple[bytes, str]:
    """Draw page `number`, from 0, of a file that was read from pages; return the picture and its media type. Raises
    PuzzleError."""
    from regis.puzzle.formats.paper import printed_puzzle

    return printed_puzzle.draw_page(file.data, number, file.name)


def mend_page(
    file: PuzzleFile, rows: tuple[str, ...], added: tuple[int, int], clues: Mapping[str, str]
) -> tuple[PuzzleFile, ReadingConfidence]:
    """Write a page as an .ipuz with corrected blocks and clues, and return it with its confidence.

    `rows` is the grid, with `added` rows above and columns left of what was read (negative if removed); `clues` are the
    typed ones, by the names of entries. Raises PuzzleError if the page can't be read, UsageError if the grid has no
    entry or is larger than its page.
    """
    from regis.puzzle.formats.paper import printed_puzzle

    document = printed_puzzle.read_page(file.data, file.name, rows, added, file.page_number, file.grid_number)
    document = printed_puzzle.type_clues(document, clues)
    assert document.confidence is not None, "it is a page"
    return PuzzleFile(file.name, FORMATS["ipuz"].write(document, file.name)[0]), document.confidence


def has_scrambled_solution(file: PuzzleFile) -> bool:
    """Return whether the solution can't be read but has a checksum; raises PuzzleError."""
    return _read(file).document.is_locked


def fits_scrambled_solution(file: PuzzleFile, letters: Mapping[Cell, str]) -> bool:
    """Return whether `letters` match the checksum of the scrambled solution, as one wrong grid in 65,536 does.

    Raises PuzzleError.
    """
    return bool(FORMATS["puz"].module.fits_scrambled_solution(file.data, file.name, letters))


def convert_file(
    file: PuzzleFile, target_format: str, letters: Mapping[Cell, str] | None = None
) -> tuple[bytes, tuple[str, ...]]:
    """Write `file` in another format, with `letters` in place of the given ones; return the new file and warnings of
    losses.

    Within one format, everything else stays as it is. An .xd has one grid, which takes the letters. Raises PuzzleError
    if the file can't be read or written in this format, UsageError if the format can't be written at all.
    """
    target = _find_writable(target_format)
    source_format, document = _read(file)
    given = document.given if letters is None else letters
    is_whole = given.keys() == set(document.grid.cells)
    if source_format == target_format and target.can_fill:
        return target.module.fill(file.data, file.name, given), ()
    if letters is not None:
        document = dataclasses.replace(document, given=given)
        if not target.can_fill:  # the only grid takes the letters, as the solution if they fill it
            solution, given = (given, {}) if is_whole else ({}, given)
            document = dataclasses.replace(document, solution=solution, given=given)
    return _write_document(document, file.name, target_format)


def write_fill(file: PuzzleFile, target_format: str, letters: Mapping[Cell, str]) -> tuple[bytes, tuple[str, ...]]:
    """Write `file` with Regis's letters, as `convert_file` does, keeping the given ones if the format has both."""
    if _find_writable(target_format).can_fill:
        letters = _read(file).document.keep_typed_letters(letters)
    return convert_file(file, target_format, letters)


def write_puzzle(puzzle: Puzzle, file_name: str, target_format: str) -> tuple[bytes, tuple[str, ...]]:
    """Write a puzzle that isn't from a file, as `convert_file` does."""
    _find_writable(target_format)
    about = {key: getattr(puzzle, key) for key in ("title", "author", "copyright", "notes", "given", "circles")}
    shades = dict.fromkeys(puzzle.shaded, DEFAULT_SHADE)
    return _write_document(Document(puzzle.grid, puzzle.clues, shades=shades, **about), file_name, target_format)


def _find_writable(target_format: str) -> Format:
    if target_format not in WRITABLE_FORMATS:
        raise unknown_name("format to write", target_format, WRITABLE_FORMATS)
    return FORMATS[target_format]


def _write_document(document: Document, file_name: str, target_format: str) -> tuple[bytes, tuple[str, ...]]:
    lost = ["the locked solution"] * document.is_locked + list(document.unportable)
    has_holes = bool(document.solution) and document.solution.keys() != set(document.grid.cells)
    if has_holes and not FORMATS[target_format].partial_solution:
        lost.append("an incomplete solution")
        document = dataclasses.replace(document, solution={})
    data, lost_by_format = FORMATS[target_format].write(document, file_name)
    lost += lost_by_format
    return data, (f"{file_name}: a .{target_format} can't hold {', '.join(lost)}; left out",) if lost else ()


def unlock_solution(file: PuzzleFile, on_key: Callable[[], object] = lambda: None) -> PuzzleFile:
    """Unlock the solution of `file` by trying all `KEY_COUNT` keys; call `on_key` for each.

    Raises PuzzleError if nothing is locked, no key fits, or trying all takes too long.
    """
    if not _read(file).document.is_locked:
        raise PuzzleError(f"{file.name} has no locked solution; remove --unlock")
    return file._replace(data=FORMATS["puz"].module.unlock(file.data, file.name, KEY_COUNT, on_key))


def open_files(path: Path) -> Iterator[PuzzleFile]:
    """Open the puzzle file at `path` (`-`: standard input), or all in a folder or zip, by name; raises PuzzleError."""
    return files.open_matching_files(path, _file_filter())


def open_file(path: Path) -> PuzzleFile:
    """Open the one puzzle file at `path`; raises PuzzleError, or UsageError if there are several, or too many files."""
    if path != paths.STDIN_PATH and os.path.isdir(path):  # noqa: PTH112 (it takes any name)
        n_files = sum(1 for _ in islice(files.walk_files(path), MAX_FILES_BESIDE + 1))
        if n_files > MAX_FILES_BESIDE:
            raise UsageError(f"{path} contains more than {MAX_FILES_BESIDE:,} files; name one of them")
    opened = open_files(path)
    file = next(opened)
    if n_others := sum(1 for _ in opened):
        advice = "" if path.is_dir() else "unpack it, and "
        raise UsageError(f"{path} contains {n_others + 1} puzzles; {advice}name one of them")
    return file


def is_puzzle_name(file_name: str) -> bool:
    """Return whether a file of this name in a folder may be a puzzle."""
    return _file_filter().matches_name(file_name)


def _file_filter() -> files.FileFilter:
    own_suffixes = [f".{name}" for name, format in FORMATS.items() if format.own_suffix]
    shared_suffixes = [suffix for format in FORMATS.values() for suffix in format.shared_suffixes]
    return files.FileFilter(own_suffixes, shared_suffixes, lambda data: _detect_format(data) is not None)


def is_puzzle_file(path: Path) -> bool:
    """Return whether the file at `path` is a puzzle, or starts like one if it's too large. Raises OSError."""
    data = files.read_start(path)
    return _detect_format(files.puzzle_file_of(str(path), data).data or data[:65_536]) is not None


def can_fill_in_place(path: Path, target_format: str) -> bool:
    """Return whether letters can be written into the file at `path`, in this format, without changing anything else.

    A pipe isn't read, because that would use up its content.
    """
    with suppress(OSError):
        is_target = path.is_file() and _detect_format(files.read_start(path)) == target_format
        return is_target and FORMATS[target_format].can_fill
    return False


def has_changed(path: Path, file: PuzzleFile, place: Path, data: str | bytes) -> bool:
    """Return whether `path` is where `file` was read, in `place`, and now holds neither that nor `data`. Raises
    PuzzleError."""
    return paths.is_within(path, place) and open_file(path).data not in (file.data, data)


def would_lose_solution(path: Path, data: bytes) -> bool:
    """Return whether the file at `path` is a puzzle with a solution that `data` lacks."""
    with suppress(OSError, PuzzleError, UsageError):
        if path.is_file() and is_puzzle_file(path):
            old, new = (_read(file).document for file in (open_file(path), PuzzleFile(str(path), data)))
            if old.is_locked:
                return not new.is_locked or old.clues != new.clues
            return bool(old.solution) and old.solution != new.solution
    return False
