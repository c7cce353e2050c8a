"""Draw the grid while a filler works on it.

On a terminal each step is drawn over the last one and stays for the pace; the last is removed when the filler is done.
In a file, or on a terminal that is too small, the steps follow each other without a pause. Without `--watch`, a step is
shown now and then, if the terminal can be drawn over.
"""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from regis.puzzle import Cell, Puzzle
from regis.render import text_grid
from regis.system.terminal import Screen, cut_text, obeys_escape_codes, plain_text, text_width

GLANCE_SECONDS = 0.2  # that a step stays without --watch; a guess


@dataclass
class GridWatch:
    """What draws the steps of one puzzle."""

    puzzle: Puzzle
    screen: Screen
    step_seconds: float  # how long a step stays on a terminal
    print_text: Callable[[str], object]
    on_terminal: bool = field(default_factory=lambda: sys.stdout.isatty())
    drawn_lines: int = 0  # to draw over
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
        """Show a step, unless one was shown just now."""
        if time.monotonic() - self.last_drawn >= GLANCE_SECONDS and self.fits_terminal(letters()):
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
        return text_grid.grid_lines(self.puzzle.grid, cells, dict.fromkeys(cells, 1.0), self.screen)
