"""The puzzle: grid, slots, clues, letters, and (in `formats`) its files."""

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
