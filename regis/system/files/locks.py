"""File locks: one writer at a time, and readers whose files nobody deletes.

A reader holds a shared lock and never waits; whoever deletes asks with `try_lock`.
"""

from __future__ import annotations

import errno
import os
import sys
import warnings
import weakref
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

from regis.errors import OutputError, RegisError

if sys.platform != "win32":  # which lets nobody delete or rename what is open
    import fcntl

LOCKLESS_ERRNOS = frozenset((errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOLCK))
"""Errors of file systems without locks; there a writer makes a certain file."""


@contextmanager
def exclusive_lock(
    lock_path: Path, busy_message: str, describe_refusal: Callable[[OSError | None], str]
) -> Iterator[None]:
    """Keep all others out while inside, by the file `lock_path`, whose folder is made if needed.

    Raises OutputError with `busy_message` if another has the lock, or with `describe_refusal` of the disk's error at
    any step inside, None for a lock that can't be made.
    """
    import filelock  # not for whoever only reads

    try:
        lock_path.parent.mkdir(parents=True, exist_ok=True)
        if lock_path.is_symlink():  # what it leads to would be emptied
            raise OSError(errno.ELOOP, f"{lock_path} is a link; delete it")
        with _acquire_lock(lock_path):
            yield
    except RegisError:
        raise
    except filelock.Timeout as busy:
        if not lock_path.exists():  # filelock tries again where nothing can be made
            raise OutputError(describe_refusal(None)) from None
        is_mere_file = Path(busy.lock_file) != lock_path
        advice = f"; if there is none, delete {busy.lock_file}" if is_mere_file else ""
        raise OutputError(f"{busy_message}{advice}") from None
    except OSError as cause:
        raise OutputError(describe_refusal(cause)) from cause


def _acquire_lock(lock_path: Path) -> AbstractContextManager[object]:
    """Lock `lock_path`, or make a file next to it if there are no locks; raises OSError, such as Timeout."""
    import filelock

    try:
        with warnings.catch_warnings(action="ignore"):  # newer versions do the same for one of these errors, and warn
            return filelock.FileLock(lock_path, timeout=0).acquire()
    except (OSError, NotImplementedError) as cause:
        if isinstance(cause, OSError) and cause.errno not in LOCKLESS_ERRNOS:
            raise
        return filelock.SoftFileLock(lock_path.with_name(f"{lock_path.name}ed"), timeout=0).acquire()


class SharedLock:
    """A shared lock on a file, released with the object."""

    def __init__(self, path: Path) -> None:
        """Lock the file at `path`; raises FileNotFoundError if it is gone, and other OSErrors."""
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
    """Yield whether nobody has locked the file `path`, and keep others out while inside; raises OSError."""
    if sys.platform == "win32":
        yield True
        return
    handle = os.open(path, os.O_RDWR)  # over NFS a file is locked for writing only
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
