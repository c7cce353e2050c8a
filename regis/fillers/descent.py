"""Depth first, with few departures from what looks best: how the fillers that decide one slot at a time get about.

A plain depth-first search of a large grid changes its last choices over and over and never comes back to the first. So
grids come by how far they depart from what looked best (limited discrepancy search, Harvey and Ginsberg 1995; Dr.Fill
fills so): first those that never do, then those that once take a second choice, and so on; within each round the order
is depth first.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import count
from typing import Any, Protocol, TypeVar

from regis.fill import Watch
from regis.fillers.board import Board

STATES = 10_000
"""How many grids are looked at, at most: some seconds for a daily puzzle."""


class Node(Protocol):
    """A grid on the way."""

    @property
    def answers(self) -> Mapping[int, int]:
        """The row chosen in each slot that has an answer."""

    @property
    def rank(self) -> Any:
        """What makes one grid better than another; the higher."""

    @property
    def last(self) -> str:
        """The last choice, for people."""


N = TypeVar("N", bound=Node)
Ways = Sequence[Callable[[], N]]
"""The nodes that follow one, best first, each made when it is wanted."""


def best(
    root: N, ways: Callable[[N, N], Ways[N]], board: Board, deadline: float, watch: Watch
) -> tuple[N, dict[str, float | str]]:
    """The node with the highest rank that was met in time, the earlier of equals, and what was counted on the way.

    `ways` gets a node and the best so far; it answers with none where a grid is finished or not worth going on with.
    """
    found, states, backtracks, stopped = root, 0, 0, "all tried"
    for node, back in _walk(root, lambda node: ways(node, found)):
        states += 1
        backtracks += back
        watch(f"state {states}: {node.last}", partial(board.written, node.answers))
        if node.rank > found.rank:
            found = node
        if time.monotonic() > deadline:
            stopped = "out of time"
            break
        if states >= STATES:
            stopped = "enough states"
            break
    return found, {"states": states, "backtracks": backtracks, "stopped": stopped}


def _walk(root: N, ways: Callable[[N], Ways[N]]) -> Iterator[tuple[N, bool]]:
    """Every node in turn, and whether the search went back to reach it; ends when there is no other way."""
    for allowed in count():
        complete = True
        waiting: list[tuple[Callable[[], N], int, bool]] = [(lambda: root, allowed, allowed > 0)]
        while waiting:
            make, left, back = waiting.pop()
            node = make()
            yield node, back
            on = ways(node)
            complete &= len(on) <= left + 1
            waiting += [(way, left - i, i > 0) for i, way in reversed(list(enumerate(on[: left + 1])))]
        if complete:
            return
