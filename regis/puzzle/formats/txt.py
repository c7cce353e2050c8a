"""Across Lite's text format, typed by editors: `<ACROSS PUZZLE>` and sections by tags (versions 1 and 2).

The grid is the solution, with `.` or `:` for blocks. Clues have no numbers and come in order, one per line. `<REBUS>`
has the contents of squares (`1:HEART:H`). After `MARK;`, lowercase letters are circled.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from regis import text
from regis.errors import PuzzleError
from regis.puzzle import Direction
from regis.puzzle.formats.shared import squares, texts
from regis.puzzle.formats.shared.clues import ListedClue
from regis.puzzle.formats.shared.document import Document, build_document
from regis.puzzle.formats.shared.squares import BLOCK_SIGN, VOID_SIGN

BLOCK_SIGNS = BLOCK_SIGN + VOID_SIGN
_TAG = re.compile(r"^[ \t]*<([A-Z][A-Z0-9 ]*)>[ \t]*$", re.IGNORECASE | re.MULTILINE)
_SECTION_NAMES = ("ACROSS", "AUTHOR", "COPYRIGHT", "DOWN", "GRID", "NOTEPAD", "REBUS", "SIZE", "TITLE")
CLUE_SECTIONS = tuple(direction.name for direction in Direction)  # in these, <ALT> is a clue for a key


def read(data: bytes, file_name: str) -> Document:
    sections = _split_sections(texts.decode_text(data))
    rows = texts.nonblank_lines(sections.get("GRID", ""))
    if not rows:
        raise PuzzleError(f"{file_name} has no <GRID> and can't be read as Across Lite text; add one")
    grid = squares.build_grid(rows, file_name, BLOCK_SIGNS)
    keys = texts.nonblank_lines(sections.get("REBUS", ""))
    pairs = (key.split(":") for key in keys if ":" in key)
    rebus = {key: squares.clean_content(content) for key, content, *_ in pairs}
    has_circles = any("MARK" in key.upper().split(";") for key in keys if ":" not in key)
    signs = squares.by_cell(rows)
    blocks = {cell: x for cell, x in signs.items() if x in BLOCK_SIGNS}
    is_diagramless = set(blocks.values()) == {VOID_SIGN}
    return build_document(
        [[None if x in BLOCK_SIGNS else rebus.get(x, x) for x in row] for row in rows],
        (clue for d in Direction for clue in _list_clues(d, sections, sum(slot.direction is d for slot in grid.slots))),
        file_name,
        circles=[cell for cell, x in signs.items() if has_circles and x.islower()],
        voids=frozenset(cell for cell, x in blocks.items() if x == VOID_SIGN and not is_diagramless),
        is_diagramless=is_diagramless,
        title=text.decode_entities(sections.get("TITLE", "")),
        author=text.decode_entities(sections.get("AUTHOR", "")),
        copyright=text.decode_entities(sections.get("COPYRIGHT", "")),
        notes=text.decode_entities(sections.get("NOTEPAD", "")),
    )


def _split_sections(raw: str) -> dict[str, str]:
    """Split a text into sections by tag, in capitals."""
    _, *parts = _TAG.split(raw)
    sections: dict[str, list[str]] = {}
    name = ""
    for tag, part in zip(parts[::2], parts[1::2], strict=True):
        if tag.upper() in _SECTION_NAMES or name not in CLUE_SECTIONS:
            name = tag.upper()
            sections[name] = [part]
        else:
            sections[name] += [f"<{tag}>", part]
    return {name: "".join(part) for name, part in sections.items()}


def _list_clues(direction: Direction, sections: Mapping[str, str], n_entries: int) -> Iterator[ListedClue]:
    """List clues by line; if there are as many lines as entries, a blank line is an entry without a clue."""
    section = sections.get(direction.name, "")
    typed = section.split("\n")[1:]
    while len(typed) > n_entries and not typed[-1].strip():  # blank lines before the next tag, or at the end
        typed.pop()
    for line in typed if len(typed) == n_entries else texts.nonblank_lines(section):
        yield ListedClue(direction.name, "", text.decode_entities(line))
