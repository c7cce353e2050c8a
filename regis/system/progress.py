"""The progress of long work: the type of what shows it, and a bar that shows nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol


class ProgressBar(Protocol):
    """A bar that is moved on."""

    def update(self, n: int) -> object: ...


Progress = Callable[[str, int | None], AbstractContextManager[ProgressBar]]
"""(what is being done, how many steps or None) -> a bar to be moved on."""


@contextmanager
def show_nothing(label: str, total: int | None) -> Iterator[ProgressBar]:
    """Show no progress."""

    class Nothing:
        def update(self, n: int) -> None: ...

    yield Nothing()
