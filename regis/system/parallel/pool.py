"""Workers behind an Executor of concurrent.futures, and what a worker does.

A worker makes what it works with once, at its first task: that opens an index. A file that was just made has no name by
which another machine could find it: its path and a checksum travel, and the machines of a cluster must share the disk.
"""

from __future__ import annotations

import os
import platform
import time
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from regis.errors import IndexUnreadable

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future


I_contra = TypeVar("I_contra", contravariant=True)
R_co = TypeVar("R_co", covariant=True)
Item = TypeVar("Item")
Result = TypeVar("Result")


class TaskFactory(Hashable, Protocol[I_contra, R_co]):
    """What a worker calls once to get the function that does an item. Equal factories make what does the same."""

    def __call__(self) -> Callable[[I_contra], R_co]: ...


class TaskResult(NamedTuple):
    """A task that is done."""

    worker: str
    seconds: float
    value: Any


class WorkerPool(AbstractContextManager["WorkerPool"], ABC):
    """Workers, behind an Executor. Entered, they are there; left, they are ended or let go."""

    executor: Executor

    @property
    @abstractmethod
    def capacity(self) -> int:
        """The number of tasks to hand out at a time, so that no worker waits and nobody is buried in them."""

    def submit(self, task_factory: TaskFactory[Item, Result], item: Item) -> Future[TaskResult]:
        """Hand out one task."""
        return self.executor.submit(run_task, task_factory, item)

    def prepare_workers(self, task_factory: TaskFactory[Item, Result]) -> None:
        """Make sure that the workers can do it. Raises WorkersLost, or what `task_factory` raises."""

    @abstractmethod
    def fetch_result(self, future: Future[TaskResult]) -> TaskResult:
        """Return what became of a task.

        Raises
        ------
        TaskLost : workers were lost with it.
        WorkersLost : all of them were.
        Exception : what the task raised.
        """

    def check_alive(self, silent_seconds: float) -> None:
        """Raise WorkersLost if nobody is left to wait for, when there was no result for so many seconds."""

    def has_forgotten_tasks(self, silent_seconds: float) -> bool:
        """Return whether nobody is at any task that was handed out, when there was no result for so many seconds."""
        return False


def run_task(task_factory: TaskFactory[Item, Result], item: Item) -> TaskResult:
    """Do one task, as a worker."""
    start = time.perf_counter()
    value = make_task(task_factory)(item)
    return TaskResult(f"{platform.node()}:{os.getpid()}", time.perf_counter() - start, value)


@lru_cache(maxsize=1)
def make_task(task_factory: TaskFactory[Item, Result]) -> Callable[[Item], Result]:
    """Call `task_factory` once in a process, which keeps one task."""
    return task_factory()


@dataclass(frozen=True)
class SharedFile:
    """A file as it is where it was made."""

    file_path: Path  # absolute
    checksum: int  # CRC-32

    @classmethod
    def from_file(cls, file_path: Path) -> SharedFile:
        """Note the path and checksum of a file. Raises OSError."""
        return cls(file_path.absolute(), zlib.crc32(file_path.read_bytes()))

    def check_unchanged(self) -> None:
        """Raise IndexUnreadable where the file is not there, or another one is."""
        try:
            is_same = zlib.crc32(self.file_path.read_bytes()) == self.checksum
        except OSError:
            is_same = False
        if not is_same:
            raise IndexUnreadable(
                f"what was just made is not at {self.file_path.parent}; to share this work, the machines of a cluster "
                "must share the index's disk; or use --jobs 2 on this one"
            )
