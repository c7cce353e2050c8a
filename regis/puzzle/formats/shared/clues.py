"""Clues as files list them, assigned to entries: by cells, by labels, or else in order.

A label may name several entries of one clue: '1,5', '1/5dn'.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from regis.puzzle import Bar, Cell, Direction, Grid, Slot, format_slot_names
from regis.puzzle.formats.shared import geometry
from regis.puzzle.formats.shared.geometry import CellRun
from regis.puzzle.formats.shared.squares import MAX_SIDE
from regis.puzzle.formats.shared.texts import clean_line, clean_text

MAX_CLUES = 2 * MAX_SIDE**2  # most clues that are read; no grid has as many entries


POINTER = "See "  # begins the clue of an entry that continues another entry's answer

LINKED_NUMBER = re.compile(r"(\d{1,3})\s*([ad]?)(?:c|n|cross|own)?\b", re.IGNORECASE)
LINKED_LABEL = re.compile(rf"{LINKED_NUMBER.pattern}(?:\s*[,/&+]\s*{LINKED_NUMBER.pattern})+", re.IGNORECASE)
_ENUMERATED = re.compile(r"\(\s*\d[^()]*\)\W*$")  # a clue that ends with its words' lengths
_NUMBER = re.compile(r"#?([0-9]{1,3})([ADad]?)(?:[.):] ?| )(?=\S)")  # of an entry, before its clue


class ListedClue(NamedTuple):
    """A clue as in a file; all fields may be empty."""

    heading: str  # of the clue's group
    label: str
    text: str
    cells: CellRun = ()  # all cells of its entry, or the first
    word_lengths: str = ""  # of the answer's words: '2,3'


PlacedClue = tuple[Cell | None, Direction, str]
"""A clue with its direction and the first cell of its slot; None if no slot fits."""


def bound_clues(clues: Iterable[ListedClue], n_cells: int) -> list[ListedClue]:
    """Keep only as many clues, labels, and cells as a grid with `n_cells` white cells can have."""
    bounded, budget = [], 8 * n_cells  # across, down, and linked clues name a square, with room to spare
    for clue in islice(clues, MAX_CLUES):
        run, label = clue.cells, clue.label
        budget -= len(run)
        if run and (budget < 0 or max(Counter(run).values()) > len(Direction)):
            run = ()
        typed = clue.text if isinstance(clue.text, str) else clean_text(clue.text)  # JSON may have a number
        label = label if len(label) <= 100 else ""  # the longest labels name a dozen entries
        bounded.append(clue._replace(text=typed, cells=run, label=label))
    return bounded


def tie_clues(
    grid: Grid, clues: Sequence[ListedClue], starts: Mapping[str, Cell], bars: Iterable[Bar], file_name: str
) -> tuple[Grid, dict[Slot, str], tuple[str, ...]]:
    """Assign clues to the entries of `grid`, which gets other entries if its blocks and bars don't imply them.

    Returns the grid, the clues by entry, and warnings. Raises PuzzleError if most clues have no place.
    """
    if bars := frozenset(bars):
        barred = geometry.add_bars(grid, bars)
        starts_by_bars = set(_list_starts(clues, geometry.number_cells(barred)))
        fits_bars = not starts and starts_by_bars == barred.slots_by_start.keys()
        found_starts = set(_list_starts(clues, starts or geometry.number_cells(grid)))
        grid = barred if fits_bars else geometry.add_bars(grid, bars, found_starts)
    white = set(grid.cells)
    entries = []
    for clue, (start, direction, _) in zip(clues, _place_clues(clues, grid, starts), strict=False):
        home = grid.slots_by_start.get((start, direction)) if start else None
        fits = 1 < len(clue.cells) <= len(white) and white.issuperset(clue.cells)
        cells = clue.cells if fits else home.cells if home else ()
        entries.append(geometry.ListedEntry(clue.label, clue.heading, cells))
    labels = {cell: label for label, cell in starts.items()}
    grid, entry_warnings = geometry.apply_listed_entries(grid, entries, labels, file_name)
    by_slot, clue_warnings = assign_clues(grid, _place_clues(clues, grid, starts), file_name)
    return grid, by_slot, (*entry_warnings, *clue_warnings)


def _list_starts(
    clues: Iterable[ListedClue], starts: Mapping[str, Cell]
) -> Iterator[tuple[Cell | None, Direction | None]]:
    """List the first cell and direction of each clue, by its cells, or else by its label and heading."""
    for clue in clues:
        direction = geometry.parse_direction(clue.heading)
        if len(clue.cells) > 1:
            is_upright = clue.cells[0][1] == clue.cells[1][1]
            yield clue.cells[0], direction or (Direction.DOWN if is_upright else Direction.ACROSS)
        else:
            yield clue.cells[0] if clue.cells else starts.get(clue.label), direction


def count_placed(clues: Iterable[ListedClue], grid: Grid, starts: Mapping[str, Cell]) -> int:
    return sum(start in grid.slots_by_start for start in _list_starts(clues, starts))


def _place_clues(clues: Sequence[ListedClue], grid: Grid, starts: Mapping[str, Cell]) -> Iterator[PlacedClue]:
    """Place each clue at its slot's first cell: by its cells, by its label, or else next in its direction.

    If a file numbers some squares as usual, the others also have their usual numbers.
    """
    links: list[PlacedClue] = []
    usual = geometry.number_cells(grid)
    starts = usual if starts.items() <= usual.items() else starts
    by_cells = {slot.cells: slot for slot in grid.slots}
    order = {d: iter([slot for slot in grid.slots if slot.direction is d]) for d in Direction}
    for heading, label, typed, run, word_lengths in clues:
        direction = geometry.parse_direction(heading)
        start: Cell | None = None
        linked = _read_linked_entries(label, direction, grid, starts) if direction else ()
        chain: Sequence[Slot] = (slot,) if (slot := by_cells.get(run)) else geometry.split_chain(grid, run)
        if linked and (not chain or chain[0] == linked[0]):
            chain = linked
        if not chain and direction and (label or len(run) == 1):
            start = run[0] if len(run) == 1 else starts.get(label, starts.get(geometry.first_number(label)))
            chain = [slot] if start and (slot := grid.slots_by_start.get((start, direction))) else ()
        elif not chain and direction:
            chain = list(islice(order[direction], 1))
        clue = _add_word_lengths(typed, word_lengths, sum(map(len, chain)))
        if chain:
            pointer = f"{POINTER}{_spell_out(chain[0])}"
            links += ((slot.cells[0], slot.direction, pointer) for slot in chain[1:])
            yield chain[0].cells[0], chain[0].direction, _name_linked(clue, chain[1:])
        else:
            yield start, direction or Direction.ACROSS, clue
    yield from links


def _read_linked_entries(label: str, direction: Direction, grid: Grid, starts: Mapping[str, Cell]) -> Sequence[Slot]:
    """Return the entries of a label that names several, '1,5' or '1/5dn'; () for any other label."""
    if not LINKED_LABEL.fullmatch(label):
        return ()
    parts = LINKED_NUMBER.findall(label)
    directions = [Direction(letter.upper()) if letter else direction for _, letter in parts]
    named = [(starts.get(number), way) for (number, _), way in zip(parts, directions, strict=True)]
    chain = [grid.slots_by_start[cell, way] for cell, way in named if cell and (cell, way) in grid.slots_by_start]
    return chain if len(chain) == len(named) else ()


def _add_word_lengths(clue: str, word_lengths: str, n_cells: int) -> str:
    """Write the lengths of an answer's words after its clue, 'Lost (2,3)', unless they are there or add nothing."""
    lengths = clean_line(word_lengths).strip("() ")
    is_telling = lengths and lengths != str(n_cells) and not _ENUMERATED.search(clue)
    return f"{clue} ({lengths})" if clue and is_telling else clue


def _name_linked(clue: str, slots: Sequence[Slot]) -> str:
    """Name the entries that continue a clue's answer, 'With 5-Across: Clue', unless the clue names them."""
    names = [_spell_out(slot) for slot in slots]
    if not clue or all(name.lower() in clue.lower() for name in names):
        return clue
    return f"With {' and '.join(names)}: {clue}"


def _spell_out(slot: Slot) -> str:
    """Return '5-Across'."""
    return f"{slot.number}-{slot.direction.name.title()}"


def assign_clues(
    grid: Grid, placed_clues: Iterable[PlacedClue], file_name: str
) -> tuple[dict[Slot, str], tuple[str, ...]]:
    """Give each slot its first clue, '' if it has none; return the clues and warnings."""
    clues = dict.fromkeys(grid.slots, "")
    n_misplaced = n_further = 0
    for start, direction, clue in islice(placed_clues, MAX_CLUES):
        if start is not None and (slot := grid.slots_by_start.get((start, direction))):
            clues[slot] = clues[slot] or clue
            n_further += clue not in ("", clues[slot]) and not clue.startswith(POINTER)
        else:
            n_misplaced += bool(clue)
    warnings = []
    if not grid.slots:
        warnings.append(f"{file_name} has nothing to solve: no two white squares are next to each other")
    elif not any(clues.values()):
        warnings.append(f"{file_name} has no clues, so Regis can only guess what fits the grid")
    elif clueless := [slot for slot, clue in clues.items() if not clue]:
        warnings.append(f"{file_name} has no clue for {format_slot_names(clueless)}")
    if n_misplaced and grid.slots:
        warnings.append(warn_of_placeless(n_misplaced, file_name))
    if n_further:
        which = "a clue" if n_further == 1 else f"{n_further} clues"
        warnings.append(f"{file_name} has {which} for entries that already have one; left out")
    return clues, tuple(warnings)


def warn_of_placeless(n_clues: int, file_name: str) -> str:
    which = "a clue that belongs" if n_clues == 1 else f"{n_clues} clues that belong"
    return f"{file_name} has {which} to no entry of the grid; left out"


def strip_clue_numbers(clues: Mapping[Slot, str]) -> Mapping[Slot, str]:
    """Remove the names of entries before their clues, '17. ', '17 ', '17A: ', if most clues have one.

    If most have none, '76 trombones' is a clue, even at 76.
    """
    stripped = dict(clues)
    for slot, clue in clues.items():
        if (found := _NUMBER.match(clue)) and int(found[1]) == slot.number:
            stripped[slot] = clue[found.end() :] if found[2].upper() in ("", slot.direction) else clue
    n_stripped = sum(clue != clues[slot] for slot, clue in stripped.items())
    return stripped if 5 <= n_stripped > len(clues) / 2 else clues
