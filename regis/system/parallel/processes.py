"""Workers that are processes of this machine.

They ignore Ctrl-C, which only their parent handles, and end when it ends. They share mapped memory.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, nullcontext
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

from regis.errors import TaskLost, WorkersLost
from regis.system import process
from regis.system.parallel.pool import Item, Result, TaskFactory, WorkerPool

MEMORY_HINT = " (too little memory for that many jobs?)"


class ProcessPool(WorkerPool):
    """At most `jobs` processes, started as tasks come.

    If one is killed, all are lost with their tasks. New processes do these tasks one at a time, so that only a task
    that kills its process is lost.
    """

    def __init__(self, jobs: int) -> None:
        process.use_one_thread()
        self._jobs = jobs
        self._other_children = set(multiprocessing.active_children())
        self.executor = self._start_executor()
        self._kill_count = 0  # since the last finished task
        self._suspect_count = 0  # tasks under way when a process was killed, and not finished since

    @property
    def capacity(self) -> int:
        return 1 if self._suspect_count else 2 * self._jobs

    def submit(self, task_factory: TaskFactory[Item, Result], item: Item) -> Future[Result]:
        starts_one = len(self._workers()) < self._jobs
        try:
            with without_ctrl_c() if starts_one else nullcontext():
                return super().submit(task_factory, item)
        except BrokenProcessPool:
            self._kill_count += 1
            if self._kill_count > 10:
                raise WorkersLost(f"workers kept getting killed{MEMORY_HINT}") from None
            self.executor = self._start_executor()
            return self.submit(task_factory, item)

    def fetch_result(self, future: Future[Result]) -> Result:
        try:
            result = future.result()
        except BrokenProcessPool:
            self._suspect_count += 1
            raise TaskLost(f"a worker was killed{MEMORY_HINT}") from None
        self._kill_count = 0
        self._suspect_count = max(self._suspect_count - 1, 0)
        return result

    def _start_executor(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(self._jobs, multiprocessing.get_context("spawn"), initializer=_start_worker)

    def __exit__(self, *_: object) -> None:
        workers = self._workers()
        self.executor.shutdown(wait=False, cancel_futures=True)
        for worker in workers:
            worker.terminate()

    def _workers(self) -> set[BaseProcess]:
        return set(multiprocessing.active_children()) - self._other_children


@contextmanager
def without_ctrl_c() -> Iterator[None]:
    """Start processes that never get Ctrl-C; this thread gets it at the end."""
    if sys.platform == "win32":  # Windows has no signal masks to inherit
        yield
        return
    resource_tracker.ensure_running()  # otherwise it would start with the first process, and remove the mask
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def start_with_pipe(
    target: Callable[..., object], arguments: tuple[object, ...], name: str
) -> tuple[BaseProcess, Connection[Any, Any]]:
    """Start a process with `arguments` and one end of a pipe; return it and the other end."""
    process.use_one_thread()
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    started = context.Process(target=target, args=(there, *arguments), name=name, daemon=True)
    with without_ctrl_c():
        started.start()
    there.close()
    return started, here


def _start_worker() -> None:
    process.use_one_thread()  # children don't inherit the C library's settings
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)
