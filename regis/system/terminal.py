"""What a terminal can show: columns, characters, colors.

Titles and clues come from other people: `plain_text` removes control characters, escape codes, and direction marks.
Some scripts and emoji are two columns wide, and combining accents take none: `text_width`, `pad_text`, and `wrap_text`
use Unicode's tables (wcwidth, loaded only for text beyond ASCII). Colors take no columns.
"""

from __future__ import annotations

import os
import textwrap
import unicodedata
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TextIO

PIPED_COLUMNS = 80  # columns for text that goes into a file or another program
MIN_COLUMNS = 20  # even on a narrower terminal

MAX_TEXT_LENGTH = 2000  # characters of a title, clue or note that are shown; no honest one is longer


@dataclass(frozen=True)
class Screen:
    """Where text is shown; by default a file: 80 columns, any character, no color."""

    width: int = PIPED_COLUMNS
    unicode: bool = True
    color: bool = False
    show_numbers: bool = False  # whether to show numbers in the grid
    height: int | None = None  # rows of a terminal, which keeps the last ones in sight

    @classmethod
    def for_stream(cls, stream: TextIO | None) -> Screen:
        """Find what `stream` can show: a terminal's width, and colors unless NO_COLOR is set; elsewhere $COLUMNS."""
        if stream is None:
            return cls()
        size = _terminal_size(stream)
        width = max((size.columns if size else 0) or _requested_columns() or PIPED_COLUMNS, MIN_COLUMNS)
        height = size.lines if size and size.lines else None
        color = obeys_escape_codes(stream) and not os.environ.get("NO_COLOR")
        try:
            "█·".encode(stream.encoding or "ascii")
        except (UnicodeError, LookupError):
            return cls(width, False, color, height=height)
        return cls(width, True, color, height=height)

    def paint(self, text: str, code: str) -> str:
        """Color `text` by an SGR code if there are colors."""
        return f"\x1b[{code}m{text}\x1b[0m" if self.color and code and text else text


def obeys_escape_codes(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty() and os.environ.get("TERM") != "dumb"


def _terminal_size(stream: TextIO) -> os.terminal_size | None:
    """Return the columns and rows of a terminal, 0 if unknown; None if `stream` isn't a terminal."""
    with suppress(OSError, ValueError):
        return os.get_terminal_size(stream.fileno()) if stream.isatty() else None
    return None


def _requested_columns() -> int:
    columns = os.environ.get("COLUMNS", "")
    return int(columns) if columns.isdecimal() and len(columns) < 5 else 0


def plain_text(text: str) -> str:
    """Return `text` on one line of bounded length, without anything that controls a terminal."""
    if len(text) > MAX_TEXT_LENGTH:
        text = text[:MAX_TEXT_LENGTH] + "..."
    if text.isascii() and text.isprintable():  # most text is plain already
        return " ".join(text.split())
    characters, marks = [], 0
    for c in text:
        marks = marks + 1 if unicodedata.category(c).startswith("M") else 0
        if marks <= 6:
            characters.append(c if c.isprintable() else " ")
    return " ".join("".join(characters).split())


def text_width(text: str) -> int:
    if _is_narrow(text):
        return len(text)
    import wcwidth

    return wcwidth.width(text)


def pad_text(text: str, columns: int) -> str:
    return text + " " * (columns - text_width(text))


def wrap_text(
    text: str, columns: int, first_indent: str = "", other_indent: str = "", keep_words: bool = False
) -> list[str]:
    """Wrap `text` into lines no wider than `columns`, with an indent for the first and for all others.

    `keep_words` keeps wider words whole, such as paths and addresses to copy.
    """
    wrap: Callable[..., list[str]] = textwrap.wrap
    if not _is_narrow(first_indent + other_indent + text):
        from wcwidth import wrap
    lines = wrap(
        text, max(columns, 1), initial_indent=first_indent, subsequent_indent=other_indent,
        break_long_words=not keep_words, break_on_hyphens=not keep_words,
    )  # fmt: skip
    return [line.rstrip() for line in lines]  # textwrap leaves a space at the end of a full line


def cut_text(text: str, columns: int) -> str:
    return next(iter(wrap_text(text, columns)), "")


def _is_narrow(text: str) -> bool:
    return text.isascii() and text.isprintable()
