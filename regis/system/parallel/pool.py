"""Workers behind an Executor of concurrent.futures, and what a worker does.

A worker makes its task function once, which opens an index. A file that was just made has no name that another machine
knows, so its path and checksum are sent; the machines of a cluster must share that disk.
"""

from __future__ import annotations

import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from regis.errors import IndexUnreadable

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


@dataclass(frozen=True)
class SharedFile:
    """A new file at the path where it was made."""

    file_path: Path  # absolute
    checksum: int  # CRC-32

    @classmethod
    def from_file(cls, file_path: Path) -> SharedFile:
        """Record the path and checksum of a file; raises OSError."""
        return cls(file_path.absolute(), zlib.crc32(file_path.read_bytes()))

    def check_unchanged(self) -> None:
        """Raise IndexUnreadable if the file is missing or has changed."""
        try:
            is_same = zlib.crc32(self.file_path.read_bytes()) == self.checksum
        except OSError:
            is_same = False
        if not is_same:
            raise IndexUnreadable(
                f"the new file isn't at {self.file_path.parent}; to share this work, the machines of a cluster "
                "must share the index's disk; or use --jobs 2 on this one"
            )
