"""Independent tasks for workers: this process, other processes, or a cluster's machines.

A caller gives items and a task factory; each worker calls the factory once to get the function for an item. Results
come when they are done, with the positions of their items, and don't depend on the workers. The factory is a frozen
dataclass with the path and fingerprint of an index, never the index. Few tasks are out at a time, so memory is bounded.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sized
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

from regis.errors import TaskLost, WorkersLost
from regis.system.parallel.pool import Item, Result, TaskFactory, WorkerPool

if TYPE_CHECKING:
    from concurrent.futures import Future

POLL_SECONDS = 1.0  # seconds between two checks whether any worker is left
MAX_TASK_ATTEMPTS = 3  # attempts at a task that loses its workers; another task may have killed them


def ignore_message(sentence: str) -> None:
    """Ignore a message."""


@dataclass(frozen=True)
class Workers:
    """The processes or machines that do the tasks."""

    jobs: int = 1  # processes of this machine
    cluster: str = ""  # address of a Dask scheduler, whose workers replace `jobs`; '' for none
    report: Callable[[str], object] = ignore_message  # receives sentences about the cluster for people

    def work_in_process(self, items: object) -> bool:
        """Return whether this process does `items` itself, maybe because they are too few to share."""
        return (self.jobs == 1 and not self.cluster) or (isinstance(items, Sized) and len(items) < 2)


def map_tasks(
    task_factory: TaskFactory[Item, Result],
    items: Iterable[Item],
    workers: Workers,
    lost_result: Callable[[Item, str], Result] | None = None,
) -> Generator[tuple[int, Result], None, None]:
    """Do a task for each item; yield positions and results as they are done.

    `lost_result` makes the result of an item that lost several workers. Raises WorkersLost if all workers are lost, or
    if an item lost several and there is no `lost_result`; also what the factory or a task raises.
    """
    if workers.work_in_process(items):
        yield from enumerate(map(task_factory(), items))
        return
    with _open_pool(workers) as pool:
        pool.prepare_workers(task_factory)
        yield from _share_out(pool, task_factory, enumerate(items), lost_result)


def results_in_order(numbered_results: Iterable[tuple[int, Result]]) -> Iterator[Result]:
    """Yield the results of `map_tasks` in the order of the items."""
    waiting: dict[int, Result] = {}
    turn = 0
    for place, result in numbered_results:
        waiting[place] = result
        while turn in waiting:
            yield waiting.pop(turn)
            turn += 1


def _open_pool(workers: Workers) -> WorkerPool:
    if workers.cluster:
        from regis.system.parallel.cluster import ClusterPool

        return ClusterPool(workers.cluster, workers.report)
    from regis.system.parallel.processes import ProcessPool

    return ProcessPool(workers.jobs)


def _share_out(
    pool: WorkerPool,
    task_factory: TaskFactory[Item, Result],
    numbered_items: Iterator[tuple[int, Item]],
    lost_result: Callable[[Item, str], Result] | None,
) -> Iterator[tuple[int, Result]]:
    """Hand out the items; yield positions and results as they are done."""
    under_way: dict[Future[Result], tuple[int, Item, int]] = {}  # with the number of attempts
    lost: deque[tuple[int, Item, int]] = deque()  # to hand out again
    first_attempts = ((place, item, 1) for place, item in numbered_items)
    arrived: SimpleQueue[Future[Result]] = SimpleQueue()
    last_arrival = last_look = time.monotonic()

    def hand_out(place: int, item: Item, attempts: int) -> None:
        future = pool.submit(task_factory, item)
        under_way[future] = place, item, attempts
        future.add_done_callback(arrived.put)

    while True:
        while len(under_way) < pool.capacity and (task := lost.popleft() if lost else next(first_attempts, None)):
            hand_out(*task)
        if not under_way:
            return
        try:
            future = arrived.get(timeout=POLL_SECONDS)
            last_arrival = time.monotonic()
            if future not in under_way:  # another attempt replaced it
                continue
            place, item, attempts = under_way.pop(future)
            try:
                yield place, pool.fetch_result(future)
            except TaskLost as error:
                if attempts < MAX_TASK_ATTEMPTS:
                    lost.append((place, item, attempts + 1))
                elif lost_result is None:
                    raise WorkersLost(f"a task was given up: {error}") from None
                else:
                    yield place, lost_result(item, str(error))
            del future  # a cluster keeps a result as long as its future exists
        except Empty:
            pass
        if time.monotonic() - last_look > POLL_SECONDS:
            pool.check_alive(time.monotonic() - last_arrival)
            if pool.has_forgotten_tasks(time.monotonic() - last_arrival):
                forgotten, last_arrival = list(under_way.values()), time.monotonic()
                under_way.clear()
                for task in forgotten:
                    hand_out(*task)
            last_look = time.monotonic()
