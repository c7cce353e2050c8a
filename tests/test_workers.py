"""Workers: every item gets its result, whoever does it, and no process is left behind; Ctrl-C interrupts."""

import multiprocessing
import os
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path

import pytest
from dask_cluster import Deadly, Squares, until

from regis.errors import IndexMissing, WorkersLost
from regis.system.parallel.pool import WorkerPool
from regis.system.parallel.workers import Workers, map_tasks


@pytest.mark.parametrize("jobs", [1, 2])
def test_each_item_gets_its_result(jobs: int, tmp_path: Path) -> None:
    made = map_tasks(Squares(tmp_path), range(40), Workers(jobs))
    assert sorted(made) == [(i, i * i) for i in range(40)]
    assert 1 <= len(list(tmp_path.iterdir())) <= jobs, "a worker is made once in a process"


def test_few_are_handed_out_at_a_time(tmp_path: Path) -> None:
    """For any number of items; a generator isn't consumed all at once."""
    taken = []

    def items():
        for i in range(1000):
            taken.append(i)
            yield i

    made = map_tasks(Squares(tmp_path), items(), Workers(2))
    next(made)
    assert len(taken) <= 4
    made.close()


class Forgetful(WorkerPool):
    """Forgets the first task, and remembers it after it was handed out again."""

    capacity = 2

    def __init__(self) -> None:
        self.first: Future[int] | None = None

    def submit(self, task_factory, item):
        future: Future[int] = Future()
        if self.first is None:
            self.first = future
            return future
        future.set_result(task_factory()(item))
        if item == 0 and not self.first.done():
            self.first.set_result(task_factory()(item))
        return future

    def fetch_result(self, future):
        return future.result()

    def has_forgotten_tasks(self, silent_seconds: float) -> bool:
        return True

    def __exit__(self, *_: object) -> None: ...


def test_a_task_that_was_forgotten_is_handed_out_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It counts once, even if the first worker sends a result after all."""
    monkeypatch.setattr("regis.system.parallel.workers.POLL_SECONDS", 0.01)
    monkeypatch.setattr("regis.system.parallel.workers._open_pool", lambda _: Forgetful())
    assert sorted(map_tasks(Squares(tmp_path), range(4), Workers(2))) == [(i, i * i) for i in range(4)]


@dataclass(frozen=True)
class Nothing:
    def __call__(self) -> Callable[[int], int]:
        raise IndexMissing("the index is gone")


def test_what_cannot_be_made_is_told_as_such(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(IndexMissing, match="gone"):
        list(map_tasks(Nothing(), range(4), Workers(2)))
    assert capfd.readouterr().err == ""


def test_a_worker_that_is_killed_is_reported() -> None:
    before = set(multiprocessing.active_children())  # of other tests
    with pytest.raises(WorkersLost, match="killed"):
        list(map_tasks(Deadly(), range(40), Workers(2)))
    until(lambda: set(multiprocessing.active_children()) <= before)


def test_a_task_that_kills_its_worker_loses_no_other_task() -> None:
    lost: list[str] = []
    made = map_tasks(Deadly(), range(9), Workers(2), lost_result=lambda item, why: lost.append(why) or -item)
    assert sorted(made) == [(i, i * i if i != 3 else -3) for i in range(9)] and "killed" in lost[0]


@dataclass(frozen=True)
class Slow:
    """A worker that writes its process id into the folder, and is then busy."""

    folder: Path

    def __call__(self) -> Callable[[int], None]:
        return self.work

    def work(self, item: int) -> None:
        (self.folder / str(item)).write_text(str(os.getpid()))
        time.sleep(60)


def keep_busy(folder: Path) -> None:
    list(map_tasks(Slow(folder), range(2), Workers(2)))


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"


def test_workers_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    captain = multiprocessing.get_context("spawn").Process(target=keep_busy, args=(tmp_path,))
    captain.start()
    until(lambda: len([path for path in tmp_path.iterdir() if path.read_text()]) == 2)
    workers = [int(path.read_text()) for path in tmp_path.iterdir()]
    captain.kill()
    captain.join()
    until(lambda: not any(map(alive, workers)))
