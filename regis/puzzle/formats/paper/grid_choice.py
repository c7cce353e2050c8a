"""Which squares are blocks, by the numbers: what the blocks say that the numbers are must be what is printed.

Each shade of grey may be the lightest block, thick lines may be bars or adornment: of all readings the one counts whose
numbering is printed in the squares and stands before the clues. How well it agrees is how sure each square is.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from regis.puzzle import BLOCK, WHITE, Bar, Cell, Grid
from regis.puzzle.formats.paper.page_objects import P_DOUBTFUL, P_SURE
from regis.puzzle.formats.paper.square_reading import MIN_ENCLOSURE, PrintedSquares

SHADE_LIGHTNESS = 0.96  # from which on a square is white
BAR_RATIO = 1.8  # a bar is so many times as thick as other lines
MIN_NUMBERS = 3  # printed numbers from which on they are believed


@dataclass(frozen=True)
class GridReading:
    """A grid as it was read, with how likely each square is right.

    Attributes
    ----------
    probabilities : (height, width) of each square, that it is a block or white as read, with its number.
    number_agreement : the share of squares with a number, read or due, that have the right one; 0 where none has one.
    """

    squares: PrintedSquares
    grid: Grid
    voids: frozenset[Cell]
    shaded_cells: frozenset[Cell]
    probabilities: NDArray[np.float64]
    number_agreement: float


def list_readings(squares: PrintedSquares) -> list[GridReading]:
    """List what the squares may be, with blocks from each lightness on, and thick lines as bars or not."""
    return [
        reading
        for threshold in _block_thresholds(squares)
        for with_bars in (False, True)
        if (reading := _read_blocks(squares, threshold, with_bars))
    ]


def _block_thresholds(squares: PrintedSquares) -> list[float]:
    """List lightnesses below which squares may be blocks, the darkest reading first."""
    levels = np.unique(np.round(squares.lightness, 1))
    return [*((levels[1:] + levels[:-1]) / 2), 0.0]


def _bar_thickness(squares: PrintedSquares) -> float:
    """Return from which thickness on a line is a bar."""
    inner = np.concatenate([squares.thickness_below[:-1].ravel(), squares.thickness_right[:, :-1].ravel()])
    drawn = inner[inner > 0]
    return BAR_RATIO * float(np.quantile(drawn, 0.25)) if len(drawn) else np.inf


def mend_blocks(reading: GridReading, rows: tuple[str, ...]) -> GridReading:
    """Return the reading with blocks and white squares as a person saw them; of those it was wrong about it is sure."""
    is_white = np.array([[content != BLOCK for content in row] for row in rows])
    is_mended = np.ones(is_white.shape, bool)  # all squares of a grid of another size
    is_void = np.zeros(is_white.shape, bool)
    if is_white.shape == reading.probabilities.shape:
        is_mended = is_white != np.array([[content != BLOCK for content in row] for row in reading.grid.rows])
        for cell in reading.voids:
            is_void[cell] = not is_white[cell]
    mended = _make_reading(reading.squares, is_white, is_void, bool(reading.grid.bars))
    return replace(mended, probabilities=np.where(is_mended, 1.0, mended.probabilities))


def _read_blocks(squares: PrintedSquares, threshold: float, with_bars: bool) -> GridReading | None:
    """Read the squares with blocks below one lightness."""
    is_block = squares.lightness < threshold
    is_void = ~is_block & (squares.enclosure < MIN_ENCLOSURE)
    is_white = ~is_void & ~is_block
    return _make_reading(squares, is_white, is_void, with_bars) if is_white.any() else None


def _make_reading(
    squares: PrintedSquares,
    is_white: NDArray[np.bool_],
    is_void: NDArray[np.bool_],
    with_bars: bool,
) -> GridReading:
    """Number the grid with these white squares, and rate it.

    Parameters
    ----------
    is_white, is_void : (height, width) which squares are white, and which lie outside the grid.
    """
    rows = tuple("".join(WHITE if x else BLOCK for x in row) for row in is_white)
    bars = frozenset(_find_bars(squares, is_white)) if with_bars else frozenset()
    grid = Grid(rows, bars)
    right_numbers = grid.cell_numbers
    differing = {
        cell
        for cell in right_numbers.keys() | squares.numbers.keys()
        if right_numbers.get(cell) != squares.numbers.get(cell)
    }
    n_numbered = len(right_numbers.keys() | squares.numbers.keys())
    has_numbers = len(squares.numbers) >= MIN_NUMBERS
    return GridReading(
        squares,
        grid,
        voids=frozenset((int(r), int(c)) for r, c in zip(*np.nonzero(is_void), strict=True)),
        shaded_cells=frozenset(cell for cell in grid.cells if squares.lightness[cell] < SHADE_LIGHTNESS),
        probabilities=_rate_squares(squares, right_numbers, differing if has_numbers else ()),
        number_agreement=1 - len(differing) / n_numbered if has_numbers and n_numbered else 0.0,
    )


def _find_bars(squares: PrintedSquares, white: NDArray[np.bool_]) -> list[Bar]:
    """Find the thick lines between white squares."""
    least = _bar_thickness(squares)
    below = (squares.thickness_below[:-1] >= least) & white[:-1] & white[1:]
    right = (squares.thickness_right[:, :-1] >= least) & white[:, :-1] & white[:, 1:]
    bars: list[Bar] = [((int(r), int(c)), (int(r) + 1, int(c))) for r, c in zip(*np.nonzero(below), strict=True)]
    return bars + [((int(r), int(c)), (int(r), int(c) + 1)) for r, c in zip(*np.nonzero(right), strict=True)]


def _rate_squares(
    squares: PrintedSquares,
    right_numbers: Mapping[Cell, int],
    differing: Collection[Cell],
) -> NDArray[np.float64]:
    """Rate how likely each square is as read.

    Parameters
    ----------
    differing : squares whose printed number is another than the right one.

    Returns
    -------
    (height, width) probabilities.
    """
    rated = np.full(squares.lightness.shape, P_SURE)
    for cell, probability in squares.content_probabilities.items():
        rated[cell] = min(rated[cell], probability)
    for cell in differing:
        # a number that lacks or is too many speaks against the square; one that only counts on from there does not
        if (cell in right_numbers) != (cell in squares.numbers):
            rated[cell] = P_DOUBTFUL
    return rated
