"""Many tasks that do not need each other, done by whoever is there: the one place where work is handed out.

Who has such work says `make`, which a worker calls once and keeps what it gives, and the items; it gets each item's
place with its result, as they are done. `make` travels to the workers and is a frozen dataclass of a few words: the
path and the fingerprint of an index, never the index. Behind stands nobody else (this process works), processes of
this machine (`processes`), or the workers of a Dask scheduler (`cluster`); each is an Executor of concurrent.futures,
and the results are the same whoever it is.

Tasks are handed out few at a time, and what is done is let go: ten thousand take no more memory than ten.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Generator, Iterable, Iterator, Sized
from dataclasses import dataclass
from itertools import islice
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

from regis.errors import CrewLost, TaskLost
from regis.system.engine import Done, Engine, Item, Make, Result

if TYPE_CHECKING:
    from concurrent.futures import Future

LOOK = 1.0
"""How many seconds may pass between two looks at whether anybody is still at work?"""

ROUNDS = 3
"""How often is a task handed out with which several workers were lost? It may only have waited with those."""


def untold(sentence: str) -> None:
    """Tells nobody."""


@dataclass(frozen=True)
class Crew:
    """Who does the work."""

    jobs: int = 1  # processes of this machine
    cluster: str = ""  # the address of a Dask scheduler; '' for none. Its workers do it in the place of `jobs`
    told: Callable[[str], object] = untold  # gets what a person wants to know of a cluster, in sentences

    def alone(self, items: object) -> bool:
        """Whether this process does it itself, also since there is too little to share."""
        return (self.jobs == 1 and not self.cluster) or (isinstance(items, Sized) and len(items) < 2)


def results(
    make: Make[Item, Result],
    items: Iterable[Item],
    crew: Crew,
    size: Callable[[Item], float] | None = None,
    lost: Callable[[Item, str], Result] | None = None,
) -> Generator[tuple[int, Result], None, None]:
    """The place of each item with its result, as they are done.

    Others begin with the largest by `size`; then none works long while the rest have nothing left to do. Without it,
    and alone, items are taken one by one in their order. `lost` says what the result is of an item with which several
    workers were lost, and why. Raises CrewLost when all workers are, or an item is that nobody says anything of, and
    what `make` or a task raises; what was done before has then been given.
    """
    if crew.alone(items):
        yield from enumerate(map(make(), items))
        return
    turns: Iterator[tuple[int, Item]] = enumerate(items)
    if size is not None:
        by_size = size
        turns = iter(sorted(turns, key=lambda turn: -by_size(turn[1])))
    tasks: Counter[str] = Counter()
    seconds: dict[str, float] = defaultdict(float)
    try:
        with _engine(crew) as engine:
            engine.ready(make)
            for place, done in _shared_out(engine, make, turns, lost):
                tasks[done.worker] += 1
                seconds[done.worker] += done.seconds
                yield place, done.result
    finally:
        for worker in sorted(filter(None, tasks)) if crew.cluster else ():
            rate = tasks[worker] / max(seconds[worker], 1e-9)
            crew.told(f"worker {worker}: {tasks[worker]} done, {rate:.2f} a second while at work")


def in_turn(results: Iterable[tuple[int, Result]]) -> Iterator[Result]:
    """The same without the places, in the order of the items."""
    waiting: dict[int, Result] = {}
    turn = 0
    for place, result in results:
        waiting[place] = result
        while turn in waiting:
            yield waiting.pop(turn)
            turn += 1


def _engine(crew: Crew) -> Engine:
    if crew.cluster:
        from regis.system.cluster import Cluster

        return Cluster(crew.cluster, crew.told)
    from regis.system.processes import Processes

    return Processes(crew.jobs)


def _shared_out(
    engine: Engine,
    make: Make[Item, Result],
    turns: Iterator[tuple[int, Item]],
    lost: Callable[[Item, str], Result] | None,
) -> Iterator[tuple[int, Done]]:
    """Each item's place and what was done with it, as they are done."""
    under_way: dict[Future[Done], tuple[int, Item, int]] = {}  # with how often it was handed out
    arrived: SimpleQueue[Future[Done]] = SimpleQueue()
    last = looked = time.monotonic()

    def hand_out(place: int, item: Item, rounds: int) -> None:
        future = engine.submit(make, item)
        under_way[future] = place, item, rounds
        future.add_done_callback(arrived.put)

    while True:
        for place, item in islice(turns, max(engine.room - len(under_way), 0)):
            hand_out(place, item, 1)
        if not under_way:
            return
        try:
            future = arrived.get(timeout=LOOK)
            last = time.monotonic()
            if future not in under_way:  # it was handed out again
                continue
            place, item, rounds = under_way.pop(future)
            try:
                yield place, engine.result(future)
            except TaskLost as error:
                if rounds < ROUNDS:
                    hand_out(place, item, rounds + 1)
                elif lost is None:
                    raise CrewLost(f"a task was given up: {error}") from None
                else:
                    yield place, Done("", 0.0, lost(item, str(error)))
            del future  # a cluster keeps a result for as long as anybody does
        except Empty:
            pass
        if time.monotonic() - looked > LOOK:
            engine.look(time.monotonic() - last)
            if engine.forgotten(time.monotonic() - last):
                again, last = list(under_way.values()), time.monotonic()
                under_way.clear()
                for one in again:
                    hand_out(*one)
            looked = time.monotonic()
