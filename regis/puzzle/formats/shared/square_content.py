"""What one square of a file holds, and how it is shaded."""

from __future__ import annotations

import re
from collections.abc import Mapping

from regis.puzzle import Cell
from regis.puzzle.formats.shared.texts import clean_text

MAX_CONTENT = 40
"""Characters in one square beyond this are no rebus. A guess; the longest that was ever seen here has 7."""

EMPTY_SIGNS = "-? \0._"  # what stands in a cell of which nothing is known

DEFAULT_SHADE = "#dcdcdc"  # grey, where the file does not say which
WHITE_SHADES = ("", "white", "#fff", "#ffffff", "fff", "ffffff", "transparent", "none")  # shades that are none
COLOURED_BLOCKS = "the colours of its blocks"
OTHER_STYLES = "shapes, marks or pictures in squares"
"""For which a document has no place."""
BLACK_SHADES = ("black", "#000", "#000000")
_COLOUR = re.compile("#?(?:([0-9a-f]{6})|([0-9a-f]{3}))$")


def clean_content(raw: object) -> str:
    """Return what a cell holds; '' for nothing, or for what no cell can hold."""
    content = "".join(clean_text(raw).split())
    can_be_held = content.strip(EMPTY_SIGNS) and content.isprintable() and len(content) <= MAX_CONTENT
    return content if can_be_held else ""


def clean_solution(contents: Mapping[Cell, object]) -> dict[Cell, str]:
    """Return the solution in capitals, cell by cell, as far as it is there."""
    solution = {cell: clean_content(raw).upper() for cell, raw in contents.items()}
    return {cell: content for cell, content in solution.items() if content}


def parse_shade(colour: object) -> str:
    """Return a colour as '#rrggbb'; grey where a file names it otherwise; '' for white, and where it names none."""
    named = str(colour or "").strip().lower()
    if named in WHITE_SHADES:
        return ""
    found = _COLOUR.match(named)
    return f"#{found[1] or ''.join(2 * x for x in found[2])}" if found else DEFAULT_SHADE


def is_block_colour(colour: object) -> bool:
    """Return whether a block of this colour looks otherwise than a block does."""
    return parse_shade(colour) not in ("", *BLACK_SHADES) and str(colour).strip().lower() not in BLACK_SHADES
