"""What the place that text goes to can show: how many columns, which characters, whether colours.

Titles and clues come from other people's files. `plain` takes out whatever would act on a terminal instead of being
shown by it (control characters, escape codes, marks that turn the writing direction round).
"""

from __future__ import annotations

import os
import shutil
import unicodedata
from dataclasses import dataclass
from typing import TextIO

PIPED = 80
"""Columns for text that goes into a file or another program."""

NARROWEST = 20

LONGEST = 2000
"""Characters of a title, clue or note that are shown; no honest one is longer."""

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
        """What `stream` can show. A terminal has its own width, and colours unless NO_COLOR is set."""
        if stream is None:
            return cls()
        terminal = stream.isatty()
        width = max(shutil.get_terminal_size((PIPED, 24)).columns, NARROWEST) if terminal else PIPED
        colour = terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        try:
            "█·".encode(stream.encoding or "ascii")
        except (UnicodeError, LookupError):
            return cls(width, False, colour)
        return cls(width, True, colour)

    def paint(self, text: str, code: str) -> str:
        """`text` in a colour (an SGR code) where there are colours."""
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour and code and text else text


def plain(text: str) -> str:
    """`text` on one line, without anything that a terminal would obey, and not without end in any direction."""
    if len(text) > LONGEST:
        text = text[:LONGEST] + "..."
    shown, marks = [], 0
    for c in text:
        marks = marks + 1 if unicodedata.category(c).startswith("M") else 0
        if marks <= MARKS:
            shown.append(c if c.isprintable() else " ")
    return " ".join("".join(shown).split())
