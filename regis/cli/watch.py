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
from regis.render import grid
from regis.system.terminal import Screen, cut, obeys, plain, wide


@dataclass
class Watching:
    """A filler's watch on one puzzle; `show` prints."""

    puzzle: Puzzle
    screen: Screen
    pace: float
    show: Callable[[str], object]
    terminal: bool = field(default_factory=lambda: sys.stdout.isatty())
    drawn: int = 0  # lines to draw over

    def __call__(self, done: str, letters: Callable[[], Mapping[Cell, str]]) -> None:
        cells = letters()
        rows = grid.lines(self.puzzle.grid, cells, dict.fromkeys(cells, 1.0), self.screen)
        columns = Screen.of(sys.stdout).width
        in_place = self._in_place(rows, columns)
        lines = [cut(plain(done), columns), *rows] if in_place else [plain(done), *rows, ""]
        self.show(self._back() + "".join(f"{line}\n" for line in lines))
        self.drawn = len(lines) if in_place else 0
        if self.terminal:
            time.sleep(self.pace)

    def close(self) -> None:
        """Wipes the last step away."""
        if self.drawn:
            self.show(self._back())
            self.drawn = 0

    def _back(self) -> str:
        """What takes a terminal back to where the step before began, and clears it from there."""
        return f"\x1b[{self.drawn}A\x1b[J" if self.drawn else ""

    def _in_place(self, rows: list[str], columns: int) -> bool:
        """Whether all of a step can be seen at once, no line broken, so that it can be drawn over."""
        if not self.terminal or not obeys(sys.stdout):
            return False
        return len(rows) + 2 <= shutil.get_terminal_size().lines and max(map(wide, rows)) <= columns
