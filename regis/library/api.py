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

from regis.ancestors import find_filler
from regis.errors import PuzzleError, UsageError
from regis.index import Index
from regis.library.calls import Count, PathLike, Seconds, check_arguments, normalize_puzzle, require_one_entry
from regis.library.guess import Guess, guess_answers
from regis.library.result import Result
from regis.puzzle import BLOCK, Puzzle, Slot, entry_names, formats
from regis.puzzle.formats import PuzzleFile, files
from regis.puzzle.formats.files import ReadableFile
from regis.puzzle.formats.shared.squares import EMPTY_SIGNS, MAX_SIDE, build_grid
from regis.solving import pipeline
from regis.system import paths

__all__ = [
    "Guess",
    "Index",
    "Puzzle",
    "Result",
    "guess",
    "open_index",
    "puzzle_from_rows",
    "read_puzzle",
    "solve",
    "solve_many",
]

NO_FILE_NAME = "puzzle"  # the name of a puzzle that came from no file


@check_arguments
def open_index(path: PathLike | None = None) -> Index:
    """Open an index, to solve many puzzles with it.

    Parameters
    ----------
    path : its folder; None for the one that the command line would use.

    Raises
    ------
    errors.IndexError_ : it is not there, of another version, damaged or cannot be read now.
    """
    return Index.open(paths.index_folder(None if path is None else Path(path)))


@check_arguments
def read_puzzle(path: PathLike | bytes | ReadableFile) -> Puzzle:
    """Read the puzzle in a file, never with its solution; letters that a person wrote into it are its `given`.

    Parameters
    ----------
    path : the file's name, or the file opened in binary mode, or its bytes.

    Raises
    ------
    errors.PuzzleError : there is no puzzle in it.
    """
    return formats.read_puzzle(_read_file(path))[0]


@check_arguments
def puzzle_from_rows(rows: Iterable[str], clues: Mapping[str, str] | None = None, title: str = "") -> Puzzle:
    """Make a puzzle of a grid that is drawn in rows.

    Parameters
    ----------
    rows : equally long; `#` is a block, `.` or a space an empty square, all else a written letter.
    clues : by the names of entries, {"1A": "Proud roarer"}; entries without one have none.
    title : of the puzzle.

    Raises
    ------
    errors.UsageError : the rows are no grid, or a clue is for no entry or for one that has a clue.
    """
    drawn = list(rows) if not isinstance(rows, str) else rows.splitlines()
    if not all(isinstance(row, str) for row in drawn):
        raise UsageError("puzzle_from_rows: rows must be strings, such as ['AB#', '...']")
    if not any(drawn):
        raise UsageError("puzzle_from_rows: these rows have no squares; pass something like ['AB#', '...']")
    if len({len(row) for row in drawn}) > 1:
        raise UsageError("puzzle_from_rows: all rows must have the same length, as in ['AB#', '...']")
    if max(len(drawn), len(drawn[0])) > MAX_SIDE:
        raise UsageError(f"puzzle_from_rows: a grid has {MAX_SIDE} rows and columns at most")
    grid = build_grid([[x != BLOCK for x in row] for row in drawn], NO_FILE_NAME)
    given = {(r, c): drawn[r][c] for r, c in grid.cells if drawn[r][c] not in EMPTY_SIGNS}
    puzzle = Puzzle(grid, {}, given, title)
    named: dict[Slot, str] = {}
    for name, clue in (clues or {}).items():
        slot = entry_names.find_slots(require_one_entry(name), puzzle, NO_FILE_NAME)[0]
        if slot in named:
            raise UsageError(f"puzzle_from_rows: {name} has two clues; give it one")
        named[slot] = clue
    return normalize_puzzle(replace(puzzle, clues=named))


@check_arguments
def solve(
    puzzle: PathLike | bytes | ReadableFile | Puzzle,
    *,
    index: PathLike | Index | None = None,
    filler: str = "belief",
    seconds: Seconds | None = None,
    reveal: bool = False,
) -> Result:
    """Solve a puzzle or the file of one, and keep the letters that the person wrote.

    Parameters
    ----------
    puzzle : made or read before, or a file of one: its name, opened in binary mode, or its bytes. What its `given`
        holds are letters, A to Z, or digits, several in a rebus square.
    index : a folder, or an index that is open (quicker for many puzzles); None for what the command line would use.
    filler : which method fills the grid, as behind --filler.
    seconds : when to stop, with what is found and filled by then; None for never.
    reveal : replace written letters that are probably wrong.

    Raises
    ------
    errors.PuzzleError : the file cannot be read.
    errors.IndexError_ : the index cannot be used.
    errors.UsageError : an argument makes no sense.
    """
    return _solve_puzzle(puzzle, _open_index(index), filler, seconds, reveal)


@check_arguments
def solve_many(
    puzzles: Iterable[PathLike | bytes | ReadableFile | Puzzle] | PathLike,
    *,
    index: PathLike | Index | None = None,
    filler: str = "belief",
    seconds: Seconds | None = None,
    skip_unreadable: bool = False,
) -> Iterator[Result]:
    """Solve puzzles one after the other with one index.

    Parameters
    ----------
    puzzles : as `solve` takes them, or the name of a folder or zip of which all are solved.
    index, filler, seconds : as of `solve`.
    skip_unreadable : leave out a puzzle that cannot be read; else it raises PuzzleError when its turn comes.
    """
    if isinstance(puzzles, str) and not puzzles:
        raise UsageError("solve_many: puzzles is empty; name a folder or zip, or give several puzzles")
    find_filler(filler)
    opened = _open_index(index)

    def solve_each() -> Iterator[Result]:
        source_path: Path | None = None
        if isinstance(puzzles, str | os.PathLike):
            source_path = Path(puzzles)
            items: Iterable[Any] = formats.open_files(source_path)
        else:
            items = puzzles
        for puzzle in items:
            try:
                yield _solve_puzzle(puzzle, opened, filler, seconds, source_path=source_path)
            except PuzzleError:
                if not skip_unreadable:
                    raise

    return solve_each()


@check_arguments
def guess(
    clue: str, pattern: str | Count | None = None, *, index: PathLike | Index | None = None, limit: Count = 10
) -> Guess:
    """List the likeliest answers to a clue, best first.

    Parameters
    ----------
    clue : as it is printed.
    pattern : with `?` for an unknown letter, "?U??"; or how many letters there are; None for any number.
    index : as of `solve`.
    limit : how many answers, at most.
    """
    return guess_answers(clue, pattern, _open_index(index), limit)


def _solve_puzzle(
    puzzle: Any, index: Index, filler: str, seconds: float | None, reveal: bool = False, source_path: Path | None = None
) -> Result:
    """Solve a puzzle, or the file of one, however it is given, which came from `source_path` if not from itself."""
    if isinstance(puzzle, Puzzle):
        solved = pipeline.solve(normalize_puzzle(puzzle), index, find_filler(filler), seconds, reveal)
        return Result(solved, index, NO_FILE_NAME)
    file = puzzle if isinstance(puzzle, PuzzleFile) else _read_file(puzzle)
    solved = pipeline.solve(formats.read_puzzle(file)[0], index, find_filler(filler), seconds, reveal)
    return Result(solved, index, file.name, file, source_path or _named_path(puzzle))


def _named_path(given: object) -> Path | None:
    """Return the path that was named, or of a file that is open; None for anything else."""
    named = given if isinstance(given, str | os.PathLike) else getattr(given, "name", None)
    return Path(named) if isinstance(named, str | os.PathLike) else None


def _read_file(given: PathLike | bytes | ReadableFile) -> PuzzleFile:
    """Read a file that is named, opened or given as its bytes. Raises PuzzleError, and UsageError for what is none."""
    if isinstance(given, str | os.PathLike):
        return formats.open_file(Path(given))
    if not isinstance(given, bytes | ReadableFile):
        raise UsageError("a puzzle must be a regis.Puzzle, a file name, a file's bytes, or an open file")
    name = NO_FILE_NAME
    if not isinstance(given, bytes):
        named = getattr(given, "name", NO_FILE_NAME)
        name = paths.printable_path(named) if isinstance(named, str) else NO_FILE_NAME
        try:
            given = files.read_bounded(given)
        except UnicodeError:  # by what takes bytes for text
            given = ""
        except Exception as cause:  # whatever somebody else's file raises
            raise PuzzleError(f"{name} can't be read ({type(cause).__name__}); open it again") from cause
        if not isinstance(given, bytes):
            raise UsageError(f"{name} is open in text mode; use open({name!r}, 'rb')")
        if not given:
            raise PuzzleError(f"{name} is empty or already read; open it again")
    return files.puzzle_file_of(name, given)


def _open_index(index: PathLike | Index | None) -> Index:
    return index if isinstance(index, Index) else open_index(index)
