"""`domains`: letters possible in each cell, cut from both directions; if nothing is left, a clue is neglected (LUMOS).

Domains lose answers that contradict the cells' letters, and cells lose letters that no domain has, until nothing
changes (arc consistency, Mackworth 1977). Then the answer that stands out most becomes the only one, and all is cut
again. If a domain becomes empty, that answer goes, or the clue of the empty domain is neglected, whichever is likelier.
As in the ancestor, combinations of neglected clues are tried: the next attempt neglects from the start what one attempt
neglected, or a crossing clue instead, the likeliest combination first. The likeliest grid with enough single domains is
kept.
"""

from __future__ import annotations

import heapq
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from regis.ancestors.board import Board, Domain
from regis.puzzle import Cell, Puzzle
from regis.puzzle.alphabet import ALPHABET, ALPHABET_SIZE
from regis.solving.filler import Fill, SolverInput, Watch, no_watch
from regis.system.progress import is_past

Combination = tuple[int, ...]


def fill(puzzle: Puzzle, inputs: SolverInput, deadline: float, watch: Watch = no_watch) -> Fill:
    """Fill the grid by cutting domains, with combinations of neglected clues, and keep the likeliest grid."""
    board = Board(puzzle, inputs, 2000)
    shape = _Shape(board)
    waiting: list[tuple[float, Combination]] = [(0.0, ())]
    met: set[Combination] = {()}
    best: _Attempt | None = None
    states = n_tried = 0
    while waiting and n_tried < 12 and not is_past(deadline):
        attempt = _Attempt(shape, heapq.heappop(waiting)[1])
        n_tried += 1
        for step in attempt.steps():
            states += 1
            watch(f"combination {n_tried}: {step}", attempt.single_letters)
            if is_past(deadline):
                break
        has_enough = len(attempt.single_answers) >= 0.5 * len(board)
        if best is None or (has_enough and attempt.grid_logp > best.grid_logp):
            best = attempt
        for other in attempt.next_combinations():
            if other not in met:
                met.add(other)
                heapq.heappush(waiting, (sum(shape.neglect_price[place] for place in other), other))
    cells = best.single_letters() if best else dict(puzzle.given)
    return board.make_fill(cells, states, is_past(deadline))


class _Shape:
    """The constants of all attempts: each slot's cells by number, its domain as positions in the letter table."""

    def __init__(self, board: Board) -> None:
        self.board = board
        number = {cell: i for i, cell in enumerate(board.puzzle.grid.cells)}
        self.cell_numbers = [np.array([number[cell] for cell in slot.cells]) for slot in board.slots]
        starts = [ALPHABET_SIZE * np.arange(len(slot)) for slot in board.slots]
        self.letter_places = [board[s].letters + starts[s] for s in range(len(board))]
        self.slots_through: dict[int, list[int]] = defaultdict(list)
        for place, cells in enumerate(self.cell_numbers):
            for cell in cells:
                self.slots_through[int(cell)].append(place)
        self.row_probabilities = [np.exp(board[s].logp) for s in range(len(board))]
        self.neglect_price = [-float(np.log(board[s].missing)) for s in range(len(board))]


class _Chance(NamedTuple):
    """The best row of a domain, P(it is right), and P(unlisted)."""

    best_row: int
    p_best: float
    p_missing: float


class _Attempt:
    """One combination: what is left of the domains, (rows,), and of the letters, (cells, 26)."""

    def __init__(self, shape: _Shape, neglected: Combination) -> None:
        self.shape = shape
        self.board = shape.board
        self.asked_to_neglect = neglected
        self.neglected = set(neglected) | {s for s in range(len(self.board)) if not len(self.board[s])}
        self.rows = [np.arange(len(self.board[s])) for s in range(len(self.board))]
        self.possible_letters = np.ones((len(self.board.puzzle.grid.cells), ALPHABET_SIZE), bool)
        self.domains = [self.board.full_domain(s) for s in range(len(self.board))]
        self.chances = [self.find_chance(s) for s in range(len(self.board))]
        self.newly_neglected: list[int] = []

    def steps(self) -> Iterator[str]:
        """Cut, take the answer that stands out most, cut again; yield each step."""
        yield from self.cut_until_stable(range(len(self.board)))
        while (place := self.surest_slot()) is not None:
            before, best = self.rows[place], self.chances[place].best_row
            answer = self.board[place].answer(best)
            self.rows[place] = np.array([best])
            emptied = self.cut_domains([place])
            if emptied is None:
                yield f"{self.board.slots[place]} {answer}"
                continue
            self.rows[place] = before
            if self.chances[place].p_best + self.chances[emptied].p_missing > 1:
                yield self.neglect_slot(emptied)
            else:
                self.rows[place] = before[before != best]
                yield f"{self.board.slots[place]} not {answer}"
                yield from self.cut_until_stable([place])

    def cut_until_stable(self, places: Iterable[int]) -> Iterator[str]:
        """Cut until no domain becomes empty; neglect one clue each time."""
        places = list(places)
        while (emptied := self.cut_domains(places)) is not None:
            yield self.neglect_slot(emptied)

    def neglect_slot(self, place: int) -> str:
        self.neglected.add(place)
        self.newly_neglected.append(place)
        return f"{self.board.slots[place]} neglected"

    def surest_slot(self) -> int | None:
        """Return the undecided slot whose best answer stands out most, if any."""
        undecided = [s for s, rows in enumerate(self.rows) if len(rows) > 1 and s not in self.neglected]
        return max(undecided, key=lambda s: (self.chances[s].p_best, -s), default=None)

    def cut_domains(self, places: Iterable[int]) -> int | None:
        """Cut domains and letters, starting from `places`, until nothing changes; return the index of an empty domain.

        In that case nothing is cut.
        """
        rows, possible = list(self.rows), self.possible_letters.copy()
        queue, waiting = deque(places), set(places)
        changed: set[int] = set()
        while queue:
            place = queue.popleft()
            waiting.discard(place)
            if place in self.neglected:
                continue
            cells, letter_places = self.shape.cell_numbers[place], self.shape.letter_places[place]
            allowed = possible[cells]
            left = rows[place][allowed.ravel()[letter_places[rows[place]]].all(axis=1)]
            missing = self.board[place].missing * float(allowed.mean(axis=1).prod())
            if float(self.shape.row_probabilities[place][left].sum()) <= missing:
                return place
            supported = np.zeros(allowed.size, bool)
            supported[letter_places[left]] = True
            supported = supported.reshape(allowed.shape)
            rows[place] = left
            changed.add(place)
            possible[cells] = supported
            for i in np.flatnonzero((supported != allowed).any(axis=1)):
                for other in self.shape.slots_through[int(cells[i])]:
                    if other != place:
                        changed.add(other)
                        if other not in waiting:
                            waiting.add(other)
                            queue.append(other)
        self.rows, self.possible_letters = rows, possible
        for place in changed:
            share = float(possible[self.shape.cell_numbers[place]].mean(axis=1).prod())
            self.domains[place] = Domain(self.board[place], rows[place], self.board[place].missing * share)
        for place in changed:
            self.chances[place] = self.find_chance(place)
        return None

    def find_chance(self, place: int) -> _Chance:
        """Find the answer that stands out most in a domain now."""
        domain = self.domains[place]
        scores, none_score = self.board.score_answers(place, domain, self.undecided_domain)
        if not len(scores):
            return _Chance(0, 0.0, 1.0)
        best = int(scores.argmax())
        top = max(float(scores[best]), none_score)
        total = float(np.exp(scores - top).sum() + np.exp(none_score - top))
        p_best, p_missing = float(np.exp(scores[best] - top)) / total, float(np.exp(none_score - top)) / total
        return _Chance(int(domain.rows[best]), p_best, p_missing)

    def undecided_domain(self, place: int) -> Domain | None:
        """Return what is left of a domain that counts and has several answers."""
        return self.domains[place] if place not in self.neglected and len(self.domains[place].rows) > 1 else None

    @property
    def single_answers(self) -> dict[int, int]:
        """Return the slots with one answer left, and the answer's row."""
        return {s: int(rows[0]) for s, rows in enumerate(self.rows) if len(rows) == 1 and s not in self.neglected}

    @property
    def grid_logp(self) -> float:
        """Return the natural log probability of the single answers; the others count as unlisted."""
        singles, board = self.single_answers, self.board
        return sum(
            float(board[s].logp[singles[s]]) if s in singles else board.unlisted_logp(s) for s in range(len(board))
        )

    def single_letters(self) -> dict[Cell, str]:
        cells = self.board.puzzle.grid.cells
        single = np.flatnonzero(self.possible_letters.sum(axis=1) == 1)
        letters = {cells[i]: ALPHABET[int(self.possible_letters[i].argmax())] for i in single}
        return letters | dict(self.board.puzzle.given)

    def next_combinations(self) -> Iterator[Combination]:
        """Yield combinations to try next: all neglected here, one exchanged for a crossing clue, or one more."""
        all_neglected = {*self.asked_to_neglect, *self.newly_neglected}
        yield tuple(sorted(all_neglected))
        for place in self.newly_neglected:
            for crossing in self.board.crossings[place]:
                if crossing.other_place not in self.neglected:
                    yield tuple(sorted(all_neglected - {place} | {crossing.other_place}))
        for place in range(len(self.board)):
            if place not in self.neglected:
                yield tuple(sorted({*self.asked_to_neglect, place}))
