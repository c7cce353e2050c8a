"""What rebus squares cost, and which of those proposed are worth it (minimum description length, Rissanen 1978).

A rebus at all has a price, each content and each square, so that one content in several squares is cheaper than several
contents. What is proposed is chosen content by content, the best first; in one slot only what was found together.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from regis.puzzle import Cell, Puzzle, Slot
from regis.solving.rebus.candidates import Squares, kind
from regis.solving.rebus.signs import signs
from regis.solving.solution import BOTH, Kin, strangers

GRID, CONTENT, SQUARE = 4.0, 6.0, 3.0
"""The prices in natural log: of any rebus, of each content, of each square. The last is lower by the log of how many
have the content already, down to CHEAPEST: the more do, the likelier is another (as in Polya's urn). By hand."""

CHEAPEST = 1.0
NEARLY = 6.0  # by how much, in natural log, a square may fail to be worth its price to be read. A guess
SAME_LETTERS, SIGN = 2.0, 2.0
"""The price of a content that has the letters of one that is paid, in another order, less the log of how many of those
are paid; and of one that is read of a sign, where one that is paid is, too, with two readings. A guess."""

AKIN, KIN = 1.0, 2
"""The price of a content that has to do with those that are paid, if so many are: this, and the log of how many have as
much to do with them. By hand."""

FEW, FEW_LETTERS = 3, 5
"""How many squares must have a content that is another across than down, and one of a single letter each: one letter
for another is mostly what one of the answers was changed by."""


class Proposal(NamedTuple):
    """Squares with one content, and how much likelier they make the grid, in natural log."""

    cells: tuple[Cell, ...]
    content: str
    gain: float


def chosen(proposals: Sequence[Proposal], squares: Squares, puzzle: Puzzle, kin: Kin = strangers) -> list[Proposal]:
    """What is worth its price beside `squares`, content by content; in one slot only what was found together."""
    many = Counter(map(kind, squares.values()))
    by: dict[str, list[tuple[float, Proposal]]] = defaultdict(list)
    for found in proposals:
        if (worth := found.gain - another(many[kind(found.content)]) * len(found.cells)) > 0:
            by[kind(found.content)].append((worth, found))
    through = puzzle.grid.through
    used: set[Slot] = set()
    paid = many.copy()
    best: list[Proposal] = []
    while True:
        these, most = list[Proposal](), 0.0
        for content, several in by.items():
            total = 0.0 if content in paid else -_content(content, paid, kin) - GRID * (not paid)
            taken, those = set(used), []
            for worth, found in sorted(several, key=lambda pair: (-pair[0], pair[1])):
                slots = {slot for cell in found.cells for slot, _ in through[cell]}
                if not slots & taken:
                    taken |= slots
                    those.append(found)
                    total += worth
            if total > most and (content in paid or len(those) >= few(content)):
                these, most = those, total
        if not these:
            return best
        best += these
        paid[kind(these[0].content)] += sum(len(found.cells) for found in these)
        used |= {slot for found in these for cell in found.cells for slot, _ in through[cell]}


def few(content: str) -> int:
    """How many squares must have such a content, at least."""
    if BOTH not in content or signs(content):
        return 1
    return FEW if max(map(len, content.split(BOTH))) > 1 else FEW_LETTERS


def price(squares: Squares, kin: Kin = strangers) -> float:
    """What `squares` cost together."""
    contents = Counter(map(kind, squares.values()))
    names = list(contents)
    new = sum(_content(name, {other: contents[other] for other in names[:i]}, kin) for i, name in enumerate(names))
    return GRID * bool(squares) + new + sum(another(i) for many in contents.values() for i in range(many))


def another(many: int) -> float:
    """The price of a square with a content that `many` have already."""
    return max(SQUARE - float(np.log(max(many, 1))), CHEAPEST)


def _content(content: str, paid: Mapping[str, int], kin: Kin) -> float:
    """The price of a content beside those that so many squares have; of one that is another across than down, of both.

    Both cost as much as one if a sign is read so. Where no two squares have the same, another content is less strange.
    """
    if again := sum(sorted(content) == sorted(other) for other in paid):
        return max(SAME_LETTERS - float(np.log(again)), 0.0)
    if signs(content) and any(BOTH in other and signs(other) for other in paid):
        return SIGN
    if BOTH in content:
        return CONTENT if signs(content) else 2 * CONTENT
    if len(paid) < KIN or max(paid.values()) > 1:
        return CONTENT
    place = kin(content, paid)
    strange = CONTENT if place is None else min(CONTENT, AKIN + float(np.log(place)))
    return max(strange - float(np.log(len(paid))), 0.0)
