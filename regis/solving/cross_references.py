"""The wording in which each slot's clue is asked: with what it says of other entries put in.

"See 17-Across", or "See 17", is asked as the other clue is. Once the other answer is believed, it joins: "With
23-Down, first of a line" becomes "___ adam, first of a line", and "Founder of 6-Down" becomes "Founder of cnn".
"""

from __future__ import annotations

from collections.abc import Mapping

from regis.models.clue_references import Reference, goes_with, references, seen, with_answers, without_references
from regis.puzzle import Direction, Puzzle, Slot


def wordings(puzzle: Puzzle, believed: Mapping[Slot, str]) -> dict[Slot, str]:
    """The wording for each slot; `believed` holds the answers that may be put in, and may be empty."""
    slots = by_reference(puzzle)
    found = {}
    for slot in puzzle.grid.slots:
        clue = _directed(puzzle.clues.get(slot, ""), slot, slots)
        named = [(r, slots[r]) for r in references(clue) if r in slots and slots[r] != slot]
        found[slot] = _wording(puzzle, clue, dict(named), believed) if named else clue
    return found


def by_reference(puzzle: Puzzle) -> dict[Reference, Slot]:
    """The slots by how clues name them."""
    return {Reference(slot.number, slot.direction is Direction.ACROSS): slot for slot in puzzle.grid.slots}


def _directed(clue: str, slot: Slot, slots: Mapping[Reference, Slot]) -> str:
    """'See 17', the clue of `slot`, as 'See 17-Across' or 'See 17-Down'; where both are, as its own entry goes."""
    if number := seen(clue):
        here = slot.direction is Direction.ACROSS
        for across in (here, not here):
            if slots.get(Reference(number, across), slot) != slot:
                return f"See {number}-{'Across' if across else 'Down'}"
    return clue


def _wording(puzzle: Puzzle, clue: str, named: Mapping[Reference, Slot], believed: Mapping[Slot, str]) -> str:
    """The wording of a `clue` that names the entries `named`."""
    rest = without_references(clue)
    others = " ".join(believed[slot].lower() for slot in named.values() if slot in believed)
    if not rest:
        clues = (without_references(puzzle.clues.get(slot, "")) for slot in named.values())
        rest = next(filter(None, clues), "")
        return f"{others} ___, {rest}" if others else rest or clue
    if not others:
        return clue
    if goes_with(clue):
        return f"___ {others}, {rest}"
    return with_answers(clue, {r: believed[slot].lower() for r, slot in named.items() if slot in believed})
