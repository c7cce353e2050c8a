"""Puzzle files of every format behind two functions: `read` gives what a solver may see, `solution` what scoring may.

A format is recognised by what the file holds, not by its name. A new one is one module and one row in `FORMATS`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from regis.errors import PuzzleError, UsageError
from regis.formats import dates, files, puz
from regis.formats.files import PuzzleFile
from regis.puzzle import Cell, Puzzle

__all__ = ["FORMATS", "Format", "PuzzleFile", "open_file", "open_files", "read", "solution"]


class Format(NamedTuple):
    suffix: str  # of the files to take from a folder or a zip
    detect: Callable[[bytes], bool]
    read: Callable[[bytes, str], tuple[Puzzle, tuple[str, ...]]]
    solution: Callable[[bytes, str], Mapping[Cell, str] | None]


FORMATS = {"puz": Format(".puz", puz.detect, puz.read, puz.solution)}


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
    """The puzzle file at `path`, or all of those in the folder or zip there, by name. Raises PuzzleError.

    A file among others that cannot be opened is yielded all the same, and `read` says why.
    """
    return files.open_files(path, [format.suffix for format in FORMATS.values()])


def open_file(path: Path) -> PuzzleFile:
    """The one puzzle file at `path`. Raises PuzzleError, or UsageError where there are several."""
    file, *others = open_files(path)
    if others:
        raise UsageError(f"{path} holds {len(others) + 1} puzzles; name one file of them")
    return file


def _format(file: PuzzleFile) -> Format:
    if file.problem:
        raise PuzzleError(file.problem)
    if not file.data:
        raise PuzzleError(f"{file.name} is empty; fetch it again")
    for format in FORMATS.values():
        if format.detect(file.data):
            return format
    known = ", ".join(f".{name}" for name in sorted(FORMATS))
    raise PuzzleError(f"{file.name} is not a puzzle file that Regis knows; it reads {known}")
