"""What is being done, on one line of a terminal while somebody waits; into a file or another program nothing.

Unlike `progress`, which says how far a work of many steps is, this needs no library: it stands there before any that
takes a while to load.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import TextIO, TypeVar

from regis.system.terminal import Screen, cut, obeys, plain

T = TypeVar("T")

PACE = 0.1  # seconds for which what was said stays, at least: a filler may take a thousand steps in that time


class Status:
    """A line of `stream` (None: nowhere). Left, it is gone."""

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream if obeys(stream) else None
        self._said = float("-inf")  # when
        self._stands = False

    def __enter__(self) -> Status:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    def say(self, what: str) -> None:
        """Says it in the place of what was said before."""
        if self._stream is None or time.monotonic() - self._said < PACE:
            return
        self._stream.write(f"\r\x1b[K{cut(plain(what), Screen.of(self._stream).width - 1)}")
        self._stream.flush()
        self._said, self._stands = time.monotonic(), True

    def counting(self, things: Iterable[T]) -> Iterator[T]:
        """The same puzzles, and meanwhile how many of them there were."""
        self.say("solving ...")
        for count, thing in enumerate(things, 1):
            yield thing
            self.say(f"solving, {count} done ...")

    def clear(self) -> None:
        """Takes it away, so that something else can be printed; what is said next is shown at once."""
        if self._stream is not None and self._stands:
            self._stream.write("\r\x1b[K")
            self._stream.flush()
        self._said, self._stands = float("-inf"), False
