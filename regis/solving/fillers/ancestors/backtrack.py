"""`backtrack`: depth first, the smallest domain first, an empty answer as the last resort (RIDDLER).

A slot's domain is its short list, less what does not fit the answers chosen so far. How small it is, is counted in
answers of weight: two of 45 % and a thousand of 0.01 % are about two and a half. The ancestor ordered answers by how
much they take from the crossing domains; here it is by how likely what they leave is. When all answers of a slot fail
it gets an empty one, which removes its constraints. The goal test looks at no solution: every slot has its answer or
its empty one, and of such grids the likeliest is kept. `descent` is the search.
"""

from __future__ import annotations

from regis.puzzle import Puzzle
from regis.solving.fillers.ancestors.board import Board
from regis.solving.fillers.ancestors.descent import Descent, Node
from regis.solving.solution import Candidates, Solution, Watch, unwatched
from regis.system.deadline import passed

MOST = 6000  # answers in a domain


def fill(puzzle: Puzzle, candidates: Candidates, deadline: float, watch: Watch = unwatched) -> Solution:
    """The likeliest grid that was met; `board` judges it."""
    board = Board(puzzle, candidates, MOST)
    search = Descent(board, lambda node: _smallest(search, node), lambda node: (len(node.chosen), node.logp))
    best, counted = search.best(deadline, watch)
    return board.solution(board.written(best.answers), counted, not passed(deadline))


def _smallest(search: Descent, node: Node) -> int:
    """The open slot with the fewest answers of weight."""
    return min(
        (s for s in range(len(search.board)) if s not in node.chosen), key=lambda s: (search.left(node, s).size, s)
    )
