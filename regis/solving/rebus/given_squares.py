"""Rebus squares that the person wrote: several letters in one.

They are taken at their word, so that the entries through them are asked for as long answers as they are. A file has no
sign for a square that is one thing across and another down, mostly: C/I is written CI. So where the grid does not come
out, they are also read in both directions, all in the same way (measured: docs/experiments/rebus-given.md).
"""

from __future__ import annotations

from collections.abc import Iterator

from regis.puzzle import Puzzle
from regis.puzzle.alphabet import is_letters_only
from regis.solving.rebus.prices import PriceSettings
from regis.solving.rebus.squares import CONTENT_SEPARATOR, RebusSquares, swap_directions

MAX_TWO_WAY_LETTERS = 6  # letters of contents that are read in two directions; a guess


def find_given_squares(puzzle: Puzzle) -> RebusSquares:
    """Find the squares of entries in which the person wrote several letters."""
    several = {cell: x for cell, x in puzzle.given.items() if len(x) > 1 and is_letters_only(x, len(x))}
    return {cell: x for cell, x in several.items() if cell in puzzle.grid.slots_through}


def two_way_readings(
    squares: RebusSquares, is_first_of_several: bool = False, prices: PriceSettings = PriceSettings()
) -> Iterator[RebusSquares]:
    """Read the letters of all squares as one thing across and another down: split at each place, either part first.

    Too few squares (PriceSettings.min_squares) have no readings, unless they are the first of several; nor have
    contents longer than MAX_TWO_WAY_LETTERS.
    """
    if max(map(len, squares.values())) > MAX_TWO_WAY_LETTERS:
        return
    for split in range(1, min(map(len, squares.values()))):
        two_way = {cell: content[:split] + CONTENT_SEPARATOR + content[split:] for cell, content in squares.items()}
        if is_first_of_several or len(two_way) >= max(map(prices.min_squares, two_way.values())):
            yield two_way
            yield {cell: swap_directions(content) for cell, content in two_way.items()}
