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
from regis.puzzle.formats.shared import clue_placement, dimensions, square_content, texts
from regis.puzzle.formats.shared.document import DIAGRAMLESS_WARNING, Document

VOID_SIGN = ":"  # a square that is not drawn; in a diagramless puzzle, of which all blocks are that, a block
BLOCK_SIGNS = "." + VOID_SIGN
_START = re.compile(r"\s*<ACROSS PUZZLE(?: V2)?>", re.IGNORECASE)
_TAG = re.compile(r"^[ \t]*<([A-Z][A-Z0-9 ]*)>[ \t]*$", re.IGNORECASE | re.MULTILINE)
_SECTION_NAMES = ("ACROSS", "AUTHOR", "COPYRIGHT", "DOWN", "GRID", "NOTEPAD", "REBUS", "SIZE", "TITLE")
CLUE_SECTIONS = tuple(direction.name for direction in Direction)  # there <ALT> is a clue for a key


def detect(data: bytes) -> bool:
    """Return whether `data` begins with the first tag; that the cut may part a character does not matter."""
    return bool(_START.match(texts.decode_text(data[:256].removeprefix(BOM_UTF8))))


def read(data: bytes, file_name: str) -> Document:
    """Read all that such a text says. Raises PuzzleError."""
    sections = _split_sections(texts.decode_text(data))
    rows = texts.nonblank_lines(sections.get("GRID", ""))
    if not rows:
        raise PuzzleError(f"{file_name} has no <GRID>, so it cannot be read as Across Lite text; add one")
    grid = dimensions.build_grid([[x not in BLOCK_SIGNS for x in row] for row in rows], file_name)
    squares = {(r, c): rows[r][c] for r, c in grid.cells}
    rebus, has_circles = {}, False
    for line in texts.nonblank_lines(sections.get("REBUS", "")):
        key, colon, rest = line.partition(":")
        if colon:
            rebus[key] = rest.split(":")[0]
        else:
            has_circles = has_circles or "MARK" in line.upper().split(";")
    clues, warnings = clue_placement.assign_clues(grid, _place_clues(sections, grid), file_name)
    blocks = {(r, c): x for r, row in enumerate(rows) for c, x in enumerate(row) if x in BLOCK_SIGNS}
    if is_diagramless := set(blocks.values()) == {VOID_SIGN}:
        warnings = (*warnings, f"{file_name} {DIAGRAMLESS_WARNING}")
    if stated := re.fullmatch(r"\s*(\d{1,9})\s*x\s*(\d{1,9})\s*", sections.get("SIZE", ""), re.IGNORECASE):
        warnings = (*warnings, *dimensions.compare_size([int(x) for x in stated.groups()], grid, file_name))
    return Document(
        grid,
        clues,
        title=texts.clean_line(sections.get("TITLE", "")),
        author=texts.clean_line(sections.get("AUTHOR", "")),
        copyright=texts.clean_line(sections.get("COPYRIGHT", "")),
        notes=texts.clean_text(sections.get("NOTEPAD", "")),
        solution=square_content.clean_solution({cell: rebus.get(x, x) for cell, x in squares.items()}),
        circles=frozenset(cell for cell, x in squares.items() if has_circles and x.islower()),
        voids=frozenset(cell for cell, x in blocks.items() if x == VOID_SIGN and not is_diagramless),
        is_diagramless=is_diagramless,
        warnings=warnings,
    )


def _split_sections(raw: str) -> dict[str, str]:
    """Split a text into what stands behind each tag, by its name in capitals."""
    _, *parts = _TAG.split(raw)
    sections: dict[str, str] = {}
    name = ""
    for tag, part in zip(parts[::2], parts[1::2], strict=True):
        if tag.upper() in _SECTION_NAMES or name not in CLUE_SECTIONS:
            name, text = tag.upper(), part
        else:
            text = f"{sections[name]}<{tag}>{part}"
        sections[name] = text
    return sections


def _place_clues(sections: dict[str, str], grid: Grid) -> Iterator[clue_placement.PlacedClue]:
    for direction in Direction:
        starts = [slot.cells[0] for slot in grid.slots if slot.direction is direction]
        section = sections.get(direction.name, "")
        typed = section.split("\n")[1:]
        while len(typed) > len(starts) and not typed[-1].strip():  # before the next tag, or at the end
            typed.pop()
        # where there are as many as entries, a blank line is an entry without a clue
        for start, line in zip_longest(starts, typed if len(typed) == len(starts) else texts.nonblank_lines(section)):
            if line is not None:
                yield start, direction, line
