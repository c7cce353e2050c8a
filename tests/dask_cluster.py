"""A real Dask scheduler with workers, each in its own process on the loopback address, and work for them."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from regis.system.parallel import cluster

HERE = Path(__file__).resolve().parent
ENVIRONMENT = {
    "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "2 s",  # otherwise, stopping a worker takes five minutes
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
    "OMP_NUM_THREADS": "1",
    "PYTHONPATH": os.pathsep.join((str(HERE.parent), str(HERE))),
}


class Machines:
    """A scheduler and workers, started as a person would start them in shells."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.workers: list[subprocess.Popen[bytes]] = []
        said = folder / "scheduler.json"
        options = ("--host", "127.0.0.1", "--port", 0, "--dashboard-address", "127.0.0.1:0", "--scheduler-file", said)
        self.scheduler = self._started("scheduler", options, {})
        self.address = ""
        until(lambda: self._listening(said))

    def hire(self, **environment: str) -> subprocess.Popen[bytes]:
        """Start one more worker."""
        options = ("--nthreads", 1, "--memory-limit", 0, "--no-nanny", "--no-dashboard", "--host", "127.0.0.1")
        where = ("--local-directory", self._folder)
        self.workers.append(self._started("worker", (self.address, *options, *where), environment))
        return self.workers[-1]

    def staffed(self, count: int) -> None:
        """Have exactly `count` workers; replace those that have ended."""
        self.workers = [worker for worker in self.workers if worker.poll() is None]
        for worker in self.workers[count:]:
            worker.kill()
            worker.wait()
        del self.workers[count:]
        for _ in range(count - len(self.workers)):
            self.hire()
        pids = {worker.pid for worker in self.workers}
        until(lambda: self.present() == pids)

    def present(self) -> set[int]:
        """Return the process ids of the workers that the scheduler knows; none if the machine is too busy to ask."""
        with suppress(AssertionError), self.asked() as client:
            return set(client.run(os.getpid).values())  # Dask asserts that a client starts within ten seconds
        return set()

    @contextmanager
    def asked(self) -> Iterator[Any]:
        """Yield a client of the scheduler."""
        from distributed import Client

        with cluster.without_garbage_collection():
            client = Client(self.address, set_as_default=False)
        try:
            yield client
        finally:
            with cluster.without_garbage_collection():
                client.close()

    def end(self) -> None:
        """End all of them, even those that don't respond."""
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()

    def _listening(self, said: Path) -> bool:
        with suppress(OSError, ValueError, KeyError):  # the file is being written
            self.address = json.loads(said.read_text())["address"]
        return bool(self.address)

    def _started(self, what: str, options: tuple[object, ...], environment: dict[str, str]) -> subprocess.Popen[bytes]:
        line = [sys.executable, "-m", f"distributed.cli.dask_{what}", *map(str, options)]
        with (self._folder / f"{what}.log").open("ab") as log:
            outputs = {"stdout": log, "stderr": log, "cwd": self._folder}
            return subprocess.Popen(line, env=os.environ | ENVIRONMENT | environment, **outputs)


@dataclass(frozen=True)
class Squares:
    """A worker that squares numbers, and makes a file each time it is made."""

    folder: Path

    def __call__(self) -> Callable[[int], int]:
        (self.folder / f"made-{os.getpid()}-{time.monotonic_ns()}").touch()
        return lambda item: item * item


@dataclass(frozen=True)
class Held:
    """A worker that writes its process id for each item, and finishes when `go` exists."""

    folder: Path

    def __call__(self) -> Callable[[int], int]:
        return self.work

    def work(self, item: int) -> int:
        (self.folder / f"{item}-{os.getpid()}").touch()
        until(lambda: (self.folder / "go").exists())
        return item * item


@dataclass(frozen=True)
class Deadly:
    """A worker that dies of item 3."""

    def __call__(self) -> Callable[[int], int]:
        return lambda item: item * item if item != 3 else os.kill(os.getpid(), signal.SIGKILL) or 0


def until(holds: Callable[[], bool], seconds: float = 90) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.02)
