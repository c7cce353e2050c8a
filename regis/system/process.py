"""The threads and memory of a process, set before number libraries load, and its interrupts.

Side by side, workers with several threads each would fight for the cores; alone, one thread is what the measured times
promise, and sums are added up in the same order for any number of jobs. Variables that the user has set stay. With
glibc, freed memory is kept for the next array; else each large array would be fetched from the system page by page.
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
ARROW_POOL_VARIABLE = "ARROW_DEFAULT_MEMORY_POOL"  # its own pool takes 35 MB more for one puzzle than the system does

MALLOC_OPTIONS = {-3: 1 << 25, -1: 1 << 28}
"""From how many bytes on memory comes from the system by itself, and how many may lie idle (M_MMAP_THRESHOLD and
M_TRIM_THRESHOLD of malloc.h; no glibc refuses 32 MB for the first). (Measured: docs/experiments/memory.md.)"""


def use_one_thread() -> None:
    """Ask for one thread, in this process and in those that it starts, and for memory that stays, in this."""
    for name in THREAD_VARIABLES:
        os.environ.setdefault(name, "1")
    os.environ.setdefault(ARROW_POOL_VARIABLE, "system")
    if sys.platform == "linux":
        with suppress(AttributeError, OSError):  # another C library
            mallopt = ctypes.CDLL(None).mallopt
            all(mallopt(option, size) for option, size in MALLOC_OPTIONS.items())  # one alone would be worse than none


@contextmanager
def keep_interrupts() -> Iterator[Callable[[], None]]:
    """Make SIGTERM interrupt as Ctrl-C does, and yield what raises the interrupt again, to be called between tasks.

    Python drops an exception that a signal raises within a finalizer. Ctrl-C that is ignored, as in the background,
    stays so. Outside the main thread nothing changes.
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
