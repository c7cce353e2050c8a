"""`climb`: a word for every clue at once, changed one at a time until they agree (NEMESIS).

A state has one answer for each slot. Its score falls with every cell in which two answers disagree, and slightly with
unlikely answers. From each state of a beam, every slot may change to the answer that helps most; the ten best states go
on, and some worse ones. If the best doesn't improve for a while, the search restarts from random answers. If two
answers still disagree, the better word gives the letter: the one that agrees with more crossings, or the likelier.
Conflicts are counted for all answers of all slots at once; a change affects only crossing columns.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from regis.ancestors.board import Board
from regis.models.arrays import Float64Array, Positions
from regis.puzzle import Cell, Puzzle
from regis.solving.filler import Fill, SolverInput, Watch, no_watch
from regis.system.progress import is_past


def fill(puzzle: Puzzle, inputs: SolverInput, deadline: float, watch: Watch = no_watch) -> Fill:
    """Fill the whole grid at once, change one answer at a time, and keep the best state."""
    board = Board(puzzle, inputs, 1000)
    hill = _Hill(board)
    generator = np.random.default_rng(0)
    best = hill.make_state(np.zeros(len(hill.places), np.intp))
    states = starts = 0
    while hill.places and starts < 4 and not is_past(deadline):
        beam = [best if starts == 0 else hill.make_state(hill.draw_answers(generator))]
        seen: set[bytes] = set()
        top_score, n_still = -np.inf, 0
        starts += 1
        while beam and n_still < 30 and not is_past(deadline):
            beam = hill.next_states(beam, seen)
            states += len(beam)
            n_still += 1
            if beam and beam[0].score > top_score + 1e-9:
                top_score, n_still = beam[0].score, 0
                watch(f"start {starts}, state {states}: score {top_score:.2f}", partial(hill.resolve_letters, beam[0]))
            best = max((best, *beam[:1]), key=lambda state: state.score)
    return board.make_fill(hill.resolve_letters(best), states, is_past(deadline))


@dataclass(frozen=True)
class _State:
    """An answer in every slot, and the score of each other answer there."""

    rows: Positions  # (slots,)
    answer_scores: Float64Array  # (slots, answers), agreements and weighted log probability; -inf for no answer
    score: float


class _Hill:
    """The slots with answers, and the steps from states to better ones."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.places = [place for place in range(len(board)) if len(board[place])]
        self.row_of_place = {place: i for i, place in enumerate(self.places)}
        n_answers = max((len(board[place]) for place in self.places), default=0)
        self.own_scores = np.full((len(self.places), n_answers), -np.inf)
        for i, place in enumerate(self.places):
            self.own_scores[i, : len(board[place])] = 0.3 * board[place].logp

    def draw_answers(self, generator: np.random.Generator) -> Positions:
        """Draw an answer from every list by its probability: rows, (slots,)."""
        p = [np.exp(self.board[place].logp) for place in self.places]
        return np.array([generator.choice(len(x), p=x / x.sum()) for x in p], np.intp)

    def make_state(self, rows: Positions) -> _State:
        answer_scores = self.own_scores.copy()
        for i in range(len(self.places)):
            self.add_agreement(answer_scores, i, int(rows[i]), 1.0)
        lines = np.arange(len(self.places))
        agreements = (answer_scores[lines, rows] - self.own_scores[lines, rows]).sum() / 2
        return _State(rows, answer_scores, float(self.own_scores[lines, rows].sum() + agreements))

    def add_agreement(self, answer_scores: Float64Array, i: int, row: int, agreement: float) -> None:
        """Add `agreement` to the scores, (slots, answers), of crossing answers with this answer's letters."""
        place = self.places[i]
        letters = self.board[place].letters[row]
        for own_position, other, other_position in self.board.crossings[place]:
            if other in self.row_of_place:
                column = self.board[other].letters[:, other_position]
                agrees = column == letters[own_position]
                answer_scores[self.row_of_place[other], : len(column)] += agreement * agrees

    def next_states(self, beam: Sequence[_State], seen: set[bytes]) -> list[_State]:
        """Make the next states: the best of all single changes, and some worse ones."""
        lines = np.arange(len(self.places))
        rows, scores = [], []
        for state in beam:
            other_scores = state.answer_scores.copy()
            other_scores[lines, state.rows] = -np.inf
            rows.append(other_scores.argmax(axis=1))
            scores.append(state.score + other_scores.max(axis=1) - state.answer_scores[lines, state.rows])
        order = np.argsort(-np.concatenate(scores), kind="stable")
        ranks = {*range(10), *(8 + 2**i for i in range(2, 8))}
        states: list[_State] = []
        rank = 0
        for flat in order:
            which, i = divmod(int(flat), len(self.places))
            state, row = beam[which], int(rows[which][i])
            if np.isneginf(scores[which][i]) or rank > max(ranks):
                break
            changed = state.rows.copy()
            changed[i] = row
            if changed.tobytes() in seen:
                continue
            if rank in ranks:
                seen.add(changed.tobytes())
                answer_scores = state.answer_scores.copy()
                self.add_agreement(answer_scores, i, int(state.rows[i]), -1.0)
                self.add_agreement(answer_scores, i, row, 1.0)
                states.append(_State(changed, answer_scores, float(scores[which][i])))
            rank += 1
        return states

    def resolve_letters(self, state: _State) -> dict[Cell, str]:
        """Return every cell's letter; if answers disagree, the better word's."""
        better = {cell: max(claims)[1] for cell, claims in self.cell_claims(state).items()}
        return better | dict(self.board.puzzle.given)

    def cell_claims(self, state: _State) -> dict[Cell, list[tuple[tuple[float, float], str]]]:
        """Return each cell's letters with the quality of their words: agreements, then probability."""
        claims: dict[Cell, list[tuple[tuple[float, float], str]]] = defaultdict(list)
        for i, place in enumerate(self.places):
            row = int(state.rows[i])
            logp = float(self.board[place].logp[row])
            n_agreeing = round(state.answer_scores[i, row] - self.own_scores[i, row])
            n_disagreeing = len(self.board.crossings[place]) - n_agreeing
            for cell, letter in zip(self.board.slots[place].cells, self.board[place].answer(row), strict=True):
                claims[cell].append(((-n_disagreeing, logp), letter))
        return claims
