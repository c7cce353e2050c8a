"""The grid as text, with two columns per cell, so that it looks square.

One column is the letter; blocks reach half into the gaps. Doubtful letters are lower case and magenta; very doubtful
ones are red, with a question mark in the gap. Bars take a third column, and a line between rows. A square with several
letters shows a digit (`*` when these run out), explained below. With numbers a row takes two lines, if the screen has
three columns per cell.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from itertools import chain, pairwise, repeat

from regis.puzzle import BLOCK, DOUBTFUL_BELOW, Cell, Grid, Slot
from regis.puzzle.alphabet import ALPHABET
from regis.solving.rebus.squares import CONTENT_SEPARATOR
from regis.solving.solved_puzzle import VERY_DOUBTFUL_BELOW, SolvedPuzzle
from regis.system.terminal import Screen, plain_text, text_width

DOUBTFUL_COLOR = "35"  # magenta
VERY_DOUBTFUL_COLOR = "31"  # red
DIM_STYLE = "2"
"""Colors that are legible on light and dark screens."""

HARDLY_EXPLAINED_SENTENCE = (
    "These clues hardly explain the grid, as if they belonged to another puzzle. Most of its letters may be wrong."
)

VERTICAL_BAR = "┃"
HORIZONTAL_BAR = "━"
BLOCK_GAPS = {(False, False): " ", (False, True): "▐", (True, False): "▌", (True, True): "█"}
"""The gap between two squares, by whether the left one and the right one are blocks."""

EMPTY_CIRCLE = "○"  # an empty square with a circle

CIRCLED_LETTERS = {ord(a): chr(ord("Ⓐ") + i) for i, a in enumerate(ALPHABET)}
CIRCLED_LETTERS |= {ord(a.lower()): chr(ord("ⓐ") + i) for i, a in enumerate(ALPHABET)}
CIRCLED_LETTERS |= {ord(str(i)): chr(ord("①") + i - 1) for i in range(1, 10)}

WIDE_GAPS = {" ": "  ", "▐": " ▐", "▌": "▌ ", "█": "██"}  # gaps with a column for bars

NUMBERED_WIDTH = 3
"""Columns of a numbered cell: two digits and a gap; longer numbers show only their last two digits."""


def grid_lines(
    grid: Grid,
    cells: Mapping[Cell, str],
    confidence: Mapping[Cell, float],
    screen: Screen,
    circles: Container[Cell] = (),
) -> list[str]:
    """Draw the rows, and explain squares with several letters; numbers and gaps only if there is room."""
    contents = dict.fromkeys(x for x in cells.values() if text_width(plain_text(x)) != 1)
    digits = (digit for digit in "123456789" if digit not in cells.values())
    rebus_marks = dict(zip(contents, chain(digits, repeat("*")), strict=False))

    def draw_square(cell: Cell, gap: str) -> str:
        """Draw a white square and its gap, with the question mark of a very doubtful letter."""
        content, p = cells.get(cell, ""), confidence.get(cell, 0.0)
        has_ring = cell in circles and screen.unicode
        if not content:
            return (EMPTY_CIRCLE if has_ring else empty_sign(screen)) + gap
        shown = rebus_marks.get(content) or lower_if_doubtful(plain_text(content), p)
        if has_ring:
            shown = shown.translate(CIRCLED_LETTERS)
        if gap and p < VERY_DOUBTFUL_BELOW:
            shown, gap = shown + "?", gap[1:]
        color = VERY_DOUBTFUL_COLOR if p < VERY_DOUBTFUL_BELOW else DOUBTFUL_COLOR if p < DOUBTFUL_BELOW else ""
        return screen.paint(shown, color) + gap

    draw_rows = _draw_with_numbers if _has_numbers(grid, screen) else _draw_without_numbers
    rows = [_adapt_to_screen(line, screen).rstrip() for line in draw_rows(grid, screen, draw_square)]
    return rows + [f"{mark} = {plain_text(content)}" for content, mark in rebus_marks.items()]


def _draw_without_numbers(grid: Grid, screen: Screen, draw_square: Callable[[Cell, str], str]) -> Iterator[str]:
    """Draw a line for each row, and one for bars below it."""
    has_gaps = _has_gaps(grid, screen)
    for r, row in enumerate(grid.rows):
        blocks = [x == BLOCK for x in row]
        gaps = [BLOCK_GAPS[beside] if has_gaps else "" for beside in pairwise([False, *blocks, False])]
        if has_gaps and grid.bars:
            has_bar = [((r, c), (r, c + 1)) in grid.bars for c in range(grid.width)]
            gaps[1:] = [" " + VERTICAL_BAR if x else WIDE_GAPS[gap] for x, gap in zip(has_bar, gaps[1:], strict=True)]
        parts = zip(blocks, gaps[1:], strict=True)
        yield gaps[0] + "".join(
            "█" + gap if block else draw_square((r, c), gap) for c, (block, gap) in enumerate(parts)
        )
        if has_gaps:
            yield from _bars_below(grid, r, _cell_width(grid))


def _draw_with_numbers(grid: Grid, screen: Screen, draw_square: Callable[[Cell, str], str]) -> Iterator[str]:
    """Draw two lines for each row, and one for bars below it."""
    width = NUMBERED_WIDTH
    block, gap = "█" * width, " " * (width - 2)
    for r, row in enumerate(grid.rows):
        labels = [str(grid.cell_numbers.get((r, c), ""))[1 - width :] for c in range(grid.width)]
        edges = [VERTICAL_BAR if ((r, c - 1), (r, c)) in grid.bars else " " for c in range(grid.width)]
        numbered = [
            screen.paint(label, DIM_STYLE) + edge * (not label) + " " * (width - max(len(label), 1))
            for label, edge in zip(labels, edges, strict=True)
        ]
        yield "".join(block if x == BLOCK else numbered[c] for c, x in enumerate(row))
        yield "".join(block if x == BLOCK else edges[c] + draw_square((r, c), gap) for c, x in enumerate(row))
        yield from _bars_below(grid, r, width)


def _bars_below(grid: Grid, r: int, cell_width: int) -> Iterator[str]:
    """Draw a line if there are bars below row `r`."""
    if any(upper[0] == r < lower[0] for upper, lower in grid.bars):
        bars = (((r, c), (r + 1, c)) in grid.bars for c in range(grid.width))
        yield "".join((HORIZONTAL_BAR if bar else " ") * cell_width for bar in bars)


def _cell_width(grid: Grid) -> int:
    """Return the columns of a cell without a number: a letter, a gap, and maybe a bar."""
    return 3 if grid.bars else 2


def _has_gaps(grid: Grid, screen: Screen) -> bool:
    """Return whether there is room for gaps without numbers, and so for question marks and bars."""
    return _cell_width(grid) * grid.width < screen.width


def _has_numbers(grid: Grid, screen: Screen) -> bool:
    return screen.show_numbers and NUMBERED_WIDTH * grid.width < screen.width


def grid_legend(solved: SolvedPuzzle, screen: Screen | None) -> str:
    """Explain how to read the grid, on a screen or as a picture (None); only what occurs in it."""
    cells, confidence = solved.fill.cells, solved.fill.confidence
    probabilities = [confidence.get(cell, 0.0) for cell in cells]
    grid = solved.puzzle.grid
    sentences = [*_missing_room(grid, screen)] if screen else []
    if not grid.cells:
        sentences.append("This puzzle has no white squares.")
    elif not grid.slots:
        sentences.append("This puzzle has no entries: no two white squares are next to each other.")
    if any(p < DOUBTFUL_BELOW for p in probabilities):
        sentences.append(f"Lowercase: less than {DOUBTFUL_BELOW:.0%} sure.")
    if any(p < VERY_DOUBTFUL_BELOW for p in probabilities) and (screen is None or _has_gaps(grid, screen)):
        sentences.append(f"With a question mark: less than {VERY_DOUBTFUL_BELOW:.0%} sure.")
    given = solved.puzzle.given  # rebus squares that the person wrote don't count
    if n_rebus := sum(cells.get(cell) == x != given.get(cell) for cell, x in solved.rebus_squares.items()):
        several = f"{n_rebus} squares hold" if n_rebus > 1 else "1 square holds"
        as_digits = ", shown as digits" if screen else ""
        sentences.append(f"Regis believes this is a rebus: {several} several letters{as_digits}.")
    if any(CONTENT_SEPARATOR in solved.cell_content(cell) for cell in solved.rebus_squares):
        sentences.append(f"The content across comes before {CONTENT_SEPARATOR}, the content down after it.")
    if solved.is_hardly_explained:
        sentences.append(HARDLY_EXPLAINED_SENTENCE)
    if n_unchecked := len(solved.unchecked_cells & solved.answer_cells):
        squares = f"{n_unchecked} of your squares were" if n_unchecked > 1 else "1 of your squares was"
        sentences.append(f"{squares} not checked.")
    sentences += [one.sentence for one in solved.two_answer_entries]
    if solved.ambiguous_cells.difference(*(one.letter_pairs for one in solved.two_answer_entries)):
        sentences.append(f"If {CONTENT_SEPARATOR} is between two letters, Regis believes that either is right.")
    if len(cells) < len(grid.cells):
        sentences.append(f"{empty_sign(screen or Screen())} is an empty square.")
    return " ".join(sentences) or _sentence_without_doubts(solved)


def _missing_room(grid: Grid, screen: Screen) -> Iterator[str]:
    if screen.show_numbers and not _has_numbers(grid, screen):
        yield f"There's no room for numbers; they need {NUMBERED_WIDTH * grid.width + 1} columns."
    elif screen.show_numbers and len(grid.cell_numbers) > 99:
        yield "Numbers above 99 are shown by their last two digits."
    if grid.bars and not _has_gaps(grid, screen):
        yield f"There's no room for bars; they need {_cell_width(grid) * grid.width + 1} columns."


def _sentence_without_doubts(solved: SolvedPuzzle) -> str:
    """Say that no letter is doubtful; a whole entry may still be."""
    least_sure = min(solved.answers, key=lambda answer: answer.confidence, default=None)
    if least_sure is None or least_sure.confidence >= DOUBTFUL_BELOW:
        return f"All letters and entries are at least {DOUBTFUL_BELOW:.0%} sure."
    sentence = f"All letters are at least {DOUBTFUL_BELOW:.0%} sure, but not all entries as a whole"
    return f"{sentence}: {least_sure.slot} is {least_sure.confidence:.0%} sure."


def slot_text(solved: SolvedPuzzle, slot: Slot, screen: Screen) -> str:
    """Write the letters of a slot as in the grid; if it has two answers, write both."""
    two = solved.find_two_answers(slot)
    words = (two.first_answer, two.second_answer) if two else [[solved.cell_content(cell) for cell in slot.cells]]
    probabilities = [solved.fill.confidence.get(cell, 0.0) for cell in slot.cells]

    def write_word(contents: Iterable[str]) -> str:
        pairs = zip(contents, probabilities, strict=True)
        return "".join(lower_if_doubtful(plain_text(x), p) if x else empty_sign(screen) for x, p in pairs)

    return CONTENT_SEPARATOR.join(map(write_word, words))


def lower_if_doubtful(content: str, p: float) -> str:
    return content.lower() if p < DOUBTFUL_BELOW else content


def empty_sign(screen: Screen) -> str:
    return "·" if screen.unicode else "."


def _adapt_to_screen(line: str, screen: Screen) -> str:
    """Write blocks and bars as the screen can show them; half blocks need Unicode."""
    if screen.unicode:
        return re.sub("[█▐▌]+", lambda run: screen.paint(run[0], DIM_STYLE), line)
    return line.translate(str.maketrans("█▐▌" + VERTICAL_BAR + HORIZONTAL_BAR, "#  |-"))
