"""How honest a confidence is: of what is called 90 % sure, 90 % should be right.

A claim is one cell, or one entry, with the confidence of the filler and whether it is right; a cell left empty is a
claim of 0 that was wrong. Claims are sorted into bins, narrow where confidence is high, because there it matters: a
bin holds its lower bound and not its upper one (the last holds 1 as well).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import groupby, pairwise
from operator import attrgetter
from typing import NamedTuple

BOUNDS = (0.0, 0.5, 0.8, 0.9, 0.95, 0.99, 0.999, 1.0)

TRUST = 0.99  # what a person who copies letters without looking wants: at most one in a hundred wrong


class Claim(NamedTuple):
    confidence: float  # of the filler, 0 to 1
    right: bool


class Bin(NamedTuple):
    low: float
    high: float
    claims: int
    said: float | None  # mean confidence; None without claims
    right: float | None  # share that was right

    @property
    def label(self) -> str:
        """In per cent: '99-99.9'."""
        return f"{100 * self.low:g}-{100 * self.high:g}"


class Trusted(NamedTuple):
    """The claims that can be trusted: those of at least a certain confidence."""

    share: float  # of all claims
    least: float | None  # the lowest confidence among them; None if there are none


def bins(claims: Sequence[Claim]) -> list[Bin]:
    """One bin between each two of BOUNDS."""
    sorted_in: list[list[Claim]] = [[] for _ in BOUNDS[1:]]
    for claim in claims:
        sorted_in[bisect_right(BOUNDS[1:-1], claim.confidence)].append(claim)
    found = []
    for (low, high), inside in zip(pairwise(BOUNDS), sorted_in, strict=True):
        n = len(inside)
        means = (sum(c.confidence for c in inside) / n, sum(c.right for c in inside) / n) if n else (None, None)
        found.append(Bin(low, high, n, *means))
    return found


def calibration_error(claims: Sequence[Claim]) -> float:
    """Expected calibration error: mean distance between confidence and share right over the bins, by their claims."""
    distances = (b.claims * abs(b.said - b.right) for b in bins(claims) if b.said is not None and b.right is not None)
    return sum(distances) / max(len(claims), 1)


def trusted(claims: Sequence[Claim]) -> Trusted:
    """The largest share of `claims`, surest first, of which at least TRUST are right; equals stay together."""
    best, least = 0, None
    seen = right = 0
    sure = attrgetter("confidence")
    for confidence, equals in groupby(sorted(claims, key=sure, reverse=True), sure):
        outcomes = [claim.right for claim in equals]
        seen, right = seen + len(outcomes), right + sum(outcomes)
        if right / seen >= TRUST:
            best, least = seen, confidence
    return Trusted(best / max(len(claims), 1), least)
