"""A crossword as its solver sees it: a grid, clues, perhaps some letters. It never changes and never holds an answer.

A grid is drawn as rows of `#` (block) and `.` (white); bars may separate two neighbors. Slots and crossings follow from
these and are computed once. Any shape works: oblong grids, unchecked cells, two-letter slots, no slots at all. A run of
one white cell isn't a slot. A puzzle may list slots that don't follow from blocks and bars; they may bend and jump, but
no cell is in two slots of the same direction.

A cell's content is always a string, so a rebus square needs no special case.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple, TypeVar

from regis.text import MAX_CLUE_LENGTH, clue_key

T = TypeVar("T")

BLOCK = "#"
WHITE = "."

DOUBTFUL_BELOW = 0.9
"""A confidence below this is doubtful: letters are marked, clues read from a page are shown for correction, and answers
don't help with clues that refer to them. Just below it, one letter in ten is wrong: about one in every other word."""

MAX_NAMED_SLOTS = 5  # slots that a sentence names

Cell = tuple[int, int]  # row and column, from 0, the top left

Bar = tuple[Cell, Cell]
"""Two neighbors with a thick line between them, the left or upper cell first."""


class Direction(StrEnum):
    ACROSS = "A"
    DOWN = "D"


@dataclass(frozen=True, slots=True)
class Slot:
    """At least two white cells that hold one answer; `str(slot)` is '17A'."""

    number: int
    direction: Direction
    cells: tuple[Cell, ...] = field(repr=False)

    def __str__(self) -> str:
        return f"{self.number}{self.direction.value}"

    def __len__(self) -> int:
        return len(self.cells)


def format_slot_names(slots: Sequence[Slot]) -> str:
    """List slots for a sentence, at most five of them by name: '1A, 4A, 7A, 8A, 9A and 12 more'."""
    n_more = len(slots) - MAX_NAMED_SLOTS
    return ", ".join(map(str, slots[:MAX_NAMED_SLOTS])) + (f" and {n_more} more" if n_more > 0 else "")


class Crossing(NamedTuple):
    """A slot through a cell, and the cell's position in it."""

    slot: Slot
    position: int


@dataclass(frozen=True)
class Grid:
    """Blocks, white cells, and bars, with the slots and crossings that follow."""

    rows: tuple[str, ...]
    bars: frozenset[Bar] = frozenset()
    given_slots: tuple[Slot, ...] = ()  # in clue order; only if they don't follow from the rest

    @property
    def height(self) -> int:
        return len(self.rows)

    @property
    def width(self) -> int:
        return len(self.rows[0]) if self.rows else 0

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """Return all white cells, row by row."""
        return tuple((r, c) for r, row in enumerate(self.rows) for c, x in enumerate(row) if x != BLOCK)

    @cached_property
    def slots(self) -> tuple[Slot, ...]:
        """Return all slots in clue order: by number, across before down."""
        if self.given_slots:
            return self.given_slots
        found: list[Slot] = []
        number = 0
        for cell in self.cells:
            runs = [(d, run) for d in Direction if (run := self._run(cell, d))]
            number += bool(runs)
            found.extend(Slot(number, d, run) for d, run in runs)
        return tuple(found)

    @cached_property
    def slots_by_start(self) -> Mapping[tuple[Cell, Direction], Slot]:
        return {(slot.cells[0], slot.direction): slot for slot in self.slots}

    @cached_property
    def cell_numbers(self) -> Mapping[Cell, int]:
        """Return the numbers printed in cells."""
        return {slot.cells[0]: slot.number for slot in self.slots}

    @cached_property
    def slots_through(self) -> Mapping[Cell, tuple[Crossing, ...]]:
        """Return the slots through each cell, across before down."""
        crossings: dict[Cell, tuple[Crossing, ...]] = {}
        for slot in sorted(self.slots, key=lambda slot: slot.direction):
            for i, cell in enumerate(slot.cells):
                crossings[cell] = (*crossings.get(cell, ()), Crossing(slot, i))
        return crossings

    @cached_property
    def crossings(self) -> Mapping[Slot, tuple[Crossing | None, ...]]:
        """Return for each slot, cell by cell, the crossing there; None if the cell is unchecked."""

        def find_crossing(slot: Slot, cell: Cell) -> Crossing | None:
            return next((x for x in self.slots_through[cell] if x.slot.direction is not slot.direction), None)

        return {slot: tuple(find_crossing(slot, cell) for cell in slot.cells) for slot in self.slots}

    def map_cells(self, cell_value: Callable[[Cell], T], block_value: T) -> list[list[T]]:
        """Return the grid row by row: the value of each white cell, and `block_value` for others."""
        return [
            [block_value if x == BLOCK else cell_value((r, c)) for c, x in enumerate(row)]
            for r, row in enumerate(self.rows)
        ]

    def _run(self, start: Cell, direction: Direction) -> tuple[Cell, ...]:
        """Return the cells of the slot that begins at `start` in `direction`; () if none does."""
        down, right = (0, 1) if direction is Direction.ACROSS else (1, 0)
        r, c = start
        if self._are_joined((r - down, c - right), start):
            return ()
        run = [start]
        while self._are_joined(run[-1], (after := (run[-1][0] + down, run[-1][1] + right))):
            run.append(after)
        return tuple(run) if len(run) > 1 else ()

    def _are_joined(self, one: Cell, other: Cell) -> bool:
        """Return whether two neighbors are white, without a bar between."""
        return one in self._white_cells and other in self._white_cells and (one, other) not in self.bars

    @cached_property
    def _white_cells(self) -> frozenset[Cell]:
        return frozenset(self.cells)


@dataclass(frozen=True, repr=False)
class Puzzle:
    grid: Grid
    clues: Mapping[Slot, str]
    given: Mapping[Cell, str] = field(default_factory=dict)  # letters that are already written
    title: str = ""
    author: str = ""
    notes: str = ""
    date: dt.date | None = None  # when it was published
    copyright: str = ""
    publisher: str = ""  # if the file names a publisher
    circles: frozenset[Cell] = frozenset()
    shaded: frozenset[Cell] = frozenset()

    def __hash__(self) -> int:
        return hash((self.grid, frozenset(self.clues.items()), frozenset(self.given.items()), self.title))

    def __repr__(self) -> str:
        size = f"{self.grid.width} by {self.grid.height}"
        return f"<Puzzle {self.title!r:.60}: {size}, {len(self.grid.slots)} entries, {len(self.given)} letters written>"

    def has_clue(self, slot: Slot) -> bool:
        """Return whether the slot has a clue with any word within text.MAX_CLUE_LENGTH."""
        return bool(clue_key(self.clues.get(slot, "")[:MAX_CLUE_LENGTH]))

    def pattern(self, slot: Slot, letters: Mapping[Cell, str] | None = None) -> str:
        """Return one letter per cell, from `letters` or else the given ones; `?` for an unknown or rebus cell."""
        contents = ((letters or {}).get(cell) or self.given.get(cell, "?") for cell in slot.cells)
        return "".join(x if len(x) == 1 else "?" for x in contents)

    def without_letters(self, cells: Container[Cell]) -> Puzzle:
        return replace(self, given={cell: x for cell, x in self.given.items() if cell not in cells})
