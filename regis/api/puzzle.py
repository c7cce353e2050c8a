"""A puzzle for programs: entries and clues by name, the file's solution on request, and saving."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import NamedTuple, Self, TypeVar, overload

from regis.api.calls import PathLike, check_arguments, require_one_entry
from regis.errors import EntryMissing, PuzzleError, UsageError, unknown_name
from regis.evaluation.score import Score, score_fill
from regis.puzzle import Cell, Direction, Slot, entry_names, formats, grid
from regis.puzzle.formats import PuzzleFile
from regis.render import html as page
from regis.solving.filler import Fill
from regis.system.files import atomic

T = TypeVar("T")

NO_FILE_NAME = "puzzle"  # the name of a puzzle that came from no file


class PuzzleEntry(NamedTuple):
    """One entry of a puzzle; `str(entry)` is '17A'."""

    slot: Slot
    clue: str

    @property
    def number(self) -> int:
        return self.slot.number

    @property
    def direction(self) -> Direction:
        return self.slot.direction

    @property
    def length(self) -> int:
        """Count the squares."""
        return len(self.slot)

    def __str__(self) -> str:
        return str(self.slot)


class Clues(Mapping[Slot, str]):
    """The clues of a puzzle, by slot or by the name of an entry: `clues["17A"]`."""

    def __init__(self, clues: Mapping[Slot, str]) -> None:
        self._clues = dict(clues)

    def __getitem__(self, entry: Slot | str) -> str:
        if not isinstance(entry, str):
            return self._clues[entry]
        try:
            (name,) = entry_names.parse_entry_names(require_one_entry(entry))
        except UsageError as cause:
            raise EntryMissing(str(cause)) from None
        for slot in self._clues:
            if str(slot) == name:
                return self._clues[slot]
        raise EntryMissing(f"the puzzle has no entry {name} with a clue")

    @overload
    def get(self, entry: Slot | str, default: None = None) -> str | None: ...

    @overload
    def get(self, entry: Slot | str, default: str | T) -> str | T: ...

    def get(self, entry: Slot | str, default: object = None) -> object:
        with suppress(KeyError):
            return self[entry]
        return default

    def __iter__(self) -> Iterator[Slot]:
        return iter(self._clues)

    def __len__(self) -> int:
        return len(self._clues)

    def __repr__(self) -> str:
        return repr(self._clues)


@dataclass(frozen=True, repr=False, eq=False)
class Puzzle(grid.Puzzle):
    """A puzzle: a grid, its clues, and the letters written so far. Iterating over it yields its entries."""

    clues: Clues
    file: PuzzleFile | None = field(default=None, repr=False)  # that it was read from

    def __post_init__(self) -> None:
        if isinstance(self.clues, Mapping) and not isinstance(self.clues, Clues):
            object.__setattr__(self, "clues", Clues(self.clues))

    @classmethod
    def from_facts(cls, puzzle: grid.Puzzle, file: PuzzleFile | None = None) -> Self:
        """Make a puzzle from one that knows no file."""
        return cls(**{one.name: getattr(puzzle, one.name) for one in fields(grid.Puzzle)}, file=file)

    @property
    def facts(self) -> grid.Puzzle:
        """The same puzzle without its file, as a solver sees it."""
        return grid.Puzzle(**{one.name: getattr(self, one.name) for one in fields(grid.Puzzle)})

    @property
    def entries(self) -> tuple[PuzzleEntry, ...]:
        """The entries in clue order."""
        return tuple(PuzzleEntry(slot, self.clues.get(slot, "")) for slot in self.grid.slots)

    def __iter__(self) -> Iterator[PuzzleEntry]:
        return iter(self.entries)

    @property
    def width(self) -> int:
        """The number of columns."""
        return self.grid.width

    @property
    def height(self) -> int:
        """The number of rows."""
        return self.grid.height

    @property
    def solution(self) -> Mapping[Cell, str] | None:
        """The solution in the puzzle's file, by square; None if there's none to read. Solving never looks at it."""
        return None if self.file is None else formats.read_solution(self.file)

    @check_arguments
    def score(self, letters: Mapping[Cell, str]) -> Score:
        """Count how many letters and words are right by the file's solution. Raises PuzzleError if it has none."""
        if (solution := self.solution) is None:
            raise PuzzleError("the puzzle has no solution to compare with; read it from a file that has one")
        return score_fill(Fill(letters, {}, {}), self, solution)

    @check_arguments
    def save(self, path: PathLike) -> None:
        """Write the puzzle, with the letters written so far, as a .puz, .ipuz, or .xd.

        Everything else in its file stays, unless you changed more than the letters.

        Raises
        ------
        errors.UsageError : the name has another ending, or the solution in the file at `path` would be lost.
        errors.PuzzleError : the format can't hold the puzzle.
        errors.OutputError : the file can't be written.
        """
        place = Path(path)
        ending = place.suffix.lower().removeprefix(".")
        if ending not in formats.WRITABLE_FORMATS:
            raise unknown_name("format to save as", f".{ending}", [f".{name}" for name in formats.WRITABLE_FORMATS])
        original = formats.read_puzzle(self.file)[0] if self.file else None
        if self.file and original and replace(original, given=self.given) == self.facts:
            letters = None if self.given == original.given else self.given
            data, _ = formats.convert_file(self.file, ending, letters)
        else:
            data, _ = formats.write_puzzle(self, NO_FILE_NAME, ending)
        write_puzzle_file(place, data)

    def _repr_html_(self) -> str:
        return page.render_unsolved(self)


def write_puzzle_file(place: Path, data: bytes) -> None:
    """Write a puzzle file, unless that would lose a solution. Raises UsageError and OutputError."""
    if formats.would_lose_solution(place, data):
        raise UsageError(f"{place} has a solution that would be lost; solve the file itself, or save to another file")
    atomic.write_file(place, data)
