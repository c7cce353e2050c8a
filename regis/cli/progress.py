"""A bar that says how far the work is: on standard error, on a terminal only, gone when the work is done."""

from __future__ import annotations

import sys
from typing import Any

from tqdm import tqdm


def bar(label: str, total: int | None) -> tqdm[Any]:
    """A bar for `total` steps (None: nobody knows), to be moved on with `.update(n)` inside a `with`."""
    shown = sys.stderr is not None and sys.stderr.isatty()
    return tqdm(desc=label, total=total, file=sys.stderr, disable=not shown, leave=False, dynamic_ncols=True)
