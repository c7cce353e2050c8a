"""`puzzle-archive`: puzzle files, one, a folder or a zip of them; every clue with its answer.

The answer is what the cells of the slot hold, joined; a rebus square gives all its letters, so that such an answer is
longer than its slot. A file that cannot be read, or holds no solution, is one reject and does not stop the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from regis import text
from regis.corpora.entry import Entry, Reject
from regis.corpora.readers import files
from regis.errors import PuzzleError, SourceError
from regis.puzzle import formats

UNREADABLE = Reject("puzzle file that cannot be read")
UNSOLVED = Reject("puzzle without a solution")
NO_CLUE = Reject("slot without a clue")
NO_LETTERS = Reject("slot without all its letters")
NYT = re.compile(r"\bny ?times\b|\bnew york times\b|(?<![a-z])nyt(?![a-z])", re.IGNORECASE)


def read(path: Path) -> Iterator[Entry | Reject]:
    """The clues of an archive. Raises SourceError if `path` is missing, damaged, or holds no puzzle file.

    An empty file among the puzzles is a reject like any other that cannot be read.
    """
    for one in puzzles(path):
        yield from one.rows


class Held(NamedTuple):
    """What one file of an archive holds; `problem` is a sentence where it cannot be read."""

    name: str
    rows: list[Entry | Reject]
    problem: str = ""


def puzzles(path: Path) -> Iterator[Held]:
    """The same puzzle by puzzle. Raises SourceError as `read` does."""
    name = files.stem(path.resolve())
    try:
        for file in formats.open_files(path):
            yield _held(file, name)
    except (PuzzleError, OSError) as cause:
        raise SourceError(str(cause)) from cause


def _held(file: formats.PuzzleFile, name: str) -> Held:
    try:
        return Held(file.name, list(_rows(file, name)))
    except PuzzleError as cause:
        return Held(file.name, [UNREADABLE], str(cause))


def _rows(file: formats.PuzzleFile, name: str) -> Iterator[Entry | Reject]:
    """What one file holds, slot by slot. Raises PuzzleError."""
    puzzle, _ = formats.read(file)
    solution = formats.solution(file)
    if solution is None:
        yield UNSOLVED
        return
    year = puzzle.date.year if puzzle.date else None
    source = publisher(puzzle.title, file.name) or name
    for slot in puzzle.grid.slots:
        clue = puzzle.clues.get(slot, "")  # as who solves sees it: cleaned once
        yield _entry(clue, [solution.get(cell, "") for cell in slot.cells], source, year) if clue else NO_CLUE


def publisher(title: str, name: str) -> str:
    """'nyt' if the title or the file's name says so, else ''."""
    return "nyt" if NYT.search(title) or NYT.search(Path(name).name) else ""


def _entry(clue: str, cells: list[str], source: str, year: int | None) -> Entry | Reject:
    if not all(cells):
        return NO_LETTERS
    answer = text.answer("".join(cells))
    return Entry(answer, clue, "", source, year, 1.0) if text.fits_grid(answer) else files.wrong_length(answer)
