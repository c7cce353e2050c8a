"""The workers of a Dask cluster, by its scheduler's address.

If a worker dies, the scheduler gives its task to another one; if it hangs, that takes some minutes (`worker-ttl`). If
the scheduler or all workers are lost, that is reported within a bounded time. Workers need this version of Regis and an
index with the same fingerprint; an error names the first machine that lacks them.
"""

from __future__ import annotations

import gc
import logging
import pickle
import platform
import threading
import time
import warnings
from asyncio import CancelledError
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError as Cancelled
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from typing import Any

from regis.errors import RegisError, TaskLost, UsageError, WorkersLost
from regis.system import process
from regis.system.os_errors import describe_install
from regis.system.parallel.pool import Item, Result, TaskFactory, WorkerPool, make_task, run_task
from regis.system.version import __version__

CONNECT_SECONDS = 10.0  # time that a scheduler has to answer
PREPARE_SECONDS = 15.0  # time that workers have to open what they need; then the work begins without their reports
DESERTED_SECONDS = 120.0  # time that a cluster may be without any worker
TASKS_PER_THREAD = 2  # so that the next task is ready; few, since a dying worker counts against all of its tasks
MIN_OPEN_TASKS = 16  # so that a cluster that grows on demand sees enough work

MAX_SILENT_SECONDS = 1200.0
"""Seconds without a result before a cluster is given up: more than two tasks take, and more than the five minutes after
which a scheduler gives up a worker (guesses)."""


class ClusterPool(WorkerPool):
    def __init__(self, address: str, report: Callable[[str], object]) -> None:
        """Connect to the scheduler at `address`, tcp://HOST:PORT, and `report` its workers and dashboard.

        Raises UsageError for a wrong address or a missing library, WorkersLost if no scheduler of this version answers.
        """
        self._library, self._pack = _import_dask()
        self._task = _portable_task()
        self._address = address
        self._client = self._connect()
        self.executor = self._client.get_executor(pure=False, retries=2)
        try:
            self._refuse_other_versions()
            self._threads = self._count_threads()
        except WorkersLost:
            self.__exit__()
            raise
        self._last_peopled = time.monotonic()
        count = len(self._threads)
        there = f"{count} worker{'s' * (count > 1)}" if count else "no worker yet"
        report(f"the cluster at {address} has {there}{self._dashboard()}")

    @property
    def capacity(self) -> int:
        return max(TASKS_PER_THREAD * sum(self._threads.values()), MIN_OPEN_TASKS)

    def submit(self, task_factory: TaskFactory[Item, Result], item: Item) -> Future[Result]:
        return self.executor.submit(self._task, run_packed_task.__name__, self._pack((task_factory, item)), __version__)

    def prepare_workers(self, task_factory: TaskFactory[Item, Result]) -> None:
        call = make_packed_task.__name__, self._pack(task_factory), __version__
        futures = {
            worker: self._client.submit(self._task, *call, workers=[worker], pure=False) for worker in self._threads
        }
        deadline = time.monotonic() + PREPARE_SECONDS
        for worker, future in futures.items():
            with suppress(TimeoutError):  # the worker is busy or lost; its first task will show an error
                future.exception(max(deadline - time.monotonic(), 0.001))
            if future.status == "error":
                raise _worker_error(future.exception(), worker)

    def fetch_result(self, future: Future[Result]) -> Result:
        try:
            fetched: Any = future.result()
        except ResultArrived as arrived:
            return arrived.value  # type: ignore[no-any-return]
        except (CancelledError, Cancelled):
            raise self._scheduler_lost() from None
        except self._library.KilledWorker as error:
            raise TaskLost(
                f"all workers that had it ended, the last at {error.last_worker.address} (too little memory?)"
            ) from None
        except Exception as error:
            raise _worker_error(error, "a worker") from error
        return fetched[1].value  # type: ignore[no-any-return]

    def check_alive(self, silent_seconds: float) -> None:
        self._threads = self._count_threads()
        if self._threads:
            self._last_peopled = time.monotonic()
        elif time.monotonic() - self._last_peopled > DESERTED_SECONDS:
            raise WorkersLost(
                f"the cluster at {self._address} has been without a worker for {DESERTED_SECONDS:.0f} s; start some"
            )
        if self._threads and silent_seconds > MAX_SILENT_SECONDS:
            raise WorkersLost(
                f"no worker of {self._address} finished anything for {MAX_SILENT_SECONDS:.0f} s; check them, or "
                "start new ones"
            )

    def has_forgotten_tasks(self, silent_seconds: float) -> bool:
        """Return whether the results of tasks were lost with their worker; Dask's executor doesn't report that."""
        if silent_seconds <= 10.0:
            return False
        return not any(future.status == "pending" for future in list(self._client.futures.values()))

    def __exit__(self, *_: object) -> None:
        with suppress(Exception), without_garbage_collection():  # errors don't matter now
            self._client.close(CONNECT_SECONDS)

    def _connect(self) -> Any:
        """Make a client of the scheduler that logs nothing."""
        for name in logging.root.manager.loggerDict:
            if name.startswith(("distributed", "tornado", "asyncio")):
                logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        try:
            with without_garbage_collection(), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return self._library.Client(self._address, timeout=CONNECT_SECONDS, set_as_default=False, name="regis")
        except (ValueError, TypeError, ImportError) as error:
            why = str(error).splitlines()[0]
            raise UsageError(f"{self._address} isn't a cluster address ({why}); write tcp://HOST:PORT") from None
        except Exception as error:
            why = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise WorkersLost(
                f"no Dask scheduler answers at {self._address} ({why}); start one (docs/cluster.md), or use another"
            ) from None

    def _refuse_other_versions(self) -> None:
        there = self._ask_scheduler(self._client.scheduler.versions)["packages"].get("distributed")
        here = self._library.__version__
        if there != here:
            raise WorkersLost(
                f"the scheduler at {self._address} runs distributed {there}, and this is {here}; install one version "
                f"on all machines (`pip install distributed=={here}`)"
            )

    def _count_threads(self) -> dict[str, int]:
        return dict(self._ask_scheduler(self._client.scheduler.ncores))

    def _ask_scheduler(self, question: Callable[..., Any]) -> Any:
        """Return the scheduler's answer; raises WorkersLost if there is none."""
        try:
            return self._client.sync(question, callback_timeout=60.0)
        except Exception:
            raise self._scheduler_lost() from None

    def _scheduler_lost(self) -> WorkersLost:
        return WorkersLost(
            f"the scheduler at {self._address} was lost; restart it with its workers, then run this again"
        )

    def _dashboard(self) -> str:
        with suppress(Exception):  # there is no dashboard
            return f"; watch it at {self._client.dashboard_link}" if self._client.dashboard_link else ""
        return ""


class ResultArrived(Exception):
    """The result of a task, raised as an exception.

    Dask asks for a task's state after fetching its result. If the worker has died by then, Dask takes the result for an
    error's type, exception, and trace (distributed.cfexecutor, 2026.8). So a result is a triple with this exception
    second.
    """

    @property
    def value(self) -> Any:
        return self.args[0]


CLIENT_LOCK = threading.Lock()


@contextmanager
def without_garbage_collection() -> Iterator[None]:
    """Start or close a client without garbage collection.

    The garbage may include another client, which would wait forever for the lock that this client holds
    (distributed.utils.LoopRunner).
    """
    with CLIENT_LOCK:
        was_enabled = gc.isenabled()
        try:
            gc.disable()
            yield
        finally:
            if was_enabled:
                gc.enable()


def _import_dask() -> tuple[Any, Callable[[object], bytes]]:
    """Import Dask, and the pickler for what a program itself defines."""
    try:
        import distributed
        from cloudpickle import dumps
    except ImportError as error:
        raise UsageError(f"--cluster needs distributed ({error}); {describe_install('cluster')}") from None
    return distributed, dumps


def _worker_error(error: BaseException, worker: str) -> RegisError:
    if isinstance(error, RegisError):
        return error
    if isinstance(error, ImportError):
        return WorkersLost(
            f"{worker} has another version of Regis, or none ({error}); install Regis {__version__} there"
        )
    return WorkersLost(f"{worker} can't do it: {type(error).__name__}: {error}")


def _portable_task() -> Callable[[str, bytes, str], Any]:
    """Make the function that workers run. It is sent by value, so that the scheduler needs no Regis.

    A Dask worker that can't unpickle something dies silently.
    """

    def regis(name: str, packed_task: bytes, version: str) -> Any:
        from regis.system.parallel import cluster

        return getattr(cluster, name)(packed_task, version)

    return regis


def run_packed_task(packed_task: bytes, version: str) -> tuple[None, ResultArrived, None]:
    """Do one task in a worker; raises WorkersLost as `make_packed_task` does, or what the task raises."""
    task_factory, item = _unpack(packed_task, version)
    _make_task(task_factory)
    return None, ResultArrived(run_task(task_factory, item)), None


def make_packed_task(packed_task: bytes, version: str) -> None:
    """Open what a worker needs; raises WorkersLost if this machine can't, or has another version of Regis."""
    _make_task(_unpack(packed_task, version))


def _unpack(packed_task: bytes, version: str) -> Any:
    if version != __version__:
        raise WorkersLost(
            f"{platform.node()} has Regis {__version__}, and this is {version}; install one version on all machines"
        )
    process.use_one_thread()
    return pickle.loads(packed_task)


def _make_task(task_factory: TaskFactory[Item, Result]) -> None:
    try:
        make_task(task_factory)
    except RegisError as error:
        raise WorkersLost(f"on {platform.node()}, {error} (docs/cluster.md says how to copy one)") from None
