"""Processes that read the files a browser sends: a file that takes too much time or memory harms only its own process.

A hostile file can hold the interpreter for long, and threads can't be killed. So a process that can be killed reads
each file; if all are busy, another starts, so that no file waits for a slow one.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any, TypeVar

from regis.errors import PuzzleError, RegisError
from regis.puzzle.formats.files import PuzzleFile, is_page
from regis.system.parallel.processes import start_with_pipe

T = TypeVar("T")

MAX_READERS = 8  # files read at the same time
MAX_SECONDS = 10.0  # for a file; a harmless one takes milliseconds
MAX_IDLE = 2  # processes that wait: while one reads a file, the other answers at once


class FileReader:
    """Calls functions in processes that can be killed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle = [_ReaderProcess() for _ in range(MAX_IDLE)]
        self._busy: list[_ReaderProcess] = []

    def call(self, function: Callable[..., T], *arguments: Any) -> T:
        """Call a function, one of whose arguments may be a file. Raises its RegisError, or PuzzleError if it takes too
        much time or memory."""
        pages = [x for x in arguments if isinstance(x, PuzzleFile) and is_page(x.data)]
        with self._lock:
            reader = self._idle.pop() if self._idle else _ReaderProcess()
            self._busy.append(reader)
        try:
            result = reader.call(function, arguments, 120.0 if pages else MAX_SECONDS)  # a page computes for 60 s
        finally:
            with self._lock:
                self._busy.remove(reader)
                if reader.is_usable and len(self._idle) < MAX_IDLE:
                    self._idle.append(reader)
                else:
                    reader.end()
        if isinstance(result, RegisError):
            raise result
        return result  # type: ignore[no-any-return]

    def close(self) -> None:
        """End all processes; callers that wait get an error."""
        with self._lock:
            for reader in (*self._idle, *self._busy):
                reader.end()


class _ReaderProcess:
    def __init__(self) -> None:
        self._process, self._pipe = start_with_pipe(_serve, (), "regis-reader")
        self.is_usable = True

    def call(self, function: Callable[..., Any], arguments: tuple[Any, ...], seconds: float) -> Any:
        """Return a function's result, or an error."""
        with suppress(EOFError, OSError):
            self._pipe.send((function, arguments))
            if self._pipe.poll(seconds):
                self.is_usable, result = self._pipe.recv()
                return result
        self.is_usable = False
        what = f"more than {seconds:.0f} seconds" if self._process.is_alive() else "too much memory"
        return PuzzleError(f"reading this file takes {what}; choose another")

    def end(self) -> None:
        self.is_usable = False
        self._process.kill()


def _serve(pipe: Connection[Any, Any]) -> None:
    """Answer calls until the pipe ends, which it does when the server ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _limit_memory()
    with suppress(EOFError, OSError):
        while True:
            function, arguments = pipe.recv()
            try:
                answer = True, function(*arguments)
            except RegisError as error:
                answer = True, error
            except MemoryError:
                answer = False, PuzzleError("reading this file takes too much memory; choose another")
            except Exception as cause:  # one file can't break the others
                name = type(cause).__name__
                answer = True, RegisError(f"something went wrong in Regis ({name}); try another file")
            pipe.send(answer)


def _limit_memory() -> None:
    """Limit the memory of this process, if the system can; its own children limit themselves."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        # 1 GiB besides the libraries
        resource.setrlimit(resource.RLIMIT_AS, (3 << 29, resource.getrlimit(resource.RLIMIT_AS)[1]))
