"""Across Lite's .puz, the format in which most American crosswords are passed around; puzpy does the parsing.

The file holds two grids, the solution and the player's. `read` lays blanks over the solution before the file is parsed
and takes the blocks from the player's grid, so that what is solved cannot depend on the answers; `solution` alone reads
those. (Some diagramless files show no block to the player. Only then, and only if the clues fit no open grid, the
blocks, and nothing else, are taken from the solution.) Checksums that do not match are a reason to warn, not to stop.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any, NamedTuple

import puz

from regis import text
from regis.errors import PuzzleError
from regis.puzzle import BLOCK, WHITE, Cell, Grid, Puzzle

MAX_SIDE = 100
"""Rows or columns beyond this are a damaged header: published puzzles have at most a few dozen."""

MAGIC = b"ACROSS&DOWN"
HEADER = 52  # bytes before the solution
DIAGRAMLESS = 0x0401
BLOCKS = ".:"
EMPTY = "-? \0"
"""What stands in a cell of which nothing is known."""

_BROKEN = (puz.PuzzleFormatError, struct.error, ValueError, LookupError)
"""What puzpy raises about files that are not as they should be; UnicodeError is a ValueError."""


class _Layout(NamedTuple):
    """Where the parts of a file begin, in bytes, and the size of its grid, in cells."""

    start: int
    width: int
    height: int

    @property
    def solution(self) -> int:
        return self.start + HEADER

    @property
    def fill(self) -> int:
        return self.solution + self.width * self.height

    @property
    def text(self) -> int:
        return self.fill + self.width * self.height


def detect(data: bytes) -> bool:
    """Whether `data` has the mark of a .puz file, which may stand behind something else."""
    return data.find(MAGIC) >= 2


def read(data: bytes, name: str) -> tuple[Puzzle, tuple[str, ...]]:
    """The puzzle in `data`, without any answer, and warnings. Raises PuzzleError. `name` is for messages."""
    layout = _layout(data, name)
    blank = b"-" * (layout.fill - layout.solution)
    file = _load(data[: layout.solution] + blank + data[layout.fill :], name)
    if len(file.fill) != len(blank):
        raise PuzzleError(f"{name} has a player's grid that is not {layout.width} by {layout.height}; fetch it again")
    warnings = [] if _checksums_match(data) else [f"{name} has wrong checksums and may be damaged; solved all the same"]
    fill = str(file.fill)
    grid = _grid(fill, layout)
    if not any(c in BLOCKS for c in fill) and len(file.clues) != len(grid.slots):
        hidden = _grid(data[layout.solution : layout.fill].decode("latin-1"), layout)
        if len(file.clues) == len(hidden.slots):
            grid = hidden
            warnings.append(f"{name} shows the player no blocks; they were taken from its solution, and nothing else")
    if file.puzzletype == DIAGRAMLESS or ":" in fill:
        warnings.append(f"{name} is diagramless; the diagram was taken from the file")
    if not grid.slots:
        warnings.append(f"{name} has nothing to solve: no two white squares stand next to each other")
    elif len(file.clues) != len(grid.slots):
        which = "the last entries have none" if len(file.clues) < len(grid.slots) else "the last ones were dropped"
        warnings.append(f"{name} has {len(file.clues)} clues for {len(grid.slots)} entries; {which}")
    clues = [text.clue(c) for c in file.clues[: len(grid.slots)]]
    clues += [""] * (len(grid.slots) - len(clues))
    title, author, notes = (text.clue(x) for x in (file.title, file.author, file.notes))
    given = _given(file, grid)
    puzzle = Puzzle(grid, dict(zip(grid.slots, clues, strict=True)), given, title, author, notes)
    return puzzle, tuple(warnings)


def solution(data: bytes, name: str) -> Mapping[Cell, str] | None:
    """What each white cell holds, in upper case, several letters in a rebus square.

    None if that cannot be told: scrambled, left out, blank, the same letter everywhere. Raises PuzzleError.
    """
    grid = read(data, name)[0].grid
    try:
        file = _load(data, name)
        if file.solution_state or len(file.solution) != grid.width * grid.height:
            return None
        rebus = file.rebus()
        found = {(r, c): str(rebus.get_rebus_solution(i) or file.solution[i]).strip().upper()
                 for r, c in grid.cells for i in [r * grid.width + c]}  # fmt: skip
    except (PuzzleError, *_BROKEN):
        return None
    contents = found.values()
    if not all(x.isprintable() and x.strip(EMPTY + BLOCKS) for x in contents) or len(set(contents)) < 2:
        return None
    return found if sum(x.isalnum() for x in contents) > len(found) / 2 else None


def _layout(data: bytes, name: str) -> _Layout:
    """Raises PuzzleError if `data` is not a .puz file or ends before its last clue does."""
    if not detect(data):
        raise PuzzleError(f"{name} is not a .puz file (it has no mark {MAGIC.decode()}); name one that is")
    start = data.index(MAGIC) - 2
    if len(data) < start + HEADER:
        raise _cut_short(name)
    width, height, clues = struct.unpack_from("<BBH", data, start + 44)
    if not (0 < width <= MAX_SIDE and 0 < height <= MAX_SIDE):
        raise PuzzleError(f"{name} says that its grid is {width} by {height}, so its header is damaged; fetch it again")
    layout = _Layout(start, width, height)
    if data.count(b"\0", layout.text) < 3 + clues:  # title, author and copyright come before the clues
        raise _cut_short(name)
    return layout


def _cut_short(name: str) -> PuzzleError:
    return PuzzleError(f"{name} is cut short: it ends before its last clue; fetch it again")


def _load(data: bytes, name: str) -> Any:
    """What puzpy makes of `data`, whatever the checksums, which it verifies when everything else is done."""
    file = puz.Puzzle()
    try:
        file.load(data)
    except _BROKEN as cause:
        if not (isinstance(cause, puz.PuzzleFormatError) and "checksum" in cause.message):
            raise PuzzleError(f"{name} is damaged and cannot be read as a .puz file; fetch it again") from cause
    return file


def _checksums_match(data: bytes) -> bool:
    try:
        puz.load(data)
    except _BROKEN:
        return False
    return True


def _grid(squares: str, layout: _Layout) -> Grid:
    shape = "".join(BLOCK if c in BLOCKS else WHITE for c in squares)
    return Grid(tuple(shape[i : i + layout.width] for i in range(0, len(shape), layout.width)))


def _given(file: Any, grid: Grid) -> dict[Cell, str]:
    """What the person wrote: letters in the player's grid, and in the RUSR section rebus squares, one string a cell."""
    rebus = file.extensions.get(b"RUSR", b"").split(b"\0")
    given: dict[Cell, str] = {}
    for r, c in grid.cells:
        i = r * grid.width + c
        longer = rebus[i].decode(file.encoding, "replace") if i < len(rebus) else ""
        for written in (text.fold(longer).upper(), text.fold(file.fill[i]).upper()):
            if written.isascii() and written.isalnum():
                given[r, c] = written
                break
    return given
