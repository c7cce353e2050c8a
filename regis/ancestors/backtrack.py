"""`backtrack`: depth first, the smallest domain first, an empty answer as the last resort (RIDDLER).

A slot's domain is its short list, less what doesn't fit the chosen answers. Its size counts answers by weight: two of
45 % and a thousand of 0.01 % are about two and a half. The ancestor ordered answers by how much they take from crossing
domains; here the order is by how likely what they leave is. A slot whose answers all fail gets an empty one, without
constraints. The likeliest complete grid is kept. `descent` is the search.
"""

from __future__ import annotations

from regis.ancestors.board import Board
from regis.ancestors.descent import Descent, Node
from regis.puzzle import Puzzle
from regis.solving.filler import Fill, SolverInput, Watch, no_watch


def fill(puzzle: Puzzle, inputs: SolverInput, deadline: float, watch: Watch = no_watch) -> Fill:
    """Fill the grid depth first, the smallest domain first, and keep the likeliest grid."""
    board = Board(puzzle, inputs, 6000)
    search = Descent(board, lambda node: _smallest_slot(search, node), lambda node: (len(node.rows_by_slot), node.logp))
    return search.fill(deadline, watch)


def _smallest_slot(search: Descent, node: Node) -> int:
    """Return the open slot with the smallest domain."""
    open_places = (place for place in range(len(search.board)) if place not in node.rows_by_slot)
    return min(open_places, key=lambda place: (search.slot_domain(node, place).effective_size, place))
