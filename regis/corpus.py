"""What corpora are made of: sources, and the entries that a reader finds in them.

A reader is a function from a file to a stream of entries. It never holds the file in memory, never decides what is
kept, and never hides a row: what it cannot use it yields as a `Reject` with the reason, so that the build can count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple


class Entry(NamedTuple):
    """One row of a corpus: an answer, and the clue that somebody once gave it ('' in titles and word lists)."""

    answer: str  # A-Z only, see text.answer
    clue: str  # as a person reads it, see text.clue
    text: str  # the answer as its source writes it ('Oslo Accords'); '' when that adds nothing
    source: str  # publisher or name of the list
    year: int | None
    weight: float  # 0 to 1: how good its source thinks it is; 1 where the source does not say


class Reject(NamedTuple):
    """One row that cannot be used, and why, in words that fit after 'rejected:'."""

    reason: str


Reader = Callable[[Path], Iterator[Entry | Reject]]


class Source(NamedTuple):
    """A file and the reader that understands it, as named on the command line: `xd-clues=clues.zip`."""

    reader: str
    path: Path
