"""What speaks for rebus squares: each cell's contents, weighed by the lists of longer answers and by its crossings.

A content's odds are those of its two slots, each beside all that it may be with single letters. Where a square may hold
another content across than down, the lists of answers as long as the slot are asked, too.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property

import numpy as np

from regis.candidates.candidate_list import LEAST
from regis.models.tensors import Table
from regis.puzzle import Cell, Puzzle, Slot
from regis.solving.rebus.candidates import Collapsing, widened
from regis.solving.rebus.longer import LongerAnswers
from regis.solving.rebus.sides import MOST, Numbers, Side, fit, number, number_of, summed
from regis.solving.rebus.squares import Squares, begun, parts, starts
from regis.solving.solution import Solution
from regis.solving.solved import BOTH
from regis.solving.surprise import Surprise, by_crossings, log_total

EXTRA = range(1, MOST)  # how many letters more than one a square may hold,
OTHER = (0,)  # and in one direction where it holds more in the other

ODD, ODD_SLOT = 12.0, 4.0
"""Surprise of a square's two slots together, and of each of them, from which on it is looked at: minus the natural log
probability of all that the slot may be with single letters. No content can gain more than the surprise. A guess."""

DEPTH, FAR = 3000, 12.0
"""How many of the likeliest longer answers of a slot are looked at, and how much less likely, in natural log, than all
that the slot may be with single letters they may be. Once there are squares, all of them are, one square at a time,
in slots as odd as ODD. (Measured: docs/measured.md.)"""

ODDEST = 40  # how many squares are looked at, those of the most surprising slots (measured: docs/measured.md)


class View:
    """The grid with some rebus squares known, and what speaks for more of them."""

    def __init__(
        self, answers: LongerAnswers, collapsing: Collapsing, puzzle: Puzzle, squares: Squares, solution: Solution
    ) -> None:
        self.answers = answers
        self.collapsing = collapsing
        self.puzzle = begun(puzzle, squares)
        self.among = collapsing.known(squares)
        self.squares = squares
        self.beliefs = solution.propagated
        self.messages = {slot: np.log(message) for slot, message in self.beliefs.messages.items()}
        self.through = puzzle.grid.through
        self._sides: dict[Slot, Mapping[Cell, Side]] = {}  # what each slot makes of its odd cells

    def longer(self, slots: Sequence[Slot]) -> list[float]:
        """How much likelier the best content of an odd square makes each slot, in natural log, by longer answers."""
        assert not self.squares, "where there are some, more of the lists is looked at"
        self.answers.of([(slot, len(slot) + more) for slot in slots for more in EXTRA], DEPTH)
        odds = [[its for _, its in self._contents(slot, EXTRA).values() if len(its)] for slot in slots]
        return [max((float(one.max()) for one in each), default=-np.inf) for each in odds]

    def odds(self, cell: Cell, content: str) -> float:
        """How much likelier the grid is if an odd cell has this content."""
        each = [float(side.odds(number_of(content, slot))[0]) for slot, side in self.sides[cell].items()]
        return self.agree[cell] + sum(each)

    @cached_property
    def sides(self) -> Mapping[Cell, Mapping[Slot, Side]]:
        """What both slots make of each odd cell, across before down; none where the time is up."""
        made = self.made(self.slots)
        return {cell: {slot: made[slot][cell] for slot, _ in self.through[cell]} for cell in self.agree if made}

    def made(self, slots: Collection[Slot]) -> Mapping[Slot, Mapping[Cell, Side]]:
        """What slots make of their odd cells, worked out once; of none where the time is up."""
        new = [slot for slot in self.slots if slot in slots and slot not in self._sides]
        single = any(len(one) == 1 for content in self.squares.values() for one in content.split(BOTH))
        extra = (*OTHER, *EXTRA) if single or not self.squares else EXTRA
        for depth in (DEPTH, None):
            if self.answers.late:
                return {}
            some = {slot: starts(parts(slot, self.squares))[-1] for slot in new if self._depth(slot) == depth}
            self.answers.of([(slot, length + more) for slot, length in some.items() for more in extra], depth)
        for slot in new:
            if self.answers.late:
                return {}
            found = self._contents(slot, extra).items()
            self._sides[slot] = {
                cell: Side(*contents, self.unlisted(slot) - self.agree[cell]) for cell, contents in found
            }
        return self._sides

    @cached_property
    def slots(self) -> list[Slot]:
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

    def unlisted(self, slot: Slot) -> float:
        """Natural log of how the slot's unlisted answers weigh beside all, before it is known how rare they are."""
        return float(np.log(max(1 - self.beliefs.listed[slot], LEAST))) - self.among.lists[slot].log_missing

    def _contents(self, slot: Slot, more: Sequence[int]) -> dict[Cell, tuple[Numbers, Table]]:
        """For each odd cell of the slot, the contents that listed longer answers have there, and how likely each is."""
        known = parts(slot, self.squares)
        at = starts(known)
        found: dict[Cell, list[tuple[Numbers, Table]]]
        found = {cell: [] for cell in slot.cells if cell in self.agree}
        for extra in more:
            letters, logp = self.answers.one((slot, at[-1] + extra), self._depth(slot))
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

    def gain(self, cell: Cell, content: str) -> float:
        """What `odds` has, without the shortcuts of a `Side`."""
        return self.agree[cell] + sum(self.weight(slot, cell, content) for slot, _ in self.through[cell])

    def weight(self, slot: Slot, cell: Cell, content: str) -> float:
        """What a `Side` has, without its shortcuts: of all the longer answers, and of all strings of words."""
        squares = {**self.squares, cell: content}
        longer, rows = self.collapsing.narrowed(slot, squares), self.beliefs.messages[slot].copy()
        rows[slot.cells.index(cell)] = 1.0
        listed = longer.logp + by_crossings(longer.letters, np.log(rows))
        unlisted = widened(self.collapsing.among, slot, squares).with_phrases(rows, 0.0, rows)[0] + longer.log_missing
        return log_total(listed, unlisted) - self.evidence[slot]
