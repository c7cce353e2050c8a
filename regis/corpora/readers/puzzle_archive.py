"""`puzzle-archive`: a puzzle file, or a folder or zip of them; every clue with its answer.

An answer includes all letters of a rebus square, so it may be longer than its slot. A file that can't be read, or has
no solution, is one reject.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from regis import text
from regis.corpora import entry
from regis.corpora.entry import Entry, Reject
from regis.corpora.readers import text_files
from regis.errors import PuzzleError, SourceError
from regis.puzzle import formats

UNREADABLE_PUZZLE = Reject("unreadable puzzle file")
NO_SOLUTION = Reject("puzzle without a solution")
INNER_ARCHIVE = Reject("archive in a folder or zip, not opened")
NO_CLUE = Reject("entry without a clue")
NO_LETTERS = Reject("entry with missing letters")


def read(path: Path) -> Iterator[Entry | Reject]:
    """Yield the clues of an archive; raises SourceError if `path` is missing, damaged, or has no puzzle file."""
    for puzzle in read_puzzles(path):
        yield from puzzle.rows
    yield from [INNER_ARCHIVE] * len(formats.list_inner_archives(path))


class ArchivedPuzzle(NamedTuple):
    """The rows of one file; `problem` says why it can't be read."""

    file_name: str
    rows: list[Entry | Reject]
    problem: str = ""


def read_puzzles(path: Path) -> Iterator[ArchivedPuzzle]:
    """Yield the puzzles of an archive with their rows; raises SourceError as `read` does."""
    source_name = text_files.list_name(path.resolve())
    try:
        for file in formats.open_files(path):
            yield _read_puzzle(file, source_name)
    except (PuzzleError, OSError) as cause:
        raise SourceError(str(cause)) from cause


def _read_puzzle(file: formats.PuzzleFile, source_name: str) -> ArchivedPuzzle:
    try:
        return ArchivedPuzzle(file.name, list(_read_slots(file, source_name)))
    except PuzzleError as cause:
        return ArchivedPuzzle(file.name, [UNREADABLE_PUZZLE], str(cause))


def _read_slots(file: formats.PuzzleFile, source_name: str) -> Iterator[Entry | Reject]:
    """Yield the rows of one file, slot by slot; raises PuzzleError."""
    puzzle, _ = formats.read_puzzle(file)
    solution = formats.read_solution(file)
    if solution is None:
        yield NO_SOLUTION
        return
    year = puzzle.date.year if puzzle.date else None
    for slot in puzzle.grid.slots:
        clue = puzzle.clues.get(slot, "")  # cleaned once, as the solver sees it
        yield _slot_entry(clue, [solution.get(cell, "") for cell in slot.cells], source_name, year) if clue else NO_CLUE


def _slot_entry(clue: str, cells: list[str], source: str, year: int | None) -> Entry | Reject:
    if not all(cells):
        return NO_LETTERS
    answer = text.normalize_answer("".join(cells))
    return Entry(answer, clue, "", source, year, 1.0) if text.fits_grid(answer) else entry.reject_length(answer)
