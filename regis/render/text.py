"""A solved puzzle as a person knows crosswords: the grid, then the clues with their answers.

A cell takes two columns, so that the grid looks square: one for the letter, and half a gap on either side of it, into
which blocks reach. Doubtful letters are lower case, very doubtful ones have a question mark in the gap besides; where
there are colours they are yellow and red as well. A square with several letters shows a digit, and the letters below
the grid.
"""

from __future__ import annotations

import re
import textwrap
from itertools import pairwise

from regis.fill import DOUBTFUL, OUT_OF_TIME, VERY_DOUBTFUL, Answer, Solved
from regis.puzzle import BLOCK, Cell, Direction
from regis.screen import Screen, plain

YELLOW, RED, BOLD, DIM = "33", "31", "1", "2"
NUMBER = 4  # columns for the clue's number
GAPS = {(False, False): " ", (False, True): "▐", (True, False): "▌", (True, True): "█"}
"""What stands between two squares, by whether the left one and the right one are blocks."""

CLUE = 18  # a clue column narrower than this is unpleasant to read; answers then get lines of their own


def render(solved: Solved, file: str, screen: Screen) -> str:
    """The whole puzzle as lines no longer than the screen is wide (wider grids excepted)."""
    rebus = _rebus(solved)
    lines = [*_heading(solved, file, screen), "", *_grid(solved, rebus, screen)]
    lines += [f"{mark} = {plain(content)}" for content, mark in rebus.items()]
    lines += ["", *_legend(solved, screen)]
    for direction in Direction:
        answers = [a for a in solved.answers if a.slot.direction is direction]
        if answers:
            lines += ["", screen.paint(direction.name.capitalize(), BOLD), *_entries(solved, answers, screen)]
    return "\n".join(lines) + "\n"


def _heading(solved: Solved, file: str, screen: Screen) -> list[str]:
    puzzle = solved.puzzle
    title = plain(puzzle.title) or plain(file)
    about = [plain(puzzle.author), puzzle.date.isoformat() if puzzle.date else "", plain(file)]
    lines = [screen.paint(line, BOLD) for line in textwrap.wrap(title, screen.width)]
    lines += textwrap.wrap(", ".join(x for x in about if x and x != title), screen.width)
    how = f"filled by {solved.filler} in {solved.seconds:.1f} s with index {solved.index}"
    if solved.solution.statistics.get("stopped") == OUT_OF_TIME:
        how += "; stopped by --seconds"
    return lines + textwrap.wrap(how, screen.width)


def _legend(solved: Solved, screen: Screen) -> list[str]:
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
    if len(cells) < len(solved.puzzle.grid.cells):
        words.append(f"{_empty(screen)} is an empty square.")
    return textwrap.wrap(" ".join(words) or "All letters are at least 90% sure.", screen.width)


def _grid(solved: Solved, rebus: dict[str, str], screen: Screen) -> list[str]:
    """The rows; without gaps where the screen is too narrow for them."""
    spaced = 2 * solved.puzzle.grid.width < screen.width
    lines = []
    for r, row in enumerate(solved.puzzle.grid.rows):
        blocks = [x == BLOCK for x in row]
        gaps = [GAPS[beside] if spaced else "" for beside in pairwise([False, *blocks, False])]
        cells = [
            "█" + gap if block else _cell(solved, (r, c), rebus, screen, gap)
            for c, (block, gap) in enumerate(zip(blocks, gaps[1:], strict=True))
        ]
        lines.append(_blocks(gaps[0] + "".join(cells), screen).rstrip())
    return lines


def _blocks(line: str, screen: Screen) -> str:
    """`line` with its blocks as the screen can show them; halves of a block need Unicode."""
    if screen.unicode:
        return re.sub("[█▐▌]+", lambda run: screen.paint(run[0], DIM), line)
    return line.translate(str.maketrans("█▐▌", "#  "))


def _cell(solved: Solved, cell: Cell, rebus: dict[str, str], screen: Screen, gap: str) -> str:
    """One white square and the gap after it, in which a very doubtful letter has its question mark."""
    content = solved.solution.cells.get(cell, "")
    if not content:
        return _empty(screen) + gap
    p = solved.solution.confidence.get(cell, 0.0)
    shown = rebus.get(content) or _case(plain(content), p)
    if gap and p < VERY_DOUBTFUL:
        shown, gap = shown + "?", ""
    colour = RED if p < VERY_DOUBTFUL else YELLOW if p < DOUBTFUL else ""
    return screen.paint(shown, colour) + gap


def _rebus(solved: Solved) -> dict[str, str]:
    """Squares with several letters -> the digit that stands for them in the grid; `*` when the digits run out."""
    contents = dict.fromkeys(x for x in solved.solution.cells.values() if len(x) > 1)
    return {content: str(i) if i < 10 else "*" for i, content in enumerate(contents, 1)}


def _entries(solved: Solved, answers: list[Answer], screen: Screen) -> list[str]:
    """Number, clue, answer, confidence; the clue wraps in its own column. Across and down stand in the same columns."""
    widest = max(len(_answer(solved, answer, screen)) for answer in solved.answers)
    room = screen.width - NUMBER - widest - len("  100%") - 2
    clue_width = min(room, max(len(_clue(answer)) for answer in solved.answers))
    lines = []
    for answer in answers:
        word, clue = _answer(solved, answer, screen), _clue(answer)
        sure = f"{answer.confidence:4.0%}"
        number = f"{answer.slot.number:>{NUMBER - 1}} "
        if room < CLUE:
            rest = textwrap.wrap(clue, max(screen.width - NUMBER, 1))
            lines += [number + rest[0], *(" " * NUMBER + line for line in rest[1:])]
            lines.append(f"{' ' * NUMBER}{word}  {sure.strip()}")
        else:
            rest = textwrap.wrap(clue, clue_width)
            lines.append(f"{number}{rest[0]:<{clue_width}}  {word:<{widest}}  {sure}")
            lines += [" " * NUMBER + line for line in rest[1:]]
    return lines


def _clue(answer: Answer) -> str:
    return plain(answer.clue) or "(no clue)"


def _answer(solved: Solved, answer: Answer, screen: Screen) -> str:
    """The letters of a slot, doubtful ones in lower case as in the grid."""
    cells, confidence = solved.solution.cells, solved.solution.confidence
    parts = ((plain(cells.get(cell, "")), confidence.get(cell, 0.0)) for cell in answer.slot.cells)
    return "".join(_case(content, p) if content else _empty(screen) for content, p in parts)


def _case(content: str, p: float) -> str:
    return content.lower() if p < DOUBTFUL else content


def _empty(screen: Screen) -> str:
    return "·" if screen.unicode else "."
