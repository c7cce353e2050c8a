"""What a crew costs and what it stands: `python benchmarks/bench_cluster.py ARCHIVE --index DIR`.

A Dask scheduler and two workers are started on this machine, each a process of its own, and ended again.

- **same**: the archive by one process, by two, and by the two workers; are the records the same? What did it take?
- **overhead**: tasks that do nothing, through the cluster: milliseconds each, and the memory of client and scheduler.
- **kills**: workers are killed at random moments, and others hired, while tasks are being done. Is each done once?
- **plan**: how long 14,545 puzzles and 6.4 million clues take on 1, 10 and 100 workers, by a discrete-event model: a
  worker takes one task after the other; the client, alone, prepares first, and hands tasks out one by one and no more
  than may be under way. It is fed with the times measured here; for two workers it stands beside what was measured.

The plan takes the times of one process; beside what two workers took it takes theirs, since the model knows nothing of
what the cores of a machine share: memory and its caches. The records' seconds are left out where they are compared.
"""

from __future__ import annotations

import dataclasses
import heapq
import os
import random
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

os.environ.setdefault("OMP_NUM_THREADS", "1")

import asked
import installed  # noqa: F401

sys.path.append(str(Path(__file__).resolve().parent.parent / "tests"))

from dask_cluster import Machines

from regis import evaluation
from regis.evaluation import Plan
from regis.index import Index
from regis.system import cluster, crew
from regis.system.crew import Crew
from regis.system.progress import silent

PUZZLES, CLUES = 14_545, 6_400_000
TOGETHER = 2048  # clues that are one task
RATE = 480  # clues that the transformer reads in a second on one core (CONTRIBUTING.md, One engine)
PRICE = 0.05  # of a core for an hour, in dollars, as machines are rented (a guess)
SHOWN = (1, 2, 10, 100)
STARTING = 2.0  # seconds until a worker has loaded Regis and opened the index, at its first task (a guess)


@dataclasses.dataclass(frozen=True)
class Naps:
    """A worker that sleeps for as long as the item says, and tells how long that was to be."""

    def __call__(self) -> Callable[[float], float]:
        def nap(seconds: float) -> float:
            time.sleep(seconds)
            return seconds

        return nap


class Work(NamedTuple):
    """Tasks as the model sees them; all in seconds."""

    name: str
    times: Sequence[float]  # of each task, by one worker
    alone: float  # what the client does before the first
    handing_out: float  # of each task, by the client and the scheduler


def planned(work: Work, workers: int) -> float:
    """The seconds from the start to the last result."""
    clock, room = work.alone, max(cluster.WAITING * workers, cluster.LEAST)
    free, under_way = [STARTING] * workers, list[float]()
    for seconds in sorted(work.times, reverse=True):
        if len(under_way) == room:
            clock = max(clock, heapq.heappop(under_way))
        clock += work.handing_out
        end = max(clock, heapq.heappop(free)) + seconds
        heapq.heappush(free, end)
        heapq.heappush(under_way, end)
    return max(free)


def resident(pid: int | str) -> float:
    """The memory of a process, in MB."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1000 for line in lines if line.startswith("VmRSS"))


class Measured(NamedTuple):
    """Seconds of the same puzzles."""

    alone: list[float]  # of each, by one process
    shared: list[float]  # of each, by two workers of a machine
    together: float  # of all, by the two workers


def same(plan: Plan, machines: Machines) -> Measured:
    """Prints the comparison; what it took."""
    crews = {"1 process": Crew(), "2 processes": Crew(2), "2 Dask workers": Crew(cluster=machines.address)}
    expected: list[object] = []
    walls, seconds = list[float](), list[list[float]]()
    print(f"\n{'':16}{'puzzles':>8}{'wall s':>8}{'records':>12}")
    for name, one in crews.items():
        start = time.perf_counter()
        report = evaluation.run(dataclasses.replace(plan, crew=one), silent)
        walls.append(time.perf_counter() - start)
        timeless = [dataclasses.replace(record, seconds=None) for record in report.records]
        expected = expected or timeless
        print(f"{name:16}{len(timeless):8}{walls[-1]:8.1f}{'same' if timeless == expected else 'DIFFERENT':>12}")
        seconds.append([record.seconds or 0.0 for record in report.records])
    print(f"2 Dask workers took {walls[2] / walls[1]:.2f} times what 2 processes took")
    return Measured(seconds[0], seconds[2], walls[2])


def overhead(machines: Machines, tasks: int) -> float:
    """Prints what tasks cost that do nothing; seconds a task."""
    print(f"\n{'tasks':>8}{'ms each':>9}{'client MB':>11}{'scheduler MB':>14}")
    start = time.perf_counter()
    each = 0.0
    for place, _ in enumerate(crew.results(Naps(), (0.0 for _ in range(tasks)), Crew(cluster=machines.address)), 1):
        if place % max(tasks // 5, 1) == 0:
            each = (time.perf_counter() - start) / place
            print(f"{place:8}{1000 * each:9.2f}{resident('self'):11.1f}{resident(machines.scheduler.pid):14.1f}")
    return each


def kills(machines: Machines, wanted: int, rng: random.Random) -> bool:
    """Prints what became of tasks while workers were killed; whether all were done once."""
    killed = 0

    def kill() -> None:
        nonlocal killed
        while killed < wanted:
            time.sleep(rng.uniform(0.1, 1.5))
            machines.workers.pop(rng.randrange(len(machines.workers))).kill()
            machines.hire()
            killed += 1

    def items() -> Iterator[float]:
        while killed < wanted:
            yield rng.uniform(0.05, 0.4)
        yield from (0.05 for _ in range(20))

    asked: list[float] = []

    def noted() -> Iterator[float]:
        for seconds in items():
            asked.append(seconds)
            yield seconds

    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    given = Counter[int]()
    wrong = 0
    for place, seconds in crew.results(Naps(), noted(), Crew(cluster=machines.address)):
        given[place] += 1
        wrong += seconds != asked[place]
    killer.join()
    lost, doubled = len(asked) - len(given), sum(n - 1 for n in given.values())
    print(
        f"\n{killed} workers killed while {len(asked)} tasks were done: {lost} lost, {doubled} doubled, {wrong} wrong"
    )
    return not lost and not doubled and not wrong


def prepared(plan: Plan) -> float:
    """The seconds that the client needs for a puzzle before the first is solved: to read it and look it up."""
    start = time.perf_counter()
    index = Index.open(plan.index)
    items, _ = evaluation.archive.read(plan.archive, silent)
    for item in items:
        evaluation.archive.looked_up(item, index, "")
    return (time.perf_counter() - start) / len(items)


def plans(measured: Measured, each: float, preparing: float) -> None:
    """Prints the table of the model; `each` to hand a task out, and `preparing` a puzzle, in seconds."""
    drawn = random.Random(1).choices(measured.alone, k=PUZZLES)
    few = Work(f"{len(measured.shared)} puzzles", measured.shared, preparing * len(measured.shared), each)
    works = (
        Work(f"{PUZZLES:,} puzzles", drawn, preparing * PUZZLES, each),
        Work(f"{CLUES:,} clues", [TOGETHER / RATE] * (CLUES // TOGETHER + 1), 0.0, each),
    )
    print(f"\nmodel, 2 workers, {few.name}: {planned(few, 2):.1f} s; measured: {measured.together:.1f} s")
    print(
        f"fed with: {sum(drawn) / PUZZLES:.2f} s a puzzle, {TOGETHER / RATE:.2f} s a task of {TOGETHER} clues, "
        f"{1000 * each:.1f} ms to hand one out, {1000 * preparing:.1f} ms to prepare one, {STARTING:.0f} s to begin"
    )
    print(f"\n{'':20}{'workers':>8}{'hours':>8}{'times as fast':>15}{'core hours':>12}{'dollars':>9}")
    for work in works:
        for workers in SHOWN:
            took = planned(work, workers)
            hours = took * workers / 3600
            print(
                f"{work.name:20}{workers:8}{took / 3600:8.2f}{planned(work, 1) / took:15.1f}{hours:12.1f}"
                f"{hours * PRICE:9.2f}"
            )


def main() -> int:
    parser = asked.parser(__doc__)
    parser.add_argument("--limit", type=int, help="only so many puzzles, spread over the weekdays")
    parser.add_argument("--tasks", type=int, default=10_000, help="made-up tasks")
    parser.add_argument("--kills", type=int, default=30, help="workers to be killed")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        machines = Machines(Path(place))
        try:
            machines.staffed(2)
            index = Index.open(arguments.index)
            print(f"archive {arguments.archive.name}, index {index.fingerprint}")
            plan = Plan(arguments.archive, arguments.index, "belief", limit=arguments.limit, seen=True)
            measured = same(plan, machines)
            each = overhead(machines, arguments.tasks)
            whole = kills(machines, arguments.kills, random.Random(arguments.seed))
            plans(measured, each, prepared(plan))
        finally:
            machines.end()
    return 0 if whole else 1


if __name__ == "__main__":
    sys.exit(main())
