"""A solved puzzle as a person knows crosswords: the grid, then the clues with their answers.

`grid` says how a grid looks. Doubtful letters are marked in the answers as they are there.
"""

from __future__ import annotations

from regis.puzzle import Direction
from regis.render import grid
from regis.solving.solved import Answer, Solved
from regis.system.terminal import Screen, padded, plain, wide, wrapped

BOLD = "1"
NUMBER = 4  # columns for the clue's number
CLUE = 18  # a clue column narrower than this is unpleasant to read; answers then get lines of their own


def render(solved: Solved, file: str, screen: Screen) -> str:
    """The whole puzzle as lines no longer than the screen is wide (wider grids excepted)."""
    cells, confidence = solved.solution.cells, solved.solution.confidence
    drawn = grid.lines(solved.puzzle.grid, cells, confidence, screen, solved.puzzle.circles)
    lines = [*_heading(solved, file, screen), "", *drawn]
    said = grid.legend(solved, screen)
    if solved.puzzle.circles:
        said += " A ring is a circled square." if screen.unicode else f" {grid.CIRCLED} follows a circled square."
    lines += ["", *wrapped(said, screen.width)]
    for direction in Direction:
        answers = [a for a in solved.answers if a.slot.direction is direction]
        if answers:
            lines += ["", screen.paint(direction.name.capitalize(), BOLD), *_entries(solved, answers, screen)]
    return "\n".join(lines) + "\n"


def _heading(solved: Solved, file: str, screen: Screen) -> list[str]:
    puzzle = solved.puzzle
    title = plain(puzzle.title) or plain(file)
    about = [plain(puzzle.author), puzzle.date.isoformat() if puzzle.date else "", plain(file)]
    lines = [screen.paint(line, BOLD) for line in wrapped(title, screen.width)]
    lines += wrapped(", ".join(x for x in about if x and x != title), screen.width)
    how = f"filled by {solved.filler} in {solved.seconds:.1f} s with index {solved.index}"
    if solved.late:
        how += "; stopped by --seconds"
    return lines + wrapped(how, screen.width)


def _entries(solved: Solved, answers: list[Answer], screen: Screen) -> list[str]:
    """Number, clue, answer, confidence; the clue wraps in its own column. Across and down stand in the same columns."""
    widest = max(wide(grid.word(solved, answer.slot, screen)) for answer in solved.answers)
    room = screen.width - NUMBER - widest - len("  100%") - 2
    clue_width = min(room, max(wide(_clue(answer)) for answer in solved.answers))
    lines = []
    for answer in answers:
        word, sure = grid.word(solved, answer.slot, screen), f"{answer.confidence:4.0%}"
        narrow = room < CLUE
        first, *rest = wrapped(_clue(answer), screen.width - NUMBER if narrow else clue_width)
        line = first if narrow else f"{padded(first, clue_width)}  {padded(word, widest)}  {sure}"
        lines.append(f"{answer.slot.number:>{NUMBER - 1}} {line}")
        lines += [" " * NUMBER + line for line in (*rest, *([f"{word}  {sure.strip()}"] if narrow else []))]
    return lines


def _clue(answer: Answer) -> str:
    return plain(answer.clue) or "(no clue)"
