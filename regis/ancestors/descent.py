"""Depth-first search, one slot after another: `backtrack` and `cells`.

`backtrack` (RIDDLER) takes the smallest domain first; an empty answer is the last resort. A slot's domain is its short
list without the answers that contradict the chosen ones. Its size counts answers by weight: two of 45 % and a thousand
of 0.01 % are about two and a half. The ancestor ordered answers by how much they take from crossing domains; here the
likelihood of what they leave decides. The likeliest complete grid is kept.

`cells` (CrosswordTree) goes cell after cell in reading order, and solves the entries that begin there, across before
down. An entry without a good answer stays unsolved. A grid scores 5 for each cell with both entries solved and 1 for
one. The best is kept; the likeliest of ties.

A chosen answer removes contradicting answers from the crossing lists (forward checking). A slot's answers are tried in
order of their likelihood with what is left of the crossing lists (`Board.score_answers`); answers less likely than "in
no list" fail. If all fail, the slot stays without an answer. Plain depth-first search never returns to its first
choices. So grids are tried in order of how often they differ from what looked best (limited discrepancy search, Harvey
and Ginsberg 1995; also in Dr.Fill).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from regis.ancestors.board import Board, Domain
from regis.candidates.candidate_list import LETTER_MATCH_PROBABILITY
from regis.models.arrays import top_k_rows
from regis.puzzle import Puzzle
from regis.solving.filler import Fill, SolverInput, Watch, no_watch
from regis.system.progress import is_past

NO_ANSWER = -1


@dataclass(frozen=True)
class Node:
    """A partial grid: the choices, and the domains of crossed slots."""

    rows_by_slot: Mapping[int, int]  # slot -> row, or NO_ANSWER
    domains: Mapping[int, Domain]
    logp: float  # natural log probability of the choices
    last_choice: str  # for people

    @property
    def answers(self) -> dict[int, int]:
        """Return the slots with an answer, and the answer's row."""
        return {place: row for place, row in self.rows_by_slot.items() if row != NO_ANSWER}


@dataclass(frozen=True)
class Descent:
    board: Board
    next_slot: Callable[[Node], int]  # returns the index of the next slot
    rank: Callable[[Node], tuple[float, ...]]  # of grids, the higher the better

    def fill(self, deadline: float, watch: Watch) -> Fill:
        """Search until the deadline (time.monotonic), and make a fill of the best node, the first of ties."""
        best, n_states, is_late = Node({}, {}, 0.0, "nothing chosen"), 0, False
        for node in itertools.islice(self._walk(best), 2000):
            n_states += 1
            watch(f"state {n_states}: {node.last_choice}", partial(self.board.read_letters, node.answers))
            if self.rank(node) > self.rank(best):
                best = node
            if is_late := is_past(deadline):
                break
        return self.board.make_fill(self.board.read_letters(best.answers), n_states, is_late)

    def _walk(self, root: Node) -> Iterator[Node]:
        for max_departures in itertools.count():
            is_complete = True
            waiting: list[tuple[Callable[[], Node], int]] = [(lambda: root, max_departures)]
            while waiting:
                make_node, departures = waiting.pop()
                node = make_node()
                yield node
                ways = self._ways(node)
                is_complete &= len(ways) <= departures + 1
                allowed = list(enumerate(ways[: departures + 1]))
                waiting += [(way, departures - i) for i, way in reversed(allowed)]
            if is_complete:
                return

    def _ways(self, node: Node) -> Sequence[Callable[[], Node]]:
        """Return functions that make the next nodes, best first."""
        if len(node.rows_by_slot) == len(self.board):
            return ()
        place = self.next_slot(node)
        domain = self.slot_domain(node, place)
        scores, none_score = self.board.score_answers(place, domain, lambda other: self._open_domain(node, other))
        best = top_k_rows(domain.candidates.letters[domain.rows], scores, 4) if len(scores) else domain.rows
        rows = [int(domain.rows[i]) for i in best if scores[i] > none_score]
        return [partial(self._choose, node, place, row) for row in (*rows, NO_ANSWER)]

    def slot_domain(self, node: Node, place: int) -> Domain:
        return node.domains.get(place) or self.board.full_domain(place)

    def _open_domain(self, node: Node, place: int) -> Domain | None:
        """Return what is left of an open slot's list, if anything."""
        domain = self.slot_domain(node, place)
        return domain if place not in node.rows_by_slot and len(domain.rows) else None

    def _choose(self, node: Node, place: int, row: int) -> Node:
        slot, chosen = self.board.slots[place], {**node.rows_by_slot, place: row}
        if row == NO_ANSWER:
            return Node(chosen, node.domains, node.logp + self.board.unlisted_logp(place), f"{slot} without")
        domains = dict(node.domains)
        letters = self.board[place].letters[row]
        for own_position, other, other_position in self.board.crossings[place]:
            if other not in chosen:
                before = self.slot_domain(node, other)
                missing = before.missing * LETTER_MATCH_PROBABILITY
                domains[other] = before.restrict(other_position, letters[own_position], missing)
        logp = node.logp + float(self.board[place].logp[row])
        return Node(chosen, domains, logp, f"{slot} {self.board[place].answer(row)}")


def fill_smallest_first(puzzle: Puzzle, inputs: SolverInput, deadline: float, watch: Watch = no_watch) -> Fill:
    """Fill the grid depth first, the smallest domain first, and keep the likeliest grid."""

    def smallest_slot(node: Node) -> int:
        open_places = (place for place in range(len(search.board)) if place not in node.rows_by_slot)
        return min(open_places, key=lambda place: (search.slot_domain(node, place).effective_size, place))

    board = Board(puzzle, inputs, 6000)
    search = Descent(board, smallest_slot, lambda node: (len(node.rows_by_slot), node.logp))
    return search.fill(deadline, watch)


def fill_in_order(puzzle: Puzzle, inputs: SolverInput, deadline: float, watch: Watch = no_watch) -> Fill:
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
