"""The grid as text, a cell in two columns, so that it looks square.

One column is for the letter, and half a gap on either side of it, into which blocks reach. Doubtful letters are lower
case, very doubtful ones have a question mark in the gap besides; where there are colours they are yellow and red as
well. A square with several letters shows a digit, and the letters below the grid.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise

from regis.fill import DOUBTFUL, VERY_DOUBTFUL, Solved
from regis.puzzle import BLOCK, Cell, Grid, Slot
from regis.screen import Screen, plain

YELLOW, RED, DIM = "33", "31", "2"
GAPS = {(False, False): " ", (False, True): "▐", (True, False): "▌", (True, True): "█"}
"""What stands between two squares, by whether the left one and the right one are blocks."""


def lines(grid: Grid, cells: Mapping[Cell, str], confidence: Mapping[Cell, float], screen: Screen) -> list[str]:
    """The rows, and the squares with several letters; without gaps where the screen is too narrow for them."""
    rebus = _rebus(cells)
    spaced = 2 * grid.width < screen.width
    rows = []
    for r, row in enumerate(grid.rows):
        blocks = [x == BLOCK for x in row]
        gaps = [GAPS[beside] if spaced else "" for beside in pairwise([False, *blocks, False])]
        parts = [
            "█" + gap if block else _cell(cells.get((r, c), ""), confidence.get((r, c), 0.0), rebus, screen, gap)
            for c, (block, gap) in enumerate(zip(blocks, gaps[1:], strict=True))
        ]
        rows.append(_blocks(gaps[0] + "".join(parts), screen).rstrip())
    return rows + [f"{mark} = {plain(content)}" for content, mark in rebus.items()]


def legend(solved: Solved, screen: Screen) -> str:
    """How to read the grid; only what occurs in it."""
    cells, confidence = solved.solution.cells, solved.solution.confidence
    sure = [confidence.get(cell, 0.0) for cell in cells]
    words = []
    if not solved.puzzle.grid.cells:
        words.append("There is no white square in this puzzle.")
    elif not solved.puzzle.grid.slots:
        words.append("There is no word of two or more squares in this puzzle.")
    if any(p < DOUBTFUL for p in sure):
        words.append(f"Lower case: less than {DOUBTFUL:.0%} sure.")
    if any(p < VERY_DOUBTFUL for p in sure):
        words.append(f"With a question mark: less than {VERY_DOUBTFUL:.0%} sure.")
    if solved.squares:
        several = f"{len(solved.squares)} squares hold" if len(solved.squares) > 1 else "1 square holds"
        words.append(f"Regis believes that this is a rebus: {several} several letters, shown as digits.")
    if len(cells) < len(solved.puzzle.grid.cells):
        words.append(f"{empty(screen)} is an empty square.")
    return " ".join(words) or f"All letters are at least {DOUBTFUL:.0%} sure."


def word(solved: Solved, slot: Slot, screen: Screen) -> str:
    """The letters of a slot, doubtful ones in lower case as in the grid."""
    cells, confidence = solved.solution.cells, solved.solution.confidence
    parts = ((plain(cells.get(cell, "")), confidence.get(cell, 0.0)) for cell in slot.cells)
    return "".join(case(content, p) if content else empty(screen) for content, p in parts)


def case(content: str, p: float) -> str:
    """What a cell holds, in lower case where it is doubtful."""
    return content.lower() if p < DOUBTFUL else content


def empty(screen: Screen) -> str:
    """An empty square."""
    return "·" if screen.unicode else "."


def _blocks(line: str, screen: Screen) -> str:
    """`line` with its blocks as the screen can show them; halves of a block need Unicode."""
    if screen.unicode:
        return re.sub("[█▐▌]+", lambda run: screen.paint(run[0], DIM), line)
    return line.translate(str.maketrans("█▐▌", "#  "))


def _cell(content: str, p: float, rebus: Mapping[str, str], screen: Screen, gap: str) -> str:
    """One white square and the gap after it, in which a very doubtful letter has its question mark."""
    if not content:
        return empty(screen) + gap
    shown = rebus.get(content) or case(plain(content), p)
    if gap and p < VERY_DOUBTFUL:
        shown, gap = shown + "?", ""
    colour = RED if p < VERY_DOUBTFUL else YELLOW if p < DOUBTFUL else ""
    return screen.paint(shown, colour) + gap


def _rebus(cells: Mapping[Cell, str]) -> dict[str, str]:
    """Squares with several letters -> the digit that stands for them in the grid; `*` when the digits run out."""
    contents = dict.fromkeys(x for x in cells.values() if len(x) > 1)
    return {content: str(i) if i < 10 else "*" for i, content in enumerate(contents, 1)}
