"""What the place that text goes to can show: how many columns, which characters, whether colours.

Titles and clues come from other people's files. `plain` takes out whatever would act on a terminal instead of being
shown by it (control characters, escape codes, marks that turn the writing direction round). Letters of some scripts and
most emoji are two columns wide, accents that stand alone take none: `wide`, `padded` and `wrapped` count columns by the
tables of Unicode, by way of wcwidth, and colours take no room. Text of ASCII needs no tables, and those no import.
"""

from __future__ import annotations

import os
import textwrap
import unicodedata
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TextIO

PIPED = 80  # columns for text that goes into a file or another program
NARROWEST = 20

LONGEST = 2000  # characters of a title, clue or note that are shown; no honest one is longer
MARKS = 6
"""Accents and other marks on one letter that are shown; more of them cover the lines above. A guess: no script that we
know needs as many."""


@dataclass(frozen=True)
class Screen:
    """The default is a file: 80 columns, any character, no colour."""

    width: int = PIPED
    unicode: bool = True
    colour: bool = False
    numbers: bool = False  # whether the reader wants them in the grid

    @classmethod
    def of(cls, stream: TextIO | None) -> Screen:
        """What `stream` can show. A terminal has its own width, and colours unless NO_COLOR is set.

        Elsewhere $COLUMNS is as wide as text may be, if it is set.
        """
        if stream is None:
            return cls()
        width = max(_columns(stream) or _asked() or PIPED, NARROWEST)
        colour = obeys(stream) and not os.environ.get("NO_COLOR")
        try:
            "█·".encode(stream.encoding or "ascii")
        except (UnicodeError, LookupError):
            return cls(width, False, colour)
        return cls(width, True, colour)

    def paint(self, text: str, code: str) -> str:
        """`text` in a colour (an SGR code) where there are colours."""
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour and code and text else text


def obeys(stream: TextIO | None) -> bool:
    """Whether `stream` is a terminal that colours and clears what it is told to, as a dumb one does not."""
    return stream is not None and stream.isatty() and os.environ.get("TERM") != "dumb"


def _columns(stream: TextIO) -> int:
    """The columns of a terminal, which other streams need not lead to; 0 for what is none, or does not say."""
    with suppress(OSError, ValueError):
        return os.get_terminal_size(stream.fileno()).columns if stream.isatty() else 0
    return 0


def _asked() -> int:
    """The columns that somebody asked for, who sends text elsewhere; 0 for nobody."""
    asked = os.environ.get("COLUMNS", "")
    return int(asked) if asked.isdecimal() and len(asked) < 5 else 0


def plain(text: str) -> str:
    """`text` on one line, without anything that a terminal would obey, and not without end in any direction."""
    if len(text) > LONGEST:
        text = text[:LONGEST] + "..."
    if text.isascii() and text.isprintable():  # as most text is
        return " ".join(text.split())
    shown, marks = [], 0
    for c in text:
        marks = marks + 1 if unicodedata.category(c).startswith("M") else 0
        if marks <= MARKS:
            shown.append(c if c.isprintable() else " ")
    return " ".join("".join(shown).split())


def wide(text: str) -> int:
    """Columns that `text` takes."""
    if _narrow(text):
        return len(text)
    import wcwidth

    return wcwidth.width(text)


def padded(text: str, columns: int) -> str:
    """`text` with spaces behind it up to so many columns."""
    return text + " " * (columns - wide(text))


def wrapped(text: str, columns: int, first: str = "", rest: str = "", whole: bool = False) -> list[str]:
    """The lines of `text`, none of them wider than `columns`; the first begins with `first`, all others with `rest`.

    With `whole`, words that are wider stay whole, as paths and addresses must that somebody will copy.
    """
    wrap: Callable[..., list[str]] = textwrap.wrap
    if not _narrow(first + rest + text):
        from wcwidth import wrap
    lines = wrap(
        text, max(columns, 1), initial_indent=first, subsequent_indent=rest,
        break_long_words=not whole, break_on_hyphens=not whole,
    )  # fmt: skip
    return [line.rstrip() for line in lines]  # textwrap leaves a blank where a line is full


def cut(text: str, columns: int) -> str:
    """What of `text` has room on one line."""
    return next(iter(wrapped(text, columns)), "")


def _narrow(text: str) -> bool:
    """Whether each character takes a column."""
    return text.isascii() and text.isprintable()
