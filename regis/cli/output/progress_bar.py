"""A bar that says how far the work is: on standard error, on a terminal only, gone when the work is done."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from regis.cli.output.printing import print_note

if TYPE_CHECKING:
    from regis.cli.output.tqdm_bar import TqdmBar

MIN_BYTE_STEPS = 1_000_000  # from this many steps on, which then are bytes, they are shown as 1.00M


def show_progress(label: str, total: int | None) -> TqdmBar:
    """Show a bar for `total` steps (None: nobody knows), to be moved on with `.update(n)` inside a `with`."""
    from regis.cli.output.tqdm_bar import TqdmBar

    return TqdmBar(desc=label, total=total, unit_scale=(total or 0) >= MIN_BYTE_STEPS)


def print_beside_bar(sentence: str) -> None:
    """Print one line on standard error, which no bar is in the way of."""
    from regis.cli.output.tqdm_bar import TqdmBar

    with TqdmBar.external_write_mode(sys.stderr):
        print_note(sentence)
