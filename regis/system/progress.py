"""The progress and deadline of long work, on the clock of `time.monotonic`."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol


class ProgressBar(Protocol):
    def update(self, n: int) -> object: ...


Progress = Callable[[str, int | None], AbstractContextManager[ProgressBar]]
"""(what is being done, number of steps or None) -> a context manager of a bar."""


@contextmanager
def show_nothing(label: str, total: int | None) -> Iterator[ProgressBar]:
    class Nothing:
        def update(self, n: int) -> None: ...

    yield Nothing()


FOREVER = float("inf")  # a deadline that never comes


def deadline_in(seconds: float | None) -> float:
    """Return the deadline that is `seconds` away; never for None."""
    return FOREVER if seconds is None else time.monotonic() + seconds


def is_past(deadline: float) -> bool:
    return time.monotonic() >= deadline
