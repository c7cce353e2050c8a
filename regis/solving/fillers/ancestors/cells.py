"""`cells`: cell after cell in reading order, the grid with the most solved cells kept (CrosswordTree).

At each cell the entries that begin there are solved, across before down, from lists that are fetched when their turn
comes; answers that do not match what stands are pruned. An entry that no answer is good enough for stays unsolved, and
the search goes on behind it. A grid scores 5 for each cell with both entries solved and 1 for a cell with one; the
best, and of equals the likeliest, is kept, and returned when no grid is complete. `descent` is the search.
"""

from __future__ import annotations

from regis.puzzle import Puzzle
from regis.solving.fillers.ancestors.board import Board
from regis.solving.fillers.ancestors.descent import Descent, Node
from regis.solving.solution import Candidates, Solution, Watch, unwatched
from regis.system.deadline import passed

MOST = 1000  # answers in a list
BOTH, SINGLE = 5, 1  # what a cell scores with both of its entries solved, and with one; an unchecked cell has but one


def fill(puzzle: Puzzle, candidates: Candidates, deadline: float, watch: Watch = unwatched) -> Solution:
    """The grid with the best score that was met; `board` judges it."""
    board = Board(puzzle, candidates, MOST)
    search = Descent(board, lambda node: len(node.chosen), lambda node: (score(board, node), node.logp))
    best, counted = search.best(deadline, watch)
    counted["score"] = score(board, best)
    return board.solution(board.written(best.answers), counted, not passed(deadline))


def score(board: Board, node: Node) -> int:
    """What the solved cells are worth. The slots in clue order are the entries in the order of their first cells."""
    answers = node.answers
    twice = sum(cross.other in answers for place in answers for cross in board.crossings[place])
    return SINGLE * sum(len(board.slots[place]) for place in answers) + (BOTH - 2 * SINGLE) * twice // 2
