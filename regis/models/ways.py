"""All ways to cut a string into pieces, weighed together, forward and backward over where pieces begin and end.

A piece is drawn by itself, or, with probability FOLLOWING, because it follows the one before it in what people write
(models.bigrams). The first is a sum over places; the second needs each pair of pieces, of which only the likeliest are
looked at.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.models.bigrams import Bigrams

FOLLOWING = 0.2
"""How often does a piece come because of the one before it? (Measured: docs/measured.md.)"""

LIKELIEST = 200  # pieces in their places that are looked at in pairs; a guess

Table = NDArray[np.float64]
Places = NDArray[np.intp]


class Placed(NamedTuple):
    """Pieces in their places, parallel arrays: all that fit a string."""

    start: Places
    end: Places
    weight: Table  # of each by itself,
    fit: Table  # and what P(it follows another) is multiplied with


class Joint(NamedTuple):
    """Pieces of which one is known to follow the other, and that meet at one place: parallel arrays.

    `worth` is FOLLOWING times P(the second | the first), times how well the second fits.
    """

    first: Places
    second: Places
    worth: Table


class Ways:
    """The ways to make a string of `length` letters of the pieces `placed`, two or more of them.

    `total` is the weight of all of them together.
    """

    def __init__(self, length: int, placed: Placed, pieces: Places, bigrams: Bigrams | None = None) -> None:
        """`pieces` says which of the words of `bigrams` they are."""
        self._length = length
        self._placed = placed
        alone = 1.0 if bigrams is None else 1 - FOLLOWING
        where = placed.start * (length + 1) + placed.end
        spans = np.bincount(where, placed.weight, length * (length + 1)).astype(np.float64)
        spans = spans.reshape(length, length + 1)
        spans[1:] *= alone
        self._spans = spans  # the weight of all pieces from here to there, by themselves
        self._entry = np.where(placed.start == 0, 1.0, alone) * placed.weight
        self._ahead, self._behind = _along(spans)
        self._joints: dict[int, Joint] = {}
        if bigrams is not None and self._ahead[length]:
            self._joints = self._following(pieces, bigrams)
        self._reached = self._forward() if self._joints else self._entry * self._ahead[placed.start]

    @property
    def total(self) -> float:
        return float(self._ahead[self._length])

    def shares(self) -> Table:
        """The weight of all ways with each of the pieces, (placed,)."""
        left = self._backward() if self._joints else self._behind[self._placed.end]
        shares: Table = self._reached * left
        return shares

    def likeliest(self) -> tuple[list[tuple[int, int]], float]:
        """The likeliest way, from where to where each of its pieces goes, and its share of all (Viterbi)."""
        start, end, _, _ = self._placed
        joints = (zip(*(column.tolist() for column in one), strict=True) for one in self._joints.values())
        known = {(first, second): worth for one in joints for first, second, worth in one}
        best: dict[int, tuple[float, list[int]]] = {}  # by the last piece
        for x in np.argsort(end, kind="stable").tolist():
            alone = float(self._entry[x])
            found = [(alone, [x])] if start[x] == 0 else []
            found += [(p * (alone + known.get((y, x), 0.0)), [*way, x]) for y, (p, way) in best.items()
                      if end[y] == start[x]]  # fmt: skip
            if found:
                best[x] = max(found)
        whole = [way for x, way in best.items() if end[x] == self._length]
        weight, pieces = max(whole, default=(0.0, []))
        return [(int(start[x]), int(end[x])) for x in pieces], weight / self.total

    def _following(self, pieces: Places, bigrams: Bigrams) -> dict[int, Joint]:
        """The places where pieces meet of which one is known to follow the other."""
        start, end, _, fit = self._placed
        shares = self._entry * self._ahead[start] * self._behind[end]
        most = _largest(shares)
        first, second = (most[which] for which in np.nonzero(end[most][:, None] == start[most]))
        chance = bigrams.following(pieces[first], pieces[second])
        some = np.flatnonzero(chance)
        some = some[np.argsort(end[first[some]], kind="stable")]
        first, second = first[some], second[some]
        worth = FOLLOWING * fit[second] * chance[some]
        bounds = np.searchsorted(end[first], np.arange(1, self._length + 1)).tolist()
        spans = ((place, slice(*pair)) for place, pair in enumerate(itertools.pairwise(bounds), 1))
        return {place: Joint(first[span], second[span], worth[span]) for place, span in spans if span.start < span.stop}

    def _forward(self) -> Table:
        """The weight of all beginnings up to the end of each piece; makes `_ahead` what it is with pairs."""
        start, end, _, _ = self._placed
        more = np.zeros(len(start))  # since it follows
        ahead = np.zeros(self._length + 1)
        ahead[0] = 1.0
        for place in range(self._length):
            if place in self._joints:
                first, second, worth = self._joints[place]
                reached = (self._entry[first] * ahead[start[first]] + more[first]) * worth
                np.add.at(more, second, reached)
                np.add.at(ahead, end[second], reached)
            ahead += ahead[place] * self._spans[place]
        self._ahead = ahead
        return self._entry * ahead[start] + more

    def _backward(self) -> Table:
        """The weight of all endings from the end of each piece."""
        start, end, _, _ = self._placed
        more = np.zeros(len(start))
        behind = np.zeros(self._length + 1)
        behind[-1] = 1.0
        for place in range(self._length - 1, -1, -1):
            behind[place] += self._spans[place] @ behind
            if place in self._joints:
                first, second, worth = self._joints[place]
                left = worth * (behind[end[second]] + more[second])
                np.add.at(more, first, left)
                np.add.at(behind, start[first], self._entry[first] * left)
        return behind[end] + more


def _largest(shares: Table) -> Places:
    """Where the LIKELIEST largest are that are not 0, ascending; of equal ones the first, on any processor."""
    if len(shares) > LIKELIEST:
        least = np.partition(shares, -LIKELIEST)[-LIKELIEST]
        more, equal = np.flatnonzero(shares > least), np.flatnonzero(shares == least)
        places = np.sort(np.append(more, equal[: LIKELIEST - len(more)]))
    else:
        places = np.arange(len(shares))
    return places[shares[places] > 0]


def _along(spans: Table) -> tuple[Table, Table]:
    """The weight of all ways from the beginning to each place, and from each place to the end."""
    length = len(spans)
    ahead, behind = np.zeros(length + 1), np.zeros(length + 1)
    ahead[0] = behind[length] = 1.0
    for i in range(length):
        ahead += ahead[i] * spans[i]
    for i in reversed(range(length)):
        behind[i] = spans[i] @ behind
    return ahead, behind
