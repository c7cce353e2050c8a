"""Workers that are processes of this machine.

They start with Ctrl-C switched off, so that only the process that started them answers it, and are ended whatever
happens, also when that one is killed. What they map into memory is shared between them.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
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
        before = signal.signal(signal.SIGINT, signal.SIG_IGN) if starting else None
        try:
            return super().submit(make, item)
        except BrokenProcessPool:
            raise _killed() from None
        finally:
            if starting:
                signal.signal(signal.SIGINT, before)

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
