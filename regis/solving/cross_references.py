"""The wording in which each slot's clue is asked: "See 17-Across", or "See 17", is asked as the other clue is."""

from __future__ import annotations

from collections.abc import Mapping

from regis.models.text.clue_references import EntryReference, find_references, find_see_number, strip_references
from regis.puzzle import Direction, Puzzle, Slot


def resolve_references(puzzle: Puzzle) -> dict[Slot, str]:
    """Word each slot's clue; one that only names other entries as the first of theirs that says more."""
    slots = slots_by_reference(puzzle)
    wording = {}
    for slot in puzzle.grid.slots:
        clue = _add_direction(puzzle.clues.get(slot, ""), slot, slots)
        others = [slots[r] for r in find_references(clue) if r in slots and slots[r] != slot]
        if others and not strip_references(clue):
            other_clues = (strip_references(puzzle.clues.get(other, "")) for other in others)
            clue = next(filter(None, other_clues), clue)
        wording[slot] = clue
    return wording


def slots_by_reference(puzzle: Puzzle) -> dict[EntryReference, Slot]:
    """Return the slots by how clues name them."""
    return {EntryReference(slot.number, slot.direction is Direction.ACROSS): slot for slot in puzzle.grid.slots}


def _add_direction(clue: str, slot: Slot, slots: Mapping[EntryReference, Slot]) -> str:
    """Write 'See 17', the clue of `slot`, as 'See 17-Across' or 'See 17-Down'; if both exist, as its own entry goes."""
    if number := find_see_number(clue):
        is_across = slot.direction is Direction.ACROSS
        for across in (is_across, not is_across):
            if slots.get(EntryReference(number, across), slot) != slot:
                return f"See {number}-{'Across' if across else 'Down'}"
    return clue
