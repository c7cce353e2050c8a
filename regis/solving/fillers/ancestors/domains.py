"""`domains`: letters possible in each cell, cut from both directions; a clue neglected where nothing would be left
(LUMOS).

A slot's domain is its short list; a cell's letters are those that both domains through it have there. Domains lose what
does not fit, letters lose what no domain has, until nothing changes (arc consistency, Mackworth 1977). Then the answer
that stands out most in its domain is taken for the only one, and all is cut again. Where a domain runs empty somebody
is wrong: that answer goes, or the clue whose domain it was is neglected, whichever is likelier.

The ancestor tried combinations of clues to neglect in order. So does this: what one attempt neglected is neglected from
the start in the next, or a clue that crosses there instead, the likeliest combination first. Of all attempts with
enough single domains the likeliest grid is kept.
"""

from __future__ import annotations

import heapq
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from regis.puzzle import Cell, Puzzle
from regis.puzzle.alphabet import ALPHABET
from regis.solving.fillers.ancestors.board import Board, Left
from regis.solving.solution import OUT_OF_TIME, Candidates, Solution, Watch, unwatched
from regis.system.deadline import passed

MOST = 2000  # answers in a domain
COMBINATIONS = 12  # how many combinations of neglected clues are tried, at most
ENOUGH = 0.5  # share of the slots left with a single answer for an attempt to count, unless it is the first

Combination = tuple[int, ...]


def fill(puzzle: Puzzle, candidates: Candidates, deadline: float, watch: Watch = unwatched) -> Solution:
    """The likeliest grid of all combinations tried; `board` judges it."""
    board = Board(puzzle, candidates, MOST)
    shape = _Shape(board)
    waiting: list[tuple[float, Combination]] = [(0.0, ())]
    met: set[Combination] = {()}
    best: _Attempt | None = None
    states = backtracks = tried = 0
    while waiting and tried < COMBINATIONS and not passed(deadline):
        attempt = _Attempt(shape, heapq.heappop(waiting)[1])
        tried += 1
        for done in attempt.steps():
            states += 1
            watch(f"combination {tried}: {done}", attempt.letters)
            if passed(deadline):
                break
        backtracks += attempt.struck
        if best is None or (len(attempt.singles) >= ENOUGH * len(board) and attempt.score > best.score):
            best = attempt
        for other in attempt.combinations():
            if other not in met:
                met.add(other)
                heapq.heappush(waiting, (sum(shape.price[place] for place in other), other))
    late = passed(deadline)
    stopped = OUT_OF_TIME if late else "all combinations tried" if not waiting else "enough combinations tried"
    cells = best.letters() if best else dict(puzzle.given)
    counted: dict[str, float | str] = {"states": states, "backtracks": backtracks, "restarts": max(tried - 1, 0)}
    counted["stopped"] = stopped
    return board.solution(cells, counted, not late)


class _Shape:
    """What stays the same in all attempts: each slot's cells by number, its domain as places in the letters' table."""

    def __init__(self, board: Board) -> None:
        self.board = board
        number = {cell: i for i, cell in enumerate(board.puzzle.grid.cells)}
        self.cells = [np.array([number[cell] for cell in slot.cells]) for slot in board.slots]
        self.flat = [board[s].letters + 26 * np.arange(len(slot)) for s, slot in enumerate(board.slots)]
        self.through: dict[int, list[int]] = defaultdict(list)
        for place, cells in enumerate(self.cells):
            for cell in cells:
                self.through[int(cell)].append(place)
        self.likely = [np.exp(board[s].logp) for s in range(len(board))]
        self.price = [-float(np.log(board[s].missing)) for s in range(len(board))]


class _Chance(NamedTuple):
    """Of a domain: its best row, the chance that it is right, and that the right answer is in no list."""

    best: int
    share: float
    missing: float


class _Attempt:
    """One combination at work: what is left of the domains, (rows), and of the letters, (cells, 26)."""

    def __init__(self, shape: _Shape, neglected: Combination) -> None:
        self.shape = shape
        self.board = shape.board
        self.asked = neglected
        self.neglected = set(neglected) | {s for s in range(len(self.board)) if not len(self.board[s])}
        self.rows = [np.arange(len(self.board[s])) for s in range(len(self.board))]
        self.possible = np.ones((len(self.board.puzzle.grid.cells), 26), bool)
        self.left = [self.board.whole(s) for s in range(len(self.board))]
        self.chances = [self.chance(s) for s in range(len(self.board))]
        self.blamed: list[int] = []
        self.struck = 0

    def steps(self) -> Iterator[str]:
        """Cuts, takes what stands out most, cuts again; what was done, step by step."""
        yield from self.settled(range(len(self.board)))
        while (place := self.surest()) is not None:
            before, best = self.rows[place], self.chances[place].best
            answer = self.board[place].answer(best)
            self.rows[place] = np.array([best])
            emptied = self.cut([place])
            if emptied is None:
                yield f"{self.board.slots[place]} {answer}"
                continue
            self.rows[place] = before
            if self.chances[place].share + self.chances[emptied].missing > 1:
                yield self.neglect(emptied)
            else:
                self.struck += 1
                self.rows[place] = before[before != best]
                yield f"{self.board.slots[place]} not {answer}"
                yield from self.settled([place])

    def settled(self, places: Iterable[int]) -> Iterator[str]:
        """Cuts until no domain runs empty, at the price of a clue neglected each time one does."""
        places = list(places)
        while (emptied := self.cut(places)) is not None:
            yield self.neglect(emptied)

    def neglect(self, place: int) -> str:
        self.neglected.add(place)
        self.blamed.append(place)
        return f"{self.board.slots[place]} neglected"

    def surest(self) -> int | None:
        """The slot with more than one answer left whose best stands out most; None if there is none."""
        able = [s for s, rows in enumerate(self.rows) if len(rows) > 1 and s not in self.neglected]
        return max(able, key=lambda s: (self.chances[s].share, -s), default=None)

    def cut(self, places: Iterable[int]) -> int | None:
        """Cuts domains and letters, from `places` on, until nothing changes.

        Where a domain runs empty, nothing is cut, and the answer is its place.
        """
        rows, possible = list(self.rows), self.possible.copy()
        queue, waiting = deque(places), set(places)
        changed: set[int] = set()
        while queue:
            place = queue.popleft()
            waiting.discard(place)
            if place in self.neglected:
                continue
            cells, flat = self.shape.cells[place], self.shape.flat[place]
            allowed = possible[cells]
            left = rows[place][allowed.ravel()[flat[rows[place]]].all(axis=1)]
            missing = self.board[place].missing * float(allowed.mean(axis=1).prod())
            if float(self.shape.likely[place][left].sum()) <= missing:
                return place
            had = np.zeros(allowed.size, bool)
            had[flat[left]] = True
            had = had.reshape(allowed.shape)
            rows[place] = left
            changed.add(place)
            possible[cells] = had
            for i in np.flatnonzero((had != allowed).any(axis=1)):
                for other in self.shape.through[int(cells[i])]:
                    if other != place:
                        changed.add(other)
                        if other not in waiting:
                            waiting.add(other)
                            queue.append(other)
        self.rows, self.possible = rows, possible
        for place in changed:
            letters = possible[self.shape.cells[place]].mean(axis=1)
            self.left[place] = Left(self.board[place], rows[place], self.board[place].missing * float(letters.prod()))
        for place in changed:
            self.chances[place] = self.chance(place)
        return None

    def chance(self, place: int) -> _Chance:
        """What stands out most in a domain now."""
        own = self.left[place]
        value, none = self.board.promise(place, own, self.say)
        if not len(value):
            return _Chance(0, 0.0, 1.0)
        best = int(value.argmax())
        top = max(float(value[best]), none)
        total = float(np.exp(value - top).sum() + np.exp(none - top))
        return _Chance(int(own.rows[best]), float(np.exp(value[best] - top)) / total, float(np.exp(none - top)) / total)

    def say(self, place: int) -> Left | None:
        """What is left of a domain that has a say and is not down to a single answer."""
        return self.left[place] if place not in self.neglected and len(self.left[place].rows) > 1 else None

    @property
    def singles(self) -> dict[int, int]:
        """The slots with one answer left, and its row."""
        return {s: int(rows[0]) for s, rows in enumerate(self.rows) if len(rows) == 1 and s not in self.neglected}

    @property
    def score(self) -> float:
        """Natural log probability of the grid: of each single answer in its list, of the others as unlisted ones."""
        singles = self.singles
        return sum(
            float(self.board[s].logp[singles[s]]) if s in singles else self.board.unlisted(s)
            for s in range(len(self.board))
        )

    def letters(self) -> dict[Cell, str]:
        """What stands now: cells with one possible letter."""
        cells = self.board.puzzle.grid.cells
        single = np.flatnonzero(self.possible.sum(axis=1) == 1)
        found = {cells[i]: ALPHABET[int(self.possible[i].argmax())] for i in single}
        return found | dict(self.board.puzzle.given)

    def combinations(self) -> Iterator[Combination]:
        """What to neglect next: all that was neglected here, one of them exchanged for a clue that crosses it, or one
        clue more."""
        together = {*self.asked, *self.blamed}
        yield tuple(sorted(together))
        for place in self.blamed:
            for cross in self.board.crossings[place]:
                if cross.other not in self.neglected:
                    yield tuple(sorted(together - {place} | {cross.other}))
        for place in range(len(self.board)):
            if place not in self.neglected:
                yield tuple(sorted({*self.asked, place}))
