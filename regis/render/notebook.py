"""A solved puzzle as a fragment of HTML for notebooks: the grid, then the entries.

Colours are those of the page around it, light or dark. As in text, doubtful letters are lower case and very doubtful
ones have a question mark; pointing at a square tells how sure it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from regis.fill import DOUBTFUL, VERY_DOUBTFUL, Answer, Solved
from regis.puzzle import BLOCK, Cell, Direction
from regis.screen import plain

SQUARE = "position:relative;width:1.9em;height:1.9em;padding:0;border:1px solid;text-align:center"
NUMBER = "position:absolute;top:0;left:1px;font-size:.5em;line-height:1.2"


def render(solved: Solved) -> str:
    """One <div>; nothing in it comes from the puzzle unescaped, and nothing is loaded from elsewhere."""
    title = f"<strong>{_text(solved.puzzle.title)}</strong>" if solved.puzzle.title else ""
    rows = "".join(f"<tr>{''.join(_row(solved, r))}</tr>" for r in range(solved.puzzle.grid.height))
    grid = f'<table style="border-collapse:collapse">{rows}</table>'
    lists = "".join(_entries(solved, direction) for direction in Direction)
    return f"<div>{title}{grid}{lists}</div>\n"


def _row(solved: Solved, r: int) -> Iterator[str]:
    for c, x in enumerate(solved.puzzle.grid.rows[r]):
        if x == BLOCK:
            yield f'<td style="{SQUARE};background:currentColor"></td>'
        else:
            yield _square(solved, (r, c))


def _square(solved: Solved, cell: Cell) -> str:
    content = solved.solution.cells.get(cell, "")
    p = solved.solution.confidence.get(cell, 0.0)
    letter = _text(content.lower() if p < DOUBTFUL else content) + ("?" if content and p < VERY_DOUBTFUL else "")
    number = solved.puzzle.grid.numbers.get(cell, "")
    told = f' title="{p:.0%} sure"' if content else ""
    return f'<td style="{SQUARE}"{told}><span style="{NUMBER}">{number}</span>{letter}</td>'


def _entries(solved: Solved, direction: Direction) -> str:
    answers = [answer for answer in solved.answers if answer.slot.direction is direction]
    if not answers:
        return ""
    rows = "".join(map(_entry, answers))
    return f"<details><summary>{direction.name.capitalize()}</summary><table>{rows}</table></details>"


def _entry(answer: Answer) -> str:
    columns = (str(answer.slot.number), _text(answer.clue), _text(answer.answer), f"{answer.confidence:.0%}")
    cells = "".join(f'<td style="text-align:left">{column}</td>' for column in columns)
    return f"<tr>{cells}</tr>"


def _text(text: str) -> str:
    return escape(plain(text))
