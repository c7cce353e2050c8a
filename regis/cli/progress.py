"""A bar that says how far the work is: on standard error, on a terminal only, gone when the work is done."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from regis.cli.printing import report

if TYPE_CHECKING:
    from regis.cli.meter import Bar

LARGE = 1_000_000  # from this many steps on, which then are bytes, they are shown as 1.00M


def bar(label: str, total: int | None) -> Bar:
    """A bar for `total` steps (None: nobody knows), to be moved on with `.update(n)` inside a `with`."""
    from regis.cli.meter import Bar

    shown = sys.stderr is not None and sys.stderr.isatty()
    large = (total or 0) >= LARGE
    return Bar(
        desc=label, total=total, file=sys.stderr, disable=not shown, leave=False, dynamic_ncols=True, unit_scale=large
    )


def beside(sentence: str) -> None:
    """One line on standard error, which no bar is in the way of."""
    from regis.cli.meter import Bar

    with Bar.external_write_mode(sys.stderr):
        report(sentence)
