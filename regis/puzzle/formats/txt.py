"""Across Lite's text format, in which editors type a puzzle: `<ACROSS PUZZLE>`, sections by tags (versions 1 and 2).

The grid is the solution, `.` or `:` a block. Clues have no numbers, one a line in the order of the grid. `<REBUS>`
names the contents of squares (`1:HEART:H`), and after `MARK;` a lower-case letter is a circled square.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from itertools import zip_longest

from regis.errors import PuzzleError
from regis.puzzle import Direction, Grid
from regis.puzzle.formats import document
from regis.puzzle.formats.document import Document

BLOCKS = ".:"
_START = re.compile(r"\s*<ACROSS PUZZLE(?: V2)?>", re.IGNORECASE)
_TAG = re.compile(r"^[ \t]*<([A-Z][A-Z0-9 ]*)>[ \t]*$", re.IGNORECASE | re.MULTILINE)
_NAMES = ("ACROSS", "AUTHOR", "COPYRIGHT", "DOWN", "GRID", "NOTEPAD", "REBUS", "SIZE", "TITLE")
CLUES = tuple(direction.name for direction in Direction)  # the sections of clues: there <ALT> is a clue for a key


def detect(data: bytes) -> bool:
    """Whether `data` begins with the first tag; that the cut may part a character does not matter."""
    return bool(_START.match(document.decoded(data[:256].removeprefix(BOM_UTF8))))


def read(data: bytes, name: str) -> Document:
    sections = _sections(document.decoded(data))
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


def _sections(raw: str) -> dict[str, str]:
    """The text behind each tag, by its name in capitals."""
    _, *parts = _TAG.split(raw)
    sections: dict[str, str] = {}
    name = ""
    for tag, part in zip(parts[::2], parts[1::2], strict=True):
        if tag.upper() in _NAMES or name not in CLUES:
            name, text = tag.upper(), part
        else:
            text = f"{sections[name]}<{tag}>{part}"
        sections[name] = text
    return sections


def _clues(sections: dict[str, str], grid: Grid) -> Iterator[document.Placed]:
    for direction in Direction:
        starts = [slot.cells[0] for slot in grid.slots if slot.direction is direction]
        section = sections.get(direction.name, "")
        typed = section.split("\n")[1:]
        while len(typed) > len(starts) and not typed[-1].strip():  # before the next tag, or at the end
            typed.pop()
        # where there are as many as entries, a blank line is an entry without a clue
        for start, line in zip_longest(starts, typed if len(typed) == len(starts) else document.lines(section)):
            if line is not None:
                yield start, direction, line
