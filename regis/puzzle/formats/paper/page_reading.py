"""Reads a puzzle from extracted pages.

`paper.lattice` locates grids by their squares, and `paper.grid_choice` decides which squares are blocks by the printed
numbers. `paper.clue_search` and `paper.clue_texts` find the clues by the expected numbers. Each square and clue gets a
probability, and warnings name the doubtful ones.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import replace

from regis.errors import PuzzleError, UsageError
from regis.puzzle import Cell, Direction, Slot, format_slot_names
from regis.puzzle.formats.paper import (
    clue_search,
    clue_texts,
    grid_choice,
    lattice,
    masthead,
    page_objects,
    page_words,
    square_reading,
)
from regis.puzzle.formats.paper.clue_search import ClueKey, Place
from regis.puzzle.formats.paper.clue_texts import ClueReading
from regis.puzzle.formats.paper.grid_choice import GridReading
from regis.puzzle.formats.paper.square_reading import PrintedSquares
from regis.puzzle.formats.shared import clues as clue_lists
from regis.puzzle.formats.shared.document import Document, ReadingConfidence
from regis.puzzle.formats.shared.squares import clean_content, clean_solution
from regis.puzzle.formats.shared.texts import join_names

MIN_NUMBER_AGREEMENT = 0.5  # share of right numbers, plus share of clues found; with less, a grid isn't a crossword
MIN_FILLED_SHARE = 0.9  # share of white squares with letters; with less, a grid isn't a solution
MAX_GRIDS = 12  # grids per page, largest first
MAX_CROPPED = 4  # rows or columns to crop from one side of a grid
MIN_CROPPED_AGREEMENT = 0.9  # share of right numbers; a grid with less is cropped if that raises it this far
MAX_NAMED = 5  # squares that a warning names


def read_document(
    document: page_objects.PageDocument,
    file_name: str,
    mended_rows: tuple[str, ...],
    added: tuple[int, int],
    page_number: int | None,
    grid_number: int | None,
) -> Document:
    grids = _find_grids(document.pages)
    words = [
        word
        for page in document.pages
        for word in page_words.read_words(page, [x.lattice for x in grids if x.page_number == page.number])
    ]
    places = clue_search.find_places(words)
    readings = [_best_reading(squares) for squares in grids]
    found = [reading for reading in readings if reading.grid.slots]
    reading = _choose_grid(found, places, file_name)
    puzzles = _list_puzzles(found, reading)
    if (page_number, grid_number) != (None, None):
        reading = _choose_requested_grid(puzzles, page_number, grid_number, file_name)
    puzzle_warnings = _warn_of_other_puzzles(puzzles, reading, file_name)
    if mended_rows:
        reading = _mend(document.pages[reading.squares.page_number], reading, mended_rows, added)
    others = {x.squares.page_number for x in puzzles} - {reading.squares.page_number}
    words = [word for word in words if word.page_number not in others]
    places = [place for place in places if place.word in words]
    grid = reading.grid
    path = clue_search.find_path(places, _list_keys(reading))
    clues = clue_texts.read_clues(path, words)
    placed = [
        (slot.cells[0], slot.direction, clues.clues[key].text)
        for slot, key in zip(grid.slots, _list_keys(reading), strict=True)
        if key in clues.clues
    ]
    texts, clue_warnings = clue_lists.assign_clues(grid, placed, file_name)
    about = masthead.read_masthead(
        clues.other_words, clues.height, _find_start(reading, path), (document.title, document.author)
    )
    contents = _white_contents(reading)
    solution = contents if _is_filled(reading) else _find_solution(reading, readings)
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
            cell: "#{:02x}{:02x}{:02x}".format(*reading.squares.colors[cell].astype(int))
            for cell in sorted(reading.shaded_cells)
        },
        voids=reading.voids,
        warnings=(
            *[f"{file_name} has fonts without a Unicode map, so the picture of its page was read"]
            * document.lacks_characters,
            *puzzle_warnings, *clue_warnings, *_warn_of_wrong_numbers(reading, file_name),
            *_warn_of_doubts(confidence, file_name),
        ),
        confidence=confidence,
    )  # fmt: skip


def _mend(page: page_objects.Page, reading: GridReading, rows: tuple[str, ...], added: tuple[int, int]) -> GridReading:
    """Read a grid again as a person corrected it. Raises UsageError if it has no entry or is larger than its page.

    Parameters
    ----------
    added : rows above and columns to the left that the correction adds; negative if it removes some.
    """
    at = reading.squares.lattice
    mended = at._replace(
        top=at.top - added[0] * at.pitch_y,
        left=at.left - added[1] * at.pitch_x,
        height=len(rows),
        width=len(rows[0]),
    )
    height, width = (n / page.scale for n in page.size)
    if (
        min(mended.left + at.pitch_x, mended.top + at.pitch_y) < 0
        or mended.right - at.pitch_x > width
        or (mended.bottom - at.pitch_y > height)
    ):
        raise UsageError("the corrected grid is larger than its page; remove rows or columns")
    if mended != at:
        reading = replace(reading, squares=square_reading.read_squares(page, mended))
    reading = grid_choice.mend_blocks(reading, rows)
    if not reading.grid.slots:
        raise UsageError("no two white squares would be next to each other; keep some white")
    return reading


def _list_keys(reading: GridReading) -> list[ClueKey]:
    return [(slot.number, slot.direction) for slot in reading.grid.slots]


def _find_start(reading: GridReading, path: clue_search.Path) -> tuple[int, float]:
    """Return the page number and y-coordinate where a puzzle starts."""
    at = reading.squares
    words = [place.word for place in (*path.places.values(), *path.headings)]
    tops = [(word.page_number, word.middle - word.height) for word in words]
    return min([(at.page_number, at.lattice.top), *tops])


def _clue_share(reading: GridReading, places: Sequence[Place]) -> float:
    """Return the share of entries that have clues on the pages."""
    keys = _list_keys(reading)
    return len(clue_search.find_path(places, keys).places) / len(keys)


def _find_grids(pages: Sequence[page_objects.Page]) -> list[PrintedSquares]:
    """Find the possible grids of the pages."""
    found = []
    for page in pages:
        large = (at for at in lattice.find_lattices(page) if min(at.width, at.height) >= lattice.MIN_SIDE)
        for at in itertools.islice(large, MAX_GRIDS):
            found.append(_crop_squares(page, square_reading.read_squares(page, at)))
    return found


def _crop_squares(page: page_objects.Page, squares: PrintedSquares) -> PrintedSquares:
    """Crop extra rows or columns from one side, which a frame may cause, if the numbers then agree."""

    def agreement(squares: PrintedSquares) -> float:
        return _best_reading(squares).number_agreement

    if not 0 < agreement(squares) < MIN_CROPPED_AGREEMENT:
        return squares
    crops = [
        square_reading.read_squares(page, crop)
        for n in range(1, MAX_CROPPED + 1)
        for crop in square_reading.crop_lattice(squares.lattice, n)
        if min(crop.width, crop.height) >= lattice.MIN_SIDE
    ]
    best = max(crops, key=agreement, default=squares)
    return best if agreement(best) >= MIN_CROPPED_AGREEMENT else squares


def _best_reading(squares: PrintedSquares) -> GridReading:
    """Return the reading that agrees best with the printed numbers."""
    return max(grid_choice.list_readings(squares), key=lambda reading: reading.number_agreement)


def _choose_grid(readings: Sequence[GridReading], places: Sequence[Place], file_name: str) -> GridReading:
    """Choose the grid that agrees best with the numbers and clues, if possible an empty one. Raises PuzzleError."""
    shares = [_clue_share(reading, places) for reading in readings]
    crosswords = [
        (_is_filled(reading), -reading.number_agreement - share, i)
        for i, (reading, share) in enumerate(zip(readings, shares, strict=True))
        if reading.number_agreement + share >= MIN_NUMBER_AGREEMENT
    ]
    if not crosswords:
        raise PuzzleError(f"{file_name} shows no crossword grid; choose a page with a grid and its clues")
    return readings[min(crosswords)[-1]]


def _list_puzzles(readings: Sequence[GridReading], chosen: GridReading) -> list[GridReading]:
    """List the puzzles in page order: each different empty grid with its numbers, and the chosen one."""
    numbered = [x for x in readings if not _is_filled(x) and x.number_agreement >= MIN_NUMBER_AGREEMENT]
    first = {(x.grid.rows, x.grid.bars): x for x in reversed(numbered)} | {(chosen.grid.rows, chosen.grid.bars): chosen}
    return sorted(first.values(), key=_page_position)


def _page_position(reading: GridReading) -> tuple[int, int, float]:
    """Return the sort key of a grid: its page, its distance from the top in squares, and its left edge."""
    at = reading.squares.lattice
    return reading.squares.page_number, round(at.top / at.pitch_y), at.left


def _choose_requested_grid(
    puzzles: Sequence[GridReading], page_number: int | None, grid_number: int | None, file_name: str
) -> GridReading:
    """Choose a puzzle by its page and its number there, 1 by default. Raises UsageError if it doesn't exist."""
    on_page = [x for x in puzzles if page_number in (None, x.squares.page_number + 1)]
    if not on_page:
        pages = join_names([str(n) for n in sorted({x.squares.page_number + 1 for x in puzzles})])
        raise UsageError(f"{file_name} has no crossword on page {page_number}, only on {pages}; change --page")
    number = 1 if grid_number is None else grid_number
    if not 1 <= number <= len(on_page):
        n_grids = f"{len(on_page)} crossword{'s' * (len(on_page) > 1)}"
        where = f"on page {page_number}" if page_number else "on its pages"
        raise UsageError(f"{file_name} has {n_grids} {where}; change --grid")
    return on_page[number - 1]


def _warn_of_other_puzzles(puzzles: Sequence[GridReading], chosen: GridReading, file_name: str) -> list[str]:
    if len(puzzles) < 2:
        return []
    number = 1 + puzzles.index(chosen)
    return [f"{file_name} shows {len(puzzles)} puzzles, of which this is number {number}; --grid N reads another"]


def _white_contents(reading: GridReading) -> dict[Cell, str]:
    """Return the text in the white squares."""
    contents = {cell: clean_content(reading.squares.contents.get(cell, "")) for cell in reading.grid.cells}
    return {cell: content for cell, content in contents.items() if content}


def _is_filled(reading: GridReading) -> bool:
    """Return whether a grid has the letters of a solution."""
    return len(_white_contents(reading)) >= MIN_FILLED_SHARE * len(reading.grid.cells)


def _find_solution(reading: GridReading, grids: Iterable[GridReading]) -> dict[Cell, str]:
    """Return the letters of another grid that is filled and has the same blocks."""
    same = (x for x in grids if x is not reading and x.grid.rows == reading.grid.rows and _is_filled(x))
    return next(map(_white_contents, same), {})


def _confidence(reading: GridReading, clues: ClueReading, document: page_objects.PageDocument) -> ReadingConfidence:
    cells = itertools.product(range(reading.grid.height), range(reading.grid.width))
    by_slot: dict[Slot, float] = {}
    for slot in reading.grid.slots:
        clue = clues.clues.get((slot.number, Direction(slot.direction)))
        by_slot[slot] = clue.probability if clue else 0.0
    squares = {cell: float(reading.probabilities[cell]) for cell in cells}
    return ReadingConfidence(squares, by_slot, len(document.pages), any(page.is_picture for page in document.pages))


def _warn_of_wrong_numbers(reading: GridReading, file_name: str) -> list[str]:
    """Warn if printed numbers differ from those that the blocks determine."""
    right, printed = reading.grid.cell_numbers, reading.squares.numbers
    wrong = [cell for cell in sorted(printed) if printed[cell] != right.get(cell)]
    missing = [cell for cell in sorted(right) if cell not in printed] if reading.number_agreement else []
    if not wrong and not missing:
        return []
    n_more = len(wrong) + len(missing) - 1
    first = (wrong or missing)[0]
    shown = f"number {printed[first]}" if first in printed else "no number"
    more = f", and {n_more} more like it" if n_more else ""
    called_for = right.get(first, "none")
    return [f"{file_name} has {shown} in {_name_square(first)}, but its blocks call for {called_for}{more}"]


def _warn_of_doubts(confidence: ReadingConfidence, file_name: str) -> list[str]:
    """Say how many squares and clues are certain, and name the others that were read."""
    squares, clues = confidence.doubtful_squares, [x for x in confidence.doubtful_clues if confidence.clues[x]]
    n_squares, n_clues = len(confidence.squares), len(confidence.clues)
    doubts = []
    if squares:
        n_more = len(squares) - MAX_NAMED
        more = f" and {n_more} more squares" if n_more > 0 else ""
        doubts.append(", ".join(map(_name_square, squares[:MAX_NAMED])) + more)
    if clues:
        doubts.append(f"the clue{'s' * (len(clues) > 1)} of {format_slot_names(clues)}")
    sure = f"{n_squares - len(squares)} of {n_squares} squares"
    sure += f" and {n_clues - len(confidence.doubtful_clues)} of {n_clues} clues"
    compare = f"; compare {'; '.join(doubts)} with the page" if doubts else ""
    return [] if confidence.is_sure else [f"{file_name}: {sure} were read with certainty{compare}"]


def _name_square(cell: Cell) -> str:
    return f"row {cell[0] + 1} column {cell[1] + 1}"
