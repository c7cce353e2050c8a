"""Decides which squares are blocks: the blocks determine the numbers, and these must match the printed ones.

Any gray level may separate blocks from shaded squares, and thick lines may be bars or decoration. Each combination is a
reading. The best one has the numbering that is printed in the squares and before the clues. Its disagreements make
squares doubtful.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from regis.puzzle import BLOCK, WHITE, Bar, Cell, Grid
from regis.puzzle.formats.paper.page_objects import P_DOUBTFUL, P_SURE
from regis.puzzle.formats.paper.square_reading import MIN_ENCLOSURE, PrintedSquares

SHADE_LIGHTNESS = 0.96  # from 0 to 1; a darker square is shaded
BAR_RATIO = 1.8  # thickness of a bar over that of other lines
MIN_NUMBERS = 3  # with fewer printed numbers, their agreement means nothing


@dataclass(frozen=True)
class GridReading:
    """A grid, with the probability that each square is right.

    Attributes
    ----------
    probabilities : (height, width) that a square is a block or white as read.
    number_agreement : share of squares with the right number, of those with a printed or an expected one; 0 if unknown.
    """

    squares: PrintedSquares
    grid: Grid
    voids: frozenset[Cell]
    shaded_cells: frozenset[Cell]
    probabilities: NDArray[np.float64]
    number_agreement: float


def list_readings(squares: PrintedSquares) -> list[GridReading]:
    """List the readings of the squares, for each threshold of blocks, with and without bars."""
    return [
        reading
        for threshold in _block_thresholds(squares)
        for with_bars in (False, True)
        if (reading := _read_blocks(squares, threshold, with_bars))
    ]


def _block_thresholds(squares: PrintedSquares) -> list[float]:
    """List the levels of lightness that may separate blocks from other squares, ascending, with 0 (no block) last."""
    levels = np.unique(np.round(squares.lightness, 1))
    return [*((levels[1:] + levels[:-1]) / 2), 0.0]


def _bar_thickness(squares: PrintedSquares) -> float:
    """Return the least thickness of a bar."""
    inner = np.concatenate([squares.thickness_below[:-1].ravel(), squares.thickness_right[:, :-1].ravel()])
    drawn = inner[inner > 0]
    return BAR_RATIO * float(np.quantile(drawn, 0.25)) if len(drawn) else np.inf


def mend_blocks(reading: GridReading, rows: tuple[str, ...]) -> GridReading:
    """Return the reading with a person's blocks and white squares; corrected squares become certain."""
    is_white = np.array([[content != BLOCK for content in row] for row in rows])
    is_mended = np.ones(is_white.shape, bool)  # if the size changes, every square is corrected
    is_void = np.zeros(is_white.shape, bool)
    if is_white.shape == reading.probabilities.shape:
        is_mended = is_white != np.array([[content != BLOCK for content in row] for row in reading.grid.rows])
        for cell in reading.voids:
            is_void[cell] = not is_white[cell]
    mended = _make_reading(reading.squares, is_white, is_void, bool(reading.grid.bars))
    return replace(mended, probabilities=np.where(is_mended, 1.0, mended.probabilities))


def _read_blocks(squares: PrintedSquares, threshold: float, with_bars: bool) -> GridReading | None:
    """Read the squares, with those darker than a threshold as blocks; return None if no square is white."""
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
    """Number the grid, and rate its squares.

    Parameters
    ----------
    is_white, is_void : (height, width) whether each square is white, and whether it is outside the grid.
    """
    rows = tuple("".join(WHITE if x else BLOCK for x in row) for row in is_white)
    bars = frozenset(_find_bars(squares, is_white)) if with_bars else frozenset()
    grid = Grid(rows, bars)
    right_numbers = grid.cell_numbers
    numbered = right_numbers.keys() | squares.numbers.keys()
    differing = {cell for cell in numbered if right_numbers.get(cell) != squares.numbers.get(cell)}
    has_numbers = len(squares.numbers) >= MIN_NUMBERS
    return GridReading(
        squares,
        grid,
        voids=frozenset((int(r), int(c)) for r, c in zip(*np.nonzero(is_void), strict=True)),
        shaded_cells=frozenset(cell for cell in grid.cells if squares.lightness[cell] < SHADE_LIGHTNESS),
        probabilities=_rate_squares(squares, right_numbers, differing if has_numbers else ()),
        number_agreement=1 - len(differing) / len(numbered) if has_numbers else 0.0,
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
    """Return the (height, width) probabilities that squares are right.

    Parameters
    ----------
    differing : squares whose printed number isn't the right one.
    """
    rated = np.full(squares.lightness.shape, P_SURE)
    for cell, probability in squares.content_probabilities.items():
        rated[cell] = min(rated[cell], probability)
    for cell in differing:
        # a missing or extra number contradicts the square itself; a wrong value may follow from an earlier square
        if (cell in right_numbers) != (cell in squares.numbers):
            rated[cell] = P_DOUBTFUL
    return rated
