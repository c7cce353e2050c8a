"""What stands on pages: glyphs, and what is drawn, from the top left corner of each page as it is shown.

Lengths are in points, or pixels of a page that was seen.
"""

from __future__ import annotations

import functools
import zlib
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

LUMINANCE = np.array([0.299, 0.587, 0.114], np.float32) / 255
"""How much of the light is red, green and blue."""

LONG_SIDE = 3300  # pixels of a page's longer side: a letter at 300 dpi
P_SURE = 0.99
P_DOUBTFUL = 0.6
"""How likely a square or clue is right with which everything agrees, and one that something speaks against; guesses."""

Point = tuple[float, float]
"""Right of the page's left edge and below its upper one."""


class Glyph(NamedTuple):
    """One character on a page; a space is one, too."""

    character: str
    left: float
    top: float
    right: float
    bottom: float
    baseline: float
    is_bold: bool = False
    is_italic: bool = False
    probability: float = 1.0  # that it is this character

    @property
    def height(self) -> float:
        return self.bottom - self.top

    @property
    def centre(self) -> Point:
        return (self.left + self.right) / 2, (self.top + self.bottom) / 2


class Lattice(NamedTuple):
    """The lines of a grid: top left corner, the sides of a square, how many columns and rows."""

    left: float
    top: float
    pitch_x: float
    pitch_y: float
    width: int
    height: int

    @property
    def right(self) -> float:
        return self.left + self.pitch_x * self.width

    @property
    def bottom(self) -> float:
        return self.top + self.pitch_y * self.height


@dataclass(frozen=True)
class Page:
    """One page: glyphs as they were written, and what is drawn without them.

    Attributes
    ----------
    picture : red, green and blue of its pixels, row by row, packed.
    size : rows and columns of it.
    scale : pixels of a point, or of themselves.
    lattices : grids that were found already.
    is_picture : whether its text was seen, which a file with text says itself.
    """

    number: int
    glyphs: tuple[Glyph, ...]
    picture: bytes
    size: tuple[int, int]
    scale: float
    lattices: tuple[Lattice, ...] | None = None
    is_picture: bool = False

    @functools.cached_property
    def pixels(self) -> NDArray[np.uint8]:
        """Return what is drawn: (rows, columns, 3) red, green and blue."""
        return np.frombuffer(zlib.decompress(self.picture), np.uint8).reshape(*self.size, 3)


class PageDocument(NamedTuple):
    """The pages of a file, and what it says of its title and author in its properties."""

    pages: tuple[Page, ...]
    title: str = ""
    author: str = ""
    is_picture: bool = False
    lacks_characters: bool = False  # whether it is a picture because its fonts don't say what characters they show
