"""Calibration of confidences: of the claims with 90% confidence, 90% should be right.

A claim is a cell or entry with its confidence; an empty cell is a wrong claim of 0. Bins are narrow for high
confidence, and include their lower bounds (the last one also 1).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

BIN_BOUNDS = (0.0, 0.5, 0.8, 0.9, 0.95, 0.99, 0.999, 1.0)


class Claim(NamedTuple):
    confidence: float  # of the filler, 0 to 1
    is_right: bool


class CalibrationBin(NamedTuple):
    """The claims between two confidences."""

    low_confidence: float
    high_confidence: float
    claim_count: int
    mean_confidence: float | None  # None without claims
    right_share: float | None  # share that was right

    @property
    def label(self) -> str:
        """Return the bin in percent: '99-99.9'."""
        return f"{100 * self.low_confidence:g}-{100 * self.high_confidence:g}"


def bin_claims(claims: Sequence[Claim]) -> list[CalibrationBin]:
    by_bin: list[list[Claim]] = [[] for _ in BIN_BOUNDS[1:]]
    for claim in claims:
        by_bin[bisect_right(BIN_BOUNDS[1:-1], claim.confidence)].append(claim)
    bins = []
    for (low, high), members in zip(pairwise(BIN_BOUNDS), by_bin, strict=True):
        n = len(members)
        means = (sum(c.confidence for c in members) / n, sum(c.is_right for c in members) / n) if n else (None, None)
        bins.append(CalibrationBin(low, high, n, *means))
    return bins


def calibration_error(claims: Sequence[Claim]) -> float:
    """Return the expected calibration error: mean distance of confidence and share right, weighted by claims."""
    distances = (
        b.claim_count * abs(b.mean_confidence - b.right_share)
        for b in bin_claims(claims)
        if b.mean_confidence is not None and b.right_share is not None
    )
    return sum(distances) / max(len(claims), 1)
