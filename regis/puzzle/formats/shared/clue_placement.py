"""Clues into their slots: where their numbers are printed, which have no slot, and numbers within their texts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

from regis.puzzle import Cell, Direction, Grid, Slot, format_slot_names
from regis.puzzle.formats.shared.dimensions import MAX_SIDE
from regis.puzzle.formats.shared.texts import clean_clue, clean_line

MAX_CLUES = 2 * MAX_SIDE**2  # clues that are read: no grid has as many entries

MIN_NUMBERED_CLUES = 5
"""From how many clues on that begin with their own numbers is most of them enough to be how a file is written? A guess.
"""

UNSOLVABLE_WARNING = "has nothing to solve: no two white squares stand next to each other"
POINTER = "See "  # begins the clue of an entry that goes on with the answer of another
CLUELESS_WARNING = "has no clues; what fits the grid is all there is to go by"

FAKE_CLUES = "clues that belong to no entry"  # for which a document has no place

_ENUMERATED = re.compile(r"\(\s*\d[^()]*\)\W*$")  # a clue that says how long its answer's words are
_NUMBER = re.compile(  # of an entry, before its clue; 'a' and 'd' behind a space need a full stop or the like
    r"(?i)[(\[]?#?(?:(?P<ahead>across|down|[ad])[ -]?)?(?P<number>[0-9]{1,3})"
    r"(?P<behind> ?-?(?:across|down)\b|-?[ad]\b| [ad](?=[.):]))?"
    r"(?:[.):\]]{1,2} ?(?:- )?| (?:[-\u2013\u2014]{1,2} )?)(?=\S)"
)

PlacedClue = tuple[Cell | None, Direction, str]
"""A clue with its direction and the first cell of its slot, None if there is no such slot."""


def number_cells(grid: Grid) -> dict[str, Cell]:
    """Map each number, as it is printed in a cell, to the cell."""
    return {str(number): cell for cell, number in grid.cell_numbers.items()}


def count_misplaced(grid: Grid, placed_clues: Iterable[PlacedClue]) -> int:
    """Count the clues that belong to no entry."""
    return sum((start, direction) not in grid.slots_by_start for start, direction, _ in placed_clues)


def assign_clues(
    grid: Grid, placed_clues: Iterable[PlacedClue], file_name: str
) -> tuple[dict[Slot, str], tuple[str, ...]]:
    """Give each slot its clue, the first where there are several.

    Returns
    -------
    clues : one for each slot, '' where there is none.
    warnings : a sentence for each thing that is wrong with them.
    """
    clues = dict.fromkeys(grid.slots, "")
    n_misplaced = n_further = 0
    for start, direction, raw in islice(placed_clues, MAX_CLUES):
        if start is not None and (slot := grid.slots_by_start.get((start, direction))):
            clue = clean_clue(raw)
            clues[slot] = clues[slot] or clue
            n_further += clue not in ("", clues[slot]) and not clue.startswith(POINTER)
        else:
            n_misplaced += 1
    warnings = []
    if not grid.slots:
        warnings.append(f"{file_name} {UNSOLVABLE_WARNING}")
    elif not any(clues.values()):
        warnings.append(f"{file_name} {CLUELESS_WARNING}")
    elif clueless := [slot for slot, clue in clues.items() if not clue]:
        warnings.append(f"{file_name} has no clue for {format_slot_names(clueless)}")
    if n_misplaced and grid.slots:
        which = "a clue that belongs" if n_misplaced == 1 else f"{n_misplaced} clues that belong"
        warnings.append(f"{file_name} has {which} to no entry of its grid; left out")
    if n_further:
        which = "a clue" if n_further == 1 else f"{n_further} clues"
        warnings.append(f"{file_name} has {which} for entries that have one already; left out")
    return clues, tuple(warnings)


def strip_clue_numbers(clues: Mapping[Slot, str]) -> Mapping[Slot, str]:
    """Remove the names of their own entries before clues, if most have one: '17. ', '17 ', 'A17: '.

    Where most have none, '76 trombones' is what a clue asks for, also at 76. Of few clues, but not of one, all must.
    """
    stripped = dict(clues)
    for slot, clue in clues.items():
        if (found := _NUMBER.match(clue)) and int(found["number"]) == slot.number:
            direction = (found["ahead"] or found["behind"] or slot.direction).strip(" -").upper()[:1]
            stripped[slot] = clue[found.end() :] if direction == slot.direction else clue
    n_stripped = sum(clue != clues[slot] for slot, clue in stripped.items())
    are_all = 1 < n_stripped == sum(map(bool, clues.values()))
    return stripped if are_all or MIN_NUMBERED_CLUES <= n_stripped > len(clues) / 2 else clues


def number_before_clue(clue: str) -> str:
    """Return the number of an entry that stands before its clue, as in '17. ' or '17A. '; '' for none."""
    return str(int(found["number"])) if (found := _NUMBER.match(clue)) else ""


def add_word_lengths(clue: str, word_lengths: str, n_cells: int) -> str:
    """Write the lengths of an answer's words behind its clue, 'Lost (2,3)', where they do not stand there yet.

    What only says how many squares the answer has, says nothing.
    """
    lengths = clean_line(word_lengths).strip("() ")
    is_telling = lengths and lengths != str(n_cells) and not _ENUMERATED.search(clue)
    return f"{clue} ({lengths})" if clue and is_telling else clue


def name_linked(clue: str, slots: Sequence[Slot]) -> str:
    """Name the entries that go on with the answer of a clue, 'With 5-Across: Clue', where it does not name them yet."""
    names = [_spell_out(slot) for slot in slots]
    if not clue or all(name.lower() in clue.lower() for name in names):
        return clue
    return f"With {' and '.join(names)}: {clue}"


def point_to_first(chain: Sequence[Slot]) -> Iterator[PlacedClue]:
    """Yield the clues of linked entries but the first: 'See 1-Across'."""
    return ((slot.cells[0], slot.direction, f"{POINTER}{_spell_out(chain[0])}") for slot in chain[1:])


def _spell_out(slot: Slot) -> str:
    """Return '5-Across'."""
    return f"{slot.number}-{slot.direction.name.title()}"
