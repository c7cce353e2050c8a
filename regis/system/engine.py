"""What stands behind a crew: an Executor of concurrent.futures, and what else must be known of its workers.

Here is also what a worker does. It makes what it works with once, at its first task, and keeps it: that opens an index.
"""

from __future__ import annotations

import os
import platform
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable
from contextlib import AbstractContextManager
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

I_contra = TypeVar("I_contra", contravariant=True)
R_co = TypeVar("R_co", covariant=True)
Item = TypeVar("Item")
Result = TypeVar("Result")


class Make(Hashable, Protocol[I_contra, R_co]):
    """What a worker calls once to get what it does with each item. Equal ones give what does the same."""

    def __call__(self) -> Callable[[I_contra], R_co]: ...


class Done(NamedTuple):
    """A task that is done."""

    worker: str
    seconds: float
    result: Any


class Engine(AbstractContextManager["Engine"], ABC):
    """Workers, behind an Executor. Entered, they are there; left, they are ended or let go."""

    executor: Executor

    @property
    @abstractmethod
    def room(self) -> int:
        """How many tasks may be handed out at a time, so that no worker waits and nobody is buried in them."""

    def submit(self, make: Make[Item, Result], item: Item) -> Future[Done]:
        """Hands out one task."""
        return self.executor.submit(work, make, item)

    def ready(self, make: Make[Item, Result]) -> None:
        """Looks whether the workers can do it. Raises CrewLost, or what `make` raises."""

    @abstractmethod
    def result(self, future: Future[Done]) -> Done:
        """What became of a task. Raises TaskLost or CrewLost if that is nothing, and else what the task raised."""

    def look(self, silent: float) -> None:
        """Raises CrewLost if nobody is left to wait for, when there was no result for so many seconds."""

    def forgotten(self, silent: float) -> bool:
        """Whether nobody is at any of the tasks that were handed out, when there was no result for so many seconds."""
        return False


def work(make: Make[Item, Result], item: Item) -> Done:
    """One task, by a worker."""
    start = time.perf_counter()
    result = kept(make)(item)
    return Done(f"{platform.node()}:{os.getpid()}", time.perf_counter() - start, result)


@lru_cache(maxsize=1)
def kept(make: Make[Item, Result]) -> Callable[[Item], Result]:
    """What `make` gives, made once in a process; the process keeps one."""
    return make()
