"""How large a grid may be, and whether a format can hold it: checked before anything is computed from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from regis.errors import PuzzleError
from regis.puzzle import BLOCK, WHITE, Grid

T = TypeVar("T")

MAX_SIDE = 100  # rows or columns beyond this are damage: published puzzles have at most a few dozen


def build_grid(white_rows: Sequence[Sequence[bool]], file_name: str) -> Grid:
    """Build the grid of rows that say of each cell whether it is white.

    Raises
    ------
    PuzzleError : the rows are not equally long, or too many or too few.
    """
    check_size(len(white_rows[0]) if white_rows else 0, len(white_rows), file_name)
    if len({len(row) for row in white_rows}) > 1:
        raise PuzzleError(f"{file_name} has a grid whose rows are not equally long; mend it or fetch it again")
    return Grid(tuple("".join(WHITE if white else BLOCK for white in row) for row in white_rows))


def split_rows(squares: Sequence[T], width: int, height: int, file_name: str) -> list[Sequence[T]]:
    """Split the squares of a grid, which a file lists one after the other, into its rows.

    Raises
    ------
    PuzzleError : no puzzle has this size, or there are not as many squares.
    """
    check_size(width, height, file_name)
    if len(squares) != width * height:
        found = "1 square" if len(squares) == 1 else f"{len(squares)} squares"
        raise PuzzleError(f"{file_name} has {found} and not {width} by {height}; fetch it again")
    return [squares[r * width : (r + 1) * width] for r in range(height)]


def check_blocks_only(grid: Grid, file_name: str, target_format: str) -> None:
    """Raise PuzzleError if `grid` has entries that do not follow from its blocks."""
    if grid.bars or grid.given_slots:
        what = "bars" if grid.bars else "entries that bend or leap"
        raise PuzzleError(f"{file_name} has {what}, for which a .{target_format} has no place; write .ipuz instead")


def check_size(width: int, height: int, file_name: str) -> None:
    """Raise PuzzleError if no puzzle has this size."""
    if not (0 < width <= MAX_SIDE and 0 < height <= MAX_SIDE):
        size = size_text(width, height)
        raise PuzzleError(f"{file_name} says that its grid is {size}, so it is damaged; fetch it again")


def compare_size(stated_sides: Sequence[object], grid: Grid, file_name: str) -> list[str]:
    """Warn if a file states another width and height than its grid has."""
    if list(stated_sides) == [grid.width, grid.height] or not all(type(side) is int for side in stated_sides):
        return []
    stated = size_text(*stated_sides)
    return [f"{file_name} says that it is {stated}, but its grid is {grid.width} by {grid.height}, as read"]


def size_text(width: object, height: object) -> str:
    """Write a size as '15 by 15'; a number that somebody made long ends in dots."""
    return " by ".join(side if len(side) <= 6 else f"{side:.6}..." for side in (str(width), str(height)))
