"""Processes that read the files a browser sends: a file that takes too much time or memory costs only itself.

A hostile file can hold the interpreter for long, and no thread can be ended. So each file is read in a process, and
what takes too long is ended with it. Another starts where all are at work, so that no file waits for a slow one.
"""

from __future__ import annotations

import multiprocessing
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any, TypeVar

from regis.errors import PuzzleError, RegisError
from regis.puzzle.formats.files import PuzzleFile, is_page
from regis.system import process
from regis.system.parallel.processes import without_ctrl_c

T = TypeVar("T")

MAX_READERS = 8  # files that are read at the same time
MAX_MEMORY = 3 << 29  # bytes of a process's addresses: 1 GiB beside the libraries
MAX_SECONDS = 10.0  # that a file takes; one that is no attack takes milliseconds
MAX_PAGE_SECONDS = 120.0  # that a page takes: 60 of computing, on a busy machine


class FileReader:
    """Calls functions in processes that can be ended."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle = [_ReaderProcess()]
        self._busy: list[_ReaderProcess] = []

    def call(self, function: Callable[..., T], *arguments: Any) -> T:
        """Call a function with arguments of which one may be a file.

        Raises
        ------
        RegisError : as the function does; a PuzzleError where it takes too much time or memory.
        """
        pages = [x for x in arguments if isinstance(x, PuzzleFile) and is_page(x.data)]
        with self._lock:
            reader = self._idle.pop() if self._idle else _ReaderProcess()
            self._busy.append(reader)
        try:
            result = reader.call(function, arguments, MAX_PAGE_SECONDS if pages else MAX_SECONDS)
        finally:
            with self._lock:
                self._busy.remove(reader)
                if reader.is_usable and not self._idle:
                    self._idle.append(reader)
                else:
                    reader.end()
        if isinstance(result, RegisError):
            raise result
        return result  # type: ignore[no-any-return]

    def close(self) -> None:
        """End all processes; whoever waits for one gets an error."""
        with self._lock:
            for reader in (*self._idle, *self._busy):
                reader.end()


class _ReaderProcess:
    def __init__(self) -> None:
        process.use_one_thread()
        context = multiprocessing.get_context("spawn")
        self._pipe, there = context.Pipe()
        self._process = context.Process(target=_serve, args=(there,), name="regis-reader", daemon=True)
        with without_ctrl_c():
            self._process.start()
        there.close()
        self.is_usable = True

    def call(self, function: Callable[..., Any], arguments: tuple[Any, ...], seconds: float) -> Any:
        """Return what a function returns, or an error."""
        with suppress(EOFError, OSError):
            self._pipe.send((function, arguments))
            if self._pipe.poll(seconds):
                self.is_usable, result = self._pipe.recv()
                return result
        self.is_usable = False
        what = f"longer than {seconds:.0f} seconds" if self._process.is_alive() else "more memory than there is"
        return PuzzleError(f"reading this file takes {what}, as no puzzle does; choose another file")

    def end(self) -> None:
        self.is_usable = False
        self._process.kill()


def _serve(pipe: Connection[Any, Any]) -> None:
    """Answer calls until the pipe ends, as it does with the server."""
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
                answer = False, PuzzleError("reading this file takes more memory than any puzzle; choose another file")
            except Exception as cause:  # one file must not cost the others theirs
                name = type(cause).__name__
                answer = True, RegisError(f"something went wrong in Regis ({name}); try another file")
            pipe.send(answer)


def _limit_memory() -> None:
    """Bound the memory of this process, where the system can; what it starts may take more, and bounds itself."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
