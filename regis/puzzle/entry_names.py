"""How people write patterns and names of entries: 'p_i' or '4'; '17A', '17 across', 'A17', '17A,23D'."""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Sequence

from regis import text
from regis.errors import EntryMissing, UsageError
from regis.puzzle import Direction, Puzzle, Slot

UNKNOWN_MARKS = "?._-"  # what people write for an unknown letter

_NUMBER = "0*([1-9][0-9]{0,3})"
_WAY = "(a|d|across|down)"
ENTRY_NAME = re.compile(rf"(?:{_NUMBER}[\s-]*{_WAY}|{_WAY}[\s-]*{_NUMBER})(?:\s+|$)", re.IGNORECASE)
"""One entry: 17A or A17; any sequence of numbers and ways can be read in only one way."""
NAME_CONTINUATION = re.compile(rf"(?:{ENTRY_NAME.pattern}|{_WAY}),?", re.IGNORECASE)
"""A word that continues the names before it: 23D after 17A, or across after 17."""


def parse_pattern(word: str) -> str:
    """Parse a pattern: 'p_i' -> 'P?I', '4' -> '????'. Raises UsageError, also if it is longer than any answer."""
    letters = text.fold_accents(word).upper().replace(" ", "")
    if re.fullmatch("[0-9]{1,4}", letters):
        letters = "?" * int(letters)
    letters = "".join("?" if c in UNKNOWN_MARKS else c for c in letters)
    if not re.fullmatch("[A-Z?]+", letters):
        raise UsageError(
            f"{word!r:.60} isn't a pattern; write letters, with ? for unknown ones (P?I), or the number of letters (3)"
        )
    if len(letters) > text.MAX_ANSWER_LENGTH:
        longest = text.MAX_ANSWER_LENGTH
        raise UsageError(f"a pattern of {len(letters)} letters is too long; the index has at most {longest}")
    return letters


def parse_entry_names(word: str) -> tuple[str, ...]:
    """Parse names of entries: '17A, 23-down d4' -> ('17A', '23D', '4D'), each once; raises UsageError."""
    names: dict[str, None] = {}
    for part in map(str.strip, word.split(",")):
        start = 0
        while start < len(part) or not part:
            name = ENTRY_NAME.match(part, start)
            if name is None:
                cure = "17A, or 17A,23D for several"
                if re.fullmatch("[1-9][0-9]{0,3}", part[start:]):
                    cure = f"{part[start:]}A or {part[start:]}D"
                raise UsageError(f"{part[start:]!r:.60} isn't an entry; write {cure}")
            number, way = (name[1], name[2]) if name[1] else (name[4], name[3])
            names[number + way[0].upper()] = None
            start = name.end()
    return tuple(names)


def find_slots(word: str, puzzle: Puzzle, file: str) -> tuple[Slot, ...]:
    """Find the slots that `word` names; raises UsageError, or EntryMissing if `file` has no such entry."""
    slots = {str(slot): slot for slot in puzzle.grid.slots}
    names = parse_entry_names(word)
    for name in names:
        if name not in slots:
            raise EntryMissing(f"{file} has no entry {name}; {_suggest_entries(name, puzzle.grid.slots)}")
    return tuple(slots[name] for name in names)


def _suggest_entries(name: str, slots: Sequence[Slot]) -> str:
    """Say which entries exist instead of a missing one: the same number in the other direction, or neighbors."""
    number, way = int(name[:-1]), Direction(name[-1])
    if any(slot.number == number for slot in slots):
        return f"{number} goes {'down' if way is Direction.ACROSS else 'across'} only"
    numbers = sorted(slot.number for slot in slots if slot.direction is way)
    place = bisect(numbers, number)
    nearest = [f"{other}{way.value}" for other in numbers[max(place - 1, 0) : place + 1]]
    if not nearest:
        return f"it has nothing {way.name.lower()}"
    return f"the nearest {'is' if len(nearest) < 2 else 'are'} {' and '.join(nearest)}"
