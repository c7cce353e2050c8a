"""One writer at a time, on a disk that others use too."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from regis.errors import OutputError


@contextmanager
def exclusive_lock(
    lock_path: Path, busy_message: str, describe_refusal: Callable[[OSError | None], str]
) -> Iterator[None]:
    """Keep all others out while inside.

    Parameters
    ----------
    lock_path : a file for this alone; its folder is made if need be.
    busy_message : what is said where somebody else has the lock.
    describe_refusal : from the disk's error, at whatever step inside, to what is said of it; None stands for a lock
        that cannot be made, for whatever reason.

    Raises
    ------
    OutputError : with one of these messages.
    """
    import filelock  # not for whoever only reads

    try:
        lock_path.parent.mkdir(parents=True, exist_ok=True)
        if lock_path.is_symlink():  # what it leads to would be emptied
            raise OSError(errno.ELOOP, f"{lock_path} is a link; delete it")
        with filelock.FileLock(lock_path, timeout=0):
            yield
    except filelock.Timeout:
        if not lock_path.exists():  # filelock tries again where nothing can be made
            raise OutputError(describe_refusal(None)) from None
        raise OutputError(busy_message) from None
    except OSError as cause:
        raise OutputError(describe_refusal(cause)) from cause
