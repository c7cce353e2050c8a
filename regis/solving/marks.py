"""What puts entries together before any is solved: how setters mark the answers of a theme.

Some marks are made for it: a star before the clue, entries that one clue names with itself, circles and shades. Others
may be chance: clues that begin alike, or end in the same way.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from regis.models.text import clue_form, clue_references, clue_style, clue_typography
from regis.puzzle import Puzzle, Slot
from regis.solving.cross_references import slots_by_reference

MIN_GROUP_SIZE = 3  # entries of one mark, at least: two may be one phrase that goes on
MIN_SLOTS_PER_EXPLICIT = 2  # one entry of so many has a mark that was made for it, at most,
MIN_SLOTS_PER_SIMILAR = 8  # and one of so many a mark that may be chance. Both are guesses
MIN_RINGED_CELLS = 2  # circles or shaded squares of an entry that is marked by them: one hardly tells a theme

SlotGroup = frozenset[Slot]


class Marks(NamedTuple):
    """Groups of entries that have a mark in common."""

    explicit_groups: tuple[SlotGroup, ...] = ()  # one that was made for it,
    similar_groups: tuple[SlotGroup, ...] = ()  # and one that may be chance


def find_marks(puzzle: Puzzle) -> Marks:
    """Find the groups of entries with a mark in common, each once."""
    slots = puzzle.grid.slots
    clues = {slot: clue_typography.normalize_typography(puzzle.clues.get(slot, "")) for slot in slots}
    max_explicit = len(slots) // MIN_SLOTS_PER_EXPLICIT
    explicit = [group for group in _explicit_groups(puzzle, clues) if MIN_GROUP_SIZE <= len(group) <= max_explicit]
    by_form: dict[str, set[Slot]] = defaultdict(set)
    for slot, clue in clues.items():
        for form in _clue_forms(clue_style.normalize_style(clue, len(slot))):
            by_form[form].add(slot)
    max_similar = max(len(slots) // MIN_SLOTS_PER_SIMILAR, MIN_GROUP_SIZE)
    similar = [frozenset(group) for group in by_form.values() if MIN_GROUP_SIZE <= len(group) <= max_similar]
    return Marks(tuple(dict.fromkeys(explicit)), tuple(dict.fromkeys(similar)))


def _explicit_groups(puzzle: Puzzle, clues: Mapping[Slot, str]) -> Iterator[SlotGroup]:
    """Yield entries with starred `clues`, what each clue names, and entries with circles, or shades."""
    slots = slots_by_reference(puzzle)
    yield frozenset(slot for slot, clue in clues.items() if clue_typography.strip_star(clue) != clue)
    for slot, clue in puzzle.clues.items():
        if references := [slots[r] for r in clue_references.find_references(clue) if r in slots]:
            yield frozenset([*references, slot])
    for ringed in (puzzle.circles, puzzle.shaded):
        yield frozenset(slot for slot in clues if len(ringed.intersection(slot.cells)) >= MIN_RINGED_CELLS)


def _clue_forms(clue: str) -> Iterator[str]:
    """Yield in which ways a clue is written that few others of the puzzle share."""
    if first := re.match(r"[A-Z][a-z]{3,}\b", clue):
        yield first[0]
    if re.search(r"[\])]$", clue):
        yield clue[-1]
    if "question" in clue_form.list_signs(clue):
        yield "?"
    if re.search(r"[a-z]in'(\s|$)", clue):
        yield "in'"
