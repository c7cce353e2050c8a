"""The squares of a file: their number, contents, and shades.

Every reader checks the stated size with `read_size`, and every grid comes from `build_grid`, so no size is impossible.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from regis.errors import PuzzleError
from regis.puzzle import BLOCK, WHITE, Cell, Grid
from regis.puzzle.formats.shared.texts import clean_text

T = TypeVar("T")

MAX_SIDE = 100  # rows or columns; published puzzles have at most a few dozen
MAX_CONTENT = 40  # characters of a rebus: a guess, the longest seen has 7

BLOCK_SIGN = "."  # of most formats
VOID_SIGN = ":"  # of .puz and .txt: a square that isn't drawn, or a block in a diagramless puzzle
EMPTY_SIGNS = "-? \0._"  # contents of unknown cells

DEFAULT_SHADE = "#dcdcdc"  # gray, if the file names no color
WHITE_SHADES = ("", "white", "#fff", "#ffffff", "fff", "ffffff", "transparent", "none")  # not shaded
BLACK_SHADES = ("black", "#000", "#000000")
COLORED_BLOCKS = "the colors of its blocks"
OTHER_STYLES = "shapes, marks, or pictures in squares"
"""What a document can't hold."""
_COLOR = re.compile("#?(?:([0-9a-f]{6})|([0-9a-f]{3}))$")


def check_size(width: int, height: int, file_name: str) -> None:
    """Raise PuzzleError if no puzzle has this size."""
    if not (0 < width <= MAX_SIDE and 0 < height <= MAX_SIDE):
        size = size_text(width, height)
        raise PuzzleError(f"{file_name} says its grid is {size}, so it's damaged; download it again")


def read_size(width: Any, height: Any, file_name: str) -> tuple[int, int]:
    """Read the stated width and height; raises PuzzleError for an impossible size, TypeError or ValueError."""
    sides = int(width), int(height)
    check_size(*sides, file_name)
    return sides


def size_text(width: object, height: object) -> str:
    """Write a size as '15 by 15'; cut very long numbers."""
    return " by ".join(side if len(side) <= 6 else f"{side:.6}..." for side in (str(width), str(height)))


def build_grid(rows: Sequence[Sequence[object]], file_name: str, blocks: Container[Any] = (None,)) -> Grid:
    """Build a grid from rows, with `blocks` as blocks; raises PuzzleError for uneven rows or a wrong number of rows."""
    check_size(max(map(len, rows), default=0), len(rows), file_name)
    if len({len(row) for row in rows}) > 1:
        raise PuzzleError(f"{file_name} has a grid with rows of different lengths; fix it or download it again")
    return Grid(tuple("".join(BLOCK if x in blocks else WHITE for x in row) for row in rows))


def by_cell(rows: Iterable[Iterable[T]]) -> dict[Cell, T]:
    return {(r, c): x for r, row in enumerate(rows) for c, x in enumerate(row)}


def split_rows(squares: Sequence[T], width: int, height: int, file_name: str) -> list[Sequence[T]]:
    """Split a flat list of squares into rows; raises PuzzleError if the number of squares is wrong or impossible."""
    check_size(width, height, file_name)
    if len(squares) != width * height:
        found = "1 square" if len(squares) == 1 else f"{len(squares)} squares"
        raise PuzzleError(f"{file_name} has {found}, not {width} by {height}; download it again")
    return [squares[r * width : (r + 1) * width] for r in range(height)]


def draw_rows(contents: Mapping[Cell, T], width: int, height: int, file_name: str) -> list[list[T | None]]:
    """Draw the squares listed by cell as rows, None for other squares; raises PuzzleError for an impossible size."""
    check_size(width, height, file_name)
    return [[contents.get((r, c)) for c in range(width)] for r in range(height)]


def check_blocks_only(grid: Grid, file_name: str, target_format: str) -> None:
    """Raise PuzzleError if `grid` has entries that don't follow from its blocks."""
    if grid.bars or grid.given_slots:
        what = "bars" if grid.bars else "entries that bend or jump"
        raise PuzzleError(f"{file_name} has {what}, which a .{target_format} can't hold; write .ipuz instead")


def clean_content(raw: object) -> str:
    """Return a cell's content; '' if it is empty or impossible."""
    content = "".join(clean_text(raw).split())
    can_be_held = content.strip(EMPTY_SIGNS) and content.isprintable() and len(content) <= MAX_CONTENT
    return content if can_be_held else ""


def clean_contents(contents: Mapping[Cell, object]) -> dict[Cell, str]:
    return {cell: content for cell, raw in contents.items() if (content := clean_content(raw))}


def clean_solution(contents: Mapping[Cell, object]) -> dict[Cell, str]:
    return {cell: content.upper() for cell, content in clean_contents(contents).items()}


def parse_shade(color: object) -> str:
    """Return a color as '#rrggbb': gray if its name is unknown; '' for white or no color."""
    named = _name_color(color)
    if named in WHITE_SHADES:
        return ""
    found = _COLOR.match(named)
    return f"#{found[1] or ''.join(2 * x for x in found[2])}" if found else DEFAULT_SHADE


def is_block_color(color: object) -> bool:
    """Return whether a block has a color of its own, neither black nor white."""
    return parse_shade(color) not in ("", *BLACK_SHADES) and _name_color(color) not in BLACK_SHADES


def _name_color(color: object) -> str:
    return color[:MAX_CONTENT].strip().lower() if isinstance(color, str) else ""
