"""Rebus squares, found where a grid does not come out: cells that hold several letters, the same in both directions.

Suppose that a square holds the content R. Then the slots through it have answers that are longer by the rest of R, and
all their other letters stay in their cells. The lists of longer answers, and what belief propagation says of those
other cells, give the odds of that supposition against all single letters there. Squares, contents and a rebus at all
have a price, so that one content in several squares is cheaper than several contents (minimum description length,
Rissanen 1978). What is worth its price is written in, the rest filled again, and so on; it is kept only if the whole
grid, price paid, is then more probable than without any.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.candidates.candidate_list import KNOWN_LETTER, LEAST
from regis.models import lookup
from regis.puzzle import Cell, Puzzle, Slot
from regis.puzzle.alphabet import ALPHABET, codes
from regis.solving.local_search import worth
from regis.solving.rebus_candidates import Squares, begun, collapsed, narrowed, parts, starts, widened
from regis.solving.solution import DOUBTFUL, Budget, Candidates, Filler, Solution, Table
from regis.solving.surprise import Surprise

LARGEST = 1000  # white squares of a grid that is searched, at most: there are some 400 on a Sunday
SIGNS, SHARE = 3, 0.03  # doubtful squares, and their share of all, from which on a grid has not come out
EXTRA = (1, 2, 3, 4)  # how many letters more than one a square may hold

ODD, ODD_SLOT = 12.0, 4.0
"""Surprise of a square's two slots together, and of each of them, from which on it is looked at: minus the natural log
probability of all that the slot may be with single letters. No content can gain more than the surprise. A guess."""

DEPTH, FAR = 3000, 12.0
"""How many of the likeliest longer answers of a slot are looked at, and how much less likely, in natural log, than all
that the slot may be with single letters they may be."""

GRID, CONTENT, SQUARE = 4.0, 6.0, 3.0
"""The prices in natural log: of any rebus, of each content, of each square. The last is lower by the log of how many
have the content already, down to CHEAPEST: the more do, the likelier is another (as in Polya's urn). By hand."""

CHEAPEST = 1.0

LIKELY, TOGETHER = 6, 3  # so many cells of a slot, the likeliest, may hold a known content, and so many at once
ODDEST = 40  # how many squares are looked at closely for each content that is known already
PASSES = 5  # how often squares are added and the rest filled again, at most
UNSURE = 6.0  # a square with lower odds, in natural log, is taken away again if the grid is more probable so

NEVER = -99.0
LETTER = float(np.log(KNOWN_LETTER))

Longer = tuple[NDArray[np.uint8], Table]  # answers, (k, length), and their natural logs, (k,)


class Proposal(NamedTuple):
    """Squares with one content, and how much likelier they make the grid, in natural log."""

    cells: tuple[Cell, ...]
    content: str
    gain: float


class Side(NamedTuple):
    """What a slot makes of one of its cells, in natural log relative to all that it may be with single letters."""

    contents: NDArray[np.int64]  # what longer answers have there, as numbers (_number), ascending
    listed: Table  # how likely each of them is
    unlisted: float  # any content of no letters: for each of its letters it is `LETTER` more

    def odds(self, contents: NDArray[np.int64]) -> Table:
        """How likely each of `contents` is."""
        place, known = lookup.place(self.contents, contents)
        listed = np.where(known, self.listed[place], NEVER) if len(self.listed) else NEVER
        letters = np.searchsorted(_POWERS, contents, side="right")
        odds: Table = np.maximum(listed, self.unlisted + letters * LETTER)
        return odds


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
        self._longer: dict[tuple[Slot, int], Longer] = {}

    def longer(self, lengths: Mapping[Slot, int]) -> Mapping[Slot, Longer]:
        """The likeliest answers of the slots, had they so many letters; asked for together, once."""
        new = {slot: length for slot, length in lengths.items() if (slot, length) not in self._longer}
        for slot, found in self.among.longer(new).items():
            self._longer[slot, new[slot]] = found.letters[:DEPTH].copy(), found.logp[:DEPTH].copy()
        return {slot: self._longer[slot, length] for slot, length in lengths.items()}

    def find(self, solution: Solution) -> tuple[Squares, Solution]:
        """The rebus squares that there are, mostly none, and the solution with the first letter of each in its cell.

        `solution` is what `fill` made of the puzzle without any.
        """
        doubtful = sum(p < DOUBTFUL for p in solution.confidence.values())
        white = len(self.puzzle.grid.cells)
        if white > LARGEST or doubtful < max(SIGNS, SHARE * white) or self.late():
            return {}, solution
        best, odds = self._with_more(Hypothesis({}, solution, worth(self.puzzle, self.among, solution)))
        best = self._without_needless(best, odds)
        sure = {cell: 1 / (1 + float(np.exp(-odds[cell]))) for cell in best.squares}
        return best.squares, replace(best.solution, confidence={**best.solution.confidence, **sure})

    def _with_more(self, best: Hypothesis) -> tuple[Hypothesis, dict[Cell, float]]:
        """The best grid while squares are added, and the odds, in natural log, of every square that was.

        A pass that does not win is the last: none ever won after one.
        """
        odds: dict[Cell, float] = {}
        for _ in range(PASSES):
            new = _chosen(list(_View(self, best).proposals()), best.squares, self.puzzle)
            if not new or self.late():
                break
            many = Counter(best.squares.values())
            odds |= {cell: one.gain / len(one.cells) - _another(many[one.content]) for one in new for cell in one.cells}
            squares = {**best.squares, **{cell: one.content for one in new for cell in one.cells}}
            if (more := self._better(best, self._filled(squares))) is best:
                break
            best = more
        return best, odds

    def _without_needless(self, best: Hypothesis, odds: Mapping[Cell, float]) -> Hypothesis:
        """Squares of low odds, maybe needless once others came, taken away one by one where that is more probable."""
        for cell in sorted(best.squares, key=lambda cell: odds[cell]):
            fewer = {other: content for other, content in best.squares.items() if other != cell}
            if not fewer or odds[cell] > UNSURE or self.late():
                break
            best = self._better(best, self._filled(fewer))
        return best

    def _filled(self, squares: Squares) -> Hypothesis:
        """What becomes of the grid with these squares."""
        begun_, short = begun(self.puzzle, squares), collapsed(self.among, squares)
        solution = self.fill(begun_, short, Budget(max(self.deadline - time.monotonic(), 0.0)))
        return Hypothesis(squares, solution, worth(begun_, short, solution) - _price(squares))

    def _better(self, best: Hypothesis, grid: Hypothesis) -> Hypothesis:
        return grid if grid.worth > best.worth and not self.late() else best

    def late(self) -> bool:
        return time.monotonic() > self.deadline


class _View:
    """The grid with some rebus squares known, and what speaks for more of them."""

    def __init__(self, search: Rebus, grid: Hypothesis) -> None:
        assert grid.solution.beliefs is not None, "by the filler that propagates them"
        self.search = search
        self.puzzle = begun(search.puzzle, grid.squares)
        self.among = collapsed(search.among, grid.squares)
        self.squares = grid.squares
        self.beliefs = grid.solution.beliefs
        self.messages = {slot: np.log(message) for slot, message in self.beliefs.messages.items()}
        self.through = _through(self.puzzle)

    def proposals(self) -> Iterator[Proposal]:
        """What may be added; not all of it where the time is up."""
        slots = [slot for slot in self.puzzle.grid.slots if any(cell in self.agree for cell in slot.cells)]
        sides: dict[Cell, dict[Slot, Side]] = defaultdict(dict)
        for extra in EXTRA:
            if self.search.late():
                return
            self.search.longer({slot: starts(parts(slot, self.squares))[-1] + extra for slot in slots})
        for slot in slots:
            if self.search.late():
                return
            for cell, found in self._contents(slot).items():
                sides[cell][slot] = Side(*found, self._unlisted(slot) - self.agree[cell])
        for cell, both in sides.items():
            contents = np.unique(np.concatenate([side.contents for side in both.values()]))
            gain = self.agree[cell] + np.sum([side.odds(contents) for side in both.values()], axis=0)
            for i in np.flatnonzero(gain > CHEAPEST).tolist():
                yield Proposal((cell,), _content(int(contents[i])), float(gain[i]))
        oddest = sorted(self.agree, key=lambda c: (sum(self.evidence[slot] for slot, _ in self.through[c]), c))[:ODDEST]
        for content in sorted(set(self.squares.values())):
            for cell in oddest:
                if self.search.late():
                    return
                gain = self.agree[cell] + sum(self._weight(slot, cell, content) for slot, _ in self.through[cell])
                yield Proposal((cell,), content, gain)
            for slot in slots:
                if self.search.late():
                    return
                yield from self._together(slot, content, sides)

    @cached_property
    def evidence(self) -> dict[Slot, float]:
        """Natural log probability of all that each slot may be with single letters in its open cells."""
        known = Surprise(self.among, self.beliefs)
        return {slot: known.evidence(slot) for slot in self.puzzle.grid.slots}

    @cached_property
    def agree(self) -> dict[Cell, float]:
        """For each odd cell, the natural log probability that its two slots have the same letter there."""
        found = {}
        for cell, ((across, i), (down, j)) in ((c, places) for c, places in self.through.items() if len(places) == 2):
            same = float(np.log((self.beliefs.messages[across][i] * self.beliefs.messages[down][j]).sum()))
            surprise = -self.evidence[across], -self.evidence[down]
            if cell not in self.puzzle.given and min(surprise) > ODD_SLOT and sum(surprise) + same > ODD:
                found[cell] = same
        return found

    def _unlisted(self, slot: Slot) -> float:
        """Natural log of how the slot's unlisted answers weigh beside all, before it is known how rare they are."""
        return float(np.log(max(1 - self.beliefs.listed[slot], LEAST))) - self.among.lists[slot].log_missing

    def _contents(self, slot: Slot) -> dict[Cell, tuple[NDArray[np.int64], Table]]:
        """For each odd cell of the slot, the contents that listed longer answers have there, and how likely each is."""
        known = parts(slot, self.squares)
        at = starts(known)
        found: dict[Cell, list[tuple[NDArray[np.int64], Table]]]
        found = {cell: [] for cell in slot.cells if cell in self.agree}
        for extra in EXTRA:
            letters, logp = self.search.longer({slot: at[-1] + extra})[slot]
            fits = [_fit(letters, at[i], self.messages[slot][i], part) for i, part in enumerate(known)]
            before = np.cumsum([logp - self.evidence[slot], *fits], axis=0)
            after = np.zeros(len(logp))
            for i in reversed(range(len(slot))):
                if slot.cells[i] in found:
                    total = before[i] + after
                    rows = np.flatnonzero(total > -FAR)
                    found[slot.cells[i]].append((_number(letters[rows, at[i] : at[i] + extra + 1]), total[rows]))
                after = after + _fit(letters, at[i] + extra, self.messages[slot][i], known[i])
        return {cell: _summed(several) for cell, several in found.items()}

    def _weight(self, slot: Slot, cell: Cell, content: str) -> float:
        """What a `Side` has, without its shortcuts: of all the longer answers, and of all strings of words."""
        squares = {**self.squares, cell: content}
        longer, rows = narrowed(self.search.among, slot, squares), self.beliefs.messages[slot].copy()
        rows[slot.cells.index(cell)] = 1.0
        messages = np.log(rows)
        listed = longer.logp + sum(messages[i][longer.letters[:, i]] for i in range(len(slot)))
        unlisted = widened(self.search.among, slot, squares).with_phrases(rows, 0.0, rows)[0] + longer.log_missing
        return float(np.logaddexp.reduce(listed, initial=unlisted)) - self.evidence[slot]

    def _together(self, slot: Slot, content: str, sides: Mapping[Cell, Mapping[Slot, Side]]) -> Iterator[Proposal]:
        """Several cells of one slot with a content that is known already."""
        number = _number(codes(content)[None])
        worth = {
            cell: self.agree[cell]
            + sum(float(side.odds(number)[0]) for other, side in sides[cell].items() if other != slot)
            for cell in slot.cells
            if cell in self.agree
        }
        likely = sorted(sorted(worth, key=lambda cell: -worth[cell])[:LIKELY])
        for many in range(2, TOGETHER + 1):
            for cells in combinations(likely, many):
                known = parts(slot, {**self.squares, **dict.fromkeys(cells, content)})
                at = starts(known)
                letters, logp = self.search.longer({slot: at[-1]})[slot]
                fits = (_fit(letters, at[i], self.messages[slot][i], part) for i, part in enumerate(known))
                unlisted = self._unlisted(slot) + sum(len(content) * LETTER - self.agree[cell] for cell in cells)
                total = np.logaddexp.reduce(logp + sum(fits) - self.evidence[slot], initial=unlisted)
                yield Proposal(cells, content, float(total) + sum(worth[cell] for cell in cells))


_POWERS = 27 ** np.arange(max(EXTRA) + 1)


def _number(letters: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Contents of one length, (contents, letters), each as a number: its letters to the base 27, none of them 0."""
    found: NDArray[np.int64] = (letters + 1) @ _POWERS[: letters.shape[1]]
    return found


def _content(number: int) -> str:
    """The content that has this number."""
    content = ""
    while number:
        number, letter = divmod(number, 27)
        content += ALPHABET[letter - 1]
    return content


def _summed(found: Sequence[tuple[NDArray[np.int64], Table]]) -> tuple[NDArray[np.int64], Table]:
    """Each number once, ascending, with the natural log of all its probabilities together."""
    numbers, logp = (np.concatenate(columns) for columns in zip(*found, strict=True))
    order = np.argsort(numbers, kind="stable")
    numbers, logp = numbers[order], logp[order]
    first = np.flatnonzero(np.diff(numbers, prepend=-1))
    return numbers[first], np.logaddexp.reduceat(logp, first) if len(first) else logp


def _fit(letters: NDArray[np.uint8], column: int, message: Table, part: str) -> Table:
    """Natural log of how well a cell that begins in `column` of longer answers fits: its letter, or its content."""
    if part != "?":
        return np.where((letters[:, column : column + len(part)] == codes(part)).all(axis=1), 0.0, NEVER)
    found: Table = message[letters[:, column]]
    return found


def _through(puzzle: Puzzle) -> dict[Cell, list[tuple[Slot, int]]]:
    """The slots through each cell, across before down, and which of their cells it is."""
    found: dict[Cell, list[tuple[Slot, int]]] = defaultdict(list)
    for slot in sorted(puzzle.grid.slots, key=lambda slot: slot.direction):
        for i, cell in enumerate(slot.cells):
            found[cell].append((slot, i))
    return found


def _chosen(proposals: Sequence[Proposal], squares: Squares, puzzle: Puzzle) -> list[Proposal]:
    """What is worth its price, content by content; in one slot only what was found together."""
    many = Counter(squares.values())
    by: dict[str, list[tuple[float, Proposal]]] = defaultdict(list)
    for found in proposals:
        if (worth := found.gain - _another(many[found.content]) * len(found.cells)) > 0:
            by[found.content].append((worth, found))
    through = _through(puzzle)
    used: set[Slot] = set()
    paid = set(squares.values())
    chosen: list[Proposal] = []
    while True:
        best, most = list[Proposal](), 0.0
        for content, several in by.items():
            total = 0.0 if content in paid else -CONTENT - GRID * (not paid)
            taken, those = set(used), []
            for worth, found in sorted(several, key=lambda pair: (-pair[0], pair[1])):
                slots = {slot for cell in found.cells for slot, _ in through[cell]}
                if not slots & taken:
                    taken |= slots
                    those.append(found)
                    total += worth
            if total > most:
                best, most = those, total
        if not best:
            return chosen
        chosen += best
        paid.add(best[0].content)
        used |= {slot for found in best for cell in found.cells for slot, _ in through[cell]}


def _price(squares: Squares) -> float:
    contents = Counter(squares.values()).values()
    return GRID * bool(squares) + sum(CONTENT + sum(map(_another, range(many))) for many in contents)


def _another(many: int) -> float:
    """The price of a square with a content that `many` have already."""
    return max(SQUARE - float(np.log(max(many, 1))), CHEAPEST)
