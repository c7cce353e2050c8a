"""Rebus squares that the person wrote: several letters in one.

They are taken at their word, so that the entries through them are asked for as long answers as they are. A file has no
sign for a square that is one thing across and another down, mostly: C/I is written CI. So where the grid does not come
out, they are also read in both directions, all in the same way (measured: docs/measured.md).
"""

from __future__ import annotations

from collections.abc import Iterator

from regis.puzzle import Puzzle
from regis.puzzle.alphabet import spelled
from regis.solving.rebus.prices import few
from regis.solving.rebus.squares import Squares, turned
from regis.solving.solved import BOTH

LONGEST = 6  # letters of contents that are read in two directions; a guess


def written(puzzle: Puzzle) -> Squares:
    """The squares of entries in which the person wrote several letters."""
    several = {cell: x for cell, x in puzzle.given.items() if len(x) > 1 and spelled(x, len(x))}
    return {cell: x for cell, x in several.items() if cell in puzzle.grid.through}


def readings(squares: Squares, alone: bool = False) -> Iterator[Squares]:
    """The same letters as one thing across and another down: parted at each place, either first.

    None of too few squares (prices.few) unless they are `alone`, the first of several; nor of longer contents than
    LONGEST.
    """
    if max(map(len, squares.values())) > LONGEST:
        return
    for first in range(1, min(map(len, squares.values()))):
        both = {cell: content[:first] + BOTH + content[first:] for cell, content in squares.items()}
        if alone or len(both) >= max(map(few, both.values())):
            yield both
            yield {cell: turned(content) for cell, content in both.items()}
