"""`climb`: a word for every clue at once, changed one at a time until they agree (NEMESIS).

A state is one answer of each slot's short list. Its score falls with every cell where two answers disagree, and
slightly with how unlikely the answers are. From each state of a beam every slot may change to the answer that helps
most; the ten best states that come of it go on, and of the worse ones some, the fewer the worse they are. Where the
best has not become better for a while, the search starts again from answers drawn by their probability. In the end the
letter in a cell where two answers still disagree is that of the better word: the one that agrees with more of its
crossings, and of two that agree alike, the likelier.

Conflicts are counted for all answers of all slots at once; a change touches only the columns that cross it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from regis.puzzle import Cell, Puzzle
from regis.solving.fillers.ancestors.board import Board
from regis.solving.solution import OUT_OF_TIME, Candidates, Solution, Watch, unwatched
from regis.system.deadline import passed

MOST = 1000  # answers that a slot may change to
BEAM = 10  # how many of the best states go on
WORSE = (12, 16, 24, 40, 72, 136)  # places of the worse states that go on too: the further down, the fewer
WEIGHT = 0.3  # what a natural log unit of probability is worth in conflicts
LEAST = 1e-9  # less than this is rounding and no better score
PATIENCE = 30  # steps without a better state after which it starts again
SEED = 0
STARTS = 4  # how often it starts, the first time from the likeliest answers


def fill(puzzle: Puzzle, candidates: Candidates, deadline: float, watch: Watch = unwatched) -> Solution:
    """The grid of the best state that was met; `board` judges it."""
    board = Board(puzzle, candidates, MOST)
    slope = _Slope(board)
    lot = np.random.default_rng(SEED)
    best = slope.state(np.zeros(len(slope.places), np.intp))
    states = starts = 0
    while slope.places and starts < STARTS and not passed(deadline):
        beam = [best if starts == 0 else slope.state(slope.drawn(lot))]
        seen: set[bytes] = set()
        top, still = -np.inf, 0
        starts += 1
        while beam and still < PATIENCE and not passed(deadline):
            beam = slope.step(beam, seen)
            states += len(beam)
            still += 1
            if beam and beam[0].score > top + LEAST:
                top, still = beam[0].score, 0
                watch(f"start {starts}, state {states}: score {top:.2f}", partial(slope.letters, beam[0]))
            best = max((best, *beam[:1]), key=lambda state: state.score)
    late = passed(deadline)
    counted: dict[str, float | str] = {"states": states, "restarts": max(starts - 1, 0)}
    counted |= {"conflicts": slope.conflicts(best), "stopped": OUT_OF_TIME if late else "enough starts"}
    return board.solution(slope.letters(best), counted, not late)


@dataclass(frozen=True)
class _State:
    """An answer in every slot, and what each other answer would be worth there."""

    rows: NDArray[np.intp]  # (slots,)
    worth: NDArray[np.float64]  # (slots, answers): agreements and weighted log probability; -inf where there is none
    score: float


class _Slope:
    """The slots that have answers at all, and the way from states to better ones."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.places = [s for s in range(len(board)) if len(board[s])]
        self.line = {place: i for i, place in enumerate(self.places)}
        most = max((len(board[s]) for s in self.places), default=0)
        self.alone = np.full((len(self.places), most), -np.inf)
        for i, place in enumerate(self.places):
            self.alone[i, : len(board[place])] = WEIGHT * board[place].logp

    def drawn(self, lot: np.random.Generator) -> NDArray[np.intp]:
        """An answer of every list, drawn by its probability."""
        p = [np.exp(self.board[place].logp) for place in self.places]
        return np.array([lot.choice(len(x), p=x / x.sum()) for x in p], np.intp)

    def state(self, rows: NDArray[np.intp]) -> _State:
        worth = self.alone.copy()
        for i in range(len(self.places)):
            self.tell(worth, i, int(rows[i]), 1.0)
        lines = np.arange(len(self.places))
        agreements = (worth[lines, rows] - self.alone[lines, rows]).sum() / 2
        return _State(rows, worth, float(self.alone[lines, rows].sum() + agreements))

    def tell(self, worth: NDArray[np.float64], i: int, row: int, agreement: float) -> None:
        """Adds `agreement` to all crossing answers that have the letters of this one."""
        place = self.places[i]
        letters = self.board[place].letters[row]
        for here, other, there in self.board.crossings[place]:
            if other in self.line:
                column = self.board[other].letters[:, there]
                worth[self.line[other], : len(column)] += agreement * (column == letters[here])

    def step(self, beam: Sequence[_State], seen: set[bytes]) -> list[_State]:
        """The states that follow: the best of all single changes, and some of the worse ones."""
        lines = np.arange(len(self.places))
        rows, scores = [], []
        for state in beam:
            now = state.worth[lines, state.rows]
            worth = state.worth.copy()
            worth[lines, state.rows] = -np.inf
            rows.append(worth.argmax(axis=1))
            scores.append(state.score + worth.max(axis=1) - now)
        order = np.argsort(-np.concatenate(scores), kind="stable")
        wanted = {*range(BEAM), *WORSE}
        found: list[_State] = []
        met = 0
        for flat in order:
            which, i = divmod(int(flat), len(self.places))
            state, row = beam[which], int(rows[which][i])
            if np.isneginf(scores[which][i]) or met > max(wanted):
                break
            changed = state.rows.copy()
            changed[i] = row
            if changed.tobytes() in seen:
                continue
            if met in wanted:
                seen.add(changed.tobytes())
                worth = state.worth.copy()
                self.tell(worth, i, int(state.rows[i]), -1.0)
                self.tell(worth, i, row, 1.0)
                found.append(_State(changed, worth, float(scores[which][i])))
            met += 1
        return found

    def conflicts(self, state: _State) -> int:
        """Cells whose two answers disagree."""
        return sum(len({letter for _, letter in claims}) > 1 for claims in self.claims(state).values())

    def letters(self, state: _State) -> dict[Cell, str]:
        """Every cell's letter: where answers disagree, that of the better word."""
        better = {cell: max(claims)[1] for cell, claims in self.claims(state).items()}
        return better | dict(self.board.puzzle.given)

    def claims(self, state: _State) -> dict[Cell, list[tuple[tuple[float, float], str]]]:
        """For each cell the letters of its answers, each with how good the word is: agreements, then probability."""
        claims: dict[Cell, list[tuple[tuple[float, float], str]]] = defaultdict(list)
        for i, place in enumerate(self.places):
            row = int(state.rows[i])
            logp = float(self.board[place].logp[row])
            agreeing = round(state.worth[i, row] - self.alone[i, row]) - len(self.board.crossings[place])
            for cell, letter in zip(self.board.slots[place].cells, self.board[place].answer(row), strict=True):
                claims[cell].append(((agreeing, logp), letter))
        return claims
