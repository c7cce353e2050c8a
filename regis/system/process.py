"""A process's threads and memory, set before number libraries load, and its interrupts.

Workers with several threads each would compete for the cores; one thread also adds sums in the same order. Variables
that the user has set stay. glibc keeps freed memory for the next array instead of fetching it page by page.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
ARROW_POOL_VARIABLE = "ARROW_DEFAULT_MEMORY_POOL"  # Arrow's own pool takes 35 MB more for one puzzle than the system's

MALLOC_OPTIONS = {-3: 1 << 25, -1: 1 << 28}
"""M_MMAP_THRESHOLD and M_TRIM_THRESHOLD of malloc.h, in bytes; no glibc refuses 32 MB for the first. (Measured:
docs/experiments/memory.md.)"""


def use_one_thread() -> None:
    """Use one thread, in this process and its children, and keep freed memory."""
    for name in THREAD_VARIABLES:
        os.environ.setdefault(name, "1")
    os.environ.setdefault(ARROW_POOL_VARIABLE, "system")
    if sys.platform == "linux":
        with suppress(AttributeError, OSError):  # another C library
            mallopt = ctypes.CDLL(None).mallopt
            all(mallopt(option, size) for option, size in MALLOC_OPTIONS.items())  # one alone would be worse than none


@contextmanager
def keep_interrupts() -> Iterator[Callable[[], None]]:
    """Make SIGTERM interrupt as Ctrl-C does, and yield a function that raises a lost interrupt, to call between tasks.

    Python drops an exception that a signal raises in a finalizer. An ignored Ctrl-C, as in the background, stays so.
    Outside the main thread nothing changes.
    """
    interrupts: list[int] = []

    def interrupt(number: int, _: object) -> None:
        interrupts.append(number)
        raise KeyboardInterrupt

    def raise_again() -> None:
        if interrupts:
            raise KeyboardInterrupt

    before = {}
    if threading.current_thread() is threading.main_thread():
        before[signal.SIGTERM] = signal.signal(signal.SIGTERM, interrupt)
        if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
            before[signal.SIGINT] = signal.signal(signal.SIGINT, interrupt)
    try:
        yield raise_again
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
