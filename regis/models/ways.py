"""All ways to cut strings into pieces, weighed together, forward and backward over where pieces begin and end.

A piece is drawn by itself, or, with probability FOLLOWING, because it follows the one before it in what people write
(models.bigrams). The first is a sum over places; the second needs each pair of pieces, of which only the likeliest are
looked at. Of one string (models.cuts) all are.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from regis.models.bigrams import Bigrams
from regis.models.lookup import Places
from regis.models.tensors import Floats, Table

FOLLOWING = 0.2
"""How often does a piece come because of the one before it? (Measured: docs/measured.md.)"""

LIKELIEST = 200  # pieces in their places that are looked at in pairs; a guess


class Placed(NamedTuple):
    """Pieces in their places, parallel arrays: all that fit."""

    start: Places
    end: Places
    weight: Table  # of each by itself,
    fit: Table  # and what P(it follows another) is multiplied with

    def take(self, some: Places) -> Placed:
        return Placed(self.start[some], self.end[some], self.weight[some], self.fit[some])

    def seen(self, fit: Table) -> Placed:
        """The same once it is known how well the letters of each fit, (placed,)."""
        return Placed(self.start, self.end, self.weight * fit, self.fit * fit)


class Joint(NamedTuple):
    """Pieces of which one is known to follow the other, and that meet at one place: parallel arrays."""

    first: Places
    second: Places
    chance: Floats  # P(the second | the first)


Joints = Mapping[int, Joint]  # by the place where they meet


def spanned(length: int, where: Places, weights: Table) -> Table:
    """How much all pieces from here to there weigh together, (length, length + 1), in strings of `length`.

    `where` is, for each piece, length + 1 times its start plus its end.
    """
    found: Table = np.bincount(where, weights, length * (length + 1)).astype(np.float64)  # of no pieces, whole numbers
    return found.reshape(length, length + 1)


class Spans:
    """The ways to make strings of pieces that are drawn by themselves.

    `weights`, (length, length + 1), are of all pieces from here to there, and `total` is that of all ways together. The
    ways with one piece weigh its own weight times what it has in `through`, (length, length + 1).
    """

    def __init__(self, weights: Table) -> None:
        length = len(weights)
        ahead, behind = np.eye(1, length + 1)[0], np.eye(1, length + 1, length)[0]
        for place in range(length):
            ahead += ahead[place] * weights[place]
        for place in reversed(range(length)):
            behind[place] += weights[place] @ behind
        self.total = float(ahead[-1])
        self.through: Table = ahead[:-1, None] * behind


class Ways:
    """The ways to make strings of `length` letters of the pieces `placed`, two or more of them.

    `joints` are those pieces of which one is known to follow the other, None if nothing is known of that. `total` is
    the weight of all ways together.
    """

    def __init__(self, length: int, placed: Placed, joints: Joints | None = None) -> None:
        self._length = length
        self._placed = placed
        self._joints = joints or {}
        alone = 1.0 if joints is None else 1 - FOLLOWING
        where = placed.start * (length + 1) + placed.end
        self._spans = spanned(length, where, placed.weight)  # of all pieces from here to there, by themselves
        self._spans[1:] *= alone
        self._entry = np.where(placed.start == 0, 1.0, alone) * placed.weight
        self._reached, self.total = self._forward()

    def shares(self) -> Table:
        """The weight of all ways with each of the pieces, (placed,)."""
        shares: Table = self._reached * self._backward()
        return shares

    def following(self, pieces: Places, bigrams: Bigrams) -> Joints:
        """The places where pieces meet of which one is known to follow the other.

        `pieces` says which of the words of `bigrams` each is.
        """
        start, end, _, _ = self._placed
        most = _largest(self.shares())
        first, second = (most[which] for which in np.nonzero(end[most][:, None] == start[most]))
        chance = bigrams.following(pieces[first], pieces[second])
        some = np.flatnonzero(chance)
        some = some[np.argsort(end[first[some]], kind="stable")]
        first, second, chance = first[some], second[some], chance[some]
        bounds = np.searchsorted(end[first], np.arange(1, self._length + 1)).tolist()
        spans = ((place, slice(*both)) for place, both in enumerate(itertools.pairwise(bounds), 1) if both[0] < both[1])
        return {place: Joint(first[span], second[span], chance[span]) for place, span in spans}

    def _worth(self, place: int) -> tuple[Places, Places, Table]:
        """Pieces that meet at a place, and how much likelier the second is behind the first."""
        first, second, chance = self._joints[place]
        return first, second, FOLLOWING * self._placed.fit[second] * chance

    def _forward(self) -> tuple[Table, float]:
        """The weight of all beginnings up to the end of each piece, and that of whole strings."""
        start, end, _, _ = self._placed
        more = np.zeros(len(start))  # since it follows
        ahead = np.zeros(self._length + 1)
        ahead[0] = 1.0
        for place in range(self._length):
            if place in self._joints:
                first, second, worth = self._worth(place)
                reached = (self._entry[first] * ahead[start[first]] + more[first]) * worth
                np.add.at(more, second, reached)
                np.add.at(ahead, end[second], reached)
            ahead += ahead[place] * self._spans[place]
        return self._entry * ahead[start] + more, float(ahead[-1])

    def _backward(self) -> Table:
        """The weight of all endings from the end of each piece."""
        start, end, _, _ = self._placed
        more = np.zeros(len(start))
        behind = np.zeros(self._length + 1)
        behind[-1] = 1.0
        for place in range(self._length - 1, -1, -1):
            behind[place] += self._spans[place] @ behind
            if place in self._joints:
                first, second, worth = self._worth(place)
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
