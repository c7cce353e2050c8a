"""How people write a pattern and the names of entries: 'p_i' or '4'; '17A', '17 across', 'A17', '17A,23D'."""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Sequence

from regis import text
from regis.errors import PuzzleError, UsageError
from regis.puzzle import Direction, Puzzle, Slot

UNKNOWN = "?._-"  # what people write for a letter they do not know

_NUMBER, _WAY = "0*([1-9][0-9]{0,3})", "(a|d|across|down)"
NAME = re.compile(rf"(?:{_NUMBER}[\s-]*{_WAY}|{_WAY}[\s-]*{_NUMBER})(?:\s+|$)", re.IGNORECASE)
"""One entry: 17A or A17. However numbers and ways stand in turn, there is one way to pair them."""
PART = re.compile(rf"(?:{NAME.pattern}|{_WAY}),?", re.IGNORECASE)
"""A word that goes on with names begun before it: 23D behind 17A, or across behind 17."""


def pattern(word: str) -> str:
    """'p_i' -> 'P?I', '4' -> '????'. Raises UsageError."""
    letters = text.fold(word).upper().replace(" ", "")
    if re.fullmatch("[0-9]{1,4}", letters):
        letters = "?" * int(letters)
    letters = "".join("?" if c in UNKNOWN else c for c in letters)
    if not re.fullmatch("[A-Z?]+", letters):
        raise UsageError(f"{word!r:.60} is not a pattern; write letters and ? for unknown ones (P?I), or how many (3)")
    if len(letters) > text.MAX_LENGTH:
        raise UsageError(f"a pattern of {len(letters)} letters is too long; an index holds at most {text.MAX_LENGTH}")
    return letters


def names(word: str) -> tuple[str, ...]:
    """'17A, 23-down d4' -> ('17A', '23D', '4D'), each once. Raises UsageError."""
    found: dict[str, None] = {}
    for part in map(str.strip, word.split(",")):
        at = 0
        while at < len(part) or not part:
            name = NAME.match(part, at)
            if name is None:
                raise UsageError(f"{part[at:]!r:.60} is not the name of an entry; write 17A, or 17A,23D for several")
            number, way = (name[1], name[2]) if name[1] else (name[4], name[3])
            found[number + way[0].upper()] = None
            at = name.end()
    return tuple(found)


def slots(word: str, puzzle: Puzzle, file: str) -> tuple[Slot, ...]:
    """The slots that `word` names, in clue order. Raises UsageError, or PuzzleError where `file` has no such entry."""
    there = {str(slot): slot for slot in puzzle.grid.slots}
    wanted = names(word)
    for name in wanted:
        if name not in there:
            raise PuzzleError(f"{file} has no entry {name}; {_instead(name, puzzle.grid.slots)}")
    return tuple(slot for name, slot in there.items() if name in wanted)


def _instead(name: str, slots: Sequence[Slot]) -> str:
    """What there is in the place of an entry that is not there: the same number the other way, or those beside it."""
    number, way = int(name[:-1]), Direction(name[-1])
    if any(slot.number == number for slot in slots):
        return f"{number} goes {'down' if way is Direction.ACROSS else 'across'} only"
    alike = sorted(slot.number for slot in slots if slot.direction is way)
    at = bisect(alike, number)
    beside = [f"{other}{way.value}" for other in alike[max(at - 1, 0) : at + 1]]
    if not beside:
        return f"nothing in it goes {way.name.lower()}"
    return f"next to it {'is' if len(beside) < 2 else 'are'} {' and '.join(beside)}"
