"""Clues as files list them, tied to the entries of a grid: by their cells, by their labels, else in their order.

A label may name several entries that one clue is for: '1,5', '1/5dn'. What several formats read so is a document at
once by `build_document`, whose squares and clues are all that differs from format to format.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from regis.puzzle import Bar, Cell, Direction, Grid, Slot
from regis.puzzle.formats.shared import clue_placement, dimensions, geometry, square_content
from regis.puzzle.formats.shared.document import Document

LINKED_NUMBER = re.compile(r"(\d{1,3})\s*([ad]?)(?:c|n|cross|own)?\b", re.IGNORECASE)
LINKED_LABEL = re.compile(rf"{LINKED_NUMBER.pattern}(?:\s*[,/&+]\s*{LINKED_NUMBER.pattern})+", re.IGNORECASE)

CellRun = tuple[Cell, ...]
"""The cells of an entry."""


class ListedClue(NamedTuple):
    """A clue as a file has it; all may be empty."""

    heading: str  # of its group
    label: str
    text: str
    cells: CellRun = ()
    word_lengths: str = ""  # of its answer: '2,3'


def build_document(
    squares: Sequence[Sequence[object]],
    clues: Iterable[ListedClue],
    file_name: str,
    *,
    starts: Mapping[str, Cell] | None = None,
    bars: Iterable[Bar] = (),
    circles: Iterable[Cell] = (),
    shades: Mapping[Cell, str] | None = None,
    **texts: Any,
) -> Document:
    """Build a document of its squares and clues.

    Parameters
    ----------
    squares : row by row what each square holds, '' where the file does not say; None for a block.
    starts : the cells of the numbers that the file prints; those of the grid if it prints none.
    shades : colours as `parse_shade` returns them, '' for none.
    texts : what else the document has: its title, author, copyright, notes and metadata.

    Raises
    ------
    PuzzleError : the rows are no grid, or most clues have no place in it.
    """
    grid = dimensions.build_grid([[x is not None for x in row] for row in squares], file_name)
    listed, starts = list(islice(clues, clue_placement.MAX_CLUES)), starts or {}
    grid, by_slot, warnings = tie_clues(add_clued_bars(grid, bars, listed, starts), listed, starts, file_name)
    marked, coloured = set(circles), shades or {}
    return Document(
        grid,
        by_slot,
        solution=square_content.clean_solution({(r, c): squares[r][c] for r, c in grid.cells}),
        circles=frozenset(cell for cell in grid.cells if cell in marked),
        shades={cell: shade for cell in grid.cells if (shade := coloured.get(cell))},
        warnings=warnings,
        **texts,
    )


def add_clued_bars(grid: Grid, bars: Iterable[Bar], clues: Iterable[ListedClue], starts: Mapping[str, Cell]) -> Grid:
    """Add to `grid` those bars that lie between white cells; they only adorn it where all clues fit it without them."""
    starts = starts or clue_placement.number_cells(grid)
    return geometry.add_bars(grid, bars, {(starts.get(x.label), geometry.parse_direction(x.heading)) for x in clues})


def straight_run(start: Cell, direction: Direction, length: int) -> CellRun:
    """Return so many cells from `start` on; () for more than any grid has."""
    down, right = (0, 1) if direction is Direction.ACROSS else (1, 0)
    return tuple(
        (start[0] + down * i, start[1] + right * i) for i in range(length if length <= dimensions.MAX_SIDE else 0)
    )


def tie_clues(
    grid: Grid, clues: Sequence[ListedClue], starts: Mapping[str, Cell], file_name: str
) -> tuple[Grid, dict[Slot, str], tuple[str, ...]]:
    """Tie clues to the entries of `grid`, which it is given where they are others than follow from its blocks.

    Returns
    -------
    grid : with the entries that the clues have.
    clues : by entry.
    warnings : a sentence for each thing that is wrong with them.

    Raises
    ------
    PuzzleError : most clues have no place.
    """
    grid, entry_warnings = _apply_entries(grid, clues, starts, file_name)
    by_slot, clue_warnings = clue_placement.assign_clues(grid, _place_clues(clues, grid, starts), file_name)
    return grid, by_slot, (*entry_warnings, *clue_warnings)


def _apply_entries(
    grid: Grid, clues: Sequence[ListedClue], starts: Mapping[str, Cell], file_name: str
) -> tuple[Grid, tuple[str, ...]]:
    """Give `grid` the entries that the clues have, each by its cells or else by its label; and list warnings."""
    placed, white = _place_clues(clues, grid, starts), set(grid.cells)
    entries = []
    for clue, (start, direction, _) in zip(clues, placed, strict=False):
        fits = 1 < len(clue.cells) <= len(white) and white.issuperset(clue.cells)
        home = grid.slots_by_start.get((start, direction)) if start else None
        cells = clue.cells if fits else home.cells if home else ()
        entries.append(geometry.ListedEntry(clue.label, clue.heading, cells))
    labels = {cell: label for label, cell in starts.items()}
    return geometry.apply_listed_entries(grid, entries, labels, file_name)


def _place_clues(
    clues: Sequence[ListedClue], grid: Grid, starts: Mapping[str, Cell]
) -> Iterator[clue_placement.PlacedClue]:
    """Place each clue at the first cell of its slot: by its cells, by its label, else the next of its direction.

    Where a file numbers as every grid does, but not all squares, those without a number have theirs all the same.
    """
    links: list[clue_placement.PlacedClue] = []
    usual = clue_placement.number_cells(grid)
    starts = usual if starts.items() <= usual.items() else starts
    by_cells = {slot.cells: slot for slot in grid.slots}
    order: dict[Direction, Iterator[Slot]] = {
        d: iter([slot for slot in grid.slots if slot.direction is d]) for d in Direction
    }
    for heading, label, typed, run, word_lengths in clues:
        direction = geometry.parse_direction(heading)
        start: Cell | None = None
        linked = _read_linked_entries(label, direction, grid, starts) if direction else ()
        chain: Sequence[Slot] = (slot,) if (slot := by_cells.get(run)) else geometry.split_chain(grid, run)
        if linked and (not chain or chain[0] == linked[0]):
            chain = linked
        if not chain and direction and label:
            start = starts.get(label, starts.get(geometry.first_number(label)))
            chain = [slot] if start and (slot := grid.slots_by_start.get((start, direction))) else ()
        elif not chain and direction:
            chain = list(islice(order[direction], 1))
        clue = clue_placement.add_word_lengths(typed, word_lengths, sum(map(len, chain)))
        if chain:
            links += clue_placement.point_to_first(chain)
            yield chain[0].cells[0], chain[0].direction, clue_placement.name_linked(clue, chain[1:])
        else:
            yield start, direction or Direction.ACROSS, clue
    yield from links


def _read_linked_entries(label: str, direction: Direction, grid: Grid, starts: Mapping[str, Cell]) -> Sequence[Slot]:
    """Read the entries of a label that names several, '1,5' or '1/5dn'; () for any other."""
    if not LINKED_LABEL.fullmatch(label):
        return ()
    parts = LINKED_NUMBER.findall(label)
    directions = [Direction(letter.upper()) if letter else direction for _, letter in parts]
    named = [(starts.get(number), way) for (number, _), way in zip(parts, directions, strict=True)]
    chain = [grid.slots_by_start[cell, way] for cell, way in named if cell and (cell, way) in grid.slots_by_start]
    return chain if len(chain) == len(named) else ()
