"""Regis as a library: read a puzzle, solve it, ask about it.

Every function raises a class of `regis.errors` whose message says what to do, even if it's called wrongly. An `index`
is a path, an index from `open_index` (faster for many puzzles), or None for the one that the command line would use.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from regis.ancestors import find_filler
from regis.api.calls import Count, PathLike, Seconds, check_arguments, normalize_puzzle, require_one_entry
from regis.api.guess import Guess, guess_answers
from regis.api.puzzle import NO_FILE_NAME, Puzzle
from regis.api.result import Result
from regis.building import personal_layers
from regis.building.additions import AddOutcome
from regis.corpora.sources import parse_added_source
from regis.errors import ArgumentError, OutputError, PuzzleError, SourceError, UsageError
from regis.index import Index
from regis.puzzle import BLOCK, Slot, entry_names, formats
from regis.puzzle import grid as grids
from regis.puzzle.formats import PuzzleFile, files
from regis.puzzle.formats.files import ReadableFile
from regis.puzzle.formats.shared.squares import EMPTY_SIGNS, MAX_SIDE, build_grid
from regis.solving import pipeline
from regis.solving.solved_puzzle import SolvedPuzzle
from regis.system import paths
from regis.system.files import atomic
from regis.system.parallel.workers import Workers, map_tasks, results_in_order

__all__ = [
    "Guess", "Index", "Puzzle", "Result", "add", "convert", "guess", "open_index", "puzzle_from_rows", "read_puzzle",
    "solve", "solve_many",
]  # fmt: skip


@check_arguments
def open_index(path: PathLike | None = None) -> Index:
    """Open an index, to solve many puzzles with it.

    Parameters
    ----------
    path : its folder; None for the one that the command line would use.

    Raises
    ------
    errors.IndexError_ : it's missing, damaged, unreadable, or from another version.
    """
    return Index.open(paths.index_folder(None if path is None else Path(path)))


@check_arguments
def read_puzzle(path: PathLike | bytes | ReadableFile, page: int | None = None, grid: int | None = None) -> Puzzle:
    """Read a puzzle file. The letters someone wrote into it are the puzzle's `given`.

    Parameters
    ----------
    path : the file's name, its bytes, or the file opened in binary mode.
    page, grid : the page of a PDF, and which puzzle on it or in a picture, both from 1.

    Raises
    ------
    errors.PuzzleError : the file has no puzzle; errors.PuzzleMissing, a FileNotFoundError, if there's no file.
    errors.UsageError : there's no such page or grid.
    """
    file = _read_file(path)._replace(page_number=page, grid_number=grid)
    return Puzzle.from_facts(formats.read_puzzle(file)[0], file)


@check_arguments
def puzzle_from_rows(rows: Iterable[str], clues: Mapping[str, str] | None = None, title: str = "") -> Puzzle:
    """Make a puzzle from a grid drawn in rows.

    Parameters
    ----------
    rows : of equal length; `#` is a block, `.` or a space is an empty square, anything else is your letter.
    clues : by the names of entries: {"1A": "Proud roarer"}. Entries may lack one.
    title : the puzzle's title.

    Raises
    ------
    errors.UsageError : the rows aren't a grid, or a clue's entry doesn't exist or already has a clue.
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
    grid = build_grid(drawn, NO_FILE_NAME, BLOCK)
    given = {(r, c): drawn[r][c] for r, c in grid.cells if drawn[r][c] not in EMPTY_SIGNS}
    puzzle = grids.Puzzle(grid, {}, given, title)
    named: dict[Slot, str] = {}
    for name, clue in (clues or {}).items():
        slot = entry_names.find_slots(require_one_entry(name), puzzle, NO_FILE_NAME)[0]
        if slot in named:
            raise UsageError(f"puzzle_from_rows: {name} has two clues; give it one")
        named[slot] = clue
    return Puzzle.from_facts(normalize_puzzle(replace(puzzle, clues=named)))


@check_arguments
def solve(
    puzzle: PathLike | bytes | ReadableFile | grids.Puzzle,
    *,
    index: PathLike | Index | None = None,
    filler: str = "belief",
    seconds: Seconds | None = None,
    reveal: bool = False,
    words: Iterable[str] = (),
) -> Result:
    """Solve a puzzle or a puzzle file, and keep the letters in it.

    Parameters
    ----------
    puzzle : a Puzzle, or a file: its name, its bytes, or the file opened in binary mode. A puzzle's `given` may have
        letters A to Z and digits, several in a rebus square.
    index : a folder, or an open index (faster for many puzzles); None for the one that the command line would use.
    filler : the method that fills the grid: belief, or one of the five ancestors.
    seconds : when to stop with what's been filled; None for never.
    reveal : replace letters that are probably wrong.
    words : words and phrases that may be answers, in addition to those in the index.

    Raises
    ------
    errors.PuzzleError : the file can't be read.
    errors.IndexError_ : the index can't be used.
    errors.UsageError : an argument makes no sense.
    """
    find_filler(filler)
    opened, task = _open_index(index, words), _read_task(puzzle)
    solved = pipeline.solve(task.puzzle.facts, opened, find_filler(filler), seconds, reveal)
    return Result(solved, opened, *task)


@check_arguments
def solve_many(
    puzzles: Iterable[PathLike | bytes | ReadableFile | grids.Puzzle] | PathLike,
    *,
    index: PathLike | Index | None = None,
    filler: str = "belief",
    seconds: Seconds | None = None,
    skip_unreadable: bool = False,
    words: Iterable[str] = (),
    jobs: Count = 1,
    progress: Callable[[int], object] | None = None,
) -> Iterator[Result]:
    """Solve puzzles with one index, and yield the results in the order of the puzzles.

    Parameters
    ----------
    puzzles : what `solve` takes, or the name of a folder or zip to solve entirely.
    index, filler, seconds, words : as for `solve`.
    skip_unreadable : skip a puzzle that can't be read; otherwise it raises PuzzleError when its turn comes.
    jobs : how many processes to use; with several, a script needs `if __name__ == "__main__":`.
    progress : called after each puzzle with the number solved so far.
    """
    if isinstance(puzzles, str) and not puzzles:
        raise UsageError("solve_many: puzzles is empty; name a folder or zip, or give several puzzles")
    if isinstance(puzzles, Puzzle | grids.Puzzle):
        raise ArgumentError("solve_many: puzzles is one puzzle; call solve, or give several")
    find_filler(filler)
    opened = _open_index(index, words)
    tasks = _read_tasks(puzzles, skip_unreadable)
    solver = PuzzleSolver(opened.folder.absolute(), opened.fingerprint, filler, seconds)
    return _solve_tasks(tasks, opened, solver, jobs, progress or (lambda count: None))


@check_arguments
def guess(
    clue: str, pattern: str | Count | None = None, *, index: PathLike | Index | None = None, limit: Count = 10
) -> Guess:
    """List the likeliest answers to a clue, best first.

    Parameters
    ----------
    clue : the clue as printed.
    pattern : the letters, with `?` for each unknown one ("?U??"), or their number; None for any number.
    index : as for `solve`.
    limit : how many answers to list at most.
    """
    return guess_answers(clue, pattern, _open_index(index), limit)


@check_arguments
def add(
    sources: PathLike | Iterable[PathLike], *, layer: str | None = None, index: PathLike | None = None
) -> AddOutcome:
    """Add puzzles, word lists, and clue tables to your index, as `regis add` does.

    Parameters
    ----------
    sources : solved puzzle files, folders and zips of them, word lists, or "READER=FILE".
    layer : the name to add them under; None for `puzzles`, or the file's name.
    index : its folder; None for the one that the command line would change.

    Returns
    -------
    What was added: `new_puzzles`, `new_clues`, and `new_answers`.

    Raises
    ------
    errors.SourceError, errors.IndexError_, errors.UsageError, errors.OutputError : the index is unchanged.
    """
    given = None if index is None else Path(index)
    named = [sources] if isinstance(sources, str | os.PathLike) else list(sources)
    if not all(isinstance(source, str | os.PathLike) for source in named):
        raise ArgumentError("add: sources must be names of files or folders, or READER=FILE; save a puzzle first")
    return personal_layers.add_layers(
        [parse_added_source(os.fspath(source)) for source in named],
        paths.own_index_folder(given),
        layer_name=layer,
        begin_with_starter=paths.has_only_starter(given),
    )


@check_arguments
def convert(source: PathLike, target: PathLike, *, format: str | None = None) -> tuple[str, ...]:
    """Convert a puzzle file, and return a sentence for each oddity in it and each thing the new format can't hold.

    Parameters
    ----------
    source : the puzzle file.
    target : the file to write.
    format : puz, ipuz, or xd; None to go by the name of `target`.

    Raises
    ------
    errors.PuzzleError : the file can't be read, or can't be written in this format.
    errors.UsageError : Regis can't write the format, or `target` is `source`.
    errors.OutputError : `target` can't be written.
    """
    place, file = Path(target), formats.open_file(Path(source))
    atomic.check_writable(place, [Path(source)])
    data, lost = formats.convert_file(file, format or place.suffix.lower().removeprefix("."))
    atomic.write_file(place, data)
    return (*formats.read_puzzle(file)[1], *lost)


class PuzzleTask(NamedTuple):
    """A puzzle to solve, and where it came from: what a `Result` has besides what was solved."""

    puzzle: Puzzle
    name: str  # of its file
    file: PuzzleFile | None = None  # None for a puzzle that was read or made before
    source_path: Path | None = None  # the file, folder or zip that was named


@dataclass(frozen=True)
class PuzzleSolver:
    """All that a worker must know (parallel.workers)."""

    index_folder: Path
    fingerprint: str  # of that index
    filler: str
    seconds: float | None

    def __call__(self) -> Callable[[grids.Puzzle], SolvedPuzzle]:
        index = Index.open_by_fingerprint(self.index_folder, self.fingerprint)
        return lambda puzzle: self.solve(puzzle, index).detach()

    def solve(self, puzzle: grids.Puzzle, index: Index) -> SolvedPuzzle:
        return pipeline.solve(puzzle, index, find_filler(self.filler), self.seconds)


def _read_task(given: Any, source_path: Path | None = None) -> PuzzleTask:
    """Take a puzzle, or read the file of one, however it is given, which came from `source_path` if not from itself."""
    if isinstance(given, grids.Puzzle):
        file = given.file if isinstance(given, Puzzle) else None
        return PuzzleTask(Puzzle.from_facts(normalize_puzzle(given), file), NO_FILE_NAME)
    file = given if isinstance(given, PuzzleFile) else _read_file(given)
    puzzle = Puzzle.from_facts(formats.read_puzzle(file)[0], file)
    return PuzzleTask(puzzle, file.name, file, source_path or _named_path(given))


def _read_tasks(puzzles: Iterable[Any] | PathLike, skip_unreadable: bool) -> Iterator[PuzzleTask]:
    """Read each puzzle when its turn comes."""
    source_path = Path(puzzles) if isinstance(puzzles, str | os.PathLike) else None
    given_puzzles = formats.open_files(source_path) if source_path else puzzles
    assert isinstance(given_puzzles, Iterable)
    for given in given_puzzles:
        try:
            yield _read_task(given, source_path)
        except PuzzleError:
            if not skip_unreadable:
                raise


def _solve_tasks(
    tasks: Iterator[PuzzleTask], index: Index, solver: PuzzleSolver, jobs: int, progress: Callable[[int], object]
) -> Iterator[Result]:
    """Solve each, here or in `jobs` processes."""
    under_way: deque[PuzzleTask] = deque()

    def hand_out() -> Iterator[grids.Puzzle]:
        for task in tasks:
            under_way.append(task)
            yield task.puzzle.facts

    solved_puzzles: Iterator[SolvedPuzzle]
    if jobs == 1:
        solved_puzzles = (solver.solve(puzzle, index) for puzzle in hand_out())
    else:
        solved_puzzles = results_in_order(map_tasks(solver, hand_out(), Workers(jobs)))
    for count, solved in enumerate(solved_puzzles, 1):
        progress(count)
        yield Result(solved, index, *under_way.popleft())


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


def _open_index(index: PathLike | Index | None, words: Iterable[str] = ()) -> Index:
    """Open an index, with words on top if there are any."""
    if isinstance(words, str):
        raise UsageError("words is one text; give several, as in words=['Aunt Ottilie']")
    opened, listed = index if isinstance(index, Index) else open_index(index), list(words)
    if not listed:
        return opened
    try:
        folder = Path(tempfile.mkdtemp(prefix="regis-"))
        with ExitStack() as undone:
            undone.callback(shutil.rmtree, folder, ignore_errors=True)
            stacked = personal_layers.stack_words(listed, opened, folder)
            weakref.finalize(stacked, undone.pop_all().close)
    except SourceError as cause:
        raise UsageError("none of the words can be an answer; use letters, as in words=['Aunt Ottilie']") from cause
    except OSError as cause:
        raise OutputError(f"the words can't be written to {tempfile.gettempdir()} ({cause.strerror})") from cause
    return stacked
