"""A bar, for whoever has something to show: the library behind it takes a while to load."""

from __future__ import annotations

import sys
from typing import Any

from tqdm import tqdm


class TqdmBar(tqdm):  # type: ignore[type-arg]  # it takes an argument for type checkers only
    """A bar on a terminal that does not pretend to know how long it takes where nobody does."""

    def __init__(self, **settings: Any) -> None:
        is_shown = sys.stderr is not None and sys.stderr.isatty()
        super().__init__(file=sys.stderr, disable=not is_shown, leave=False, dynamic_ncols=True, **settings)

    @staticmethod
    def format_meter(n: float, total: float | None, elapsed: float, *args: Any, **kwargs: Any) -> str:
        if total is not None:
            return tqdm.format_meter(n, total, elapsed, *args, **kwargs)
        return f"{kwargs['prefix']} ..." + (f" {n:,.0f}" if n else "")
