"""One writer at a time, on a disk that others use too."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from regis.errors import OutputError


@contextmanager
def locked(lock: Path, busy: str, refused: Callable[[OSError | None], str]) -> Iterator[None]:
    """Nobody else's while inside; `lock` is a file for that, whose folder is made if need be.

    Raises OutputError: `busy`, where somebody else has it, and what `refused` makes of the disk's refusal, at whatever
    step inside; None stands for a lock that cannot be made, for whatever reason.
    """
    import filelock  # not for whoever only reads

    try:
        lock.parent.mkdir(parents=True, exist_ok=True)
        with filelock.FileLock(lock, timeout=0):
            yield
    except filelock.Timeout:
        if not lock.exists():  # filelock tries again where nothing can be made
            raise OutputError(refused(None)) from None
        raise OutputError(busy) from None
    except OSError as cause:
        raise OutputError(refused(cause)) from cause
