"""One puzzle, one core, and memory that stays: what the number libraries must be told before they come in.

Side by side, workers with several threads each would fight for the cores; alone, one thread is what the measured times
promise, and sums are added up in the same order however many jobs there are. The libraries look when they are
imported, so this comes before them; a variable that the user has set stays as it is.

What an array lets go is kept for the next one where the C library can be asked to (glibc). Else each large array is
memory that comes fresh from the system, page by page, and goes back.
"""

from __future__ import annotations

import ctypes
import os
import sys
from contextlib import suppress

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
