"""A solved puzzle as text: the grid, then the clues with their answers.

On a short terminal the grid comes last, where it stays in view.
"""

from __future__ import annotations

from regis.puzzle import Direction
from regis.render import text_grid
from regis.solving.solved_puzzle import Answer, SolvedPuzzle
from regis.system.terminal import Screen, pad_text, plain_text, text_width, wrap_text

BOLD_STYLE = "1"
NUMBER_WIDTH = 4  # columns for the clue's number


def render(solved: SolvedPuzzle, file_name: str, screen: Screen) -> str:
    """Render the whole puzzle in lines no wider than the screen, except for wider grids."""
    cells, confidence = solved.fill.cells, solved.fill.confidence
    rows = text_grid.grid_lines(solved.puzzle.grid, cells, confidence, screen, solved.puzzle.circles)
    grid = [*_heading_lines(solved, file_name, screen), "", *rows]
    legend = text_grid.grid_legend(solved, screen)
    if solved.puzzle.circles and screen.unicode:
        legend += " A ring is a circled square."
    grid += ["", *wrap_text(legend, screen.width)]
    entries: list[str] = []
    for direction in Direction:
        answers = [a for a in solved.answers if a.slot.direction is direction]
        if answers:
            heading = screen.paint(direction.name.capitalize(), BOLD_STYLE)
            entries += ["", heading, *_entry_lines(solved, answers, screen)]
    is_short = screen.height is not None and len(grid) + len(entries) >= screen.height
    return "\n".join([*entries[1:], *[""] * bool(entries), *grid] if is_short else grid + entries) + "\n"


def _heading_lines(solved: SolvedPuzzle, file_name: str, screen: Screen) -> list[str]:
    puzzle = solved.puzzle
    title = plain_text(puzzle.title) or plain_text(file_name)
    about = [plain_text(puzzle.author), puzzle.date.isoformat() if puzzle.date else "", plain_text(file_name)]
    lines = [screen.paint(line, BOLD_STYLE) for line in wrap_text(title, screen.width)]
    lines += wrap_text(", ".join(x for x in about if x and x != title), screen.width)
    how = f"filled by {solved.filler} in {solved.seconds:.1f} s with index {solved.index_fingerprint}"
    if solved.is_out_of_time:
        how += "; stopped early"
    return lines + wrap_text(how, screen.width)


def _entry_lines(solved: SolvedPuzzle, answers: list[Answer], screen: Screen) -> list[str]:
    """Write number, clue, answer, and confidence; clues wrap in a column that across and down share."""
    widest = max(text_width(text_grid.slot_text(solved, answer.slot, screen)) for answer in solved.answers)
    room = screen.width - NUMBER_WIDTH - widest - len("  100%") - 2
    clue_width = min(room, max(text_width(_clue_text(answer)) for answer in solved.answers))
    lines = []
    for answer in answers:
        word, confidence = text_grid.slot_text(solved, answer.slot, screen), f"{answer.confidence:4.0%}"
        is_narrow = room < 18
        first, *rest = wrap_text(_clue_text(answer), screen.width - NUMBER_WIDTH if is_narrow else clue_width)
        line = first if is_narrow else f"{pad_text(first, clue_width)}  {pad_text(word, widest)}  {confidence}"
        lines.append(f"{answer.slot.number:>{NUMBER_WIDTH - 1}} {line}")
        lines += [
            " " * NUMBER_WIDTH + line for line in (*rest, *([f"{word}  {confidence.strip()}"] if is_narrow else []))
        ]
    return lines


def _clue_text(answer: Answer) -> str:
    return plain_text(answer.clue) or "(no clue)"
