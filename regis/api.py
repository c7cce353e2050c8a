"""Regis as a library: read a puzzle, solve it, ask about it. What stands here is kept; all else may change.

Every function raises a class of `regis.errors` whose message is one sentence that says what to do, also where it is
called wrongly. An `index` is a path, an index that `open_index` opened (quicker where many puzzles are solved), or None
for the one that the command line would use.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from regis.calls import Count, PathLike, Readable, Seconds, checked, one_entry, sound
from regis.candidates.candidate_list import Candidate
from regis.errors import PuzzleError, UsageError
from regis.index import Index
from regis.puzzle import BLOCK, Puzzle, Slot, entry_names, formats
from regis.puzzle.formats import PuzzleFile, files
from regis.puzzle.formats.document import EMPTY, MAX_SIDE, shape
from regis.result import Result
from regis.solving import asking, fillers, pipeline
from regis.system import paths

__all__ = ["Index", "Puzzle", "Result", "from_rows", "guess", "open_index", "read", "solve", "solve_many"]

NO_FILE = "puzzle"  # the name of a puzzle that came from no file


@checked
def open_index(path: PathLike | None = None) -> Index:
    """The index at `path`, or the one that the command line would use."""
    return Index.open(paths.index(None if path is None else Path(path)))


@checked
def read(path: PathLike | bytes | Readable) -> Puzzle:
    """The puzzle in a file, never with its solution; letters that a person wrote into the file are its `given`.

    The file is named, or opened in binary mode, or given as what it holds.
    """
    return formats.read(_file(path))[0]


@checked
def from_rows(rows: Iterable[str], clues: Mapping[str, str] | None = None, title: str = "") -> Puzzle:
    """The puzzle of a grid drawn in rows, `#` for a block, `.` or a space for an empty square, else a written letter.

    `clues` are by the names of entries, {"1A": "Proud roarer"}; entries without one have none.
    """
    drawn = list(rows) if not isinstance(rows, str) else rows.splitlines()
    if not all(isinstance(row, str) for row in drawn):
        raise UsageError("from_rows: rows have to be texts, as ['AB#', '...']")
    if not any(drawn):
        raise UsageError("from_rows: there is no square in these rows; a grid is ['AB#', '...']")
    if len({len(row) for row in drawn}) > 1:
        raise UsageError("from_rows: rows have to be equally long, as ['AB#', '...']")
    if max(len(drawn), len(drawn[0])) > MAX_SIDE:
        raise UsageError(f"from_rows: a grid has {MAX_SIDE} rows at most, and as many columns")
    grid = shape([[x != BLOCK for x in row] for row in drawn], NO_FILE)
    given = {(r, c): drawn[r][c] for r, c in grid.cells if drawn[r][c] not in EMPTY}
    puzzle = Puzzle(grid, {}, given, title)
    named: dict[Slot, str] = {}
    for name, clue in (clues or {}).items():
        slot = entry_names.slots(one_entry(name), puzzle, NO_FILE)[0]
        if slot in named:
            raise UsageError(f"from_rows: {name} has two clues; give it one")
        named[slot] = clue
    return sound(replace(puzzle, clues=named))


@checked
def solve(
    puzzle: PathLike | bytes | Readable | Puzzle,
    *,
    index: PathLike | Index | None = None,
    filler: str = "belief",
    seconds: Seconds | None = None,
    reveal: bool = False,
) -> Result:
    """Solves a puzzle or the file of one. Letters that the person wrote are kept, with `reveal` only if not doubted.

    `filler` and `seconds` are those of the command line. What `given` holds are letters, A to Z, or digits, several in
    a rebus square.
    """
    return _solved(puzzle, _index(index), filler, seconds, reveal)


@checked
def solve_many(
    puzzles: Iterable[PathLike | bytes | Readable | Puzzle] | PathLike,
    *,
    index: PathLike | Index | None = None,
    filler: str = "belief",
    seconds: Seconds | None = None,
    skip: bool = False,
) -> Iterator[Result]:
    """Solves puzzles one after the other with one index: those that are listed, or all of a folder or zip.

    With `skip`, one that cannot be read is left out; else it raises PuzzleError when its turn comes.
    """
    fillers.check(filler)
    opened = _index(index)

    def each() -> Iterator[Result]:
        place: Path | None = None
        if isinstance(puzzles, str | os.PathLike):
            place = Path(puzzles)
            listed: Iterable[Any] = formats.open_files(place)
        else:
            listed = puzzles
        for puzzle in listed:
            try:
                yield _solved(puzzle, opened, filler, seconds, place=place)
            except PuzzleError:
                if not skip:
                    raise

    return each()


@checked
def guess(
    clue: str, pattern: str | Count, *, index: PathLike | Index | None = None, limit: Count = 10
) -> tuple[Candidate, ...]:
    """The likeliest answers to a clue, best first. `pattern` has `?` for unknown letters, or is how many there are."""
    found = asking.candidates(clue, entry_names.pattern(str(pattern)), _index(index))
    return tuple(found[i] for i in range(min(len(found), limit)))


def _solved(
    puzzle: Any, index: Index, filler: str, seconds: float | None, reveal: bool = False, place: Path | None = None
) -> Result:
    """The result of a puzzle, or of the file of one, however it is given, at a `place` that was named if not there."""
    if isinstance(puzzle, Puzzle):
        return Result(pipeline.solve(sound(puzzle), index, filler, seconds, reveal), index, NO_FILE)
    file = puzzle if isinstance(puzzle, PuzzleFile) else _file(puzzle)
    solved = pipeline.solve(formats.read(file)[0], index, filler, seconds, reveal)
    return Result(solved, index, file.name, file, place or _place(puzzle))


def _place(given: object) -> Path | None:
    """The path that was named, or of a file that is open; None for anything else."""
    named = given if isinstance(given, str | os.PathLike) else getattr(given, "name", None)
    return Path(named) if isinstance(named, str | os.PathLike) else None


def _file(given: PathLike | bytes | Readable) -> PuzzleFile:
    """The file that is named, opened or given as its bytes. Raises PuzzleError, and UsageError for what is none."""
    if isinstance(given, str | os.PathLike):
        return formats.open_file(Path(given))
    if not isinstance(given, bytes | Readable):
        raise UsageError("a puzzle is a regis.Puzzle or the file of one: its name, its bytes, or it opened")
    name = NO_FILE
    if not isinstance(given, bytes):
        named = getattr(given, "name", NO_FILE)
        name = paths.shown(named) if isinstance(named, str) else NO_FILE
        try:
            given = given.read(files.MAX_BYTES + 1)
        except UnicodeError:  # by what takes bytes for text
            given = ""
        except Exception as cause:  # whatever somebody else's file raises
            raise PuzzleError(f"{name} cannot be read ({type(cause).__name__}); open it again") from cause
        if not isinstance(given, bytes):
            raise UsageError(f"{name} is open as text; open it in binary mode, as with open({name!r}, 'rb')")
        if not given:
            raise PuzzleError(f"{name} is empty, or was read to its end before; open it again")
    return files.of_bytes(name, given)


def _index(index: PathLike | Index | None) -> Index:
    return index if isinstance(index, Index) else open_index(index)
