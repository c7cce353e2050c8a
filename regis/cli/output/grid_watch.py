"""`--watch`: the grid as a filler works on it, step by step.

On a terminal each step is drawn over the one before and stays for the pace; the last is wiped away when the filler is
done. Into a file or another program the steps go one below the other, without a pause; so they do on a terminal that is
too small for the grid.
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


@dataclass
class GridWatch:
    """A filler's watch on one puzzle."""

    puzzle: Puzzle
    screen: Screen
    step_seconds: float  # how long a step stays on a terminal
    print_text: Callable[[str], object]
    on_terminal: bool = field(default_factory=lambda: sys.stdout.isatty())
    drawn_lines: int = 0  # to draw over

    def __call__(self, step: str, letters: Callable[[], Mapping[Cell, str]]) -> None:
        cells = letters()
        rows = text_grid.grid_lines(self.puzzle.grid, cells, dict.fromkeys(cells, 1.0), self.screen)
        columns = Screen.for_stream(sys.stdout).width
        in_place = self._fits_terminal(rows, columns)
        lines = [cut_text(plain_text(step), columns), *rows] if in_place else [plain_text(step), *rows, ""]
        self.print_text(self._erase_step() + "".join(f"{line}\n" for line in lines))
        self.drawn_lines = len(lines) if in_place else 0
        if self.on_terminal:
            time.sleep(self.step_seconds)

    def close(self) -> None:
        """Wipe the last step away."""
        if self.drawn_lines:
            self.print_text(self._erase_step())
            self.drawn_lines = 0

    def _erase_step(self) -> str:
        """Return what takes a terminal back to where the step before began, and clears it from there."""
        return f"\x1b[{self.drawn_lines}A\x1b[J" if self.drawn_lines else ""

    def _fits_terminal(self, rows: list[str], columns: int) -> bool:
        """Return whether all of a step can be seen at once, no line broken, so that it can be drawn over."""
        if not self.on_terminal or not obeys_escape_codes(sys.stdout):
            return False
        return len(rows) + 2 <= shutil.get_terminal_size().lines and max(map(text_width, rows)) <= columns
