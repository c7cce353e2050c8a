"""The contents of pages: glyphs, graphics, and grids.

Coordinates start at the top left corner of the page as displayed. They are in points in a PDF with text, in pixels in a
picture.
"""

from __future__ import annotations

import functools
import zlib
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

LUMINANCE = np.array([0.299, 0.587, 0.114], np.float32) / 255  # weights of red, green, and blue from 0 to 255
LONG_SIDE = 3300  # pixels of a page's longer side: US Letter at 300 dpi
P_SURE = 0.99  # a guess: probability of a square or clue that all evidence supports
P_DOUBTFUL = 0.6  # a guess: probability of a square or clue that some evidence contradicts


class Glyph(NamedTuple):
    """One printed character or space."""

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
    def center(self) -> tuple[float, float]:
        return (self.left + self.right) / 2, (self.top + self.bottom) / 2


class Lattice(NamedTuple):
    """Where the lines of a grid are."""

    left: float
    top: float
    pitch_x: float  # width of a square
    pitch_y: float  # height of a square
    width: int  # columns
    height: int  # rows

    @property
    def right(self) -> float:
        return self.left + self.pitch_x * self.width

    @property
    def bottom(self) -> float:
        return self.top + self.pitch_y * self.height


@dataclass(frozen=True)
class Page:
    """One page: its glyphs, and a picture of everything else.

    Attributes
    ----------
    picture : compressed RGB pixels, row by row.
    size : rows and columns of the picture.
    scale : pixels per unit of length.
    lattices : the grids, if the extractor located them.
    is_picture : whether the text was recognized instead of extracted from the file.
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
        """Return the picture as (rows, columns, 3) RGB."""
        return np.frombuffer(zlib.decompress(self.picture), np.uint8).reshape(*self.size, 3)


class PageDocument(NamedTuple):
    """The pages of a file, with the title and author from the file's properties."""

    pages: tuple[Page, ...]
    title: str = ""
    author: str = ""
    lacks_characters: bool = False  # whether it was read as a picture because its fonts have no Unicode map
