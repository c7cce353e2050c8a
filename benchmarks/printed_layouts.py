"""Puzzles as PDF pages, as others print them, for bench_paper.py; drawn with fpdf2 (`pip install fpdf2`).

Three layouts, each with its own way to draw a grid: a newspaper's narrow columns with the grid in the middle, divided
words and justified lines, the grid as long lines and black squares; two columns below the grid, hanging numbers, each
square a framed rectangle; Across Lite's print, the grid at the top right, gray blocks, white squares on a dark ground.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import installation  # noqa: F401
from fpdf import FPDF

from regis.puzzle import BLOCK, Direction, Puzzle

FONTS = Path("/usr/share/fonts/truetype/dejavu")
"""DejaVu, which has the letters of many scripts (Debian: fonts-dejavu-core)."""

PAGE_WIDTH, PAGE_HEIGHT, MARGIN = 612.0, 792.0, 36.0  # points, US Letter
MIN_DIVIDED_LETTERS = 6  # letters of a word that may be divided
_DIVISION = re.compile(
    "(?<=[aeiou][bcdfgklmnprst])(?=[bcdfgklmnprst][aeiou])|(?<=[a-z]{2}[aeiou])(?=[bdfgklmnprt][aeiou][a-z])"
)


class Line(NamedTuple):
    """One line of a column: its words, its indent, and whether it is stretched to the column's width."""

    words: tuple[str, ...]
    number: str = ""
    is_heading: bool = False
    is_justified: bool = False


class Column(NamedTuple):
    page: int
    x: float
    top: float
    bottom: float


def new_document() -> FPDF:
    document = FPDF(unit="pt", format=(PAGE_WIDTH, PAGE_HEIGHT))
    document.set_auto_page_break(False)
    for style, name in (("", "DejaVuSans"), ("B", "DejaVuSans-Bold"), ("I", "DejaVuSans-Oblique")):
        document.add_font("Text", style, FONTS / f"{name}.ttf")
    return document


def divide_word(word: str) -> list[str]:
    """Return the parts of a long word, divided between two consonants."""
    return _DIVISION.split(word) if len(word) >= MIN_DIVIDED_LETTERS and word.isalpha() and word.islower() else [word]


def wrap_clue(
    document: FPDF, number: str, clue: str, first_width: float, width: float, *, divides: bool
) -> Iterator[Line]:
    """Break a clue into lines; the first has the number before it."""
    words: list[str] = []
    room = first_width
    lead = number
    for word in clue.split():
        while document.get_string_width(" ".join([*words, word])) > room:
            parts = divide_word(word) if divides else [word]
            cuts = [("".join(parts[:k]) + "-", "".join(parts[k:])) for k in range(1, len(parts))]
            fits = [cut for cut in cuts if document.get_string_width(" ".join([*words, cut[0]])) <= room]
            if fits:
                start, word = fits[-1]
                words.append(start)
            elif not words:
                break
            yield Line(tuple(words), lead, is_justified=divides)
            words, room, lead = [], width, ""
        words.append(word)
    yield Line(tuple(words), lead)


def list_lines(
    document: FPDF, puzzle: Puzzle, size: float, width: float, indent: float, first_indent: float, *,
    divides: bool = False, mark: str = "",
) -> list[Line]:  # fmt: skip
    """List all lines of the clues in a column of this width."""
    lines = []
    for direction in Direction:
        lines.append(Line((direction.name,), is_heading=True))
        document.set_font("Text", "", size)
        for slot in puzzle.grid.slots:
            if slot.direction is direction:
                number, widths = f"{slot.number}{mark}", (width - first_indent - 1, width - indent - 1)
                lines += wrap_clue(document, number, puzzle.clues[slot], *widths, divides=divides)
    return lines


def set_columns(
    document: FPDF, lines: Sequence[Line], columns: Iterator[Column], size: float, leading: float, width: float, *,
    indent: float, first_indent: float, right_numbers: bool = False,
) -> None:  # fmt: skip
    """Set lines in one column after the other."""
    column = next(columns)
    y = column.top
    for line in lines:
        if y + leading * (2 if line.is_heading else 1) > column.bottom:
            column = next(columns)
            y = column.top
        while document.pages_count <= column.page:
            document.add_page()
        document.page = column.page + 1
        baseline = y + size
        if line.is_heading:
            document.set_font("Text", "B", size + 1)
            document.text(column.x, baseline, line.words[0])
            y += leading * 1.3
            continue
        if line.number:
            document.set_font("Text", "B", size)
            lead = first_indent - 3 - document.get_string_width(line.number) if right_numbers else 0
            document.text(column.x + lead, baseline, line.number)
        document.set_font("Text", "", size)
        x = column.x + (first_indent if line.number else indent)
        space = document.get_string_width(" ")
        if line.is_justified and len(line.words) > 1:
            inked = sum(map(document.get_string_width, line.words))
            space = max(space, (column.x + width - x - inked) / (len(line.words) - 1))
            for word in line.words:
                document.text(x, baseline, word)
                x += document.get_string_width(word) + space
        else:
            document.text(x, baseline, " ".join(line.words))
        y += leading


def draw_marks(document: FPDF, puzzle: Puzzle, x: float, y: float, side: float) -> None:
    """Draw numbers and circles."""
    document.set_draw_color(0)
    for r, c in sorted(puzzle.circles):
        document.set_line_width(0.4)
        document.circle(x + (c + 0.5) * side, y + (r + 0.5) * side, side / 2 - 0.5, style="D")
    document.set_font("Text", "", side * 0.3)
    for (r, c), number in puzzle.grid.cell_numbers.items():
        document.text(x + c * side + 1.2, y + r * side + side * 0.32, str(number))


def draw_line_grid(document: FPDF, puzzle: Puzzle, x: float, y: float, side: float) -> None:
    """Draw long lines, with black squares between them."""
    grid = puzzle.grid
    document.set_fill_color(0)
    for r, row in enumerate(grid.rows):
        for c, content in enumerate(row):
            if content == BLOCK:
                document.rect(x + c * side, y + r * side, side, side, style="F")
            elif (r, c) in puzzle.shaded:
                document.set_fill_color(205)
                document.rect(x + c * side, y + r * side, side, side, style="F")
                document.set_fill_color(0)
    document.set_line_width(0.5)
    for r in range(grid.height + 1):
        document.line(x, y + r * side, x + grid.width * side, y + r * side)
    for c in range(grid.width + 1):
        document.line(x + c * side, y, x + c * side, y + grid.height * side)
    draw_marks(document, puzzle, x, y, side)


def draw_framed_grid(document: FPDF, puzzle: Puzzle, x: float, y: float, side: float) -> None:
    """Draw each square as a framed rectangle."""
    document.set_line_width(0.7)
    for r, row in enumerate(puzzle.grid.rows):
        for c, content in enumerate(row):
            document.set_fill_color(20 if content == BLOCK else 225 if (r, c) in puzzle.shaded else 255)
            document.rect(x + c * side, y + r * side, side, side, style="DF")
    draw_marks(document, puzzle, x, y, side)


def draw_tiled_grid(document: FPDF, puzzle: Puzzle, x: float, y: float, side: float) -> None:
    """Draw white squares on a gray ground, which shows between them and as blocks."""
    grid = puzzle.grid
    document.set_fill_color(110)
    document.rect(x - 1, y - 1, grid.width * side + 2, grid.height * side + 2, style="F")
    for r, c in grid.cells:
        document.set_fill_color(215 if (r, c) in puzzle.shaded else 255)
        document.rect(x + c * side + 0.4, y + r * side + 0.4, side - 0.8, side - 0.8, style="F")
    draw_marks(document, puzzle, x, y, side)


def draw_title(document: FPDF, puzzle: Puzzle, x: float, y: float, *, centered: bool = False) -> float:
    """Draw title and author; return where they end."""
    document.set_font("Text", "B", 15)
    title = puzzle.title or "Crossword"
    left = (PAGE_WIDTH - document.get_string_width(title)) / 2 if centered else x
    document.text(left, y + 15, title)
    document.set_font("Text", "", 9)
    author = f"By {puzzle.author or 'Nobody'}"
    left = (PAGE_WIDTH - document.get_string_width(author)) / 2 if centered else x
    document.text(left, y + 29, author)
    return y + 42


def draw_newspaper(puzzle: Puzzle) -> bytes:
    """Draw five narrow columns around a grid in the middle."""
    document, size, leading, gutter, n_columns = new_document(), 6.6, 7.8, 8.0, 5
    document.add_page()
    top = draw_title(document, puzzle, MARGIN, MARGIN)
    width = (PAGE_WIDTH - 2 * MARGIN - gutter * (n_columns - 1)) / n_columns
    left = [MARGIN + i * (width + gutter) for i in range(n_columns)]
    room = left[3] + width - left[1]
    side = min(room / puzzle.grid.width, 24)
    grid_left = left[1] + (room - side * puzzle.grid.width) / 2
    draw_line_grid(document, puzzle, grid_left, top, side)
    below = top + side * puzzle.grid.height + 12
    bottom = PAGE_HEIGHT - MARGIN - 16
    lines = list_lines(document, puzzle, size, width, 0, 14, divides=True)
    columns = [Column(0, x, below if 0 < i < 4 else top, bottom) for i, x in enumerate(left)]
    columns += [Column(page, x, MARGIN, bottom) for page in (1, 2) for x in left]
    set_columns(document, lines, iter(columns), size, leading, width, indent=0, first_indent=14)
    document.page = 1
    document.set_font("Text", "", 6)
    document.text(MARGIN, PAGE_HEIGHT - MARGIN, f"{puzzle.copyright or '© Nobody'}. Solution on page 12.")
    return bytes(document.output())


def draw_two_columns(puzzle: Puzzle) -> bytes:
    """Draw two columns below the grid."""
    document, size, leading, gutter = new_document(), 9.0, 11.5, 24.0
    document.add_page()
    top = draw_title(document, puzzle, MARGIN, MARGIN, centered=True)
    side = min(360 / puzzle.grid.width, 26)
    draw_framed_grid(document, puzzle, (PAGE_WIDTH - side * puzzle.grid.width) / 2, top, side)
    width = (PAGE_WIDTH - 2 * MARGIN - gutter) / 2
    below = top + side * puzzle.grid.height + 16
    lines = list_lines(document, puzzle, size, width, 24, 24, mark=".")
    places = ((page, MARGIN + i * (width + gutter)) for page in range(9) for i in range(2))
    columns = (Column(page, x, MARGIN if page else below, PAGE_HEIGHT - MARGIN) for page, x in places)
    set_columns(document, lines, columns, size, leading, width, indent=24, first_indent=24)
    return bytes(document.output())


def draw_across_lite(puzzle: Puzzle) -> bytes:
    """Draw the grid at the top right, clues in four columns around it, numbers flush right."""
    document, size, leading, gutter, n_columns = new_document(), 7.4, 9.0, 12.0, 4
    document.add_page()
    top = draw_title(document, puzzle, MARGIN, MARGIN)
    width = (PAGE_WIDTH - 2 * MARGIN - gutter * (n_columns - 1)) / n_columns
    left = [MARGIN + i * (width + gutter) for i in range(n_columns)]
    room = left[3] + width - left[1]
    side = min(room / puzzle.grid.width, 25)
    draw_tiled_grid(document, puzzle, left[3] + width - side * puzzle.grid.width, top, side)
    below = top + side * puzzle.grid.height + 14
    lines = list_lines(document, puzzle, size, width, 19, 19)
    columns = [Column(0, x, below if i else top, PAGE_HEIGHT - MARGIN) for i, x in enumerate(left)]
    columns += [Column(page, x, MARGIN, PAGE_HEIGHT - MARGIN) for page in (1, 2) for x in left]
    set_columns(document, lines, iter(columns), size, leading, width, indent=19, first_indent=19, right_numbers=True)
    return bytes(document.output())


LAYOUTS: dict[str, Callable[[Puzzle], bytes]] = {
    "newspaper": draw_newspaper,
    "two columns": draw_two_columns,
    "Across Lite": draw_across_lite,
}
