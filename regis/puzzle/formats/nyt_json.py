"""The JSON of xwordinfo.com, in which the archive github.com/doshea/nyt_crosswords keeps the New York Times's puzzles.

The grid is the solution, one flat list row by row, `.` a block; a rebus square is a longer string. Clues are '12. Text'
in HTML; where its number stands, `gridnums` tells: some puzzles count in their own way. `jnotes` are not read: they
tell the answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from regis.puzzle import Cell, Direction, Grid
from regis.puzzle.formats.shared import clue_placement, dimensions, geometry, json_files, square_content, texts
from regis.puzzle.formats.shared.document import Document
from regis.puzzle.formats.shared.square_content import DEFAULT_SHADE

BLOCK_SIGN = "."
BAR_SIDES = (("rbars", "R"), ("bbars", "B"))
_CLUE = re.compile(r"\s*(\d{1,5})\.(.*)$", re.DOTALL)

detect = json_files.field_detector("gridnums", "grid", "clues")


def read(data: bytes, file_name: str) -> Document:
    """Read all that such a file says. Raises PuzzleError."""
    with json_files.refuse_incomplete(file_name, "size, grid, clues"):
        file = json_files.parse_json_file(data)
        width, height = int(file["size"]["cols"]), int(file["size"]["rows"])
        rows = dimensions.split_rows([str(x) for x in file["grid"]], width, height, file_name)
    grid = dimensions.build_grid([[x != BLOCK_SIGN for x in row] for row in rows], file_name)
    sides = ((divmod(i, width), side) for key, side in BAR_SIDES for i in _marked_places(file.get(key)))
    bars = list(geometry.bars_at_sides(sides))
    grid = geometry.add_bars(grid, bars)
    labels, placed = _place_clues(file, grid)
    entries = list(_list_entries(grid, labels, placed))
    grid, entry_warnings = geometry.apply_listed_entries(grid, entries, labels, file_name)
    clues, clue_warnings = clue_placement.assign_clues(grid, placed, file_name)
    circled = {divmod(i, width) for i in _marked_places(file.get("circles"))}
    marked = frozenset(cell for cell in grid.cells if cell in circled)
    are_shaded = file.get("shadecircles") is True
    return Document(
        grid,
        clues,
        title=texts.line_from_html(file.get("title")),
        author=texts.line_from_html(file.get("author")),
        copyright=texts.line_from_html(file.get("copyright")),
        notes=texts.text_from_html(file.get("notepad")),
        metadata={key: x for key in ("editor", "publisher", "date") if (x := texts.line_from_html(file.get(key)))},
        solution=square_content.clean_solution({(r, c): rows[r][c] for r, c in grid.cells}),
        circles=frozenset() if are_shaded else marked,
        shades=dict.fromkeys(sorted(marked), DEFAULT_SHADE) if are_shaded else {},
        warnings=(*entry_warnings, *clue_warnings),
    )


def _marked_places(marks: object) -> list[int]:
    """List the squares, counted from 0, that have a 1 in a list with one entry a square."""
    return [i for i, x in enumerate(marks if isinstance(marks, list) else ()) if x == 1]


def _place_clues(file: Mapping[str, Any], grid: Grid) -> tuple[Mapping[Cell, str], list[clue_placement.PlacedClue]]:
    """Place clues where their numbers are printed, or, if more have a place so, where these stand as usual.

    Returns
    -------
    labels : the printed numbers by cells; none where the usual ones are those of the clues.
    placed : the clues.
    """
    usual, numbers = clue_placement.number_cells(grid), file.get("gridnums")
    ways: list[dict[Cell, str]] = [{}]
    if isinstance(numbers, list) and len(numbers) == grid.width * grid.height:
        ways.insert(0, {divmod(i, grid.width): str(n) for i, n in enumerate(numbers) if n})
    return min(
        (
            (labels, list(_read_clues(file.get("clues"), {**usual, **{n: cell for cell, n in labels.items()}})))
            for labels in ways
        ),
        key=lambda way: clue_placement.count_misplaced(grid, way[1]),
    )


def _list_entries(
    grid: Grid, labels: Mapping[Cell, str], placed: Iterable[clue_placement.PlacedClue]
) -> Iterator[geometry.ListedEntry]:
    """List the entries that have clues, with the numbers that are printed where they begin."""
    for start, direction, _ in placed:
        if start is not None and (slot := grid.slots_by_start.get((start, direction))):
            yield geometry.ListedEntry(labels.get(start, str(slot.number)), direction.name, slot.cells)


def _read_clues(groups: Any, starts: Mapping[str, Cell]) -> Iterator[clue_placement.PlacedClue]:
    for direction in Direction:
        group = groups.get(direction.name.lower()) if isinstance(groups, dict) else None
        for raw in group if isinstance(group, list) else ():
            if found := _CLUE.match(str(raw)):
                yield starts.get(str(int(found[1]))), direction, texts.clue_from_html(found[2])
            else:
                yield None, direction, ""
