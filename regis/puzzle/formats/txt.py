"""Across Lite's text format, in which editors type a puzzle: `<ACROSS PUZZLE>`, sections by tags (versions 1 and 2).

The grid is the solution, `.` or `:` a block. Clues have no numbers, one a line in the order of the grid. `<REBUS>`
names the contents of squares (`1:HEART:H`), and after `MARK;` a lower-case letter is a circled square.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from regis.errors import PuzzleError
from regis.puzzle import Direction, Grid
from regis.puzzle.formats import document
from regis.puzzle.formats.document import Document

BLOCKS = ".:"
_START = re.compile(r"\s*<ACROSS PUZZLE(?: V2)?>", re.IGNORECASE)
_TAG = re.compile(r"^[ \t]*<([A-Z][A-Z0-9 ]*)>[ \t]*$", re.IGNORECASE | re.MULTILINE)


def detect(data: bytes) -> bool:
    """Whether `data` begins with the first tag."""
    return bool(_START.match(document.decoded(data[:256])))


def read(data: bytes, name: str) -> Document:
    parts = _TAG.split(document.decoded(data))
    sections = {tag.upper(): part for tag, part in zip(parts[1::2], parts[2::2], strict=True)}
    drawn = document.lines(sections.get("GRID", ""))
    if not drawn:
        raise PuzzleError(f"{name} has no <GRID>, so it cannot be read as Across Lite text; add one")
    grid = document.shape([[x not in BLOCKS for x in row] for row in drawn], name)
    squares = {(r, c): drawn[r][c] for r, c in grid.cells}
    rebus, marked = {}, False
    for line in document.lines(sections.get("REBUS", "")):
        key, colon, rest = line.partition(":")
        if colon:
            rebus[key] = rest.split(":")[0]
        else:
            marked = marked or "MARK" in line.upper().split(";")
    clues, warnings = document.clued(grid, _clues(sections, grid), name)
    if diagramless := any(":" in row for row in drawn):
        warnings = (*warnings, f"{name} {document.DIAGRAMLESS}")
    return Document(
        grid,
        clues,
        title=document.line(sections.get("TITLE", "")),
        author=document.line(sections.get("AUTHOR", "")),
        copyright=document.line(sections.get("COPYRIGHT", "")),
        notes=document.written(sections.get("NOTEPAD", "")),
        solution=document.solved({cell: rebus.get(x, x) for cell, x in squares.items()}),
        circles=frozenset(cell for cell, x in squares.items() if marked and x.islower()),
        diagramless=diagramless,
        warnings=warnings,
    )


def _clues(sections: dict[str, str], grid: Grid) -> Iterator[document.Placed]:
    for direction in Direction:
        starts = iter([slot.cells[0] for slot in grid.slots if slot.direction is direction])
        for line in document.lines(sections.get(direction.name, "")):
            yield next(starts, None), direction, line
