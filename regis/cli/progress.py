"""A bar that says how far the work is: on standard error, on a terminal only, gone when the work is done."""

from __future__ import annotations

import sys
from typing import Any

from tqdm import tqdm

from regis.cli.printing import report

LARGE = 1_000_000  # from this many steps on, which then are bytes, they are shown as 1.00M


class Bar(tqdm):  # type: ignore[type-arg]  # it takes an argument for type checkers only
    """One that does not pretend to know how long it takes where nobody does."""

    @staticmethod
    def format_meter(n: float, total: float | None, elapsed: float, *rest: Any, **more: Any) -> str:
        if total is not None:
            return tqdm.format_meter(n, total, elapsed, *rest, **more)
        return f"{more['prefix']} ..." + (f" {n:,.0f}" if n else "")


def bar(label: str, total: int | None) -> Bar:
    """A bar for `total` steps (None: nobody knows), to be moved on with `.update(n)` inside a `with`."""
    shown = sys.stderr is not None and sys.stderr.isatty()
    large = (total or 0) >= LARGE
    return Bar(
        desc=label, total=total, file=sys.stderr, disable=not shown, leave=False, dynamic_ncols=True, unit_scale=large
    )


def beside(sentence: str) -> None:
    """One line on standard error, which no bar is in the way of."""
    with Bar.external_write_mode(sys.stderr):
        report(sentence)
