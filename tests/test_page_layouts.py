"""Clues are found in layouts that Regis's own pages don't use."""

from dataclasses import dataclass
from pathlib import Path

import pytest
from pdf_pages import BOLD, REGULAR, PdfPage, draw_grid, pdf_bytes
from printed import wrap

from regis.puzzle import Direction, Puzzle, formats
from regis.puzzle.formats import PuzzleFile

EXAMPLES = Path(__file__).parents[1] / "examples"
DAILY = formats.read_puzzle(formats.open_file(EXAMPLES / "daily.puz"))[0]
COLUMNS = 4
WIDTH = 130.0  # points from one column to the next
BOTTOM = 740.0  # points


@dataclass(frozen=True)
class Layout:
    """How clues are printed; sizes are in points."""

    number_size: float = 9.0
    number_font: int = BOLD
    mark: str = ""
    hang: float = 18.0
    gap: float = 14.0  # white space between columns
    is_right_aligned: bool = False
    is_number_last: bool = False  # whether the number follows its clue in the file
    copies: int = 1  # of each number, in one position
    headings: tuple[str, str] = ("ACROSS", "DOWN")
    masthead: str = ""
    footer: str = ""
    grid: str = "above"  # the clues, or on a page "before" or "after" them
    is_glued: bool = False  # whether number and clue are one word
    is_flush: bool = False  # whether later lines start at the number's left edge
    is_justified: bool = False


def print_layout(puzzle: Puzzle, layout: Layout) -> bytes:
    size, leading = 9.0, 11.5
    pages = [PdfPage()]
    top = 60.0
    if layout.grid in ("above", "before"):
        draw_grid(pages[0], puzzle.grid.rows, puzzle.grid.cell_numbers, 60, 60, 15)
        top = 60 + 15 * puzzle.grid.height + 20
    if layout.grid == "before":
        pages.append(PdfPage())
        top = 60.0
    first = len(pages) - 1
    page, column, y = first, 0, top
    characters = int((WIDTH - layout.gap - layout.hang) / (size * 0.5))

    def start_line() -> None:
        nonlocal page, column, y
        y += leading
        if y > BOTTOM:
            column, y = column + 1, top if page == first else 60.0
            if column == COLUMNS:
                page, column, y = page + 1, 0, 60.0
                if page == len(pages):
                    pages.append(PdfPage())

    for direction, heading in zip(Direction, layout.headings, strict=True):
        if heading:
            pages[page].write(40 + column * WIDTH, y, heading, 10, BOLD)
            start_line()
        for slot, clue in puzzle.clues.items():
            if slot.direction is not direction:
                continue
            number = f"{slot.number}{layout.mark}"
            lines = [*wrap(clue.split(), characters)]
            if layout.is_glued:
                lines[0] = number + lines[0]
            numbers = []
            for i, line in enumerate(lines):
                left = 40 + column * WIDTH
                if i == 0 and not layout.is_glued:
                    shift = layout.hang - 3 - 0.5 * layout.number_size * len(number) if layout.is_right_aligned else 0
                    numbers.append((page, left + shift, y, number))
                if i == 0 and not layout.is_number_last:
                    for at, x, baseline, text in numbers * layout.copies:
                        pages[at].write(x, baseline, text, layout.number_size, layout.number_font)
                indent = 0 if layout.is_glued or (layout.is_flush and i) else layout.hang
                words = line.split() if layout.is_justified and i + 1 < len(lines) else [line]
                room = WIDTH - layout.gap - indent - 0.5 * size * sum(map(len, words))
                x = left + indent
                for word in words:
                    x = pages[page].write(x, y, word, size) + room / max(len(words) - 1, 1)
                start_line()
            if layout.is_number_last:
                for at, x, baseline, text in numbers:
                    pages[at].write(x, baseline, text, layout.number_size, layout.number_font)
    if layout.grid == "after":
        pages.append(PdfPage())
        draw_grid(pages[-1], puzzle.grid.rows, puzzle.grid.cell_numbers, 60, 60, 15)
    if layout.masthead:
        pages[first].write(40, 30, layout.masthead, 9)
    if layout.footer:
        for each in pages:
            each.write(40, 775, layout.footer, 9)
    return pdf_bytes(pages)


LAYOUTS = {
    "small numbers": Layout(number_size=6, number_font=REGULAR),
    "large numbers": Layout(number_size=12, hang=24),
    "points": Layout(mark=".", number_font=REGULAR),
    "brackets": Layout(mark=")"),
    "right-aligned": Layout(is_right_aligned=True, hang=22),
    "no hang": Layout(hang=13.5, number_font=REGULAR),
    "narrow gutters": Layout(gap=4),
    "numbers last in the file": Layout(is_number_last=True),
    "numbers printed twice": Layout(copies=2),
    "no headings": Layout(headings=("", "")),
    "small headings": Layout(headings=("Across", "Down")),
    "lines across columns": Layout(
        masthead="8/1/26, 10:20 A Daily Crossword of Our Own, Printed for You to Solve at Home, Page 1 of 1 and So On",
        footer="https://crossword.example/print/2026/08/01/daily?with=everything&and=more&so=that-it-is-long-enough",
    ),
    "grid on the previous page": Layout(grid="before"),
    "grid on the next page": Layout(grid="after"),
    "glued numbers": Layout(is_glued=True, mark="."),
    "newspaper": Layout(is_flush=True, is_justified=True, gap=5, hang=14),
    "flush, nothing bold": Layout(is_flush=True, number_font=REGULAR, mark=".", hang=16),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_every_clue_is_found_without_needless_doubt(name: str):
    file = PuzzleFile("x.pdf", print_layout(DAILY, LAYOUTS[name]))
    puzzle, _ = formats.read_puzzle(file)
    assert puzzle.grid == DAILY.grid
    differing = {
        str(slot): (puzzle.clues[slot], clue) for slot, clue in DAILY.clues.items() if puzzle.clues[slot] != clue
    }
    assert not differing
    doubted = formats.read_confidence(file).doubtful_clues
    assert all("-" in DAILY.clues[slot] for slot in doubted)


def test_a_frame_next_to_the_grid_is_not_a_column():
    page, grid = PdfPage(), DAILY.grid
    draw_grid(page, grid.rows, grid.cell_numbers, 60, 60, 15)
    for c in range(3):
        for r in range(grid.height):
            page.rectangle(60 + (grid.width + c) * 15, 60 + r * 15, 15, 15, 1, 0.5)
    page.write(60, 400, "ACROSS", 10, BOLD)
    assert formats.read_puzzle(PuzzleFile("x.pdf", pdf_bytes([page])))[0].grid == grid
