"""Words from glyphs, and rows from words.

Rows are grouped by position, because a file may list its text in any order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from regis.puzzle.formats.paper.page_objects import Glyph, Lattice, Page

SPACE_WIDTH = 0.12  # fraction of a word's height; a wider gap is a space
SLACK = 0.45  # fraction of a word's height; allowed misalignment of words in a row and of numbers in a column
MAX_RATIO = 1.3  # between the type sizes of two rows of a text, and between its leading and the usual leading
MAX_CHARACTERS = 600  # characters; a longer clue or line isn't part of the puzzle

Run = tuple[str, bool]
"""A piece of text and whether it is in italics."""


class Word(NamedTuple):
    """Adjacent glyphs of one style."""

    page_number: int
    text: str
    left: float
    right: float
    baseline: float
    height: float
    is_bold: bool
    is_italic: bool
    has_space: bool  # whether the file has a space after it
    probability: float  # that all its characters are right
    is_pictured: bool  # whether it was recognized in a picture

    @property
    def middle(self) -> float:
        """Return the y-coordinate halfway up the lowercase letters."""
        return self.baseline - 0.3 * self.height


Row = list[Word]
"""Words on one baseline, from left to right."""


def read_words(page: Page, grids: Sequence[Lattice]) -> list[Word]:
    """Read the words of a page that are outside its grids."""
    words: list[Word] = []
    glyphs: list[Glyph] = []

    def end_word(*, has_space: bool) -> None:
        if glyphs:
            words.append(
                Word(
                    page.number,
                    "".join(glyph.character for glyph in glyphs),
                    min(glyph.left for glyph in glyphs),
                    max(glyph.right for glyph in glyphs),
                    glyphs[0].baseline,
                    glyphs[0].height,
                    glyphs[0].is_bold,
                    glyphs[0].is_italic,
                    has_space,
                    min(glyph.probability for glyph in glyphs),
                    page.is_picture,
                )
            )
            glyphs.clear()

    for glyph in page.glyphs:
        x, y = glyph.center
        if (
            any(grid.left < x < grid.right and grid.top < y < grid.bottom for grid in grids)
            or glyph.character.isspace()
        ):
            end_word(has_space=True)
        else:
            if glyphs and not _continues_word(glyphs[-1], glyph):
                end_word(has_space=False)
            glyphs.append(glyph)
    end_word(has_space=False)
    return words


def _continues_word(last: Glyph, glyph: Glyph) -> bool:
    """Return whether a glyph belongs to the same word as the last glyph."""
    size, gap = max(last.height, glyph.height), glyph.left - last.right
    is_level = abs(glyph.baseline - last.baseline) <= SPACE_WIDTH * size
    is_one_style = (glyph.is_bold, glyph.is_italic) == (last.is_bold, last.is_italic)
    return is_level and is_one_style and -0.5 * size <= gap <= SPACE_WIDTH * size


def group_rows(words: Iterable[Word], height: float) -> list[Row]:
    """Group the words of one column into rows, from top to bottom; `height` is the usual height of a word."""
    rows: list[Row] = []
    for word in sorted(words, key=lambda word: word.middle):
        if rows and word.middle - rows[-1][0].middle <= SLACK * height:
            rows[-1].append(word)
        else:
            rows.append([word])
    return [sorted(row, key=lambda word: word.left) for row in rows]


def split_row(row: Row, max_gap: float) -> Iterator[Row]:
    """Split a row at its wide gaps; `max_gap` is a multiple of the words' height."""
    start = 0
    for i, (word, following) in enumerate(pairwise(row), 1):
        if following.left - word.right > max_gap * max(word.height, following.height):
            yield row[start:i]
            start = i
    yield row[start:]


def join_words(row: Sequence[Word]) -> list[Run]:
    """Join the words of a row, with a space if the file has one or the gap is wide enough."""
    pieces: list[Run] = []
    for word, following in zip(row, [*row[1:], None], strict=True):
        pieces.append((word.text, word.is_italic))
        if following and (word.has_space or following.left - word.right > SPACE_WIDTH * word.height):
            pieces.append((" ", word.is_italic and following.is_italic))
    return [("".join(text for text, _ in run), italic) for italic, run in groupby(pieces, key=lambda piece: piece[1])]


def text_of(row: Sequence[Word]) -> str:
    return "".join(piece for piece, _ in join_words(row)).strip()


def size_of(words: Iterable[Word]) -> float:
    """Return the median height of the letters and digits, 0 if there are none."""
    heights = sorted(word.height for word in words for character in word.text if character.isalnum())
    return heights[len(heights) // 2] if heights else 0.0
