"""The puzzle: its grid, slots and clues, the letters in it, and (in `formats`) the files that it comes in."""

from regis.puzzle.grid import (
    BLOCK,
    DOUBTFUL_BELOW,
    WHITE,
    Bar,
    Cell,
    Crossing,
    Direction,
    Grid,
    Puzzle,
    Slot,
    format_slot_names,
)

__all__ = [
    "BLOCK", "DOUBTFUL_BELOW", "WHITE", "Bar", "Cell", "Crossing", "Direction", "Grid", "Puzzle", "Slot",
    "format_slot_names",
]  # fmt: skip
