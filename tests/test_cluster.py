"""A cluster gives the results of one process, whatever happens to its machines, and reports their problems."""

import dataclasses
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import tiny
from dask_cluster import HERE, Deadly, Held, Machines, Squares, until
from test_bench import NAMES

from regis import evaluation
from regis.errors import RegisError, UsageError, WorkersLost
from regis.evaluation import BenchmarkPlan
from regis.evaluation.runner import SolvingTask
from regis.index import Index
from regis.system.parallel import cluster
from regis.system.parallel.workers import Workers, map_tasks
from regis.system.progress import show_nothing

distributed = pytest.importorskip("distributed", reason="the extra `cluster` is not installed")


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machines]:
    machines = Machines(tmp_path_factory.mktemp("machines"))
    yield machines
    machines.end()


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten all time limits."""
    for name in ("PREPARE_SECONDS", "DESERTED_SECONDS", "MAX_SILENT_SECONDS"):
        monkeypatch.setattr(cluster, name, 20.0)


@pytest.fixture
def two(machines: Machines) -> Workers:
    """Return two workers."""
    machines.staffed(2)
    return Workers(cluster=machines.address)


def squares(items: range) -> list[tuple[int, int]]:
    return [(place, item * item) for place, item in enumerate(items)]


def test_each_item_gets_its_result_and_each_worker_is_made_once(two: Workers, tmp_path: Path):
    told: list[str] = []
    made = map_tasks(Squares(tmp_path), range(60), dataclasses.replace(two, report=told.append))
    assert sorted(made) == squares(range(60))
    assert len(list(tmp_path.iterdir())) == 2
    (said,) = told
    assert re.fullmatch(rf"the cluster at {two.cluster} has 2 workers(; watch it at http://.*/status)?", said)


def test_records_are_those_of_one_process(two: Workers, tmp_path: Path, unseen: Path):
    plan = BenchmarkPlan(tiny.archive(tmp_path / "puzzles", NAMES), unseen, "belief")
    alone = evaluation.run_benchmark(plan, show_nothing)
    together = evaluation.run_benchmark(dataclasses.replace(plan, workers=two), show_nothing)
    seen = [dataclasses.replace(record, seconds=None) for record in alone.records]
    assert seen == [dataclasses.replace(record, seconds=None) for record in together.records]


def begun(folder: Path, item: int) -> list[int]:
    """List the processes that have begun an item."""
    return [int(path.name.partition("-")[2]) for path in folder.glob(f"{item}-*")]


def collected(make: Held | Squares, items: range, crew_: Workers) -> tuple[threading.Thread, list[object]]:
    """Collect results and errors in a thread, as they come."""
    found: list[object] = []

    def collect() -> None:
        try:
            for one in map_tasks(make, items, crew_):
                found.append(one)
        except RegisError as error:
            found.append(error)

    thread = threading.Thread(target=collect)
    thread.start()
    return thread, found


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP])
def test_a_task_of_a_worker_that_is_lost_is_done_by_another(how: int, two: Workers, tmp_path: Path, machines: Machines):
    """The worker is killed, or stopped so that it never responds."""
    thread, found = collected(Held(tmp_path), range(6), two)
    until(lambda: bool(begun(tmp_path, 0)))
    (victim,) = (worker for worker in machines.workers if worker.pid == begun(tmp_path, 0)[0])
    os.kill(victim.pid, how)
    (tmp_path / "go").touch()
    thread.join(60)
    victim.kill()
    victim.wait()
    assert sorted(found) == squares(range(6))  # type: ignore[type-var]
    assert len(begun(tmp_path, 0)) == 2


@pytest.fixture
def suspicious(machines: Machines) -> Iterator[None]:
    """Let the scheduler give a task up after the first worker that ends, not the fourth."""

    def after(failures: int) -> None:
        with machines.asked() as client:
            client.run_on_scheduler(lambda dask_scheduler: setattr(dask_scheduler, "allowed_failures", failures))

    after(0)
    yield
    after(3)


@pytest.mark.usefixtures("suspicious")
def test_a_task_that_kills_its_workers_stops_no_other_task(two: Workers, machines: Machines, monkeypatch):
    monkeypatch.setattr("regis.system.parallel.workers.MAX_TASK_ATTEMPTS", 1)
    made = dict(map_tasks(Deadly(), range(3, -1, -1), two, lambda item, why: -item))
    assert made[0] == -3 and set(made) == {0, 1, 2, 3}
    machines.staffed(2)
    with pytest.raises(WorkersLost, match=r"given up: all workers that had it ended, the last at tcp://"):
        list(map_tasks(Deadly(), range(5), two))


def test_an_empty_cluster_is_given_up_after_a_while(
    two: Workers, tmp_path: Path, machines: Machines, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(cluster, "DESERTED_SECONDS", 0.5)
    thread, found = collected(Held(tmp_path), range(6), two)
    until(lambda: bool(begun(tmp_path, 0)))
    for worker in machines.workers:
        worker.kill()
    thread.join(60)
    assert "without a worker" in str(found[-1])


def test_a_scheduler_that_is_lost_leaves_what_is_done(tmp_path: Path):
    machines = Machines(tmp_path)
    try:
        machines.staffed(1)
        (tmp_path / "go").touch()  # the first needn't wait
        made = map_tasks(Held(tmp_path), range(100), Workers(cluster=machines.address))
        assert next(made) == (0, 0)
        (tmp_path / "go").unlink()
        machines.scheduler.kill()
        with pytest.raises(WorkersLost, match=f"the scheduler at {machines.address} was lost"):
            list(made)
    finally:
        (tmp_path / "go").touch()
        machines.end()


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def test_where_nothing_listens(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 0.5)
    with pytest.raises(WorkersLost, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1.*docs/cluster.md"):
        list(map_tasks(Squares(tmp_path), range(3), Workers(cluster=f"tcp://127.0.0.1:{free_port()}")))


def test_a_worker_without_regis(machines: Machines, tmp_path: Path):
    machines.staffed(0)
    (tmp_path / "regis").mkdir()
    (tmp_path / "regis" / "__init__.py").touch()
    odd = machines.hire(PYTHONPATH=os.pathsep.join((str(tmp_path), str(HERE))))
    until(lambda: odd.pid in machines.present())
    with pytest.raises(WorkersLost, match=r"tcp://\S+ has another version of Regis, or none .*install Regis"):
        list(map_tasks(Squares(tmp_path), range(3), Workers(cluster=machines.address)))
    machines.staffed(0)


def test_a_worker_that_lacks_the_index_or_has_another(two: Workers, tmp_path: Path, unseen: Path, machines: Machines):
    """The error names the machine; a worker whose $REGIS_INDEX names the index has it anywhere."""
    other = tiny.index(tmp_path, ("1A",), (2001,))
    fingerprint = index_fingerprint(unseen)
    lacking = rf"on {os.uname().nodename}, no index {fingerprint} is at .*docs/cluster"
    for folder in (tmp_path / "nowhere", other):
        make = SolvingTask(folder, fingerprint, "belief", None)
        with pytest.raises(WorkersLost, match=lacking):
            list(map_tasks(make, iter(()), two))
    machines.staffed(0)
    knowing = machines.hire(REGIS_INDEX=str(unseen))
    until(lambda: machines.present() == {knowing.pid})
    assert list(map_tasks(SolvingTask(tmp_path / "nowhere", fingerprint, "belief", None), iter(()), two)) == []
    machines.staffed(0)


def index_fingerprint(folder: Path) -> str:
    return Index.open(folder).fingerprint


def test_without_distributed_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UsageError, match=r"--cluster needs distributed .*pip install --editable '\.\[cluster\]'"):
        list(map_tasks(Squares(tmp_path), range(3), Workers(cluster="tcp://127.0.0.1:1")))


def heed() -> None:
    """Enable Ctrl-C, which tests in the background inherit as ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def regis(*words: object, **environment: str) -> subprocess.Popen[str]:
    line = [sys.executable, "-m", "regis", *map(str, words)]
    piped = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "preexec_fn": heed}
    return subprocess.Popen(line, env=os.environ | environment, **piped)  # type: ignore[call-overload]


def test_ctrl_c_keeps_what_is_done_and_the_next_run_does_the_rest(two: Workers, tmp_path: Path, unseen: Path):
    folder, kept = tiny.archive(tmp_path / "puzzles", [f"p{i:03}" for i in range(40)]), tmp_path / "run.jsonl"
    words = ("bench", folder, "--index", unseen, "--resume", kept)
    process = regis(*words, "--cluster", two.cluster)
    until(lambda: kept.exists() and kept.read_bytes().count(b"\n") > 3)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    done = kept.read_bytes().count(b"\n") - 1
    assert process.returncode == 130 and f"interrupted after {done} of 40 puzzles." in out, err
    assert f"picks up from {kept}" in err and "Traceback" not in err
    process = regis(*words, REGIS_CLUSTER=two.cluster)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0 and "2 workers" in err and re.search(r"^all plain +40 ", out, re.MULTILINE)
    assert kept.read_bytes().count(b"\n") == 41
