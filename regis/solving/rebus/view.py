"""What speaks for rebus squares: each cell's contents, weighed by the lists of longer answers and by its crossings.

A content's odds are those of its two slots, each beside all that it may be with single letters. Where a square may hold
another content across than down, the lists of answers as long as the slot are asked, too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations

import numpy as np

from regis.candidates.candidate_list import LEAST
from regis.models.tensors import Table
from regis.puzzle import Cell, Direction, Puzzle, Slot
from regis.solving.rebus.candidates import Collapsing, widened
from regis.solving.rebus.prices import CHEAPEST, NEARLY, SQUARE, Proposal, few
from regis.solving.rebus.sides import (
    LETTER,
    MOST,
    NEVER,
    Numbers,
    Side,
    content_of,
    fit,
    number,
    number_of,
    sizes,
    summed,
)
from regis.solving.rebus.signs import TWO_READINGS
from regis.solving.rebus.squares import Squares, begun, kind, part, parts, starts, turned
from regis.solving.rebus.words import Words
from regis.solving.solution import Solution
from regis.solving.solved import BOTH
from regis.solving.surprise import Surprise, by_crossings

EXTRA = range(1, MOST)  # how many letters more than one a square may hold,
OTHER = (0,)  # and in one direction where it holds more in the other

ODD, ODD_SLOT = 12.0, 4.0
"""Surprise of a square's two slots together, and of each of them, from which on it is looked at: minus the natural log
probability of all that the slot may be with single letters. No content can gain more than the surprise. A guess."""

DEPTH, FAR = 3000, 12.0
"""How many of the likeliest longer answers of a slot are looked at, and how much less likely, in natural log, than all
that the slot may be with single letters they may be. Once there are squares, all of them are, one square at a time,
in slots as odd as ODD."""

LIKELY, TOGETHER = 6, 3  # so many cells of a slot, the likeliest, may hold a known content, and so many at once
ODDEST = 40  # how many squares are looked at, those of the most surprising slots

FOREMOST = 24  # how many of them are looked at first,
HOLDS, HOLDS_TWO = 5.0, 12.0
"""and how much likelier must a content make one of them, or another across than down, for more to be looked at? In
natural log. (Measured: docs/measured.md.)"""

SEVERAL = 30  # contents of each direction that are put together in a square, the likeliest
PAIRS = 20  # such pairs that are looked at in all squares, the best

HOPELESS = CHEAPEST - NEARLY  # gain below which a square with a known content is not even read
SAME = 1e-9  # up to which two sums of natural logs are the same


class View:
    """The grid with some rebus squares known, and what speaks for more of them."""

    def __init__(
        self, words: Words, collapsing: Collapsing, puzzle: Puzzle, squares: Squares, solution: Solution
    ) -> None:
        self.words = words
        self.collapsing = collapsing
        self.puzzle = begun(puzzle, squares)
        self.among = collapsing.known(squares)
        self.squares = squares
        self.beliefs = solution.propagated
        self.messages = {slot: np.log(message) for slot, message in self.beliefs.messages.items()}
        self.through = puzzle.grid.through
        self._sides: dict[Slot, Mapping[Cell, Side]] = {}  # what each slot makes of its odd cells

    def proposals(self) -> Iterator[Proposal]:
        """What may be added, the same across and down where it is new, or read of a sign; not all if the time is up."""
        for cell, both in self.sides.items():
            contents = np.unique(np.concatenate([side.contents for side in both.values()]))
            contents = contents[sizes(contents) > 1]
            gain = self.agree[cell] + np.sum([side.odds(contents) for side in both.values()], axis=0)
            for i in np.flatnonzero(gain > CHEAPEST).tolist():
                yield Proposal((cell,), content_of(int(contents[i])), float(gain[i]))
            for content in TWO_READINGS:
                if (read := self._odds(both, cell, content)) > CHEAPEST:
                    yield Proposal((cell,), content, read)
        for (cell, content), gain in self._weights().items():
            yield Proposal((cell,), content, gain)
        for content in self._known:
            for slot in self._slots:
                if self.words.late:
                    return
                yield from self._together(slot, content)

    def pairs(self) -> Iterator[Proposal]:
        """What squares may hold across and what down, where that is not the same; none once there are squares."""
        if self.squares:
            return
        found: dict[str, dict[Cell, Proposal]] = defaultdict(dict)
        for cell, (across, down) in ((cell, both.values()) for cell, both in self.sides.items()):
            contents, others, gain = self._two(cell, across, down)
            for i, j in np.argwhere(gain > SQUARE).tolist():
                content = content_of(int(contents[i])) + BOTH + content_of(int(others[j]))
                found[kind(content)][cell] = Proposal((cell,), content, float(gain[i, j]))
        enough = {content: by for content, by in found.items() if len(by) >= few(content)}
        worth = {content: sum(one.gain - SQUARE for one in by.values()) for content, by in enough.items()}
        for content in sorted(worth, key=lambda content: (-worth[content], content))[:PAIRS]:
            likely: list[tuple[Cell, list[str], float]] = []  # both ways round where they are as likely
            for cell, both in self.sides.items():
                gains = {way: self._odds(both, cell, way) for way in (content, turned(content))}
                if (best := max(gains.values())) > CHEAPEST:
                    likely.append((cell, [way for way in gains if gains[way] > best - SAME], best))
            open_ = [(cell, way) for cell, ways, _ in likely if len(ways) > 1 for way in ways]
            self.collapsing.ahead((slot, {cell: way}) for cell, way in open_ for slot, _ in self.through[cell])
            for cell, ways, best in likely:
                if self.words.late:
                    return
                way = ways[0] if len(ways) == 1 else max(ways, key=lambda way: self._gain(cell, way))
                yield Proposal((cell,), way, best)

    def longer(self, slots: Sequence[Slot]) -> list[float]:
        """How much likelier the best content of an odd square makes each slot, in natural log, by longer answers."""
        assert not self.squares, "where there are some, more of the lists is looked at"
        self.words.of([(slot, len(slot) + more) for slot in slots for more in EXTRA], DEPTH)
        odds = [[its for _, its in self._contents(slot, EXTRA).values() if len(its)] for slot in slots]
        return [max((float(one.max()) for one in each), default=-np.inf) for each in odds]

    def _odds(self, sides: Mapping[Slot, Side], cell: Cell, content: str) -> float:
        """How much likelier the grid is if the cell with these `sides` has this content."""
        each = [float(side.odds(number_of(content, slot))[0]) for slot, side in sides.items()]
        return self.agree[cell] + sum(each)

    def promising(self) -> bool:
        """Whether a cell with two odd slots may hold something, for which some of the lists that `sides` needs do.

        Where there are rebus squares, one of them is among those cells: both its slots are odd. By the sum of both,
        all cells of one slot that is very odd would come first, whose answer may only be in no list.
        """
        assert not self.squares, "where there are some, more are looked for"
        least_odd = {cell: max(self.evidence[slot] for slot, _ in self.through[cell]) for cell in self.agree}
        oddest = sorted(self.agree, key=lambda cell: least_odd[cell])[:FOREMOST]
        made = self._made({slot for cell in oddest for slot, _ in self.through[cell]})
        both = {cell: [made[slot][cell] for slot, _ in self.through[cell]] for cell in oddest if made}
        return any(self._holds(cell, *sides) for cell, sides in both.items())

    def _holds(self, cell: Cell, across: Side, down: Side) -> bool:
        """Whether a content makes the cell likely enough, or one across and another down do."""
        contents = np.concatenate([across.contents, down.contents])
        contents = contents[sizes(contents) > 1]
        same = self.agree[cell] + across.odds(contents) + down.odds(contents)
        *_, two = self._two(cell, across, down)
        return bool(same.max(initial=NEVER) > HOLDS or two.max(initial=NEVER) > HOLDS_TWO)

    def _two(self, cell: Cell, across: Side, down: Side) -> tuple[Numbers, Numbers, Table]:
        """The likeliest contents across and down, and how much likelier each two of them that differ make the grid."""
        (contents, odds), (others, more) = across.best(SEVERAL), down.best(SEVERAL)
        gain = self.agree[cell] + odds[:, None] + more
        return contents, others, np.where(contents[:, None] != others, gain, NEVER)

    @cached_property
    def sides(self) -> Mapping[Cell, Mapping[Slot, Side]]:
        """What both slots make of each odd cell, across before down; none where the time is up."""
        made = self._made(self._slots)
        return {cell: {slot: made[slot][cell] for slot, _ in self.through[cell]} for cell in self.agree if made}

    def _made(self, slots: Collection[Slot]) -> Mapping[Slot, Mapping[Cell, Side]]:
        """What slots make of their odd cells, worked out once; of none where the time is up."""
        new = [slot for slot in self._slots if slot in slots and slot not in self._sides]
        single = any(len(one) == 1 for content in self.squares.values() for one in content.split(BOTH))
        extra = (*OTHER, *EXTRA) if single or not self.squares else EXTRA
        for depth in (DEPTH, None):
            if self.words.late:
                return {}
            some = {slot: starts(parts(slot, self.squares))[-1] for slot in new if self._depth(slot) == depth}
            self.words.of([(slot, length + more) for slot, length in some.items() for more in extra], depth)
        for slot in new:
            if self.words.late:
                return {}
            found = self._contents(slot, extra).items()
            self._sides[slot] = {
                cell: Side(*contents, self._unlisted(slot) - self.agree[cell]) for cell, contents in found
            }
        return self._sides

    @cached_property
    def _slots(self) -> list[Slot]:
        """The slots with odd cells, across before down."""
        slots = sorted(self.puzzle.grid.slots, key=lambda slot: slot.direction)
        return [slot for slot in slots if any(cell in self.agree for cell in slot.cells)]

    @cached_property
    def evidence(self) -> dict[Slot, float]:
        """Natural log probability of all that each slot may be with single letters in its open cells."""
        known = Surprise(self.among, self.beliefs)
        return {slot: known.evidence(slot) for slot in self.puzzle.grid.slots}

    @cached_property
    def agree(self) -> dict[Cell, float]:
        """The oddest cells, each with the natural log probability that its two slots have the same letter there."""
        found, odd = {}, {}
        for cell, ((across, i), (down, j)) in ((c, places) for c, places in self.through.items() if len(places) == 2):
            same = float(np.log((self.beliefs.messages[across][i] * self.beliefs.messages[down][j]).sum()))
            surprise = -self.evidence[across], -self.evidence[down]
            if cell not in self.puzzle.given and min(surprise) > ODD_SLOT and sum(surprise) + same > ODD:
                found[cell], odd[cell] = same, -sum(surprise)
        return {cell: found[cell] for cell in sorted(found, key=lambda cell: (odd[cell], cell))[:ODDEST]}

    def _depth(self, slot: Slot) -> int | None:
        """How many of a slot's longer answers are looked at; None for all."""
        return None if self.squares and -self.evidence[slot] > ODD else DEPTH

    def _unlisted(self, slot: Slot) -> float:
        """Natural log of how the slot's unlisted answers weigh beside all, before it is known how rare they are."""
        return float(np.log(max(1 - self.beliefs.listed[slot], LEAST))) - self.among.lists[slot].log_missing

    def _contents(self, slot: Slot, more: Sequence[int]) -> dict[Cell, tuple[Numbers, Table]]:
        """For each odd cell of the slot, the contents that listed longer answers have there, and how likely each is."""
        known = parts(slot, self.squares)
        at = starts(known)
        found: dict[Cell, list[tuple[Numbers, Table]]]
        found = {cell: [] for cell in slot.cells if cell in self.agree}
        for extra in more:
            letters, logp = self.words.one((slot, at[-1] + extra), self._depth(slot))
            fits = [fit(letters, at[i], self.messages[slot][i], one) for i, one in enumerate(known[:-1])]
            before = np.cumsum([logp - self.evidence[slot], *fits], axis=0)
            after = np.zeros(len(logp))
            for i in reversed(range(len(slot))):
                if slot.cells[i] in found:
                    total = before[i] + after
                    rows = np.flatnonzero(total > -FAR)
                    found[slot.cells[i]].append((number(letters[rows, at[i] : at[i] + extra + 1]), total[rows]))
                after = after + fit(letters, at[i] + extra, self.messages[slot][i], known[i])
        return {cell: summed(several) for cell, several in found.items()}

    @cached_property
    def _known(self) -> list[str]:
        """The contents that squares have already, and what they are turned; a person may have written longer ones."""
        known = {content for content in self.squares.values() if max(map(len, content.split(BOTH))) <= MOST}
        return sorted(known | set(map(turned, known)))

    def _weights(self) -> dict[tuple[Cell, str], float]:
        """What each odd cell gains with each known content, where that is not hopeless; none where the time is up.

        A slot gains at most what it surprises. Lists of longer answers are asked for together, and in the second
        direction only those for what the first left.
        """
        most = {
            (cell, content): self.agree[cell] - sum(self.evidence[slot] for slot, _ in self.through[cell])
            for content in self._known
            for cell in self.agree
        }
        for direction, contents in self._by_size():
            slots = [slot for slot in self._slots if slot.direction is direction]
            every = ((slot, cell, content) for slot in slots for cell in slot.cells for content in contents)
            open_ = [(slot, cell, content) for slot, cell, content in every if (cell, content) in most]
            self.collapsing.ahead((slot, {**self.squares, cell: content}) for slot, cell, content in open_)
            for slot, cell, content in open_:
                if self.words.late:
                    return {}
                most[cell, content] += self.evidence[slot] + self._weight(slot, cell, content)
                if most[cell, content] < HOPELESS:
                    del most[cell, content]
        self.collapsing.ahead(())  # so many lists need not be kept
        return most

    def _by_size(self) -> Iterator[tuple[Direction, list[str]]]:
        """Direction by direction, known contents of one size there: the same lists are asked for."""
        for direction in Direction:
            by_size: dict[int, list[str]] = defaultdict(list)
            for content in self._known:
                by_size[len(part(content, direction))].append(content)
            yield from ((direction, contents) for contents in by_size.values())

    def _gain(self, cell: Cell, content: str) -> float:
        """What `_odds` has, without the shortcuts of a `Side`."""
        return self.agree[cell] + sum(self._weight(slot, cell, content) for slot, _ in self.through[cell])

    def _weight(self, slot: Slot, cell: Cell, content: str) -> float:
        """What a `Side` has, without its shortcuts: of all the longer answers, and of all strings of words."""
        squares = {**self.squares, cell: content}
        longer, rows = self.collapsing.narrowed(slot, squares), self.beliefs.messages[slot].copy()
        rows[slot.cells.index(cell)] = 1.0
        listed = longer.logp + by_crossings(longer.letters, np.log(rows))
        unlisted = widened(self.collapsing.among, slot, squares).with_phrases(rows, 0.0, rows)[0] + longer.log_missing
        return float(np.logaddexp.reduce(listed, initial=unlisted)) - self.evidence[slot]

    def _together(self, slot: Slot, content: str) -> Iterator[Proposal]:
        """Several cells of one slot with a content that is known already, where it may be worth the least price."""
        mine = part(content, slot.direction)
        worth = {
            cell: self.agree[cell]
            + sum(
                float(side.odds(number_of(content, other))[0])
                for other, side in self.sides[cell].items()
                if other != slot
            )
            for cell in slot.cells
            if cell in self.sides
        }
        likely = sorted(sorted(worth, key=lambda cell: -worth[cell])[:LIKELY])
        for many in range(2, TOGETHER + 1):
            for cells in combinations(likely, many):
                crossing = sum(worth[cell] for cell in cells)
                if crossing - self.evidence[slot] < CHEAPEST * many:
                    continue
                known = parts(slot, {**self.squares, **dict.fromkeys(cells, content)})
                at = starts(known)
                letters, logp = self.words.one((slot, at[-1]), DEPTH)
                fits = (fit(letters, at[i], self.messages[slot][i], one) for i, one in enumerate(known))
                unlisted = self._unlisted(slot) + sum(len(mine) * LETTER - self.agree[cell] for cell in cells)
                total = np.logaddexp.reduce(logp + sum(fits) - self.evidence[slot], initial=unlisted)
                yield Proposal(cells, content, float(total) + crossing)
