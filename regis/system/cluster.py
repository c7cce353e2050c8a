"""Workers of a Dask cluster: any number of machines, behind one scheduler that is known by its address.

What can be lost there is looked after. A worker that ends in the middle of a task: the scheduler gives the task to
another. One that does not answer: the scheduler gives it up after some minutes (its `worker-ttl`). The scheduler, or
all workers: after a while that is bounded, one sentence. A worker must have the same version of Regis, and the index by
its fingerprint; before the work all that answer are asked, and whoever has not is named.
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

from regis.errors import CrewLost, RegisError, TaskLost, UsageError
from regis.system import threads
from regis.system.engine import Done, Engine, Item, Make, Result, kept, work
from regis.system.extras import install
from regis.system.version import __version__

EXTRA = "cluster"

CONNECT = 10.0
"""Within how many seconds must a scheduler answer?"""

ANSWER = 60.0
"""Within how many seconds must it answer while it is at work?"""

READY = 15.0
"""How many seconds are workers given to open what they need, before the work begins without having heard of them?"""

DESERTED = 120.0
"""For how many seconds may a cluster be without any worker?"""

SILENCE = 1200.0
"""After how many seconds without any result is a cluster given up? More than two tasks take, one after the other, and
than the five minutes after which a scheduler gives up a worker (guesses)."""

FORGOTTEN = 10.0
"""After how many seconds without a result, and without anything that Dask waits for, is a task handed out again?"""

WAITING = 2
"""How many tasks a thread, so that the next is there when one is done? Few, since whoever dies counts for each."""

LEAST = 16
"""How many tasks at least, so that a cluster that grows by need sees that there is some?"""

RETRIES = 2
"""How often is a task tried elsewhere that failed on one machine?"""


class Cluster(Engine):
    """The workers of the scheduler at `address`. Raises UsageError or CrewLost where there is none to be had.

    `told` gets the address of its dashboard.
    """

    def __init__(self, address: str, told: Callable[[str], object]) -> None:
        self._library, self._packed = _library()
        self._task = _anywhere()
        self._address = address
        self._client = self._connected()
        self.executor = self._client.get_executor(pure=False, retries=RETRIES)
        try:
            self._refuse_other_versions()
            self._threads = self._counted()
        except CrewLost:
            self.__exit__()
            raise
        self._peopled = time.monotonic()
        count = len(self._threads)
        there = f"{count} worker{'s' * (count > 1)}" if count else "no worker yet"
        told(f"the cluster at {address} has {there}{self._dashboard()}")

    @property
    def room(self) -> int:
        return max(WAITING * self._threads_in_all(), LEAST)

    def submit(self, make: Make[Item, Result], item: Item) -> Future[Done]:
        return self.executor.submit(self._task, work_packed.__name__, self._packed((make, item)), __version__)

    def ready(self, make: Make[Item, Result]) -> None:
        told = open_packed.__name__, self._packed(make), __version__
        asked = {
            worker: self._client.submit(self._task, *told, workers=[worker], pure=False) for worker in self._threads
        }
        until = time.monotonic() + READY
        for worker, future in asked.items():
            with suppress(TimeoutError):  # it is busy, or lost; it will be told of when it has a task
                future.exception(max(until - time.monotonic(), 0.001))
            if future.status == "error":
                raise _told(future.exception(), worker)

    def result(self, future: Future[Done]) -> Done:
        try:
            fetched: Any = future.result()
        except Came as came:
            return came.done
        except (CancelledError, Cancelled):
            raise self._lost() from None
        except self._library.KilledWorker as error:
            raise TaskLost(
                f"all workers that had it ended, the last at {error.last_worker.address} (too little memory?)"
            ) from None
        except Exception as error:
            raise _told(error, "a worker") from error
        done: Done = fetched[1].done
        return done

    def look(self, silent: float) -> None:
        self._threads = self._counted()
        if self._threads:
            self._peopled = time.monotonic()
        elif time.monotonic() - self._peopled > DESERTED:
            raise CrewLost(f"the cluster at {self._address} has been without a worker for {DESERTED:.0f} s; start some")
        if self._threads and silent > SILENCE:
            raise CrewLost(
                f"no worker of {self._address} was done with anything for {SILENCE:.0f} s; look at them, start new ones"
            )

    def forgotten(self, silent: float) -> bool:
        """Dask's executor says nothing of a result that is lost with its worker and then given up as others were."""
        return silent > FORGOTTEN and not any(one.status == "pending" for one in list(self._client.futures.values()))

    def __exit__(self, *_: object) -> None:
        with suppress(Exception), undisturbed():  # whatever it is, nothing more is wanted of it
            self._client.close(CONNECT)

    def _connected(self) -> Any:
        """A client of the scheduler, which says nothing by itself."""
        for name in logging.root.manager.loggerDict:
            if name.startswith(("distributed", "tornado", "asyncio")):
                logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        try:
            with undisturbed(), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return self._library.Client(self._address, timeout=CONNECT, set_as_default=False, name="regis")
        except (ValueError, TypeError, ImportError) as error:
            why = str(error).splitlines()[0]
            raise UsageError(f"{self._address} is no address of a cluster ({why}); write tcp://HOST:PORT") from None
        except Exception as error:
            why = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise CrewLost(
                f"no Dask scheduler answers at {self._address} ({why}); start one (docs/cluster.md), or name another"
            ) from None

    def _refuse_other_versions(self) -> None:
        there = self._asked(self._client.scheduler.versions)["packages"].get("distributed")
        here = self._library.__version__
        if there != here:
            raise CrewLost(
                f"the scheduler at {self._address} runs distributed {there}, and this is {here}; install one version "
                f"on all machines (`pip install distributed=={here}`)"
            )

    def _counted(self) -> dict[str, int]:
        """The threads of each worker, by its address."""
        return dict(self._asked(self._client.scheduler.ncores))

    def _threads_in_all(self) -> int:
        return sum(self._threads.values())

    def _asked(self, what: Callable[..., Any]) -> Any:
        """What the scheduler says. Raises CrewLost if it says nothing."""
        try:
            return self._client.sync(what, callback_timeout=ANSWER)
        except Exception:
            raise self._lost() from None

    def _lost(self) -> CrewLost:
        return CrewLost(f"the scheduler at {self._address} was lost; start it again with its workers, then do the rest")

    def _dashboard(self) -> str:
        with suppress(Exception):  # it has none
            return f"; watch it at {self._client.dashboard_link}" if self._client.dashboard_link else ""
        return ""


class Came(Exception):
    """The result of a task, as an exception.

    Dask asks what became of a task after it has fetched the result, and if the worker has ended since, takes that for
    the kind, the exception and the trace of what the task raised (distributed.cfexecutor, 2026.8). So results come as
    three of which the second is this: they are not lost then.
    """

    @property
    def done(self) -> Done:
        return self.args[0]  # type: ignore[no-any-return]


STARTS = threading.Lock()


@contextmanager
def undisturbed() -> Iterator[None]:
    """A client is started, or closed, and meanwhile nothing that nobody uses any more is cleared away.

    For it may be another client, which then waits for the lock that this one holds (distributed.utils.LoopRunner), in
    the very same thread, forever.
    """
    with STARTS:
        clears = gc.isenabled()
        try:
            gc.disable()
            yield
        finally:
            if clears:
                gc.enable()


def _library() -> tuple[Any, Callable[[object], bytes]]:
    """Dask, and what packs also what a program defines itself."""
    try:
        import distributed
        from cloudpickle import dumps
    except ImportError as error:
        raise UsageError(f"--cluster needs distributed ({error}); {install(EXTRA)}") from None
    return distributed, dumps


def _told(error: BaseException, worker: str) -> RegisError:
    """What a worker could not do, as a sentence that names it."""
    if isinstance(error, RegisError):
        return error
    if isinstance(error, ImportError):
        return CrewLost(f"{worker} has another Regis, or none ({error}); install Regis {__version__} there")
    return CrewLost(f"{worker} cannot do it: {type(error).__name__}: {error}")


def _anywhere() -> Callable[[str, bytes, str], Any]:
    """What workers are given to do. It travels whole, so that the scheduler needs no Regis, nor a worker to say so.

    A worker of Dask that is given what it cannot unpack ends without a word.
    """

    def regis(name: str, packed: bytes, version: str) -> Any:
        from regis.system import cluster

        return getattr(cluster, name)(packed, version)

    return regis


def work_packed(packed: bytes, version: str) -> tuple[None, Came, None]:
    """One task, by a worker: what it gives `Came`. Raises CrewLost as below, and what the task raises."""
    make, item = _unpacked(packed, version)
    _made(make)
    return None, Came(work(make, item)), None


def open_packed(packed: bytes, version: str) -> None:
    """Opens what a worker needs. Raises CrewLost, which names the machine, where it cannot or is of another version."""
    _made(_unpacked(packed, version))


def _unpacked(packed: bytes, version: str) -> Any:
    if version != __version__:
        raise CrewLost(
            f"{platform.node()} has Regis {__version__}, and this is {version}; install one version on all machines"
        )
    threads.one()
    return pickle.loads(packed)


def _made(make: Make[Item, Result]) -> None:
    try:
        kept(make)
    except RegisError as error:
        raise CrewLost(f"on {platform.node()}, {error} (docs/cluster.md says how it gets there)") from None
