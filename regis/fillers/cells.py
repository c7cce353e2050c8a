"""`cells`: cell after cell in reading order, the grid with the most solved cells kept (CrosswordTree).

At each cell the entries that begin there are solved, across before down, from lists that are fetched when their turn
comes. An answer goes on only where every letter of it agrees with what stands, and with some answer of the entry that
crosses there. An entry that nothing fits stays unsolved, and the search goes on behind it. A grid scores 5 for each
cell with both entries solved and 1 for one with a single one; the best, and of equals the likeliest, is kept and
returned when no grid is complete. Its open cells are guessed.

Unlike `backtrack` the order is that of the page, whatever the domains. `descent` says where the search goes back to.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from regis.fill import Budget, Candidates, Solution, Watch, unwatched
from regis.fillers import descent, verdict
from regis.fillers.board import Board
from regis.puzzle import Cell, Puzzle

MOST = 300
"""Answers in a list."""

WAYS = 5
"""How many answers of an entry may be tried, the unsolved one besides."""

BOTH, SINGLE = 5, 1
"""What a cell scores with both of its entries solved, and with one; an unchecked cell has but one."""

UNSOLVED = -1


def fill(puzzle: Puzzle, candidates: Candidates, budget: Budget, watch: Watch = unwatched) -> Solution:
    """The grid with the best score that was met; confidence as `verdict` has it."""
    deadline = budget.deadline()
    board = Board(puzzle, candidates, MOST)
    best, counted = descent.best(_Node({}, {}, 0, 0.0, "nothing solved"), partial(_ways, board), board, deadline, watch)
    counted["score"] = best.score
    return verdict.solution(board, board.written(best.answers), counted, time.monotonic() <= deadline)


@dataclass(frozen=True)
class _Node:
    """A grid on the way: the first entries are solved or not, the others not looked at yet."""

    chosen: Mapping[int, int]  # entry -> row, or UNSOLVED
    letters: Mapping[Cell, int]  # codes, 0 to 25
    score: int
    logp: float  # natural log probability of the entries looked at
    last: str

    @property
    def answers(self) -> dict[int, int]:
        return {place: row for place, row in self.chosen.items() if row != UNSOLVED}

    @property
    def rank(self) -> tuple[int, float]:
        return self.score, self.logp


def _ways(board: Board, node: _Node, best: _Node) -> Sequence[Callable[[], _Node]]:
    """The likeliest answers of the next entry that fit, and leaving it unsolved."""
    place = len(node.chosen)
    if place == len(board):
        return ()
    rows = _fitting(board, node, place)
    for here, other, there in board.crossings[place]:
        if other > place and len(left := _fitting(board, node, other)):
            possible = np.zeros(26, bool)
            possible[board[other].letters[left, there]] = True
            rows = rows[possible[board[place].letters[rows, here]]]
    return [partial(_after, board, node, place, row) for row in (*map(int, rows[:WAYS]), UNSOLVED)]


def _fitting(board: Board, node: _Node, place: int) -> NDArray[np.intp]:
    """The rows of an entry's list that agree with the letters that stand."""
    letters = board[place].letters
    agree = np.ones(len(letters), bool)
    for i, cell in enumerate(board.slots[place].cells):
        if cell in node.letters:
            agree &= letters[:, i] == node.letters[cell]
    return np.flatnonzero(agree)


def _after(board: Board, node: _Node, place: int, row: int) -> _Node:
    """The node after one more entry."""
    slot, chosen = board.slots[place], {**node.chosen, place: row}
    if row == UNSOLVED:
        return _Node(chosen, node.letters, node.score, node.logp + board.unlisted(place), f"{slot} unsolved")
    letters = {**node.letters, **dict(zip(slot.cells, map(int, board[place].letters[row]), strict=True))}
    twice = sum(chosen.get(cross.other, UNSOLVED) != UNSOLVED for cross in board.crossings[place])
    score = node.score + twice * (BOTH - SINGLE) + (len(slot) - twice) * SINGLE
    logp = node.logp + float(board[place].logp[row])
    return _Node(chosen, letters, score, logp, f"{slot} {board[place].answer(row)}")
