"""What puts entries together before any is solved: how setters mark the answers of a theme.

Some marks are made for it: a star before the clue, entries that one clue names with itself, circles and shades. Others
may be chance: clues that begin alike, or end in the same way.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from regis.models import clue_form, clue_references, clue_style, clue_typing
from regis.puzzle import Puzzle, Slot
from regis.solving.cross_references import by_reference

FEW = 3  # entries of one mark, at least: two may be one phrase that goes on
MOST, SHARE = 2, 8  # one entry of so many has a mark, at most, the second where that may be chance. A guess
RINGED = 2  # circles or shaded squares that an entry has, at least, to be marked by them: one hardly tells a theme

Slots = frozenset[Slot]


class Marks(NamedTuple):
    """Groups of entries that have a mark in common."""

    told: tuple[Slots, ...] = ()  # one that was made for it,
    alike: tuple[Slots, ...] = ()  # and one that may be chance


def marks(puzzle: Puzzle) -> Marks:
    """The groups of a puzzle, each once."""
    slots = puzzle.grid.slots
    clues = {slot: clue_typing.with_blank(puzzle.clues.get(slot, "")) for slot in slots}
    told = [group for group in _told(puzzle, clues) if FEW <= len(group) <= len(slots) // MOST]
    by: dict[str, set[Slot]] = defaultdict(set)
    for slot, clue in clues.items():
        for form in _forms(clue_style.asked(clue, len(slot))):
            by[form].add(slot)
    alike = [frozenset(group) for group in by.values() if FEW <= len(group) <= max(len(slots) // SHARE, FEW)]
    return Marks(tuple(dict.fromkeys(told)), tuple(dict.fromkeys(alike)))


def _told(puzzle: Puzzle, clues: Mapping[Slot, str]) -> Iterator[Slots]:
    """Starred `clues`, what each clue names together with its own entry, and entries with circles, or shades."""
    named = by_reference(puzzle)
    yield frozenset(slot for slot, clue in clues.items() if clue_typing.unstarred(clue) != clue)
    for slot, clue in puzzle.clues.items():
        if others := [named[r] for r in clue_references.references(clue) if r in named]:
            yield frozenset([*others, slot])
    for ringed in (puzzle.circles, puzzle.shaded):
        yield frozenset(slot for slot in clues if len(ringed.intersection(slot.cells)) >= RINGED)


def _forms(clue: str) -> Iterator[str]:
    """How a clue is written, where few others of the puzzle are written so."""
    if first := re.match(r"[A-Z][a-z]{3,}\b", clue):
        yield first[0]
    if re.search(r"[\])]$", clue):
        yield clue[-1]
    if "question" in clue_form.signs(clue):
        yield "?"
    if re.search(r"[a-z]in'(\s|$)", clue):
        yield "in'"
