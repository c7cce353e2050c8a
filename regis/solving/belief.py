"""`belief`: the likeliest letter of each cell by loopy belief propagation, then a local search over the whole grid.

Unlike the other fillers nothing is ever written and taken back: letters are read off once the messages are at rest
(solving.inference.propagation), and where they are doubtful the grid is made likelier as a whole
(solving.inference.local_search).
"""

from __future__ import annotations

from regis.puzzle import Puzzle
from regis.puzzle.alphabet import ALPHABET
from regis.solving.filler import GIVEN_UP, Fill, NamedFiller, SolverInput, Watch, no_watch
from regis.solving.inference.local_search import LocalSearch
from regis.solving.inference.propagation import propagate


def fill(puzzle: Puzzle, inputs: SolverInput, deadline: float, watch: Watch = no_watch) -> Fill:
    """Fill the grid with the likeliest letters, repaired by local search; confidences are marginal probabilities."""
    beliefs = propagate(puzzle, inputs, deadline, watch=watch)
    likeliest = {cell: ALPHABET[int(p.argmax())] for cell, p in beliefs.letter_probs.items()} | dict(puzzle.given)
    cells = likeliest
    if beliefs.stop_reason != GIVEN_UP:
        cells = LocalSearch(puzzle, beliefs.final_inputs(inputs)).improve(likeliest, beliefs, deadline)
    confidence = {
        cell: 1.0 if cell in puzzle.given else float(beliefs.letter_probs[cell][ALPHABET.index(letter)])
        for cell, letter in cells.items()
    }
    unlisted_slots = frozenset(slot for slot, p_in_list in beliefs.p_in_list.items() if p_in_list < 0.5)
    repaired = sum(letter != likeliest[cell] for cell, letter in cells.items())
    statistics: dict[str, float | str] = {
        "states": beliefs.rounds,
        "stopped": beliefs.stop_reason,
        "repaired": repaired,
    }
    return Fill(cells, confidence, beliefs.ranked_answers, unlisted_slots, statistics, beliefs)


BELIEF = NamedFiller("belief", fill)
"""The filler that finds rebus squares: the search needs its beliefs."""
