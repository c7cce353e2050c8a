"""Workers behind an Executor of concurrent.futures, and what a worker does.

A worker makes its task function once, which opens an index.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable
from contextlib import AbstractContextManager
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future


I_contra = TypeVar("I_contra", contravariant=True)
R_co = TypeVar("R_co", covariant=True)
Item = TypeVar("Item")
Result = TypeVar("Result")


class TaskFactory(Hashable, Protocol[I_contra, R_co]):
    """A worker calls it once to make the function for an item; equal factories make equal functions."""

    def __call__(self) -> Callable[[I_contra], R_co]: ...


class WorkerPool(AbstractContextManager["WorkerPool"], ABC):
    executor: Executor

    @property
    @abstractmethod
    def capacity(self) -> int:
        """Return how many tasks to have out at a time."""

    def submit(self, task_factory: TaskFactory[Item, Result], item: Item) -> Future[Result]:
        return self.executor.submit(run_task, task_factory, item)

    def prepare_workers(self, task_factory: TaskFactory[Item, Result]) -> None:
        """Check that the workers can do the tasks; raises WorkersLost, or what `task_factory` raises."""

    @abstractmethod
    def fetch_result(self, future: Future[Result]) -> Result:
        """Return a task's result. Raises TaskLost if its workers were lost, WorkersLost if all were, or its error."""

    def check_alive(self, silent_seconds: float) -> None:
        """Raise WorkersLost if no worker is left, after `silent_seconds` without a result."""

    def has_forgotten_tasks(self, silent_seconds: float) -> bool:
        """Return whether no worker has any of the tasks, after `silent_seconds` without a result."""
        return False


def run_task(task_factory: TaskFactory[Item, Result], item: Item) -> Result:
    result: Result = make_task(task_factory)(item)
    return result


@lru_cache(maxsize=1)
def make_task(task_factory: TaskFactory[Item, Result]) -> Callable[[Item], Result]:
    """Call `task_factory`, once per process."""
    return task_factory()
