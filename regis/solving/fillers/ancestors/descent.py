"""One slot after the other, depth first: what `backtrack` and `cells` have in common.

An answer that is chosen takes from the crossing lists what does not fit (forward checking). The answers of a slot come
by how likely they are and how likely their letters are in what is left of the lists that cross (`Board.promise`); those
that are less likely than that the right one is in no list fail. When all fail, or were tried, the slot goes without
and has no say any more.

A plain depth-first search of a large grid changes its last choices over and over and never comes back to the first. So
grids come by how far they depart from what looked best (limited discrepancy search, Harvey and Ginsberg 1995; Dr.Fill
fills so): first those that never do, then those that once take a second choice, and so on; within each round the order
is depth first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count

from regis.candidates.candidate_list import KNOWN_LETTER
from regis.models.lookup import foremost
from regis.solving.fillers.ancestors.board import Board, Left
from regis.solving.solution import OUT_OF_TIME, Watch
from regis.system.deadline import passed

STATES = 2000  # how many grids are looked at, at most: some seconds for a daily puzzle
WAYS = 4  # how many answers of a slot may be tried

WITHOUT = -1


@dataclass(frozen=True)
class Node:
    """A grid on the way: what is chosen, and what is left of the lists of slots that are crossed by it."""

    chosen: Mapping[int, int]  # slot -> row, or WITHOUT
    left: Mapping[int, Left]
    logp: float  # natural log probability of what is chosen
    last: str  # the last choice, for people

    @property
    def answers(self) -> dict[int, int]:
        """The slots that have an answer, and its row."""
        return {place: row for place, row in self.chosen.items() if row != WITHOUT}


class Descent:
    """The search. `following` names the next slot, `rank` says which of two grids is better, the higher."""

    def __init__(
        self, board: Board, following: Callable[[Node], int], rank: Callable[[Node], tuple[float, ...]]
    ) -> None:
        self.board = board
        self.following = following
        self.rank = rank

    def best(self, deadline: float, watch: Watch) -> tuple[Node, dict[str, float | str]]:
        """The best node met in time, the earlier of equals, and what was counted on the way."""
        found = Node({}, {}, 0.0, "nothing chosen")
        states, backtracks, stopped = 0, 0, "all tried"
        for node, back in self._walk(found):
            states += 1
            backtracks += back
            watch(f"state {states}: {node.last}", partial(self.board.written, node.answers))
            if self.rank(node) > self.rank(found):
                found = node
            if passed(deadline):
                stopped = OUT_OF_TIME
                break
            if states >= STATES:
                stopped = "enough states"
                break
        return found, {"states": states, "backtracks": backtracks, "stopped": stopped}

    def _walk(self, root: Node) -> Iterator[tuple[Node, bool]]:
        """Every node in turn, and whether the search went back to reach it; ends when there is no other way."""
        for allowed in count():
            complete = True
            waiting: list[tuple[Callable[[], Node], int, bool]] = [(lambda: root, allowed, allowed > 0)]
            while waiting:
                make, departures, back = waiting.pop()
                node = make()
                yield node, back
                ways = self._ways(node)
                complete &= len(ways) <= departures + 1
                ahead = list(enumerate(ways[: departures + 1]))
                waiting += [(way, departures - i, i > 0) for i, way in reversed(ahead)]
            if complete:
                return

    def _ways(self, node: Node) -> Sequence[Callable[[], Node]]:
        """The nodes that follow one, best first, each made when it is wanted."""
        if len(node.chosen) == len(self.board):
            return ()
        place = self.following(node)
        own = self.left(node, place)
        value, none = self.board.promise(place, own, lambda other: self._say(node, other))
        good = foremost(own.among.letters[own.rows], value, WAYS) if len(value) else own.rows
        rows = [int(own.rows[i]) for i in good if value[i] > none]
        return [partial(self._after, node, place, row) for row in (*rows, WITHOUT)]

    def left(self, node: Node, place: int) -> Left:
        """What is left of a slot's list."""
        return node.left.get(place) or self.board.whole(place)

    def _say(self, node: Node, place: int) -> Left | None:
        """What is left of a list that still has a say."""
        left = self.left(node, place)
        return left if place not in node.chosen and len(left.rows) else None

    def _after(self, node: Node, place: int, row: int) -> Node:
        """The node after one more choice."""
        slot, chosen = self.board.slots[place], {**node.chosen, place: row}
        if row == WITHOUT:
            return Node(chosen, node.left, node.logp + self.board.unlisted(place), f"{slot} without")
        left = dict(node.left)
        letters = self.board[place].letters[row]
        for here, other, there in self.board.crossings[place]:
            if other not in chosen:
                before = self.left(node, other)
                left[other] = before.fitting(there, letters[here], before.missing * KNOWN_LETTER)
        logp = node.logp + float(self.board[place].logp[row])
        return Node(chosen, left, logp, f"{slot} {self.board[place].answer(row)}")
