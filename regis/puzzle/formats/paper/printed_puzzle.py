"""A puzzle read from printed pages: a PDF with text, or pictures of pages.

Grids are found by their lines (`paper.lattice`), their blocks and bars by their numbers (`paper.grid_choice`), the
clues by what the grid says their numbers are (`paper.clue_reading`). A page says nothing for sure, so each square and
each clue has a probability, and what is doubtful is told.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from regis.errors import PuzzleError, UsageError
from regis.puzzle import Cell, Direction, Slot, format_slot_names
from regis.puzzle.formats.files import is_picture
from regis.puzzle.formats.paper import (
    clue_reading,
    column_order,
    grid_choice,
    lattice,
    masthead,
    page_objects,
    square_reading,
    text_lines,
)
from regis.puzzle.formats.paper.clue_reading import ClueReading
from regis.puzzle.formats.paper.grid_choice import GridReading
from regis.puzzle.formats.paper.text_lines import Box, TextLine
from regis.puzzle.formats.shared import clue_placement
from regis.puzzle.formats.shared.document import Document, ReadingConfidence
from regis.puzzle.formats.shared.square_content import clean_content, clean_solution

MIN_NUMBER_AGREEMENT = 0.5  # share of right numbers from which on a grid is a crossword's
MIN_CLUE_SHARE = 0.3  # of entries whose numbers stand before clues, for a grid without numbers
MIN_FILLED_SHARE = 0.9  # of white squares with letters, for a solution
MAX_GRIDS = 12  # grids that are looked at, the largest first
MAX_NAMED = 5  # squares, and changes of clues, that a sentence names


@lru_cache(maxsize=page_objects.MAX_CACHED_FILES)
def read_page(data: bytes, file_name: str, rows: tuple[str, ...] = ()) -> Document:
    """Read the puzzle on a photograph or scan, or on the pages of a PDF.

    Parameters
    ----------
    rows : the grid with blocks as a person saw them, of the size that was read; () where that is right.

    Raises
    ------
    PuzzleError : the page cannot be read.
    UsageError : the grid has another size, or no entry.
    """
    return _read_document(_take_apart(data, file_name), file_name, rows)


def type_clues(document: Document, typed_clues: Mapping[str, str]) -> Document:
    """Put clues that a person typed, by the names of their entries, for those that were read."""
    slots = [slot for slot in document.grid.slots if str(slot) in typed_clues]
    clues = {slot: " ".join(typed_clues[str(slot)].split()) for slot in slots}
    return _replace_clues(document, clues, dict.fromkeys(clues, 1.0))


def _replace_clues(document: Document, clues: Mapping[Slot, str], probabilities: Mapping[Slot, float]) -> Document:
    assert document.confidence is not None, "it is a page"
    confidence = replace(document.confidence, clues={**document.confidence.clues, **probabilities})
    return replace(document, clues={**document.clues, **clues}, confidence=confidence)


def _take_apart(data: bytes, file_name: str) -> page_objects.PageDocument:
    if is_picture(data):
        return page_objects.read_pictures(data, file_name)
    document = page_objects.read_pages(data, file_name)
    if not any(page.glyphs for page in document.pages):
        if not any(page.image_count or page.shapes for page in document.pages):
            raise PuzzleError(f"{file_name} has empty pages; name a PDF with a grid and its clues")
        document = page_objects.read_pictures(data, file_name)
    return document


def _read_document(document: page_objects.PageDocument, file_name: str, mended_rows: tuple[str, ...] = ()) -> Document:
    grids = _find_grids(document.pages)
    boxes: dict[int, list[Box]] = {}
    for reading in grids:
        at = reading.squares.lattice
        boxes.setdefault(reading.squares.page_number, []).append((at.left, at.top, at.right, at.bottom))
    written, by_column = _read_lines(document.pages, boxes)
    starts = clue_reading.numbered_starts(written) | clue_reading.numbered_starts(by_column)
    reading = _choose_grid([grid_choice.choose_reading(x.squares, starts) or x for x in grids], starts, file_name)
    if mended_rows:
        if [*map(len, mended_rows)] != [*map(len, reading.grid.rows)]:
            raise UsageError(f"the mended grid has another size than that on {file_name}; load the page again")
        reading = grid_choice.mend_blocks(reading, mended_rows)
        if not reading.grid.slots:
            raise UsageError("no two white squares would stand next to each other; leave some white")
    grid = reading.grid
    keys = [(slot.number, slot.direction) for slot in grid.slots]
    orders = (column_order.read_in_order(lines, keys) for lines in (written, by_column))
    clues = clue_reading.choose_clues(*orders)
    placed = [
        (slot.cells[0], slot.direction, clues.clues[key].text)
        for slot, key in zip(grid.slots, keys, strict=True)
        if key in clues.clues
    ]
    texts, clue_warnings = clue_placement.assign_clues(grid, placed, file_name)
    heights = sorted(line.height for clue in clues.clues.values() for line in clue.lines)
    about = masthead.read_masthead(
        clues.other_lines, heights[len(heights) // 2] if heights else 0.0, (document.title, document.author)
    )
    contents = _white_contents(reading)
    solution = contents if _is_filled(reading) else _find_solution(reading, grids)
    confidence = _confidence(reading, clues, document)
    return Document(
        grid,
        texts,
        title=about.title,
        author=about.author,
        copyright=about.copyright,
        notes=about.notes,
        metadata={key: value for key, value in (("editor", about.editor), ("date", about.date)) if value},
        given={} if _is_filled(reading) else contents,
        solution=clean_solution(solution),
        circles=reading.squares.circles & frozenset(grid.cells),
        shades={
            cell: "#{:02x}{:02x}{:02x}".format(*reading.squares.colours[cell]) for cell in sorted(reading.shaded_cells)
        },
        voids=reading.voids,
        warnings=(*clue_warnings, *_tell_numbers(reading, file_name), *_tell_doubts(confidence, file_name)),
        confidence=confidence,
    )


def _find_grids(pages: Sequence[page_objects.Page]) -> list[GridReading]:
    """Find what looks like grids on the pages, as their own numbers say."""
    found = []
    for page in pages:
        for at in lattice.find_lattices(page)[:MAX_GRIDS]:
            trimmed = square_reading.trim_lattice(page, at)
            if trimmed and min(trimmed.width, trimmed.height) >= lattice.MIN_SIDE:
                reading = grid_choice.choose_reading(square_reading.read_squares(page, trimmed))
                if reading and reading.grid.slots:
                    found.append(reading)
    return found[:MAX_GRIDS]


def _read_lines(
    pages: Sequence[page_objects.Page], boxes: Mapping[int, Sequence[Box]]
) -> tuple[list[TextLine], list[TextLine]]:
    """Read the lines outside the grids, in the order in which they are written and in that of the columns."""
    written: list[TextLine] = []
    by_column: list[TextLine] = []
    for page in pages:
        lines = text_lines.read_lines(page, boxes.get(page.number, ()))
        written += lines
        by_column += text_lines.order_by_columns(lines, boxes.get(page.number, ()))
    return written, by_column


def _choose_grid(grids: Sequence[GridReading], starts: set[tuple[int, str]], file_name: str) -> GridReading:
    """Choose the grid whose numbers are those of the clues.

    Raises
    ------
    PuzzleError : there is none, or there are several.
    """

    def clue_share(reading: GridReading) -> float:
        slots = {(slot.number, slot.direction.value) for slot in reading.grid.slots}
        return len(slots & starts) / len(slots)

    crosswords = [x for x in grids if x.number_agreement >= MIN_NUMBER_AGREEMENT or clue_share(x) >= MIN_CLUE_SHARE]
    crosswords.sort(key=lambda x: (_is_filled(x), -x.number_agreement - clue_share(x)))
    if not crosswords:
        raise PuzzleError(f"{file_name} shows no grid of a crossword; name a page with its grid and its clues")
    empty = [x for x in crosswords if not _is_filled(x) and x.number_agreement >= MIN_NUMBER_AGREEMENT]
    if (n_puzzles := len({(x.grid.rows, x.grid.bars) for x in empty})) > 1:
        advice = "save the pages of one as a PDF of their own, and name that"
        raise PuzzleError(f"{file_name} shows {n_puzzles} puzzles; {advice}")
    return crosswords[0]


def _white_contents(reading: GridReading) -> dict[Cell, str]:
    """Return what is written in the white squares."""
    contents = {cell: clean_content(reading.squares.contents.get(cell, "")) for cell in reading.grid.cells}
    return {cell: content for cell, content in contents.items() if content}


def _is_filled(reading: GridReading) -> bool:
    """Return whether so many squares have letters that they are a solution."""
    return len(_white_contents(reading)) >= MIN_FILLED_SHARE * len(reading.grid.cells)


def _find_solution(reading: GridReading, grids: Iterable[GridReading]) -> dict[Cell, str]:
    """Return the letters of another grid on the pages that has the same blocks and is filled."""
    same = (x for x in grids if x is not reading and x.grid.rows == reading.grid.rows and _is_filled(x))
    return next(map(_white_contents, same), {})


def _confidence(reading: GridReading, clues: ClueReading, document: page_objects.PageDocument) -> ReadingConfidence:
    cells = itertools.product(range(reading.grid.height), range(reading.grid.width))
    by_slot: dict[Slot, float] = {}
    for slot in reading.grid.slots:
        clue = clues.clues.get((slot.number, Direction(slot.direction)))
        by_slot[slot] = clue.probability if clue else 0.0
    squares = {cell: float(reading.probabilities[cell]) for cell in cells}
    return ReadingConfidence(squares, by_slot, len(document.pages), document.is_picture)


def _tell_numbers(reading: GridReading, file_name: str) -> list[str]:
    """Tell where another number is printed than the blocks say."""
    due, printed = reading.grid.cell_numbers, reading.squares.numbers
    wrong = [cell for cell in sorted(printed) if printed[cell] != due.get(cell)]
    lacking = [cell for cell in sorted(due) if cell not in printed] if reading.number_agreement else []
    if not wrong and not lacking:
        return []
    told = [f"{printed[cell]} where {due.get(cell, 'none')} is due" for cell in wrong[:1]]
    told += [f"no number where {due[cell]} is due" for cell in lacking[: 1 - len(told)]]
    n_more = len(wrong) + len(lacking) - 1
    first = (wrong or lacking)[0]
    more = f", and {n_more} more" if n_more else ""
    return [f"{file_name} has {told[0]} in {_name_square(first)}{more}, as its blocks were read"]


def _tell_doubts(confidence: ReadingConfidence, file_name: str) -> list[str]:
    """Tell how much was read for sure, and which squares and clues were not."""
    squares, clues = confidence.doubtful_squares, [x for x in confidence.doubtful_clues if confidence.clues[x]]
    n_squares, n_clues = len(confidence.squares), len(confidence.clues)
    told = []
    if squares:
        told.append(_name_first([*map(_name_square, squares)], "more squares"))
    if clues:
        told.append(f"the clue{'s' * (len(clues) > 1)} of {format_slot_names(clues)}")
    sure = f"{n_squares - len(squares)} of {n_squares} squares"
    sure += f" and {n_clues - len(confidence.doubtful_clues)} of {n_clues} clues"
    compare = f"; compare {'; '.join(told)} with the page" if told else ""
    return [] if confidence.is_sure else [f"{file_name}: {sure} were read for sure{compare}"]


def _name_first(names: Sequence[str], more: str) -> str:
    """Name the first few, and count the others."""
    n_more = len(names) - MAX_NAMED
    return ", ".join(names[:MAX_NAMED]) + (f" and {n_more} {more}" if n_more > 0 else "")


def _name_square(cell: Cell) -> str:
    return f"row {cell[0] + 1} column {cell[1] + 1}"
