"""The search for rebus squares, where a grid does not come out or seems to hide some.

Suppose that a square holds the content R. Then the slots through it have answers that are longer by the rest of R, and
all their other letters stay in their cells. The lists of longer answers, and what belief propagation says of those
other cells, give the odds of that supposition against all single letters there (rebus.view). What is worth its price
(rebus.prices) is written in, the rest filled again, and so on; it is kept only if the whole grid, price paid, is then
more probable than without any. Where squares with one content are not worth it, those with two are looked for, one
across and another down. At last squares that nearly were worth it are read with their clues: with a known content or,
where all contents differ, with another.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from regis.puzzle import Cell, Puzzle, Slot
from regis.solving.local_search import LocalSearch
from regis.solving.rebus.candidates import Collapsing
from regis.solving.rebus.longer import LongerAnswers
from regis.solving.rebus.prices import NEARLY, Proposal, another, chosen, extra, price
from regis.solving.rebus.proposed import pairs, promising, proposals
from regis.solving.rebus.squares import Squares, begun, kind, standing, turned
from regis.solving.rebus.view import View
from regis.solving.rebus.written import readings
from regis.solving.solution import Candidates, Filler, Solution
from regis.solving.solved import DOUBTFUL
from regis.system.deadline import passed

LARGEST = 1000  # white squares of a grid that is searched, at most: there are some 400 on a Sunday
SIGNS, SHARE = 3, 0.02  # doubtful squares, and their share of all, from which on a grid has not come out,
SHORT = 6  # or as many slots of so many letters at most that no list explains,
CROSSED = 2  # or as many doubtful squares and as many crossings of two slots that no list explains,
MIDDLING, FITTING, FITS = 7, 2, 6.5
"""or, of the slots of so many letters at most that no list explains, so many that longer answers with one content in a
square make that much likelier, in natural log; a single one where as many squares are in doubt. (Measured:
docs/measured.md.)"""
PASSES = 5  # how often squares are added and the rest filled again, at most
NONE: Squares = MappingProxyType({})
READ = 3  # how many squares that are nearly worth their price are read, at most; a guess,
ALONE = 3  # and how many that share their content with none are tried with another; a guess

WEAK, NEEDLESS = 6.0, 2
"""Squares with lower odds, in natural log, are taken away again if the grid is more probable so: so many, at most."""


class Hypothesis(NamedTuple):
    """A grid with some rebus squares, filled: how probable it is as a whole, their price paid, in natural log."""

    squares: Squares
    solution: Solution
    worth: float


class Rebus:
    """The search for the rebus squares of one puzzle; `fill` is the filler that propagates beliefs."""

    def __init__(self, puzzle: Puzzle, among: Candidates, fill: Filler, deadline: float) -> None:
        self.puzzle = puzzle
        self.among = among
        self.fill = fill
        self.deadline = deadline
        self._longer = LongerAnswers(among, deadline)
        self._collapsing = Collapsing(among, deadline)
        self._seen: tuple[Hypothesis, list[Proposal]] | None = None  # the grid that was looked at last

    def find(self, solution: Solution, own: Squares = NONE) -> tuple[Squares, Solution]:
        """The rebus squares that there are, mostly none, and the solution with the first letter of each in its cell.

        `solution` is what `fill` made of the puzzle with the person's `own` squares, which stay, and no other.
        """
        if not self._signs(solution, own) or passed(self.deadline):
            return own, solution
        best, odds = self._with_more(self.with_own(self.weighed(own, solution)))
        best = self._with_shared(best, odds)
        best = self._without_needless(best, odds)
        best = self._with_read(best, odds)
        sure = {cell: 1 / (1 + float(np.exp(-odds[cell]))) for cell in best.squares}
        return best.squares, replace(best.solution, confidence={**best.solution.confidence, **sure})

    def known(self, squares: Squares) -> Candidates:
        """What is known with these squares; lists that the search has made are not made again."""
        return self._collapsing.known(squares)

    def _signs(self, solution: Solution, own: Squares) -> bool:
        """Whether the grid has not come out, or seems to hide squares, and is not too large to be searched."""
        doubtful = _doubtful(solution)
        odd = sum(len(slot) <= SHORT for slot in solution.neglected)
        through = Counter(cell for slot in solution.neglected for cell in slot.cells)
        crossed = min(doubtful, sum(slots > 1 for slots in through.values()))
        white = len(self.puzzle.grid.cells)
        if white > LARGEST:
            return False
        if odd >= SIGNS or doubtful >= max(SIGNS, SHARE * white) or crossed >= CROSSED:
            return True
        if own:  # where there are some, any doubt is a sign of more
            return doubtful > 0 or bool(solution.neglected)
        some = [slot for slot in self.puzzle.grid.slots if slot in solution.neglected and len(slot) <= MIDDLING]
        enough = 1 if doubtful >= FITTING else FITTING
        return len(some) >= enough and self._fitting(some, solution) >= enough

    def _fitting(self, slots: Sequence[Slot], solution: Solution) -> int:
        """How many of the slots longer answers fit that well; 0 where the time is up."""
        if passed(self.deadline):
            return 0
        fits = View(self._longer, self._collapsing, self.puzzle, {}, solution).longer(slots)
        return sum(fit > FITS for fit in fits)

    def with_own(self, best: Hypothesis) -> Hypothesis:
        """The person's own squares, read in both directions where the grid is more probable so."""
        if not best.squares or _doubtful(best.solution) < SIGNS:
            return best
        for both in readings(best.squares):
            if passed(self.deadline):
                break
            best = self._better(best, self.filled(both, best))
        return best

    def _with_more(self, best: Hypothesis) -> tuple[Hypothesis, dict[Cell, float]]:
        """The best grid while squares are added, and the odds, in natural log, of every square that was.

        Where several do not win together, the likeliest is tried alone. A pass that does not win is the last: none ever
        won after one.
        """
        odds: dict[Cell, float] = dict.fromkeys(best.squares, np.inf)  # the person's
        for _ in range(PASSES):
            new = chosen(self._proposals(best), best.squares, self.puzzle, self.among.kin)
            if not new or passed(self.deadline):
                break
            many = Counter(map(kind, best.squares.values()))
            odds |= {
                cell: one.gain / len(one.cells) - another(many[kind(one.content)]) for one in new for cell in one.cells
            }
            grid = self._better(best, self._with(best, new))
            if grid is best and len(new) > 1 and not passed(self.deadline):
                grid = self._better(best, self._with(best, [max(new, key=lambda one: one.gain)]))
            if grid is best:
                break
            best = grid
        return best, odds

    def _with_shared(self, best: Hypothesis, odds: dict[Cell, float]) -> Hypothesis:
        """A content that only one square has gives way to the one that most have, where the grid is more probable so.

        Squares are found by what lists have in them, and the content that others share may make a string in none.
        """
        many = Counter(map(kind, best.squares.values()))
        shared = max(best.squares.values(), key=lambda content: (many[kind(content)], content), default="")
        alone = [cell for cell, content in best.squares.items() if many[kind(content)] == 1 < many[kind(shared)]]
        alone = [cell for cell in alone if odds[cell] < np.inf]
        for cell in sorted(alone, key=lambda cell: (odds[cell], cell))[:ALONE]:
            for content in dict.fromkeys((shared, turned(shared))):
                if passed(self.deadline):
                    return best
                grid = self._better(best, self.filled({**best.squares, cell: content}, best))
                odds[cell] += grid.worth - best.worth
                best = grid
        return best

    def _without_needless(self, best: Hypothesis, odds: Mapping[Cell, float]) -> Hypothesis:
        """Squares of low odds, maybe needless once others came, taken away one by one where that is more probable."""
        for cell in sorted(best.squares, key=lambda cell: odds[cell])[:NEEDLESS]:
            fewer = {other: content for other, content in best.squares.items() if other != cell}
            if not fewer or odds[cell] > WEAK or passed(self.deadline):
                break
            best = self._better(best, self.filled(fewer, best))
        return best

    def _with_read(self, best: Hypothesis, odds: dict[Cell, float]) -> Hypothesis:
        """More squares, each nearly worth its price, whose entries then fit their clues better."""
        if self.among.read is None or not best.squares or passed(self.deadline):
            return best
        cost = extra(best.squares, self.among.kin)
        nearly: dict[Cell, tuple[float, str]] = {}
        for one in self._proposals(best):
            if len(one.cells) == 1 and (worth_it := one.gain - cost(one)) > -NEARLY:
                nearly[one.cells[0]] = max(nearly.get(one.cells[0], (-NEARLY, "")), (worth_it, one.content))
        for cell in sorted(nearly, key=lambda cell: (-nearly[cell][0], cell))[:READ]:
            grid = self.filled({**best.squares, cell: nearly[cell][1]}, best)
            if passed(self.deadline):
                break
            gain = grid.worth - best.worth + self._read(grid, cell) - self._read(best, cell)
            if gain > 0:
                odds[cell], best = gain, grid
        return best

    def _read(self, grid: Hypothesis, cell: Cell) -> float:
        """How well the two entries through a cell fit their clues, in natural log: what the reader says of them."""
        assert self.among.read is not None, "or nothing is read"
        slots = [slot for slot, _ in self.puzzle.grid.through[cell]]
        read = self.among.read({slot: [standing(slot, grid.squares, grid.solution)] for slot in slots})
        return sum(reading.odds for (reading,) in read.values())

    def _proposals(self, grid: Hypothesis) -> list[Proposal]:
        """What may be added to a grid; worked out once for the one that was looked at last."""
        if self._seen is None or self._seen[0] is not grid:
            view = View(self._longer, self._collapsing, self.puzzle, grid.squares, grid.solution)
            some = bool(grid.squares) or promising(view)
            self._seen = grid, [*proposals(view), *pairs(view)] if some else []
        return self._seen[1]

    def _with(self, grid: Hypothesis, new: Sequence[Proposal]) -> Hypothesis:
        """What becomes of `grid` with what is proposed."""
        return self.filled({**grid.squares, **{cell: one.content for one in new for cell in one.cells}}, grid)

    def filled(self, squares: Squares, before: Hypothesis) -> Hypothesis:
        """What becomes of the grid with these squares, which goes on from how it was `before`."""
        known = replace(self._collapsing.known(squares), believed=before.solution.beliefs)
        return self.weighed(squares, self.fill(begun(self.puzzle, squares), known, self.deadline))

    def weighed(self, squares: Squares, solution: Solution) -> Hypothesis:
        """What the grid that was filled with these squares is worth."""
        grid = LocalSearch(begun(self.puzzle, squares), self._collapsing.known(squares)).worth(solution)
        return Hypothesis(squares, solution, grid - price(squares, self.among.kin))

    def _better(self, best: Hypothesis, grid: Hypothesis) -> Hypothesis:
        return grid if grid.worth > best.worth and not passed(self.deadline) else best


def _doubtful(solution: Solution) -> int:
    """How many squares are doubtful."""
    return sum(p < DOUBTFUL for p in solution.confidence.values())
