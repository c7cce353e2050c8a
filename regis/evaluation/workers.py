"""One task for each puzzle, done by one process or by several side by side.

The longest tasks come first, each is handed out alone to whoever is free, and results come as they are done: then no
process idles while another still has a pile. Each process makes its worker once, which opens the index: postings and
the encoder's table are memory maps, shared between them.
"""

from __future__ import annotations

import functools
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed

from regis.evaluation.archive import Item
from regis.evaluation.records import Record
from regis.system import threads

Worker = Callable[[Item], Record]


def one_by_one(worker: Worker, items: Sequence[Item]) -> Generator[tuple[int, Record], None, None]:
    """The place of each item with its record, in order."""
    yield from enumerate(map(worker, items))


def side_by_side(
    make: Callable[[], Worker], items: Sequence[Item], jobs: int
) -> Generator[tuple[int, Record], None, None]:
    """The place of each item with its record, as they are done by `jobs` processes that each call `make` once.

    They start with Ctrl-C switched off, so that only this process answers it, and are ended whatever happens, also when
    this process is killed. Raises BrokenProcessPool if one of them is killed, and what `make` raised if it fails.
    """
    threads.one()
    others = set(multiprocessing.active_children())
    spawn = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(min(jobs, len(items)), spawn, initializer=_start, initargs=(make,))
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        longest_first = sorted(range(len(items)), key=lambda place: -items[place].cells)
        places = {pool.submit(_work, items[place]): place for place in longest_first}
    finally:
        signal.signal(signal.SIGINT, before)
    workers = set(multiprocessing.active_children()) - others
    try:
        for future in as_completed(places):
            yield places[future], future.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in workers:
            process.terminate()


_worker: Callable[[], Worker]
"""Of a worker process: set once when it starts, and makes its worker at the first task, which can tell of an error."""


def _start(make: Callable[[], Worker]) -> None:
    global _worker
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _worker = functools.cache(make)


def _end_with_parent() -> None:
    """Waits for the process that started this one; without it, this one would wait for work for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)


def _work(item: Item) -> Record:
    return _worker()(item)
