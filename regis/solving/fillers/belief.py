"""`belief`: the likeliest letter of each cell by loopy belief propagation, then a local search over the whole grid.

Unlike the other fillers nothing is ever written and taken back: letters are read off once the messages are at rest
(solving.propagation), and where they are doubtful the grid is made likelier as a whole (solving.local_search).
"""

from __future__ import annotations

from regis.puzzle import Puzzle
from regis.puzzle.alphabet import ALPHABET
from regis.solving.local_search import LocalSearch
from regis.solving.propagation import propagate
from regis.solving.solution import GIVEN_UP, Candidates, Solution, Watch, unwatched


def fill(puzzle: Puzzle, candidates: Candidates, deadline: float, watch: Watch = unwatched) -> Solution:
    """The most likely grid near the most likely letters; a cell's confidence is its letter's marginal probability."""
    beliefs = propagate(puzzle, candidates, deadline, watch=watch)
    likeliest = {cell: ALPHABET[int(p.argmax())] for cell, p in beliefs.letters.items()} | dict(puzzle.given)
    cells = likeliest
    if beliefs.stopped != GIVEN_UP:
        cells = LocalSearch(puzzle, beliefs.candidates(candidates)).improve(likeliest, beliefs, deadline)
    confidence = {
        cell: 1.0 if cell in puzzle.given else float(beliefs.letters[cell][ALPHABET.index(letter)])
        for cell, letter in cells.items()
    }
    neglected = frozenset(slot for slot, listed in beliefs.listed.items() if listed < 0.5)
    changed = sum(letter != likeliest[cell] for cell, letter in cells.items())
    counts: dict[str, float | str] = {"states": beliefs.rounds, "stopped": beliefs.stopped, "repaired": changed}
    return Solution(cells, confidence, beliefs.ranked, neglected, counts, beliefs)
