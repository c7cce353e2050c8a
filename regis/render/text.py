"""A solved puzzle as a person knows crosswords: the grid, then the clues with their answers.

`grid` says how a grid looks. Doubtful letters are marked in the answers as they are there.
"""

from __future__ import annotations

import textwrap

from regis.fill import DOUBTFUL, OUT_OF_TIME, VERY_DOUBTFUL, Answer, Solved
from regis.puzzle import Direction
from regis.render import grid
from regis.screen import Screen, plain

BOLD = "1"
NUMBER = 4  # columns for the clue's number
CLUE = 18  # a clue column narrower than this is unpleasant to read; answers then get lines of their own


def render(solved: Solved, file: str, screen: Screen) -> str:
    """The whole puzzle as lines no longer than the screen is wide (wider grids excepted)."""
    cells, confidence = solved.solution.cells, solved.solution.confidence
    lines = [*_heading(solved, file, screen), "", *grid.lines(solved.puzzle.grid, cells, confidence, screen)]
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
    if solved.squares:
        several = f"{len(solved.squares)} squares hold" if len(solved.squares) > 1 else "1 square holds"
        words.append(f"Regis believes that this is a rebus: {several} several letters, shown as digits.")
    if len(cells) < len(solved.puzzle.grid.cells):
        words.append(f"{grid.empty(screen)} is an empty square.")
    return textwrap.wrap(" ".join(words) or "All letters are at least 90% sure.", screen.width)


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
    return "".join(grid.case(content, p) if content else grid.empty(screen) for content, p in parts)
