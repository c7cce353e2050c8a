"""All ways to cut one string into pieces, and the likeliest (Viterbi 1967).

As in models.ways, a piece is drawn by itself, or because it follows the one before it; but all pairs are looked at.
There are so few that plain numbers are quicker than arrays.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from regis.models.ways import FOLLOWING


class Part(NamedTuple):
    """A piece in its place."""

    start: int
    end: int
    weight: float  # by itself,
    fit: float  # and what P(it follows another) is multiplied with


Way = tuple[tuple[int, int], ...]  # from where to where each of its pieces goes


class Cut(NamedTuple):
    """What is known of the beginnings that end with one part: the weight of all, and the likeliest."""

    weight: float
    best: float
    way: Way


def cuts(length: int, parts: Sequence[Part], following: Mapping[tuple[int, int], float] | None) -> Cut:
    """The ways to make a string of `length` letters of `parts`, which are in the order of their starts.

    `following` has P(one of them | the one before it), by their numbers, where that is known; None if nothing is known
    of it.
    """
    alone = 1.0 if following is None else 1 - FOLLOWING
    known = following or {}
    ending: dict[int, list[tuple[int, Cut]]] = defaultdict(list)
    ahead = defaultdict(float, {0: 1.0})
    for x, (start, end, weight, fit) in enumerate(parts):
        weight *= 1.0 if start == 0 else alone
        total, best = weight * ahead[start], weight if start == 0 else 0.0
        way: Way = ()
        for y, cut in ending[start]:
            joined = FOLLOWING * fit * known.get((y, x), 0.0)
            total += cut.weight * joined
            if cut.best * (weight + joined) > best:
                best, way = cut.best * (weight + joined), cut.way
        if total:  # or nothing leads up to it
            ending[end].append((x, Cut(total, best, (*way, (start, end)))))
            ahead[end] += total
    likeliest = max((cut for _, cut in ending[length]), key=lambda cut: cut.best, default=Cut(0.0, 0.0, ()))
    return likeliest._replace(weight=ahead[length])
