"""What is being done, on one line of a terminal while somebody waits; into a file or another program nothing.

Unlike `progress_bar`, which says how far a work of many steps is, this needs no library: it stands there before any
that takes a while to load.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TextIO, TypeVar

from regis.cli.output.progress_bar import show_progress
from regis.system.progress import Progress, ProgressBar
from regis.system.terminal import Screen, cut_text, obeys_escape_codes, plain_text

T = TypeVar("T")

MIN_SHOWN_SECONDS = 0.1  # what was said stays so long, at least: a filler may take a thousand steps in that time


class StatusLine(AbstractContextManager["StatusLine"]):
    """A line of a stream (None: nowhere). Left, it is gone."""

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream if obeys_escape_codes(stream) else None
        self._last_shown = float("-inf")  # by time.monotonic
        self._is_shown = False

    def __exit__(self, *_: object) -> None:
        self.clear()

    def show_activity(self, activity: str) -> None:
        """Say what is being done, in the place of what was said before."""
        if self._stream is None or time.monotonic() - self._last_shown < MIN_SHOWN_SECONDS:
            return
        self._stream.write(f"\r\x1b[K{cut_text(plain_text(activity), Screen.for_stream(self._stream).width - 1)}")
        self._stream.flush()
        self._last_shown, self._is_shown = time.monotonic(), True

    def count_solved(self, puzzles: Iterable[T]) -> Iterator[T]:
        """Hand on what is solved, and say meanwhile how many there were."""
        self.show_activity("solving ...")
        for count, solved in enumerate(puzzles, 1):
            yield solved
            self.show_activity(f"solving, {count} done ...")

    def show_around_bars(self, activity: str) -> Progress:
        """Say what is being done before, between and behind the bars of a work, which are shown by what is returned."""
        self.show_activity(activity)

        @contextmanager
        def show_bar(label: str, total: int | None) -> Iterator[ProgressBar]:
            self.clear()
            with show_progress(label, total) as bar:
                yield bar
            self.show_activity(activity)

        return show_bar

    def clear(self) -> None:
        """Take it away, so that something else can be printed; what is said next is shown at once."""
        if self._stream is not None and self._is_shown:
            self._stream.write("\r\x1b[K")
            self._stream.flush()
        self._last_shown, self._is_shown = float("-inf"), False
