"""Deadlines: points in time, as `time.monotonic` counts."""

from __future__ import annotations

import time

FOREVER = float("inf")  # a deadline that never comes


def deadline_in(seconds: float | None) -> float:
    """Return the deadline in so many seconds; never for None."""
    return FOREVER if seconds is None else time.monotonic() + seconds


def is_past(deadline: float) -> bool:
    return time.monotonic() >= deadline
