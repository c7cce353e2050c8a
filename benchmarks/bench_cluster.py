"""What a cluster costs and survives: `python benchmarks/bench_cluster.py ARCHIVE --index DIR`.

Starts a Dask scheduler and two workers on this machine, each in its own process, and ends them again.

- **same**: the archive by one process, by two, and by two workers: are the records the same, apart from seconds, and
  how long did it take?
- **overhead**: tasks that do nothing: milliseconds each, and the memory of client and scheduler.
- **kills**: workers are killed at random moments while others join. Is each task done once?
- **plan**: how long 14,545 puzzles and 6.4 million clues take on 1, 10, and 100 workers, by a discrete-event model. A
  worker does one task at a time. The client prepares alone, and hands out tasks one by one, with a limit on how many
  are under way. The times are those measured here, for two workers next to what was measured.

The plan uses the times of one process. For two workers it uses theirs, because the model doesn't know what the cores of
a machine share: memory and its caches.
"""

from __future__ import annotations

import dataclasses
import heapq
import random
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import cli_options

sys.path.append(str(Path(__file__).resolve().parent.parent / "tests"))

from dask_cluster import Machines

from regis import evaluation
from regis.evaluation import BenchmarkPlan
from regis.index import Index
from regis.system.parallel import cluster
from regis.system.parallel.workers import Workers, map_tasks
from regis.system.progress import show_nothing

ARCHIVE_PUZZLES = 14_545
TABLE_CLUES = 6_400_000
CLUES_PER_TASK = 2048  # clues in one task
CLUES_PER_SECOND = 480  # clues that the transformer reads per second on one core (docs/experiments/one-engine.md)
CORE_HOUR_PRICE = 0.05  # dollars per hour of a rented core (a guess)
WORKER_COUNTS = (1, 2, 10, 100)
WORKER_START_SECONDS = 2.0  # seconds until a worker has loaded Regis and opened the index, at its first task (a guess)


@dataclasses.dataclass(frozen=True)
class SleepTask:
    """A worker that sleeps for each item's seconds, and returns these."""

    def __call__(self) -> Callable[[float], float]:
        def nap(seconds: float) -> float:
            time.sleep(seconds)
            return seconds

        return nap


class Workload(NamedTuple):
    """Tasks as the model sees them, in seconds."""

    name: str
    task_seconds: Sequence[float]  # of each task, by one worker
    preparation_seconds: float  # the client's work before the first task
    dispatch_seconds: float  # of each task, by the client and the scheduler


def simulate_seconds(workload: Workload, worker_count: int) -> float:
    """Simulate a run of the workload; return the seconds from start to last result."""
    clock, room = workload.preparation_seconds, max(cluster.TASKS_PER_THREAD * worker_count, cluster.MIN_OPEN_TASKS)
    free, under_way = [WORKER_START_SECONDS] * worker_count, list[float]()
    for seconds in sorted(workload.task_seconds, reverse=True):
        if len(under_way) == room:
            clock = max(clock, heapq.heappop(under_way))
        clock += workload.dispatch_seconds
        end = max(clock, heapq.heappop(free)) + seconds
        heapq.heappush(free, end)
        heapq.heappush(under_way, end)
    return max(free)


def resident_megabytes(pid: int | str) -> float:
    """Return the resident memory of a process, in MB."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1000 for line in lines if line.startswith("VmRSS"))


class MeasuredTimes(NamedTuple):
    """Seconds for the same puzzles."""

    one_process: list[float]  # of each, by one process
    two_workers: list[float]  # of each, by two workers of a machine
    total_two_workers: float  # of all, by the two workers


def compare_records(plan: BenchmarkPlan, machines: Machines) -> MeasuredTimes:
    """Print whether all crews give the same records; return their times."""
    crews = {"1 process": Workers(), "2 processes": Workers(2), "2 Dask workers": Workers(cluster=machines.address)}
    expected: list[object] = []
    walls, seconds = list[float](), list[list[float]]()
    print(f"\n{'':16}{'puzzles':>8}{'wall s':>8}{'records':>12}")
    for name, one in crews.items():
        start = time.perf_counter()
        report = evaluation.run_benchmark(dataclasses.replace(plan, workers=one), show_nothing)
        walls.append(time.perf_counter() - start)
        timeless = [dataclasses.replace(record, seconds=None) for record in report.records]
        expected = expected or timeless
        print(f"{name:16}{len(timeless):8}{walls[-1]:8.1f}{'same' if timeless == expected else 'DIFFERENT':>12}")
        seconds.append([record.seconds or 0.0 for record in report.records])
    print(f"2 Dask workers took {walls[2] / walls[1]:.2f} times what 2 processes took")
    return MeasuredTimes(seconds[0], seconds[2], walls[2])


def measure_overhead(machines: Machines, task_count: int) -> float:
    """Print the cost of tasks that do nothing; return seconds per task."""
    print(f"\n{'tasks':>8}{'ms each':>9}{'client MB':>11}{'scheduler MB':>14}")
    start = time.perf_counter()
    task_seconds = 0.0
    results = map_tasks(SleepTask(), (0.0 for _ in range(task_count)), Workers(cluster=machines.address))
    for place, _ in enumerate(results, 1):
        if place % max(task_count // 5, 1) == 0:
            task_seconds = (time.perf_counter() - start) / place
            client, scheduler = resident_megabytes("self"), resident_megabytes(machines.scheduler.pid)
            print(f"{place:8}{1000 * task_seconds:9.2f}{client:11.1f}{scheduler:14.1f}")
    return task_seconds


def survive_kills(machines: Machines, kill_count: int, rng: random.Random) -> bool:
    """Kill workers during tasks, print the outcome, and return whether each task was done once."""
    killed = 0

    def kill() -> None:
        nonlocal killed
        while killed < kill_count:
            time.sleep(rng.uniform(0.1, 1.5))
            machines.workers.pop(rng.randrange(len(machines.workers))).kill()
            machines.hire()
            killed += 1

    asked: list[float] = []

    def items() -> Iterator[float]:
        while killed < kill_count:
            asked.append(rng.uniform(0.05, 0.4))
            yield asked[-1]
        for _ in range(20):
            asked.append(0.05)
            yield asked[-1]

    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    given = Counter[int]()
    wrong = 0
    for place, seconds in map_tasks(SleepTask(), items(), Workers(cluster=machines.address)):
        given[place] += 1
        wrong += seconds != asked[place]
    killer.join()
    lost, doubled = len(asked) - len(given), sum(n - 1 for n in given.values())
    outcome = f"{lost} lost, {doubled} doubled, {wrong} wrong"
    print(f"\n{killed} workers killed while {len(asked)} tasks were done: {outcome}")
    return not lost and not doubled and not wrong


def measure_preparation(plan: BenchmarkPlan) -> float:
    """Return the client's seconds per puzzle before solving: for reading it and looking it up."""
    start = time.perf_counter()
    index = Index.open(plan.index)
    items, _ = evaluation.archive.read_archive(plan.archive, show_nothing)
    for item in items:
        evaluation.archive.look_up_in_index(item, index, "")
    return (time.perf_counter() - start) / len(items)


def print_plans(measured: MeasuredTimes, dispatch_seconds: float, preparation_seconds: float) -> None:
    """Print the table of the model, from seconds to dispatch a task and to prepare a puzzle."""

    def solving_puzzles(seconds: Sequence[float]) -> Workload:
        return Workload(f"{len(seconds):,} puzzles", seconds, preparation_seconds * len(seconds), dispatch_seconds)

    drawn = random.Random(1).choices(measured.one_process, k=ARCHIVE_PUZZLES)
    clue_seconds = [CLUES_PER_TASK / CLUES_PER_SECOND] * (TABLE_CLUES // CLUES_PER_TASK + 1)
    works = (solving_puzzles(drawn), Workload(f"{TABLE_CLUES:,} clues", clue_seconds, 0.0, dispatch_seconds))
    predicted = simulate_seconds(solving_puzzles(measured.two_workers), 2)
    print(
        f"\nmodel, 2 workers, {len(measured.two_workers)} puzzles: "
        f"{predicted:.1f} s; measured: {measured.total_two_workers:.1f} s"
    )
    print(
        f"fed with: {sum(drawn) / ARCHIVE_PUZZLES:.2f} s a puzzle, "
        f"{CLUES_PER_TASK / CLUES_PER_SECOND:.2f} s a task of {CLUES_PER_TASK} clues, "
        f"{1000 * dispatch_seconds:.1f} ms to hand one out, {1000 * preparation_seconds:.1f} ms to prepare one, "
        f"{WORKER_START_SECONDS:.0f} s to begin"
    )
    print(f"\n{'':20}{'workers':>8}{'hours':>8}{'times as fast':>15}{'core hours':>12}{'dollars':>9}")
    for work in works:
        for workers in WORKER_COUNTS:
            took = simulate_seconds(work, workers)
            hours, speedup = took * workers / 3600, simulate_seconds(work, 1) / took
            costs = f"{hours:12.1f}{hours * CORE_HOUR_PRICE:9.2f}"
            print(f"{work.name:20}{workers:8}{took / 3600:8.2f}{speedup:15.1f}{costs}")


def main() -> int:
    parser = cli_options.archive_parser(__doc__)
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
            plan = BenchmarkPlan(
                arguments.archive, arguments.index, "belief", puzzle_limit=arguments.limit, include_seen=True
            )
            measured = compare_records(plan, machines)
            dispatch_seconds = measure_overhead(machines, arguments.tasks)
            is_whole = survive_kills(machines, arguments.kills, random.Random(arguments.seed))
            print_plans(measured, dispatch_seconds, measure_preparation(plan))
        finally:
            machines.end()
    return 0 if is_whole else 1


if __name__ == "__main__":
    sys.exit(main())
