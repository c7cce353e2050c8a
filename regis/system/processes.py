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

from regis.errors import CrewLost
from regis.system import threads
from regis.system.engine import Done, Engine, Item, Make, Result


class Processes(Engine):
    """So many `jobs`. They are started as tasks come."""

    def __init__(self, jobs: int) -> None:
        threads.one()
        self._jobs = jobs
        self._others = set(multiprocessing.active_children())
        spawn = multiprocessing.get_context("spawn")
        self.executor = ProcessPoolExecutor(jobs, spawn, initializer=_start)

    @property
    def room(self) -> int:
        return 2 * self._jobs

    def submit(self, make: Make[Item, Result], item: Item) -> Future[Done]:
        starting = len(self._workers()) < self._jobs
        try:
            with without_ctrl_c() if starting else nullcontext():
                return super().submit(make, item)
        except BrokenProcessPool:
            raise _killed() from None

    def result(self, future: Future[Done]) -> Done:
        try:
            return future.result()
        except BrokenProcessPool:
            raise _killed() from None

    def __exit__(self, *_: object) -> None:
        workers = self._workers()
        self.executor.shutdown(wait=False, cancel_futures=True)
        for process in workers:
            process.terminate()

    def _workers(self) -> set[BaseProcess]:
        return set(multiprocessing.active_children()) - self._others


@contextmanager
def without_ctrl_c() -> Iterator[None]:
    """Processes that are started inside never get Ctrl-C; this thread gets what came meanwhile when it leaves."""
    if sys.platform == "win32":  # which has no such masks, nor hands anything of the kind down
        yield
        return
    resource_tracker.ensure_running()  # that starts with the first process, and would take the mask off
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _killed() -> CrewLost:
    return CrewLost("a worker was killed (too little memory for so many --jobs?)")


def _start() -> None:
    threads.one()  # what is asked of the C library is not handed down
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """Waits for the process that started this one; without it, this one would wait for work for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)
