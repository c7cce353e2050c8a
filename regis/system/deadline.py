"""When to stop: a point in time, as `time.monotonic` counts, that whatever may take long is given and asks for."""

from __future__ import annotations

import time

FOREVER = float("inf")  # a deadline that never comes


def deadline_in(seconds: float | None) -> float:
    """Return the `time.monotonic()` at which to stop, in so many seconds; never where that is None."""
    return FOREVER if seconds is None else time.monotonic() + seconds


def is_past(deadline: float) -> bool:
    """Return whether it is time to stop."""
    return time.monotonic() >= deadline
