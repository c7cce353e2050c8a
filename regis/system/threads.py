"""One puzzle, one core: keeps the number libraries from starting threads of their own.

Side by side, workers with several threads each would fight for the cores; alone, one thread is what the measured times
promise, and sums are added up in the same order however many jobs there are. The libraries look when they are
imported, so this comes before them; a variable that the user has set stays as it is.
"""

from __future__ import annotations

import os

VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")

POOL = "ARROW_DEFAULT_MEMORY_POOL"
"""Where pyarrow's memory comes from. Its own pool takes 35 MB more for one puzzle than the system does."""


def one() -> None:
    """Asks for one thread, in this process and in those that it starts."""
    for name in VARIABLES:
        os.environ.setdefault(name, "1")
    os.environ.setdefault(POOL, "system")
