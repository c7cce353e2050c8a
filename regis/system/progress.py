"""The progress of long work: its type, and a bar that shows nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol


class ProgressBar(Protocol):
    def update(self, n: int) -> object: ...


Progress = Callable[[str, int | None], AbstractContextManager[ProgressBar]]
"""(what is being done, how many steps or None) -> a context manager of a bar."""


@contextmanager
def show_nothing(label: str, total: int | None) -> Iterator[ProgressBar]:
    class Nothing:
        def update(self, n: int) -> None: ...

    yield Nothing()
