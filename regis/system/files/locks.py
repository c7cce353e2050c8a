"""File locks: one writer at a time, and readers whose files nobody deletes.

A reader holds a shared lock and never waits. A process that wants to delete the files asks with `try_lock`.
"""

from __future__ import annotations

import errno
import os
import sys
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from regis.errors import OutputError, RegisError

if sys.platform != "win32":  # Windows doesn't let anyone delete or rename an open file
    import fcntl


@contextmanager
def exclusive_lock(
    lock_path: Path, busy_message: str, describe_refusal: Callable[[OSError | None], str]
) -> Iterator[None]:
    """Keep all others out with the file `lock_path`; create its folder if needed.

    Raises OutputError with `busy_message` if another process has the lock, or with `describe_refusal` of an OSError in
    this context. It gets None if the lock can't be made.
    """
    import filelock  # loading it would cost those who only read

    try:
        lock_path.parent.mkdir(parents=True, exist_ok=True)
        if lock_path.is_symlink():  # opening it would empty the file it leads to
            raise OSError(errno.ELOOP, f"{lock_path} is a link; delete it")
        with filelock.FileLock(lock_path, timeout=0):
            yield
    except RegisError:
        raise
    except (filelock.Timeout, NotImplementedError):
        # filelock also times out if it can't create the file, and refuses some file systems without locks
        raise OutputError(busy_message if lock_path.exists() else describe_refusal(None)) from None
    except OSError as cause:
        raise OutputError(describe_refusal(cause)) from cause


class SharedLock:
    """A shared lock on a file, released with the object."""

    def __init__(self, path: Path) -> None:
        """Lock the file at `path`; raises FileNotFoundError if it is gone, or another OSError."""
        if sys.platform == "win32":
            return
        handle = os.open(path, os.O_RDONLY)
        self._close = weakref.finalize(self, os.close, handle)
        with suppress(OSError):  # a file system without locks
            fcntl.flock(handle, fcntl.LOCK_SH)
        if not os.fstat(handle).st_nlink:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))

    def release(self) -> None:
        if sys.platform != "win32":
            self._close()


@contextmanager
def try_lock(path: Path) -> Iterator[bool]:
    """Yield whether the file `path` is free, and keep others out in this context; raises OSError."""
    if sys.platform == "win32":
        yield True
        return
    handle = os.open(path, os.O_RDWR)  # NFS locks only files that are open for writing
    try:
        is_free = True
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            is_free = False
        except OSError:  # a file system without locks
            pass
        yield is_free
    finally:
        os.close(handle)
