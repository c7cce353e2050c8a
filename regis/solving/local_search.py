"""Local search: a filled grid made more probable as a whole, one entry or one letter at a time.

Belief propagation gives each cell its own likeliest letter, and those need not make words together: B-E-A-N-A-A-L. Here
the whole grid has one number, the sum over its entries of the log probability of what stands there: its weighed list's,
or, for what is in no list, that of `missing` times the string model's; the same answer twice costs. Where a letter is
doubtful, the best answers of the slots through it and its own likeliest letters are tried, crossings and all, and for
entries in no list the listed answers that differ in a letter or two; what raises the number most is kept, until nothing
does (iterated conditional modes, Besag 1986; Dr.Fill's post-processing is of the kind).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from regis.puzzle import Cell, Puzzle, Slot
from regis.puzzle.alphabet import ALPHABET, codes, spelled
from regis.solving.solution import Beliefs, Candidates, Solution
from regis.system.deadline import passed

TRIED = 0.98  # cells less sure than this, and the slots through them, are tried

POSSIBLE = 0.05
"""How likely must a letter be in its cell to be tried there? Less costs letters (measured: docs/measured.md)."""

TWICE = 4.0  # natural log of how much less likely a grid is for each answer that it has twice: setters do not do that
APART, NEAR = 2, 20  # letters by which listed answers tried for one in no list may differ; how many are tried
NO_WORD = -50.0  # natural log of what an entry with a rebus square or digit counts as, which the person wrote
GAIN = 0.1  # least gain in natural log that is worth a change
STEPS, TRIES = 100, 20_000  # how many changes are made, and tried, at most: a bound for grids that no list covers

Cells = dict[Cell, str]


class LocalSearch:
    """The score of a grid, and the search for a better one nearby."""

    def __init__(self, puzzle: Puzzle, candidates: Candidates) -> None:
        self.puzzle = puzzle
        self.candidates = candidates
        self.slots = puzzle.grid.slots
        self.known: list[dict[str, float]] = [{} for _ in self.slots]  # of each slot: what its answers are worth,
        self.near: list[dict[str, list[str]]] = [{} for _ in self.slots]  # and what is near to them
        self.stands: list[str] = []  # the entries of the grid that is searched,
        self.entries: Counter[str] = Counter()  # and how often each stands there
        self.through: dict[Cell, list[int]] = defaultdict(list)  # the slots through a cell, by their places
        for i, slot in enumerate(self.slots):
            for cell in slot.cells:
                self.through[cell].append(i)

    def entry(self, i: int, answer: str) -> float:
        """Natural log probability of `answer` in slot number `i` by the slot's own list."""
        known = self.known[i]
        if answer not in known:
            slot = self.slots[i]
            among = self.candidates.lists[slot]
            known[answer] = among.logp_at(among.find(answer), lambda: self._string(slot, answer))
        return known[answer]

    def worth(self, solution: Solution) -> float:
        """Natural log probability of all entries of a filled grid by their lists, less what those that repeat cost."""
        entries = [solution.answer(slot) for slot in self.slots]
        repeated = len(entries) - len(set(entries))
        return sum(self.entry(i, entry) for i, entry in enumerate(entries)) - TWICE * repeated

    def improve(self, cells: Mapping[Cell, str], beliefs: Beliefs, deadline: float) -> Cells:
        """`cells` with what made the grid likelier, until the `deadline` (time.monotonic)."""
        grid: Cells = dict(cells)
        fixed = self.puzzle.given
        doubtful = beliefs.doubtful(TRIED, fixed)
        ranked = {
            i: [answer for answer, _ in beliefs.ranked[slot]]
            for i, slot in enumerate(self.slots)
            if doubtful.intersection(slot.cells)
        }
        possible = {
            cell: "".join(ALPHABET[letter] for letter in np.flatnonzero(p >= POSSIBLE)) if cell not in fixed else ""
            for cell, p in beliefs.letters.items()
        }
        tries = 0
        for _ in range(STEPS):
            best, gain = {}, GAIN
            self.stands = ["".join([grid[c] for c in slot.cells]) for slot in self.slots]
            self.entries = Counter(self.stands)
            for change in self._changes(grid, ranked, sorted(doubtful), possible):
                tries += 1
                if tries > TRIES or passed(deadline):
                    return grid
                if (better := self._gain(grid, change)) > gain:
                    best, gain = change, better
            if not best:
                break
            grid |= best
        return grid

    def _changes(
        self, grid: Cells, ranked: Mapping[int, list[str]], doubtful: Sequence[Cell], possible: Mapping[Cell, str]
    ) -> Iterator[Cells]:
        """What may be tried: the best answers of doubtful slots, `ranked`; the letters of doubtful cells.

        All letters have to be `possible` in their cells.
        """
        for i, best in ranked.items():
            slot = self.slots[i]
            for answer in dict.fromkeys(best + self._near(i, self.stands[i])):
                change = {c: x for c, x in zip(slot.cells, answer, strict=True) if grid[c] != x}
                if change and all(x in possible[c] for c, x in change.items()):
                    yield change
        for cell in doubtful:
            for letter in possible[cell]:
                if letter != grid[cell]:
                    yield {cell: letter}

    def _gain(self, grid: Cells, change: Cells) -> float:
        """How much likelier the grid is with `change`."""
        gain = 0.0
        entries: dict[str, int] = {}  # how much oftener each stands there then
        for i in dict.fromkeys([i for cell in change for i in self.through[cell]]):
            old = self.stands[i]
            new = "".join([change.get(c) or grid[c] for c in self.slots[i].cells])
            gain += self.entry(i, new) - self.entry(i, old)
            entries[old] = entries.get(old, 0) - 1
            entries[new] = entries.get(new, 0) + 1
        twice = sum(max(self.entries[e] + n - 1, 0) - max(self.entries[e] - 1, 0) for e, n in entries.items())
        return gain - TWICE * twice

    def _near(self, i: int, entry: str) -> list[str]:
        """The likeliest listed answers that differ little from what stands in a slot, if that is in no list itself."""
        if entry not in self.near[i]:
            self.near[i][entry] = self._nearest(self.slots[i], entry)
        return self.near[i][entry]

    def _nearest(self, slot: Slot, entry: str) -> list[str]:
        among = self.candidates.lists[slot]
        if not spelled(entry, len(slot)) or not len(among) or among.find(entry) is not None:
            return []
        apart = (among.letters != codes(entry)).sum(axis=1)
        return [among.answer(i) for i in np.flatnonzero(apart <= APART)[:NEAR].tolist()]

    def _string(self, slot: Slot, answer: str) -> float:
        """Natural log probability of `answer` among the unlisted ones for the slot."""
        if any(letter not in ALPHABET for letter in answer):
            return NO_WORD
        return self.candidates.strings_for(slot).string(codes(answer))
