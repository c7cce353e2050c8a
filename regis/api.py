"""Regis as a library: read a puzzle, solve it, ask about it. What stands here is kept; all else may change.

Every function raises a class of `regis.errors` whose message is one sentence that says what to do, also where it is
called wrongly. An `index` is a path, an index that `open_index` opened (quicker where many puzzles are solved), or None
for the one that the command line would use.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regis.calls import Count, PathLike, Readable, Seconds, checked, sound
from regis.candidates.candidate_list import Candidate
from regis.errors import PuzzleError, UsageError, unknown
from regis.index import Index
from regis.puzzle import BLOCK, Cell, Puzzle, Slot, entry_names, formats
from regis.puzzle.formats import PuzzleFile, files
from regis.puzzle.formats.document import EMPTY, MAX_SIDE, shape
from regis.render import RENDERERS, png
from regis.render import html as page
from regis.solving import fillers, pipeline
from regis.solving import hint as hints
from regis.solving.explain import Explanation, explain
from regis.solving.hint import Hint
from regis.solving.solved import Answer, Solved, Theme
from regis.system import atomic, paths
from regis.system.terminal import Screen

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
        slot = entry_names.slots(_one(name), puzzle, NO_FILE)[0]
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
    found = pipeline.candidates(clue, entry_names.pattern(str(pattern)), _index(index))
    return tuple(found[i] for i in range(min(len(found), limit)))


@dataclass(frozen=True, repr=False)
class Result:
    """A solved puzzle. `print` shows it as the command line does, and a notebook draws it."""

    solved: Solved
    index: Index
    name: str
    file: PuzzleFile | None = None  # which it came from; None for a puzzle that a program made
    place: Path | None = None  # the file, folder or zip that was named

    def __iter__(self) -> Iterator[Answer]:
        return iter(self.answers)

    def __len__(self) -> int:
        """How many entries there are."""
        return len(self.answers)

    @property
    def answers(self) -> tuple[Answer, ...]:
        """Every entry in clue order: slot, clue, answer, confidence, evidence, alternatives."""
        return self.solved.answers

    @property
    def cells(self) -> Mapping[Cell, str]:
        """What each filled square holds, by (row, column) from 0; several letters in a rebus square."""
        return self.solved.solution.cells

    @property
    def confidence(self) -> Mapping[Cell, float]:
        """P(right) of each filled square."""
        return self.solved.solution.confidence

    @property
    def theme(self) -> Theme | None:
        """What Regis believes that answers have in common: `said`, and the `phrases` of which they were made."""
        return self.solved.theme

    @property
    def sure(self) -> bool:
        """Whether every square is filled and at least 90 % sure."""
        return self.solved.sure

    @property
    def doubts(self) -> Mapping[Cell, float]:
        """The person's letters that are probably wrong, each with P(right)."""
        return self.solved.checked.wrong

    @checked
    def __getitem__(self, entry: str) -> Answer:
        """`result["17A"]`. Raises PuzzleError if there is no such entry."""
        return self.only(_one(entry)).answers[0]

    @checked
    def only(self, entries: str) -> Result:
        """`result.only("17A,23D")`: the same without the other entries."""
        slots = entry_names.slots(entries, self.solved.puzzle, self.name)
        if gone := set(slots) - {answer.slot for answer in self.answers}:
            raise PuzzleError(f"this result was narrowed down to others than {min(map(str, gone))}; ask the whole one")
        return replace(self, solved=self.solved.only(slots))

    @checked
    def hint(self) -> Hint | None:
        """The letter that helps most, or a few answers to one entry; None if all is written or nothing sure enough."""
        return hints.hint(self.solved)

    @checked
    def explain(self, entry: str, limit: Count = 5) -> Explanation:
        """Why an entry is filled as it is, with up to `limit` candidates; what another filler solved, `belief` does."""
        puzzle, solved = self.solved.puzzle, self.solved
        slots = entry_names.slots(_one(entry), puzzle, self.name)
        if solved.solution.beliefs is None:
            solved = pipeline.solve(puzzle, self.index)
        return explain(pipeline.answered(solved, reveal=True), slots, limit)[0]

    @checked
    def json(self) -> dict[str, Any]:
        """What `regis solve --format json` writes."""
        return dict(json.loads(RENDERERS["json"](self.solved, self.name, Screen())))

    @property
    def letters(self) -> NDArray[np.str_]:
        """What the squares hold, (rows, columns): `#` for a block, '' for an empty one."""
        return _array(self, BLOCK, lambda cell: self.cells.get(cell, ""))

    @property
    def sureness(self) -> NDArray[np.float64]:
        """P(right) of the squares, (rows, columns): nan for a block, 0 for an empty one."""
        return _array(self, np.nan, lambda cell: self.confidence.get(cell, 0.0))

    def to_pandas(self) -> Any:
        """A pandas DataFrame with a row for each entry. Raises UsageError where pandas is not installed."""
        if find_spec("pandas") is None:
            raise UsageError("to_pandas needs pandas; install it beside Regis: pip install pandas")
        import pandas

        rows = [(str(one.slot), one.clue, one.answer, one.confidence) for one in self]
        return pandas.DataFrame(rows, columns=["entry", "clue", "answer", "confidence"])

    @property
    def html(self) -> str:
        """The page that `regis solve --format html` writes."""
        return RENDERERS["html"](self.solved, self.name, Screen())

    @property
    def svg(self) -> str:
        """The grid as a picture."""
        return RENDERERS["svg"](self.solved, self.name, Screen())

    @checked
    def save(self, path: PathLike) -> None:
        """Writes the result as the name says: .txt, .json, .html, .svg, .png, or a puzzle file with these letters.

        Puzzle files are .puz, .ipuz and .xd; what such a file has no place for is left out. Raises UsageError for
        another name and for that of the file which was solved, unless its letters can be written into it and all else
        stays, or where that has changed since, or where another solution than the file's own would be lost, and
        OutputError where nothing can be written.
        """
        file = Path(path)
        ending = file.suffix.lower().removeprefix(".")
        if ending == "png":
            data: str | bytes = png.render(self.solved)
        elif ending in formats.WRITABLE:
            whole = replace(self.solved.puzzle, given=dict(self.cells))
            data, _ = (
                formats.drawn(whole, self.name, ending)
                if self.file is None
                else formats.filled(self.file, ending, self.cells)
            )
        else:
            kinds = {"txt": "text"} | {name: name for name in RENDERERS if name != "text"}
            if ending not in kinds:
                raise unknown("format to save as", f".{ending}", [f".{x}" for x in (*kinds, "png", *formats.WRITABLE)])
            data = RENDERERS[kinds[ending]](self.solved, self.name, Screen())
        if self.place is not None and not formats.fills(self.place, ending):
            atomic.check(file, [self.place])
        elif _changed(self, file, data):
            raise UsageError(f"{file} has changed since it was read; solve it again, or save beside it")
        if isinstance(data, bytes) and formats.bereft(file, data):
            raise UsageError(f"{file} has a solution, which would be lost; solve the file itself, or save beside it")
        atomic.write(file, data)

    def __str__(self) -> str:
        return RENDERERS["text"](self.solved, self.name, Screen()).rstrip()

    def __repr__(self) -> str:
        return f"<Result {self.name}: {len(self.answers)} entries, {'sure' if self.sure else 'not all sure'}>"

    def _repr_html_(self) -> str:
        return page.fragment(self.solved)


def _solved(
    puzzle: Any, index: Index, filler: str, seconds: float | None, reveal: bool = False, place: Path | None = None
) -> Result:
    """The result of a puzzle, or of the file of one, however it is given, at a `place` that was named if not there."""
    if isinstance(puzzle, Puzzle):
        return Result(pipeline.solve(sound(puzzle), index, filler, seconds, reveal), index, NO_FILE)
    file = puzzle if isinstance(puzzle, PuzzleFile) else _file(puzzle)
    solved = pipeline.solve(formats.read(file)[0], index, filler, seconds, reveal)
    return Result(solved, index, file.name, file, place or _place(puzzle))


def _changed(result: Result, path: Path, data: str | bytes) -> bool:
    """Whether `path` is the file that was solved, and by now holds neither what was read nor `data`."""
    if result.file is None or result.place is None or not paths.within(path, result.place):
        return False
    return formats.open_file(path).data not in (result.file.data, data)


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
        except Exception as cause:  # whatever somebody else's file raises
            raise PuzzleError(f"{name} cannot be read ({type(cause).__name__}); open it again") from cause
        if not isinstance(given, bytes):
            raise UsageError(f"{name} is open as text; open it in binary mode, as with open({name!r}, 'rb')")
    return files.of_bytes(name, given)


def _array(result: Result, block: object, of: Callable[[Cell], object]) -> NDArray[Any]:
    """`of` each white cell, in the shape of the grid."""
    rows = enumerate(result.solved.puzzle.grid.rows)
    return np.array([[block if x == BLOCK else of((r, c)) for c, x in enumerate(row)] for r, row in rows])


def _index(index: PathLike | Index | None) -> Index:
    return index if isinstance(index, Index) else open_index(index)


def _one(entry: str) -> str:
    """`entry`, the name of a single one. Raises UsageError."""
    if len(entry_names.names(entry)) > 1:
        raise UsageError(f"{entry!r} names several entries; name one, or take `only`")
    return entry
