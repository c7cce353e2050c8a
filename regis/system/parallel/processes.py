"""Workers that are processes of this machine.

They start with Ctrl-C switched off, so that only the process that started them answers it, and are ended whatever
happens, also when that one is killed. What they map into memory is shared between them.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, nullcontext
from multiprocessing import resource_tracker
from multiprocessing.process import BaseProcess

from regis.errors import WorkersLost
from regis.system import threads
from regis.system.parallel.pool import Item, Result, TaskFactory, TaskResult, WorkerPool


class ProcessPool(WorkerPool):
    """So many processes as `jobs`, which are started as tasks come."""

    def __init__(self, jobs: int) -> None:
        threads.use_one_thread()
        self._jobs = jobs
        self._other_children = set(multiprocessing.active_children())
        spawn = multiprocessing.get_context("spawn")
        self.executor = ProcessPoolExecutor(jobs, spawn, initializer=_start_worker)

    @property
    def capacity(self) -> int:
        return 2 * self._jobs

    def submit(self, task_factory: TaskFactory[Item, Result], item: Item) -> Future[TaskResult]:
        starts_one = len(self._workers()) < self._jobs
        try:
            with without_ctrl_c() if starts_one else nullcontext():
                return super().submit(task_factory, item)
        except BrokenProcessPool:
            raise _worker_killed() from None

    def fetch_result(self, future: Future[TaskResult]) -> TaskResult:
        try:
            return future.result()
        except BrokenProcessPool:
            raise _worker_killed() from None

    def __exit__(self, *_: object) -> None:
        workers = self._workers()
        self.executor.shutdown(wait=False, cancel_futures=True)
        for process in workers:
            process.terminate()

    def _workers(self) -> set[BaseProcess]:
        return set(multiprocessing.active_children()) - self._other_children


@contextmanager
def without_ctrl_c() -> Iterator[None]:
    """Start processes that never get Ctrl-C; this thread gets what came meanwhile when it leaves."""
    if sys.platform == "win32":  # which has no such masks, nor hands anything of the kind down
        yield
        return
    resource_tracker.ensure_running()  # that starts with the first process, and would take the mask off
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _worker_killed() -> WorkersLost:
    return WorkersLost("a worker was killed (too little memory for so many --jobs?)")


def _start_worker() -> None:
    threads.use_one_thread()  # what is asked of the C library is not handed down
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """Wait for the process that started this one; without it, this one would wait for work for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)
