"""The progress of the work: a bar for each step, a line that says what is being done, and the grid as it fills.

Except for --watch, these show only on a terminal, and disappear when the work is done. The bars are tqdm's, which is
imported with the first one; the line needs no library.
"""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TextIO, TypeVar

from regis.cli.printing import print_note, shows_progress
from regis.system.terminal import Screen, cut_text, obeys_escape_codes, plain_text, text_width

if TYPE_CHECKING:
    from tqdm import tqdm

    from regis.puzzle import Cell, Puzzle

T = TypeVar("T")

MIN_SHOWN_SECONDS = 0.1  # least time that an activity stays on the line; a filler may take a thousand steps in it


def show_progress(label: str, total: int | None) -> tqdm[Any]:
    """Show a bar for `total` steps (None: unknown); `.update(n)` in a `with` moves it."""
    from tqdm import tqdm

    return tqdm(
        desc=label, total=total, file=sys.stderr, disable=not shows_progress(sys.stderr), leave=False,
        dynamic_ncols=True, unit_scale=(total or 0) >= 1_000_000,  # bytes, shown as 1.00M
        bar_format="{desc} ... {n:,.0f}" if total is None else None,
    )  # fmt: skip


def print_beside_bar(sentence: str) -> None:
    """Print one line on standard error above any bar."""
    from tqdm import tqdm

    with tqdm.external_write_mode(sys.stderr):
        print_note(sentence)


class StatusLine(AbstractContextManager["StatusLine"]):
    """A line on a stream (None: nowhere) that disappears at the end."""

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream if shows_progress(stream) and obeys_escape_codes(stream) else None
        self._last_shown = float("-inf")  # by time.monotonic
        self._is_shown = False

    def __exit__(self, *_: object) -> None:
        self.clear()

    def show_activity(self, activity: str) -> None:
        if self._stream is None or time.monotonic() - self._last_shown < MIN_SHOWN_SECONDS:
            return
        self._stream.write(f"\r\x1b[K{cut_text(plain_text(activity), Screen.for_stream(self._stream).width - 1)}")
        self._stream.flush()
        self._last_shown, self._is_shown = time.monotonic(), True

    def clear(self) -> None:
        """Remove the line, so that something else can be printed; the next activity is shown at once."""
        if self._stream is not None and self._is_shown:
            self._stream.write("\r\x1b[K")
            self._stream.flush()
        self._last_shown, self._is_shown = float("-inf"), False


@dataclass
class GridWatch:
    puzzle: Puzzle
    screen: Screen
    step_seconds: float  # how long a step stays on a terminal
    print_text: Callable[[str], object]
    on_terminal: bool = field(default_factory=lambda: sys.stdout.isatty())
    drawn_lines: int = 0  # lines to draw over
    last_drawn: float = float("-inf")  # by time.monotonic

    def __call__(self, step: str, letters: Callable[[], Mapping[Cell, str]]) -> None:
        cells, columns = letters(), Screen.for_stream(sys.stdout).width
        rows, in_place = self._draw_rows(cells), self.fits_terminal(cells)
        lines = [cut_text(plain_text(step), columns), *rows] if in_place else [plain_text(step), *rows, ""]
        self.print_text(self._erase_step() + "".join(f"{line}\n" for line in lines))
        self.drawn_lines, self.last_drawn = len(lines) if in_place else 0, time.monotonic()
        if self.on_terminal:
            time.sleep(self.step_seconds)

    def show_now_and_then(self, step: str, letters: Callable[[], Mapping[Cell, str]]) -> None:
        """Show a step, unless one was shown in the last fifth of a second."""
        if time.monotonic() - self.last_drawn >= 0.2 and self.fits_terminal(letters()):
            self(step, letters)

    def fits_terminal(self, cells: Mapping[Cell, str]) -> bool:
        """Return whether a step with these letters fits on the terminal and can be drawn over."""
        if not self.on_terminal or not obeys_escape_codes(sys.stdout):
            return False
        rows, columns = self._draw_rows(cells), Screen.for_stream(sys.stdout).width
        return len(rows) + 2 <= shutil.get_terminal_size().lines and max(map(text_width, rows)) <= columns

    def close(self) -> None:
        """Remove the last step."""
        if self.drawn_lines:
            self.print_text(self._erase_step())
            self.drawn_lines = 0

    def _erase_step(self) -> str:
        """Return the codes that clear the last step from a terminal."""
        return f"\x1b[{self.drawn_lines}A\x1b[J" if self.drawn_lines else ""

    def _draw_rows(self, cells: Mapping[Cell, str]) -> list[str]:
        from regis.render import text_grid

        return text_grid.grid_lines(self.puzzle.grid, cells, dict.fromkeys(cells, 1.0), self.screen)
