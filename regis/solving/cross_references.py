"""The wording in which each slot's clue is asked: with what it says of other entries put in.

"See 17-Across", or "See 17", is asked as the other clue is. Once the other answer is believed, it joins: "With
23-Down, first of a line" becomes "___ adam, first of a line", and "Founder of 6-Down" becomes "Founder of cnn".
"""

from __future__ import annotations

from collections.abc import Mapping

from regis.models.text.clue_form import (
    EntryReference,
    find_references,
    find_see_number,
    insert_answers,
    is_shared_clue,
    strip_references,
)
from regis.puzzle import Direction, Puzzle, Slot


def resolve_references(puzzle: Puzzle, answers: Mapping[Slot, str]) -> dict[Slot, str]:
    """Word each slot's clue with what it says of other entries; `answers`, maybe none, are put in."""
    slots = _slots_by_reference(puzzle)
    wording = {}
    for slot in puzzle.grid.slots:
        clue = _add_direction(puzzle.clues.get(slot, ""), slot, slots)
        references = {r: slots[r] for r in find_references(clue) if r in slots and slots[r] != slot}
        wording[slot] = _word_clue(puzzle, clue, references, answers) if references else clue
    return wording


def _slots_by_reference(puzzle: Puzzle) -> dict[EntryReference, Slot]:
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


def _word_clue(
    puzzle: Puzzle, clue: str, references: Mapping[EntryReference, Slot], answers: Mapping[Slot, str]
) -> str:
    """Word a clue that names the entries of `references`."""
    stripped = strip_references(clue)
    words = " ".join(answers[slot].lower() for slot in references.values() if slot in answers)
    if not stripped:
        other_clues = (strip_references(puzzle.clues.get(slot, "")) for slot in references.values())
        stripped = next(filter(None, other_clues), "")
        return f"{words} ___, {stripped}" if words else stripped or clue
    if not words:
        return clue
    if is_shared_clue(clue):
        return f"___ {words}, {stripped}"
    return insert_answers(clue, {r: answers[slot].lower() for r, slot in references.items() if slot in answers})
