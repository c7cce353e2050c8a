"""Puzzles printed as PDFs, for tests: the examples in columns, and the sampler of papers.py."""

from collections.abc import Iterator, Sequence

import barred
import papers
import pdf_pages
from make_puzzles import shape
from pdf_pages import BOLD, PdfPage, draw_grid, pdf_bytes

from regis.puzzle import Direction, Puzzle, formats
from regis.puzzle.formats import PuzzleFile

SIZE, LEADING = 9.0, 12.0


def wrap(words: Sequence[str], n_characters: int) -> Iterator[str]:
    line = ""
    for word in words:
        if line and len(line) + 1 + len(word) > n_characters:
            yield line
            line = word
        else:
            line = f"{line} {word}".strip()
    yield line


def clue_lines(puzzle: Puzzle, n_characters: int) -> list[tuple[str, str]]:
    """List the lines of a column: a number, HEADING, or nothing, and the text."""
    lines = []
    for direction in Direction:
        lines.append(("HEADING", direction.name))
        for slot, clue in puzzle.clues.items():
            if slot.direction is direction:
                first, *others = wrap(clue.split(), n_characters)
                lines += [(str(slot.number), first), *(("", line) for line in others)]
    return lines


def write_columns(
    pages: list[PdfPage], lines: Sequence[tuple[str, str]], columns: Sequence[tuple[int, float, float]], hang: float
) -> None:
    """Write lines into columns, each (page, left, top), with numbers that hang out by `hang` points."""
    places = iter(columns)
    number, left, top = next(places)
    y = top
    for lead, text in lines:
        if y > pdf_pages.PAGE_HEIGHT - 40:
            number, left, top = next(places)
            y = top
        while number >= len(pages):
            pages.append(PdfPage())
        if lead == "HEADING":
            pages[number].write(left, y, text, SIZE + 1, BOLD)
        else:
            if lead:
                pages[number].write(left, y, lead, SIZE, BOLD)
            pages[number].write(left + (hang if lead or hang > 14 else 0), y, text, SIZE)
        y += LEADING


def print_puzzle(puzzle: Puzzle, n_columns: int, hang: float, rotation: int = 0) -> bytes:
    """Print the grid at the top and columns below it, on several pages if needed."""
    page = PdfPage(rotation)
    page.write(60, 40, puzzle.title, 16, BOLD)
    page.write(60, 58, f"By {puzzle.author}", 9)
    side = 18
    draw_grid(
        page, puzzle.grid.rows, puzzle.grid.cell_numbers, 60, 75, side, circles=puzzle.circles, bars=puzzle.grid.bars
    )
    width = 500 / n_columns
    below = 75 + side * puzzle.grid.height + 24
    columns = [
        (number, 60 + i * width, 50 if number else below) for number in range(4 * n_columns) for i in range(n_columns)
    ]
    pages = [page]
    lines = clue_lines(puzzle, int((width - hang - 14) / (SIZE * pdf_pages.ADVANCE)))
    write_columns(pages, lines, columns, hang)
    return pdf_bytes(pages)


def sampler(letter: str = "", with_solution: bool = True) -> bytes:
    """Print the sampler of tests/papers.py on two pages, the second with the solution, or with `letter` everywhere."""
    grid = shape(papers.ROWS)
    page = PdfPage()
    page.write(60, 50, papers.ABOUT["title"], 18, BOLD)
    page.write(60, 70, "By " + papers.ABOUT["author"], 10)
    draw_grid(
        page, papers.ROWS, grid.cell_numbers, contents=papers.GIVEN, circles=papers.CIRCLES,
        shades=dict.fromkeys(papers.SHADED, 0.8),
    )  # fmt: skip
    write_columns([page], [
        line
        for d in Direction
        for line in [("HEADING", d.name), *((k[:-1], v) for k, v in papers.CLUES.items() if k.endswith(d))]
    ], [(0, 60, 260)], 20)  # fmt: skip
    first, second = papers.ABOUT["notes"].split("\n")
    page.write(60, 600, f"Note: {first}")
    page.write(60, 612, second)
    page.write(60, 700, papers.ABOUT["copyright"], 7)
    answers = {cell: letter or papers.ROWS[cell[0]][cell[1]] for cell in grid.cells}
    answers |= {} if letter else papers.REBUS
    solution = PdfPage()
    solution.write(60, 50, "Solution", 12)
    draw_grid(solution, papers.ROWS, {}, contents=answers)
    return pdf_bytes([page, solution] if with_solution else [page])


def barred_page() -> bytes:
    """Print the puzzle of barred.py."""
    return print_puzzle(formats.read_puzzle(PuzzleFile("x", barred.ipuz()))[0], 1, 20)
