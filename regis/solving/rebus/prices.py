"""What rebus squares cost, and which of those proposed are worth it (minimum description length, Rissanen 1978).

A rebus at all has a price, each content and each square, so that one content in several squares is cheaper than several
contents. What is proposed is chosen content by content, the best first; in one slot only what was found together.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from regis.puzzle import Cell, Puzzle, Slot
from regis.solving.rebus.signs import TWO_READINGS, signs
from regis.solving.rebus.squares import Squares, kind
from regis.solving.solution import Kinship, strangers
from regis.solving.solved import BOTH

GRID, CONTENT, SQUARE = 4.0, 6.0, 3.0
"""The prices in natural log: of any rebus, of each content, of each square. The last is lower by the log of how many
have the content already, down to CHEAPEST: the more do, the likelier is another (as in Polya's urn). By hand; what
they do is measured (docs/measured.md)."""

CHEAPEST = 1.0
NEARLY = 6.0  # by how much, in natural log, a square may fail to be worth its price to be read. A guess
SAME_LETTERS, SIGN = 2.0, 2.0
"""The price of a content that has the letters of one that is paid, in another order, less the log of how many of those
are paid; and of one that is read of a sign, where one that is paid is, too, with two readings. A guess; what the first
does is measured (docs/measured.md)."""

AKIN, SET = 1.0, 2
"""The price of a content that goes with those that are paid, if so many are and no two squares have the same: this, and
the log of how many go with them as well. Any new one is then cheaper by the log of how many are paid. By hand; what
they do is measured (docs/measured.md)."""

FEW, FEW_LETTERS = 3, 5
"""How many squares must have a content that is another across than down, and one of a single letter each: one letter
for another is mostly what one of the answers was changed by (measured: docs/measured.md)."""


class Proposal(NamedTuple):
    """Squares with one content, and how much likelier they make the grid, in natural log."""

    cells: tuple[Cell, ...]
    content: str
    gain: float


def chosen(proposals: Sequence[Proposal], squares: Squares, puzzle: Puzzle, kin: Kinship = strangers) -> list[Proposal]:
    """What is worth its price beside `squares`, content by content; in one slot only what was found together."""
    paid = Counter(map(kind, squares.values()))
    by: dict[str, list[tuple[float, Proposal]]] = defaultdict(list)
    for found in proposals:
        if (worth := found.gain - another(paid[kind(found.content)]) * len(found.cells)) > 0:
            by[kind(found.content)].append((worth, found))
    through = puzzle.grid.through
    used: set[Slot] = set()
    best: list[Proposal] = []
    while True:
        these, most, spent = list[Proposal](), 0.0, _contents(paid, kin)
        for content, several in by.items():
            total, taken, those = 0.0, set(used), list[Proposal]()
            for worth, found in sorted(several, key=lambda pair: (-pair[0], pair[1])):
                slots = {slot for cell in found.cells for slot, _ in through[cell]}
                if not slots & taken:
                    taken |= slots
                    those.append(found)
                    total += worth
            if total <= most or (content not in paid and len(those) < few(content)):
                continue
            total -= _contents(paid + _counted(those), kin) - spent
            if total > most:
                these, most = those, total
        if not these:
            return best
        best += these
        paid += _counted(these)
        used |= {slot for found in these for cell in found.cells for slot, _ in through[cell]}


def _counted(proposals: Sequence[Proposal]) -> Counter[str]:
    """How many squares with each content are proposed."""
    return Counter(kind(found.content) for found in proposals for _ in found.cells)


def few(content: str) -> int:
    """How many squares must have such a content, at least."""
    if BOTH not in content or content in TWO_READINGS:
        return 1
    return FEW if max(map(len, content.split(BOTH))) > 1 else FEW_LETTERS


def alone(content: str) -> float:
    """What a rebus with this content and no other costs, without its squares."""
    return GRID + _content(content, (), None)


def price(squares: Squares, kin: Kinship = strangers) -> float:
    """What `squares` cost together."""
    contents = Counter(map(kind, squares.values()))
    return _contents(contents, kin) + sum(another(i) for many in contents.values() for i in range(many))


def extra(squares: Squares, kin: Kinship = strangers) -> Callable[[Proposal], float]:
    """What proposals of one square more cost beside others: with a content of theirs or, where all differ, another.

    Where that may not be, it is inf.
    """
    many, paid = Counter(map(kind, squares.values())), price(squares, kin)

    def cost(one: Proposal) -> float:
        if kind(one.content) in many:
            return another(many[kind(one.content)])
        if len(many) < max(len(squares), SET):
            return np.inf
        return price({**squares, one.cells[0]: one.content}, kin) - paid

    return cost


def another(many: int) -> float:
    """The price of a square with a content that `many` have already."""
    return max(SQUARE - float(np.log(max(many, 1))), CHEAPEST)


def _contents(many: Mapping[str, int], kin: Kinship) -> float:
    """The price of a rebus with these contents, each in so many squares, without that of the squares.

    Signs are paid first, which make others cheap, and the rest in the order of `many`: what goes with what is paid
    already depends on it.
    """
    names = sorted(many, key=lambda content: content not in TWO_READINGS)
    differ = max(many.values(), default=0) == 1
    each = (_content(content, names[:i], kin if differ else None) for i, content in enumerate(names))
    return GRID * bool(many) + sum(each)


def _content(content: str, paid: Sequence[str], kin: Kinship | None) -> float:
    """The price of a content beside those that are paid; of one that is another across than down, of both.

    Both cost as much as one if a sign is read so. `kin` is None unless all squares differ: then any content is less
    strange than where some are the same.
    """
    if again := sum(sorted(content) == sorted(other) for other in paid):
        return max(SAME_LETTERS - float(np.log(again)), 0.0)
    if signs(content) and any(other in TWO_READINGS for other in paid):
        return SIGN
    if BOTH in content:
        return CONTENT if content in TWO_READINGS else 2 * CONTENT
    if kin is None or len(paid) < SET:
        return CONTENT
    place = kin(content, paid)
    strange = CONTENT if place is None else min(CONTENT, AKIN + float(np.log(place)))
    return max(strange - float(np.log(len(paid))), 0.0)
