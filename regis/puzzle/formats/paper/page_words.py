"""Glyphs to words, and words to rows, by where they stand: the order in which a file writes them says nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from regis.puzzle.formats.paper.page_objects import Glyph, Page

SPACE_WIDTH = 0.12  # of a word's height: a wider gap is a space although none is written
SLACK = 0.45  # of a word's height, by which middles of words in a row may differ, and edges of numbers in a column
MAX_RATIO = 1.3  # of sizes of rows of one text, and of their distance to the usual
MAX_CHARACTERS = 600  # of a clue or a line; more is a text around the puzzle

Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""

Run = tuple[str, bool]
"""A piece of text and whether it is in italics."""


class Word(NamedTuple):
    """Glyphs of one style beside each other; in points, from the top left corner of its page."""

    page_number: int
    text: str
    left: float
    right: float
    baseline: float
    height: float
    is_bold: bool
    is_italic: bool
    has_space: bool  # whether the file writes a space behind it
    probability: float  # that it is read right
    is_pictured: bool  # whether it was seen in a picture, not written in the file

    @property
    def middle(self) -> float:
        """Return how far the middle of its small letters is below the page's upper edge."""
        return self.baseline - 0.3 * self.height


Row = list[Word]
"""Words beside each other, from left to right."""


def read_words(page: Page, grid_boxes: Sequence[Box]) -> list[Word]:
    """Read the words of a page, without what stands in the grids."""
    words: list[Word] = []
    glyphs: list[Glyph] = []

    def close(*, has_space: bool) -> None:
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
        x, y = glyph.centre
        if (
            any(left < x < right and top < y < bottom for left, top, right, bottom in grid_boxes)
            or glyph.character.isspace()
        ):
            close(has_space=True)
        else:
            if glyphs and not _goes_on(glyphs[-1], glyph):
                close(has_space=False)
            glyphs.append(glyph)
    close(has_space=False)
    return words


def _goes_on(last: Glyph, glyph: Glyph) -> bool:
    """Return whether a glyph continues the word of the last one."""
    size, gap = max(last.height, glyph.height), glyph.left - last.right
    is_level = abs(glyph.baseline - last.baseline) <= SPACE_WIDTH * size
    is_one_style = (glyph.is_bold, glyph.is_italic) == (last.is_bold, last.is_italic)
    return is_level and is_one_style and -0.5 * size <= gap <= SPACE_WIDTH * size


def group_rows(words: Iterable[Word], height: float) -> list[Row]:
    """Group words of one column to rows, from top to bottom.

    Parameters
    ----------
    height : points, of most of the words.
    """
    rows: list[Row] = []
    for word in sorted(words, key=lambda word: word.middle):
        if rows and word.middle - rows[-1][0].middle <= SLACK * height:
            rows[-1].append(word)
        else:
            rows.append([word])
    return [sorted(row, key=lambda word: word.left) for row in rows]


def split_row(row: Row, max_gap: float) -> Iterator[Row]:
    """Split a row at gaps of more than so many heights."""
    start = 0
    for i, (word, following) in enumerate(pairwise(row), 1):
        if following.left - word.right > max_gap * max(word.height, following.height):
            yield row[start:i]
            start = i
    yield row[start:]


def join_words(row: Sequence[Word]) -> list[Run]:
    """Join the words of a row, with a space where one is written or seen."""
    pieces: list[Run] = []
    for word, following in zip(row, [*row[1:], None], strict=True):
        pieces.append((word.text, word.is_italic))
        if following and (word.has_space or following.left - word.right > SPACE_WIDTH * word.height):
            pieces.append((" ", word.is_italic and following.is_italic))
    return [("".join(text for text, _ in run), italic) for italic, run in groupby(pieces, key=lambda piece: piece[1])]


def text_of(row: Sequence[Word]) -> str:
    return "".join(piece for piece, _ in join_words(row)).strip()


def size_of(words: Iterable[Word]) -> float:
    """Return the height of most letters of some words, in points; 0 where there are none."""
    heights = sorted(word.height for word in words for character in word.text if character.isalnum())
    return heights[len(heights) // 2] if heights else 0.0
