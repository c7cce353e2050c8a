"""`singletons`: write what is certain, cull what crosses it, and repeat (Regis FILLbin 3.4).

A square is certain if the lists through it, as far as they agree with the letters in the grid, give one letter nearly
all probability. The surest square is written, the lists through it lose contradicting answers, and others become
certain. The ancestor had a threshold; here the surest square always comes first. The letter model fills the rest (the
ancestor wrote E). Letters are never overwritten. The ancestor counted candidates; here candidates, and an unlisted
answer, have probabilities.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

import numpy as np

from regis.ancestors.board import Board
from regis.puzzle import Cell, Puzzle
from regis.puzzle.alphabet import ALPHABET
from regis.solving.filler import Fill, SolverInput, Watch, no_watch
from regis.system.progress import is_past

UNLISTED_MATCH_PROBABILITY = 1 / 10
"""P(an unlisted answer has a letter that was written): above `LETTER_MATCH_PROBABILITY`, because letters may be wrong.
(Measured: docs/experiments/singletons.md.)"""


def fill(puzzle: Puzzle, inputs: SolverInput, deadline: float, watch: Watch = no_watch) -> Fill:
    """Write the surest square repeatedly, then guess; confidence is the certainty at the time of writing."""
    grid = _GridState(Board(puzzle, inputs, 50_000))
    states, is_late = 0, is_past(deadline)
    while not is_late and (step := grid.write_surest_letter()):
        states += 1
        watch(step, grid.letters.copy)
        is_late = is_past(deadline)
    result = grid.board.make_fill(grid.letters, states, is_late)
    return replace(result, confidence={**result.confidence, **grid.certainty})


class _GridState:
    """Letters written, candidates alive, and the certainty of open squares."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.letters: dict[Cell, str] = dict(board.puzzle.given)
        self.certainty: dict[Cell, float] = {}  # of each letter, at the time of writing
        self.domains = [board.full_domain(place) for place in range(len(board))]
        self.positions: dict[Cell, list[tuple[int, int]]] = defaultdict(list)  # of open cells: slots, and places there
        for place, slot in enumerate(board.slots):
            for position, cell in enumerate(slot.cells):
                if cell not in self.letters:
                    self.positions[cell].append((place, position))
        self.best_letters = {cell: self.find_best_letter(cell) for cell in self.positions}

    def find_best_letter(self, cell: Cell) -> tuple[float, int]:
        """Return the probability of a cell's likeliest letter by all lists through it, and the letter, 0 to 25."""
        lists = [self.domains[place].letter_probabilities(position) for place, position in self.positions[cell]]
        product = np.prod(lists, axis=0)
        letter = int(product.argmax())
        return float(product[letter] / product.sum()), letter

    def write_surest_letter(self) -> str:
        """Write the surest letter and cull the lists through it; return the step, "" if no letter is certain."""
        cell = max(self.best_letters, key=lambda cell: (self.best_letters[cell][0], cell), default=None)
        if cell is None or self.best_letters[cell][0] < 0.3:
            return ""  # the letter model decides
        self.certainty[cell], letter = self.best_letters.pop(cell)
        self.letters[cell] = ALPHABET[letter]
        for place, position in self.positions[cell]:
            domain = self.domains[place]
            self.domains[place] = domain.restrict(position, letter, domain.missing * UNLISTED_MATCH_PROBABILITY)
            for other in self.board.slots[place].cells:
                if other in self.best_letters:
                    self.best_letters[other] = self.find_best_letter(other)
        slot = self.board.slots[self.positions[cell][0][0]]
        return f"{slot} {self.board.puzzle.pattern(slot, self.letters)}"
