"""`cells`: cell after cell in reading order, keeping the grid with the most solved cells (CrosswordTree).

At each cell the entries that begin there are solved, across before down, from lists fetched on demand, pruned by what
stands. An entry without a good answer stays unsolved. A grid scores 5 for each cell with both entries solved and 1 for
one; the best, and of ties the likeliest, is kept. `descent` is the search.
"""

from __future__ import annotations

from regis.ancestors.board import Board
from regis.ancestors.descent import Descent, Node
from regis.puzzle import Puzzle
from regis.solving.filler import Fill, SolverInput, Watch, no_watch


def fill(puzzle: Puzzle, inputs: SolverInput, deadline: float, watch: Watch = no_watch) -> Fill:
    """Fill entries in clue order, and keep the grid with the best score."""
    board = Board(puzzle, inputs, 1000)
    search = Descent(board, lambda node: len(node.rows_by_slot), lambda node: (score_cells(board, node), node.logp))
    return search.fill(deadline, watch)


def score_cells(board: Board, node: Node) -> int:
    """Score the solved cells; slots in clue order are in the order of their first cells."""
    answers = node.answers
    n_solved = sum(len(board.slots[place]) for place in answers)
    n_solved_twice = sum(crossing.other_place in answers for place in answers for crossing in board.crossings[place])
    return n_solved + 3 * n_solved_twice // 2
