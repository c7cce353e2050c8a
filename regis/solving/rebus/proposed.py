"""What may be added to the rebus squares of a grid: contents that its view (rebus.view) makes likely enough.

They are the same across and down, or read of a sign, or known already, in several squares of a slot at once too; or, in
a grid without any squares yet, one across and another down.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations

import numpy as np

from regis.models.tensors import Table
from regis.puzzle import Cell, Direction, Slot
from regis.solving.rebus.prices import CHEAPEST, NEARLY, SQUARE, Proposal, alone, few
from regis.solving.rebus.sides import LETTER, MOST, NEVER, Numbers, Side, content_of, fit, number_of, sizes
from regis.solving.rebus.signs import TWO_READINGS
from regis.solving.rebus.squares import Squares, kind, part, parts, starts, turned
from regis.solving.rebus.view import DEPTH, View
from regis.solving.solved import BOTH
from regis.solving.surprise import log_total

LIKELY, TOGETHER = 6, 3  # so many cells of a slot, the likeliest, may hold a known content, and so many at once

FOREMOST = 24  # how many squares are looked at first, of those that are looked at,
HOLDS, HOLDS_TWO = 5.0, 12.0
"""and how much likelier must a content make one of them, or another across than down, for more to be looked at? In
natural log. (Measured: docs/measured.md.)"""

SEVERAL = 30  # contents of each direction that are put together in a square, the likeliest
PAIRS = 20  # such pairs that are looked at in all squares, the best

CLEAR = 2.0
"""How many times what a rebus of such a pair costs must fewer squares than it needs be worth, for all others to be
looked at? (Measured: docs/measured.md.)"""

HOPELESS = CHEAPEST - NEARLY  # gain below which a square with a known content is not even read
SAME = 1e-9  # up to which two sums of natural logs are the same


def proposals(view: View) -> Iterator[Proposal]:
    """What may be added, the same across and down where it is new, or read of a sign; not all if the time is up."""
    for cell, both in view.sides.items():
        contents = np.unique(np.concatenate([side.contents for side in both.values()]))
        contents = contents[sizes(contents) > 1]
        gains = view.agree[cell] + np.sum([side.odds(contents) for side in both.values()], axis=0)
        for i in np.flatnonzero(gains > CHEAPEST).tolist():
            yield Proposal((cell,), content_of(int(contents[i])), float(gains[i]))
        for content in TWO_READINGS:
            if (read := view.odds(cell, content)) > CHEAPEST:
                yield Proposal((cell,), content, read)
    for (cell, content), gain in _weights(view).items():
        yield Proposal((cell,), content, gain)
    for content in _known(view.squares):
        for slot in view.slots:
            if view.answers.late:
                return
            yield from _together(view, slot, content)


def pairs(view: View) -> Iterator[Proposal]:
    """What squares may hold across and what down, where that is not the same; none once there are squares."""
    if view.squares:
        return
    found: dict[str, dict[Cell, Proposal]] = defaultdict(dict)
    for cell, (across, down) in ((cell, both.values()) for cell, both in view.sides.items()):
        contents, others, gain = _two(view, cell, across, down)
        for i, j in np.argwhere(gain > SQUARE).tolist():
            content = content_of(int(contents[i])) + BOTH + content_of(int(others[j]))
            found[kind(content)][cell] = Proposal((cell,), content, float(gain[i, j]))
    worth = {content: sum(one.gain - SQUARE for one in by.values()) for content, by in found.items()}
    enough = [
        content for content, by in found.items() if len(by) >= few(content) or worth[content] > CLEAR * alone(content)
    ]
    for content in sorted(enough, key=lambda content: (-worth[content], content))[:PAIRS]:
        likely: list[tuple[Cell, list[str], float]] = []  # both ways round where they are as likely
        for cell in view.sides:
            gains = {way: view.odds(cell, way) for way in (content, turned(content))}
            if (best := max(gains.values())) > CHEAPEST:
                likely.append((cell, [way for way in gains if gains[way] > best - SAME], best))
        open_ = [(cell, way) for cell, ways, _ in likely if len(ways) > 1 for way in ways]
        view.collapsing.ahead((slot, {cell: way}) for cell, way in open_ for slot, _ in view.through[cell])
        for cell, ways, best in likely:
            if view.answers.late:
                return
            way = ways[0] if len(ways) == 1 else max(ways, key=lambda way: view.gain(cell, way))
            yield Proposal((cell,), way, best)


def promising(view: View) -> bool:
    """Whether a cell with two odd slots may hold something, for which some of the lists that `sides` needs do.

    Where there are rebus squares, one of them is among those cells: both its slots are odd. By the sum of both,
    all cells of one slot that is very odd would come first, whose answer may only be in no list.
    """
    assert not view.squares, "where there are some, more are looked for"
    least_odd = {cell: max(view.evidence[slot] for slot, _ in view.through[cell]) for cell in view.agree}
    oddest = sorted(view.agree, key=lambda cell: least_odd[cell])[:FOREMOST]
    made = view.made({slot for cell in oddest for slot, _ in view.through[cell]})
    both = {cell: [made[slot][cell] for slot, _ in view.through[cell]] for cell in oddest if made}
    return any(_holds(view, cell, *sides) for cell, sides in both.items())


def _holds(view: View, cell: Cell, across: Side, down: Side) -> bool:
    """Whether a content makes the cell likely enough, or one across and another down do."""
    contents = np.concatenate([across.contents, down.contents])
    contents = contents[sizes(contents) > 1]
    same = view.agree[cell] + across.odds(contents) + down.odds(contents)
    *_, two = _two(view, cell, across, down)
    return bool(same.max(initial=NEVER) > HOLDS or two.max(initial=NEVER) > HOLDS_TWO)


def _two(view: View, cell: Cell, across: Side, down: Side) -> tuple[Numbers, Numbers, Table]:
    """The likeliest contents across and down, and how much likelier each two of them that differ make the grid."""
    (contents, odds), (others, more) = across.best(SEVERAL), down.best(SEVERAL)
    gain = view.agree[cell] + odds[:, None] + more
    return contents, others, np.where(contents[:, None] != others, gain, NEVER)


def _known(squares: Squares) -> list[str]:
    """The contents that squares have already, and what they are turned; a person may have written longer ones."""
    known = {content for content in squares.values() if max(map(len, content.split(BOTH))) <= MOST}
    return sorted(known | set(map(turned, known)))


def _weights(view: View) -> dict[tuple[Cell, str], float]:
    """What each odd cell gains with each known content, where that is not hopeless; none where the time is up.

    A slot gains at most what it surprises. Lists of longer answers are asked for together, and in the second
    direction only those for what the first left.
    """
    most = {
        (cell, content): view.agree[cell] - sum(view.evidence[slot] for slot, _ in view.through[cell])
        for content in _known(view.squares)
        for cell in view.agree
    }
    for direction, contents in _by_size(view.squares):
        slots = [slot for slot in view.slots if slot.direction is direction]
        every = ((slot, cell, content) for slot in slots for cell in slot.cells for content in contents)
        open_ = [(slot, cell, content) for slot, cell, content in every if (cell, content) in most]
        view.collapsing.ahead((slot, {**view.squares, cell: content}) for slot, cell, content in open_)
        for slot, cell, content in open_:
            if view.answers.late:
                return {}
            most[cell, content] += view.evidence[slot] + view.weight(slot, cell, content)
            if most[cell, content] < HOPELESS:
                del most[cell, content]
    view.collapsing.ahead(())  # so many lists need not be kept
    return most


def _by_size(squares: Squares) -> Iterator[tuple[Direction, list[str]]]:
    """Direction by direction, known contents of one size there: the same lists are asked for."""
    for direction in Direction:
        by_size: dict[int, list[str]] = defaultdict(list)
        for content in _known(squares):
            by_size[len(part(content, direction))].append(content)
        yield from ((direction, contents) for contents in by_size.values())


def _together(view: View, slot: Slot, content: str) -> Iterator[Proposal]:
    """Several cells of one slot with a content that is known already, where it may be worth the least price."""
    mine = part(content, slot.direction)
    worth = {
        cell: view.agree[cell]
        + sum(
            float(side.odds(number_of(content, other))[0]) for other, side in view.sides[cell].items() if other != slot
        )
        for cell in slot.cells
        if cell in view.sides
    }
    likely = sorted(sorted(worth, key=lambda cell: -worth[cell])[:LIKELY])
    for many in range(2, TOGETHER + 1):
        for cells in combinations(likely, many):
            crossing = sum(worth[cell] for cell in cells)
            if crossing - view.evidence[slot] < CHEAPEST * many:
                continue
            known = parts(slot, {**view.squares, **dict.fromkeys(cells, content)})
            at = starts(known)
            letters, logp = view.answers.one((slot, at[-1]), DEPTH)
            fits = (fit(letters, at[i], view.messages[slot][i], one) for i, one in enumerate(known))
            unlisted = view.unlisted(slot) + sum(len(mine) * LETTER - view.agree[cell] for cell in cells)
            total = log_total(logp + sum(fits) - view.evidence[slot], unlisted)
            yield Proposal(cells, content, total + crossing)
