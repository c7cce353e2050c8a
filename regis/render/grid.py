"""The grid as text, a cell in two columns, so that it looks square.

One column is for the letter, and half a gap on either side of it, into which blocks reach. Doubtful letters are lower
case, very doubtful ones have a question mark in the gap besides; where there are colours they are magenta and red as
well. Where there are bars, they have a third column, and a line between two rows. A square with several letters shows a
digit (`*` when those run out) that stands nowhere in the grid, and the letters below the grid. Whoever wants numbers
gets two lines a row, the numbers on the upper one, where the screen has three columns a cell.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator, Mapping
from itertools import chain, pairwise, repeat

from regis.puzzle import BLOCK, Cell, Grid, Slot
from regis.puzzle.alphabet import ALPHABET
from regis.solving.solved import BOTH, DOUBTFUL, VERY_DOUBTFUL, Solved
from regis.system.terminal import Screen, plain, wide

MAGENTA, RED, DIM = "35", "31", "2"
"""Colours that can be read on a light screen and on a dark one."""

BAR, FLAT_BAR = "┃", "━"
GAPS = {(False, False): " ", (False, True): "▐", (True, False): "▌", (True, True): "█"}
"""What stands between two squares, by whether the left one and the right one are blocks."""

CIRCLE, CIRCLED = "○", ")"
"""An empty square with a circle, and, where there is no Unicode, what stands behind a square with one."""

IN_CIRCLES = {ord(a): chr(ord("Ⓐ") + i) for i, a in enumerate(ALPHABET)}
IN_CIRCLES |= {ord(a.lower()): chr(ord("ⓐ") + i) for i, a in enumerate(ALPHABET)}
IN_CIRCLES |= {ord(str(i)): chr(ord("①") + i - 1) for i in range(1, 10)}

WIDE = {" ": "  ", "▐": " ▐", "▌": "▌ ", "█": "██"}  # the same where there is a column for bars

NUMBERED = 3
"""Columns of a cell with a number: two digits and a gap. A longer number that has no room shows its last two digits."""


def lines(
    grid: Grid,
    cells: Mapping[Cell, str],
    confidence: Mapping[Cell, float],
    screen: Screen,
    circles: Container[Cell] = (),
) -> list[str]:
    """The rows, and the squares with several letters; without numbers or gaps where the screen has no room for them."""
    contents = dict.fromkeys(x for x in cells.values() if wide(plain(x)) != 1)
    digits = (digit for digit in "123456789" if digit not in cells.values())
    rebus = dict(zip(contents, chain(digits, repeat("*")), strict=False))

    def square(cell: Cell, gap: str) -> str:
        """A white square and the gap after it, in which a very doubtful letter has its question mark."""
        content, p = cells.get(cell, ""), confidence.get(cell, 0.0)
        ringed = cell in circles and screen.unicode
        if cell in circles and not screen.unicode and gap:
            gap = CIRCLED + gap[1:]
        if not content:
            return (CIRCLE if ringed else empty(screen)) + gap
        shown = rebus.get(content) or case(plain(content), p)
        if ringed:
            shown = shown.translate(IN_CIRCLES)
        if gap and p < VERY_DOUBTFUL:
            shown, gap = shown + "?", gap[1:]
        return screen.paint(shown, RED if p < VERY_DOUBTFUL else MAGENTA if p < DOUBTFUL else "") + gap

    drawn = _numbered if _has_numbers(grid, screen) else _plain
    rows = [_shown(line, screen).rstrip() for line in drawn(grid, screen, square)]
    return rows + [f"{mark} = {plain(content)}" for content, mark in rebus.items()]


def _plain(grid: Grid, screen: Screen, square: Callable[[Cell, str], str]) -> Iterator[str]:
    """One line a row, and one for the bars below it where there are any."""
    spaced = _has_gaps(grid, screen)
    for r, row in enumerate(grid.rows):
        blocks = [x == BLOCK for x in row]
        gaps = [GAPS[beside] if spaced else "" for beside in pairwise([False, *blocks, False])]
        if spaced and grid.bars:
            gaps[1:] = [" " + BAR if ((r, c), (r, c + 1)) in grid.bars else WIDE[gap] for c, gap in enumerate(gaps[1:])]
        parts = zip(blocks, gaps[1:], strict=True)
        yield gaps[0] + "".join("█" + gap if block else square((r, c), gap) for c, (block, gap) in enumerate(parts))
        if spaced:
            yield from _bars_below(grid, r, _side(grid))


def _numbered(grid: Grid, screen: Screen, square: Callable[[Cell, str], str]) -> Iterator[str]:
    """Two lines a row, and one for the bars below it where there are any."""
    side = _numbered_side(grid, screen)
    block, gap = "█" * side, " " * (side - 2)
    for r, row in enumerate(grid.rows):
        labels = [str(grid.numbers.get((r, c), ""))[1 - side :] for c in range(grid.width)]
        edges = [BAR if ((r, c - 1), (r, c)) in grid.bars else " " for c in range(grid.width)]
        yield "".join(
            block if x == BLOCK else screen.paint(label, DIM) + edge * (not label) + " " * (side - max(len(label), 1))
            for x, label, edge in zip(row, labels, edges, strict=True)
        )
        yield "".join(block if x == BLOCK else edges[c] + square((r, c), gap) for c, x in enumerate(row))
        yield from _bars_below(grid, r, side)


def _bars_below(grid: Grid, r: int, side: int) -> Iterator[str]:
    """One line if there are bars below row `r`, of which each cell is `side` columns wide."""
    if any(upper[0] == r < lower[0] for upper, lower in grid.bars):
        bars = (((r, c), (r + 1, c)) in grid.bars for c in range(grid.width))
        yield "".join((FLAT_BAR if bar else " ") * side for bar in bars)


def _side(grid: Grid) -> int:
    """Columns of a cell without a number: a letter, a gap and, where there are bars, one for them."""
    return 3 if grid.bars else 2


def _has_gaps(grid: Grid, screen: Screen) -> bool:
    """Whether there is room for gaps between squares without numbers, and so for question marks and bars."""
    return _side(grid) * grid.width < screen.width


def _has_numbers(grid: Grid, screen: Screen) -> bool:
    return screen.numbers and NUMBERED * grid.width < screen.width


def _numbered_side(grid: Grid, screen: Screen) -> int:
    """Columns of a numbered cell: enough for the longest number, where there is room for that."""
    longest = 1 + len(str(len(grid.numbers)))
    return longest if longest > NUMBERED and longest * grid.width < screen.width else NUMBERED


def _found(solved: Solved) -> int:
    """How many of the rebus squares that are shown the person did not write."""
    given, cells = solved.puzzle.given, solved.solution.cells
    return sum(cells.get(cell) == content != given.get(cell) for cell, content in solved.squares.items())


def legend(solved: Solved, screen: Screen | None) -> str:
    """How to read the grid, on a screen or as a picture (None), which has room for all; only what occurs in it."""
    cells, confidence = solved.solution.cells, solved.solution.confidence
    sure = [confidence.get(cell, 0.0) for cell in cells]
    shape = solved.puzzle.grid
    words = [*_no_room(shape, screen)] if screen else []
    if not shape.cells:
        words.append("There is no white square in this puzzle.")
    elif not shape.slots:
        words.append("There is no word of two or more squares in this puzzle.")
    if any(p < DOUBTFUL for p in sure):
        words.append(f"Lower case: less than {DOUBTFUL:.0%} sure.")
    if any(p < VERY_DOUBTFUL for p in sure) and (screen is None or _has_gaps(shape, screen)):
        words.append(f"With a question mark: less than {VERY_DOUBTFUL:.0%} sure.")
    if many := _found(solved):
        several = f"{many} squares hold" if many > 1 else "1 square holds"
        as_digits = ", shown as digits" if screen else ""
        words.append(f"Regis believes that this is a rebus: {several} several letters{as_digits}.")
    if any(BOTH in solved.read(cell) for cell in solved.squares):
        words.append(f"What stands before {BOTH} is the answer's across, what stands behind it, down.")
    words += [one.sentence for one in solved.either]
    if solved.twofold.difference(*(one.squares for one in solved.either)):
        words.append(f"Where {BOTH} stands between two letters, Regis believes that either is right.")
    if solved.theme:
        words.append(solved.theme.sentence)
    if len(cells) < len(shape.cells):
        words.append(f"{empty(screen or Screen())} is an empty square.")
    return " ".join(words) or _all_sure(solved)


def _no_room(shape: Grid, screen: Screen) -> Iterator[str]:
    """What the screen is too narrow for."""
    if screen.numbers and not _has_numbers(shape, screen):
        yield f"There is no room for numbers; they need {NUMBERED * shape.width + 1} columns."
    elif screen.numbers and len(str(len(shape.numbers))) >= _numbered_side(shape, screen):
        yield "Numbers above 99 are shown by their last two digits."
    if shape.bars and not _has_gaps(shape, screen):
        yield f"There is no room for bars; they need {_side(shape) * shape.width + 1} columns."


def _all_sure(solved: Solved) -> str:
    """That no letter is doubtful; a whole entry may still be, of whose letters each may be wrong."""
    least = min(solved.answers, key=lambda answer: answer.confidence, default=None)
    if least is None or least.confidence >= DOUBTFUL:
        return f"All letters and entries are at least {DOUBTFUL:.0%} sure."
    sure = f"All letters are at least {DOUBTFUL:.0%} sure, but not all entries as a whole"
    return f"{sure}: {least.slot} is {least.confidence:.0%} sure."


def word(solved: Solved, slot: Slot, screen: Screen) -> str:
    """The letters of a slot, doubtful ones in lower case as in the grid; of one with two answers, both."""
    confidence, two = solved.solution.confidence, solved.two_answers(slot)
    words = (two.first, two.other) if two else [[solved.read(cell) for cell in slot.cells]]
    sure = [confidence.get(cell, 0.0) for cell in slot.cells]
    return BOTH.join(
        "".join(case(plain(x), p) if x else empty(screen) for x, p in zip(contents, sure, strict=True))
        for contents in words
    )


def case(content: str, p: float) -> str:
    """What a cell holds, in lower case where it is doubtful."""
    return content.lower() if p < DOUBTFUL else content


def empty(screen: Screen) -> str:
    return "·" if screen.unicode else "."


def _shown(line: str, screen: Screen) -> str:
    """`line` with its blocks and bars as the screen can show them; halves of a block need Unicode."""
    if screen.unicode:
        return re.sub("[█▐▌]+", lambda run: screen.paint(run[0], DIM), line)
    return line.translate(str.maketrans("█▐▌" + BAR + FLAT_BAR, "#  |-"))
