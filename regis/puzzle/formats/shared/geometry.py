"""Listed entries and bars: geometry that doesn't follow from the blocks.

In a barred puzzle, entries end at thick lines. In other puzzles they may bend, go diagonally, or jump. As long as no
square is in more than two entries, the two can be called across and down, and solved as usual.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from regis.errors import PuzzleError
from regis.puzzle import Bar, Cell, Direction, Grid, Slot
from regis.puzzle.formats.shared.squares import MAX_SIDE

UNSUPPORTED_KINDS = {
    "acrostic": "an acrostic", "answer": "a quiz", "block": "a block puzzle", "coded": "a coded crossword",
    "codeword": "a coded crossword", "fill": "a fill-in", "fillin": "a fill-in", "sudoku": "a sudoku",
    "word-search": "a word search", "wordsearch": "a word search",
}  # fmt: skip
"""Formats' names for other kinds of puzzles -> the names that people use."""

RENAMED_WARNING = "has its own names for its entries; here they are across and down"

NUMBER = re.compile("[0-9]{1,4}")

CellRun = tuple[Cell, ...]


class ListedEntry(NamedTuple):
    label: str  # '17', '1-5', 'A'; '' if it has none
    heading: str  # of its clues; '' if none
    cells: CellRun  # () if the file doesn't say or they can't be right


def check_kind(kind_names: Iterable[str], file_name: str) -> None:
    """Raise PuzzleError if a kind of puzzle, as formats name it, is unsupported."""
    if kind := next((UNSUPPORTED_KINDS[name] for name in kind_names if name in UNSUPPORTED_KINDS), None):
        raise PuzzleError(f"{file_name} is {kind}, which Regis can't solve; choose a crossword with clues")


def first_number(label: str) -> str:
    """Return the number that begins a label, '1-5' -> '1'; '' for none."""
    return found[0] if (found := NUMBER.match(label)) else ""


@functools.lru_cache(maxsize=16)
def parse_direction(heading: str) -> Direction | None:
    """Return the direction that a heading names, 'Across:Linking' -> ACROSS, if any."""
    return next((d for d in Direction if heading.strip().upper().startswith(d.name)), None)


def straight_run(start: Cell, direction: Direction, length: int) -> CellRun:
    """Return `length` cells from `start` on; () if no grid has that many."""
    down, right = (0, 1) if direction is Direction.ACROSS else (1, 0)
    return tuple((start[0] + down * i, start[1] + right * i) for i in range(length if length <= MAX_SIDE else 0))


def number_cells(grid: Grid) -> dict[str, Cell]:
    return {str(number): cell for cell, number in grid.cell_numbers.items()}


def add_bars(
    grid: Grid, bars: Iterable[Bar], clue_starts: Collection[tuple[Cell | None, Direction | None]] = ()
) -> Grid:
    """Add to `grid` the bars between white cells.

    The bars are decoration if the clues, which begin at `clue_starts`, fit the grid without bars.
    """
    white = frozenset(grid.cells)
    barred = replace(grid, bars=frozenset(bar for bar in bars if white.issuperset(bar)))
    without_bars, with_bars = grid.slots_by_start.keys(), barred.slots_by_start.keys()
    return (
        replace(barred, given_slots=grid.slots) if barred.bars and clue_starts == without_bars != with_bars else barred
    )


def bars_at_sides(sides: Iterable[tuple[Cell, Collection[str]]]) -> Iterator[Bar]:
    """Yield the bars on the sides of cells, named by the first letters of top, left, right and bottom."""
    for (r, c), side_letters in sides:
        cell, letters = (r, c), {letter.upper() for letter in side_letters}
        by_side = {"T": ((r - 1, c), cell), "L": ((r, c - 1), cell), "R": (cell, (r, c + 1)), "B": (cell, (r + 1, c))}
        yield from (bar for side, bar in by_side.items() if side in letters)


def bars_between_runs(runs: Iterable[CellRun]) -> Iterator[Bar]:
    """Yield the bars before and after straight entries."""
    for run in runs:
        for way in ((0, 1), (1, 0)):
            if len(run) > 1 and all((b[0] - a[0], b[1] - a[1]) == way for a, b in itertools.pairwise(run)):
                (r, c), (last_r, last_c) = run[0], run[-1]
                yield (r - way[0], c - way[1]), run[0]
                yield run[-1], (last_r + way[0], last_c + way[1])


def split_chain(grid: Grid, cells: CellRun) -> tuple[Slot, ...]:
    """Split an entry into the consecutive slots of linked clues; () if it isn't made of slots."""
    chain: list[Slot] = []
    place = 0
    while place < len(cells):
        starting = (grid.slots_by_start.get((cells[place], direction)) for direction in Direction)
        slot = next((slot for slot in starting if slot and cells[place : place + len(slot)] == slot.cells), None)
        if slot is None:
            return ()
        chain.append(slot)
        place += len(slot)
    return tuple(chain)


def apply_listed_entries(
    grid: Grid, entries: Sequence[ListedEntry], labels: Mapping[Cell, str], file_name: str
) -> tuple[Grid, tuple[str, ...]]:
    """Give `grid` the slots that a file lists, if they or their numbers don't follow from its blocks. Return it with
    warnings.

    A run that isn't listed is an entry without a clue, unless the file prints numbers and has none at the run's start.
    If a few squares are in more than two entries, the grid stays as it was; if most entries have this problem or no
    place, PuzzleError is raised. `labels` are printed where entries start, empty if the file doesn't say.
    """
    if 2 * sum(not entry.cells and not parse_direction(entry.heading) for entry in entries) > len(entries):
        raise PuzzleError(
            f"{file_name} doesn't say which squares its clues belong to, so Regis can't solve it; choose another"
        )
    by_cells = {entry.cells: entry for entry in reversed(entries) if entry.cells}
    runs = {slot.cells for slot in grid.slots}
    odd_runs = [cells for cells in by_cells if cells not in runs]
    are_few = 2 * len(odd_runs) <= len(by_cells)
    chains = {cells: split_chain(grid, cells) for cells in odd_runs}
    linked: set[Slot] = set()
    if are_few and all(_are_linked(chain, by_cells[cells].label, by_cells, labels) for cells, chain in chains.items()):
        linked = {slot for chain in chains.values() for slot in chain}
        by_cells = {chains[cells][0].cells if cells in chains else cells: x for cells, x in by_cells.items()}
        odd_runs = []
    listed = [
        entry._replace(cells=cells, label=entry.label or labels.get(cells[0], ""))
        for cells, entry in reversed(by_cells.items())
    ]
    unlisted = [slot for slot in grid.slots if slot.cells not in by_cells]
    have_cells = all(entry.cells for entry in entries)
    # between bars, a run of two squares may be no entry
    has_chance_runs = bool(grid.bars and unlisted and entries) and have_cells
    has_chance_runs = has_chance_runs and all(len(slot) == 2 for slot in unlisted)
    if labels and have_cells:
        unlisted = [slot for slot in unlisted if slot.cells[0] in labels or slot in linked]
    if not odd_runs and not has_chance_runs:
        return _number_as_listed(grid, listed, unlisted, labels, file_name)
    clueless = _list_slots(_slots_apart(unlisted, odd_runs), labels) if are_few and not has_chance_runs else []
    if made := _make_slots([*listed, *clueless]) or _make_slots(listed):
        return replace(grid, given_slots=made[0]), (f"{file_name} {RENAMED_WARNING}",) * made[1]
    if not are_few:
        what = "squares in three or more entries, or in two with the same direction"
        raise PuzzleError(f"{file_name} has {what}, which Regis can't solve; choose another puzzle")
    return grid, ()


def _number_as_listed(
    grid: Grid,
    listed: Sequence[ListedEntry],
    unlisted: Sequence[Slot],
    labels: Mapping[Cell, str],
    file_name: str,
) -> tuple[Grid, tuple[str, ...]]:
    """Give `grid` the file's numbers if they differ from the usual ones."""
    numbers = {slot.cells: str(slot.number) for slot in grid.slots}
    is_usual = len(listed) + len(unlisted) == len(numbers)
    if not listed or (is_usual and all(first_number(x.label) in ("", numbers[x.cells]) for x in listed)):
        return grid, ()
    made = _make_slots([*listed, *_list_slots(unlisted, labels)])
    if made and not made[1] and all(slot.number == _printed_number(slot, labels) for slot in made[0]):
        return replace(grid, given_slots=made[0]), ()
    return grid, (f"{file_name} {RENAMED_WARNING}",)


def _are_linked(chain: Sequence[Slot], label: str, by_cells: Collection[CellRun], labels: Mapping[Cell, str]) -> bool:
    """Return whether a chain's slots are separate entries, not one entry that continues in another row."""
    if not labels or len(NUMBER.findall(label)) >= len(chain) > 1:
        return bool(chain)
    return bool(chain) and all(slot.cells in by_cells or slot.cells[0] in labels for slot in chain[1:])


def _slots_apart(slots: Iterable[Slot], runs: Iterable[CellRun]) -> Iterator[Slot]:
    """Yield the slots that share less than a whole entry with each of `runs`."""
    runs_at = defaultdict(list)
    for i, run in enumerate(runs):
        for cell in set(run):
            runs_at[cell].append(i)
    for slot in slots:
        shared = Counter(i for cell in slot.cells for i in runs_at.get(cell, ()))
        if max(shared.values(), default=0) < 2:
            yield slot


def _printed_number(slot: Slot, labels: Mapping[Cell, str]) -> int:
    """Return the number printed at a slot's start, or else its own number."""
    return int(first_number(labels.get(slot.cells[0], "")) or slot.number)


def _list_slots(slots: Iterable[Slot], labels: Mapping[Cell, str]) -> list[ListedEntry]:
    return [ListedEntry(str(_printed_number(slot, labels)), slot.direction.name, slot.cells) for slot in slots]


def _make_slots(entries: Sequence[ListedEntry]) -> tuple[tuple[Slot, ...], bool] | None:
    """Make slots of entries, and return whether their names changed; None if a square is in more than two."""
    directions = _assign_directions(entries)
    if directions is None:
        return None
    numbers = [int(first_number(entry.label) or 0) for entry in entries]
    numbered_starts = {(entry.cells[0], number) for entry, number in zip(entries, numbers, strict=True)}
    keeps_numbers = all(numbers) and len(numbered_starts) == len({start for start, _ in numbered_starts})
    if not keeps_numbers or len(set(zip(numbers, directions, strict=True))) < len(entries):
        row_by_row = {start: n for n, start in enumerate(sorted({entry.cells[0] for entry in entries}), 1)}
        numbers = [row_by_row[entry.cells[0]] for entry in entries]
        keeps_numbers = False
    slots = [Slot(n, d, entry.cells) for entry, n, d in zip(entries, numbers, directions, strict=True)]
    keeps_names = keeps_numbers and all(
        parse_direction(entry.heading) is d for entry, d in zip(entries, directions, strict=True) if entry.heading
    )
    return tuple(sorted(slots, key=lambda slot: (slot.number, slot.direction))), not keeps_names


def _assign_directions(entries: Sequence[ListedEntry]) -> list[Direction] | None:
    """Choose directions so that no two entries of one direction share a cell; None if impossible.

    Of connected entries the first follows its heading; of unknown headings the first is across.
    """
    entries_at: dict[Cell, list[int]] = defaultdict(list)
    for i, entry in enumerate(entries):
        for cell in entry.cells:
            entries_at[cell].append(i)
    if any(len(crossing) > 2 or len(set(crossing)) < len(crossing) for crossing in entries_at.values()):
        return None
    headings = dict.fromkeys(x.heading for x in entries if x.heading and not parse_direction(x.heading))
    by_heading = dict(zip(headings, itertools.cycle(Direction), strict=False)) if len(headings) > 1 else {}
    directions: dict[int, Direction] = {}
    for first, entry in enumerate(entries):
        if first in directions:
            continue
        is_upright = len({c for _, c in entry.cells}) == 1
        guess = by_heading.get(entry.heading, Direction.DOWN if is_upright else Direction.ACROSS)
        directions[first] = parse_direction(entry.heading) or guess
        reached = [first]
        for i in reached:
            for j in {j for cell in entries[i].cells for j in entries_at[cell]} - {i}:
                if j not in directions:
                    directions[j] = Direction.DOWN if directions[i] is Direction.ACROSS else Direction.ACROSS
                    reached.append(j)
                elif directions[j] is directions[i]:
                    return None
    return [directions[i] for i in range(len(entries))]
