"""How many columns text takes on a terminal, which is not how many characters it has.

Letters of some scripts and most emoji are two columns wide; accents that stand alone take none. The tables are those of
Unicode, by way of wcwidth; lines break between whole letters. Colours take no room.
"""

from __future__ import annotations

import wcwidth


def wide(text: str) -> int:
    """Columns that `text` takes."""
    return wcwidth.width(text)


def padded(text: str, columns: int) -> str:
    """`text` with spaces behind it up to so many columns."""
    return wcwidth.ljust(text, columns)


def wrapped(text: str, columns: int, first: str = "", rest: str = "", whole: bool = False) -> list[str]:
    """The lines of `text`, none of them wider than `columns`; the first begins with `first`, all others with `rest`.

    With `whole`, words that are wider stay whole, as paths and addresses must that somebody will copy.
    """
    return wcwidth.wrap(
        text, max(columns, 1), initial_indent=first, subsequent_indent=rest,
        break_long_words=not whole, break_on_hyphens=not whole,
    )  # fmt: skip
