"""`backtrack`: depth first, the smallest domain first, and an empty answer as the last resort (RIDDLER).

A slot's domain is its short list. An answer that is chosen takes from the crossing domains what does not fit (forward
checking); one that would leave a crossing domain without any answer fails. When all answers of a slot fail it gets an
empty one, which removes its constraints. The goal test looks at no solution: every slot has its answer or its empty
one, and the likeliest such grid is kept.

How small a domain is, is counted in answers of weight: two of 45 % and a thousand of 0.01 % are about two and a half.
Answers come by how likely they are, and how likely what they leave of the crossing domains is; the ancestor counted
what they take away. A branch that cannot become likelier than the best grid is left; `descent` says where the search
goes back to.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from regis.candidates import KNOWN_LETTER, foremost
from regis.fill import Budget, Candidates, Solution, Watch, unwatched
from regis.fillers import descent, verdict
from regis.fillers.board import Board
from regis.puzzle import Puzzle

MOST = 1000
"""Answers in a domain."""

WAYS = 5
"""How many answers of a slot may be tried, the empty one besides."""

EMPTY = -1

Rows = NDArray[np.intp]


def fill(puzzle: Puzzle, candidates: Candidates, budget: Budget, watch: Watch = unwatched) -> Solution:
    """The likeliest grid that was met; confidence as `verdict` has it."""
    deadline = budget.deadline()
    board = Board(puzzle, candidates, MOST)
    search = _Search(board)
    best, counted = descent.best(search.root(), search.ways, board, deadline, watch)
    return verdict.solution(board, board.written(best.answers), counted, time.monotonic() <= deadline)


@dataclass(frozen=True)
class _Node:
    """A grid on the way: what is chosen, in order, and what is left of the other domains."""

    chosen: Mapping[int, int]  # slot -> row, or EMPTY
    rows: Sequence[Rows]
    size: Sequence[float]  # of each domain, in answers of weight
    score: float  # natural log probability of what is chosen
    last: str

    @property
    def answers(self) -> dict[int, int]:
        return {place: row for place, row in self.chosen.items() if row != EMPTY}

    @property
    def rank(self) -> tuple[int, float]:
        """A fuller grid is better, of full ones the likelier."""
        return len(self.chosen), self.score


class _Search:
    """The domains as they were at first, and the ways on from a node."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.likely = [np.exp(board[s].logp) for s in range(len(board))]
        self.unlisted = [board.unlisted(s) for s in range(len(board))]

    def root(self) -> _Node:
        rows = [np.arange(len(likely)) for likely in self.likely]
        return _Node({}, rows, [self.size(s, r, 0) for s, r in enumerate(rows)], 0.0, "nothing chosen")

    def ways(self, node: _Node, best: _Node) -> Sequence[Callable[[], _Node]]:
        """The answers of the smallest domain that leave something everywhere, and the empty one after them."""
        open_ = [s for s in range(len(self.board)) if s not in node.chosen]
        if not open_:
            return ()
        if len(best.chosen) == len(self.board) and self.at_best(node, open_) <= best.score:
            return ()
        place = min(open_, key=lambda s: (node.size[s], s))
        answers = [int(row) for row in self.ordered(node, place)]
        return [partial(self.chosen, node, place, row) for row in (*answers, EMPTY)]

    def at_best(self, node: _Node, places: Sequence[int]) -> float:
        """The score that no grid can pass that goes on from `node`."""
        first = [(s, node.rows[s][0]) for s in places if len(node.rows[s])]
        listed = {s: float(self.board[s].logp[row]) for s, row in first}
        return node.score + sum(max(listed.get(s, -np.inf), self.unlisted[s]) for s in places)

    def ordered(self, node: _Node, place: int) -> Rows:
        """The best of the rows that leave no crossing domain empty."""
        among, rows = self.board[place], node.rows[place]
        value = among.logp[rows].copy()
        for here, other, there in self.board.crossings[place]:
            left = node.rows[other]
            if other in node.chosen or not len(left):
                continue
            mass = np.bincount(self.board[other].letters[left, there], self.likely[other][left], minlength=26)
            kept = mass[among.letters[rows, here]]
            with np.errstate(divide="ignore"):
                value += np.log(kept / mass.sum())
        best = foremost(among.letters[rows], value, WAYS) if len(rows) else rows
        return rows[best[value[best] > -np.inf]]

    def chosen(self, node: _Node, place: int, row: int) -> _Node:
        """The node after one more choice."""
        slot, chosen = self.board.slots[place], {**node.chosen, place: row}
        if row == EMPTY:
            return _Node(chosen, node.rows, node.size, node.score + self.unlisted[place], f"{slot} empty")
        rows, size = list(node.rows), list(node.size)
        for here, other, there in self.board.crossings[place]:
            if other not in chosen:
                letter = self.board[place].letters[row, here]
                rows[other] = rows[other][self.board[other].letters[rows[other], there] == letter]
                known = sum(chosen.get(cross.other, EMPTY) != EMPTY for cross in self.board.crossings[other])
                size[other] = self.size(other, rows[other], known)
        score = node.score + float(self.board[place].logp[row])
        return _Node(chosen, rows, size, score, f"{slot} {self.board[place].answer(row)}")

    def size(self, place: int, rows: Rows, known: int) -> float:
        """How many answers of weight: the inverse of the chance that two drawn by lot are the same one."""
        likely = self.likely[place][rows]
        alike = float((likely**2).sum())
        total = float(likely.sum()) + self.board[place].missing * KNOWN_LETTER**known
        return total**2 / alike if alike > 0 else np.inf
