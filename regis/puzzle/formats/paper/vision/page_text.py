"""The text of a page that was laid flat, column by column."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import cv2
import numpy as np

from regis.puzzle.formats.paper.vision.squares import DARK
from regis.puzzle.formats.paper.vision.tesseract import Character, list_words, read_properties, recognize

STRAIGHT = str.maketrans("“”„‘’‚|", "\"\"\"'''I")  # which quotation marks these are is not seen for sure
MAX_SIZE_RATIO = 1.22  # of a line's size to the usual, to be the same
DESCENT = 0.22  # share of a line's height below its letters
MIN_GUTTER = 18  # pixels of white between columns
MAX_GUTTER = 100  # wider is not better
MIN_COLUMN_WIDTH = 200
MIN_COLUMN_HEIGHT = 150
MIN_BAND = 6  # and between lines
MIN_TEXT_HEIGHT = 12
MAX_LETTER_SIDE = 150  # pixels; larger are lines between columns, and the edge of the sheet
COLUMN_MARGIN = 40
EDGE = 4  # pixels of a letter's edge that are lighter
MAX_COLUMNS = 60
MIN_SPACE = 0.32  # of a line's height, that is white between words
PALE = 200  # of 255, darker than which is ink
MAX_WORD_GAP = 0.85  # of a line's height, as in text_lines


def read_text(page: Any) -> list[list[Any]]:
    """Read the text of a page: glyphs as `pdf_extractor` lists them, in pixels, each with how sure it is.

    Columns are put below each other for it, since Tesseract takes the gaps in stretched lines for the ends of columns.
    """
    _, labels, stats, _ = cv2.connectedComponentsWithStats((page < PALE).astype(np.uint8), connectivity=8)
    is_rule = stats[:, [cv2.CC_STAT_WIDTH, cv2.CC_STAT_HEIGHT]].max(axis=1) > MAX_LETTER_SIDE
    is_rule[0] = False  # the paper
    page = np.where(is_rule[labels], np.uint8(255), page)
    ink = cv2.morphologyEx((page < DARK).astype(np.uint8), cv2.MORPH_OPEN, np.ones((2, 2), np.uint8))
    columns = [x for x in cut_columns(ink, 0, 0) if x[3] - x[1] >= MIN_TEXT_HEIGHT][:MAX_COLUMNS]
    if not columns:
        return []
    height = sum(bottom - top + COLUMN_MARGIN for _, top, _, bottom in columns)
    sheet = np.full((height + COLUMN_MARGIN, max(x[2] - x[0] for x in columns) + 2 * COLUMN_MARGIN), 255, np.uint8)
    starts, y = [], COLUMN_MARGIN
    for left, top, right, bottom in columns:
        above, before = min(top, EDGE), min(left, EDGE)
        part = page[top - above : bottom + EDGE, left - before : right + EDGE]
        sheet[y - above :, COLUMN_MARGIN - before :][: part.shape[0], : part.shape[1]] = part
        starts.append(y)
        y += bottom - top + COLUMN_MARGIN
    lines = [x for x in recognize(sheet, "--psm", "6").iter() if "x_size" in x.get("title", "")]
    sizes = sorted(read_properties(line)["x_size"][0] for line in lines)
    usual = sizes[len(sizes) // 2] if sizes else 0.0
    glyphs: list[list[Any]] = []
    for line in lines:
        about = read_properties(line)
        line_left, line_top, _, line_bottom = about["bbox"]
        size = about["x_size"][0]
        size = usual if 1 / MAX_SIZE_RATIO < size / usual < MAX_SIZE_RATIO else size
        slope, offset = about.get("baseline", [0.0, 0.0])
        k = max(int(np.searchsorted(starts, (line_top + line_bottom) / 2)) - 1, 0)
        dx, dy = columns[k][0] - COLUMN_MARGIN, columns[k][1] - starts[k]
        end = -1e9
        for characters, (x0, y0, x1, y1), sure in list_words(line):
            word = sheet[int(y0) : int(y1), int(x0) : int(x1)]
            if not (word < DARK).any():  # seen in what is white, or at the pale edge of the sheet
                continue
            ink_columns = np.flatnonzero((word < PALE).any(axis=0))
            baseline = line_bottom + offset + slope * (x0 - line_left) + dy
            upper, lower = baseline - (1 - DESCENT) * size, baseline + DESCENT * size
            if 0 < x0 - end < MAX_WORD_GAP * size:
                glyphs.append([32, end + dx, lower, x0 + dx, upper, end + dx, baseline, 0, 0, 1.0])
            text = mend_word(space_characters(characters, x0 + ink_columns, MIN_SPACE * size), is_first=end < 0)
            width = (x1 - x0) / len(text)
            for i, character in enumerate(text):
                x = x0 + dx + i * width
                glyphs.append([ord(character), x, lower, x + width, upper, x, baseline, 0, 0, sure])
            end = x1
    return glyphs


def cut_columns(ink: Any, left: int, top: int) -> Iterator[tuple[int, int, int, int]]:
    """Cut ink into columns in reading order: left, top, right, bottom.

    Upright white strips part columns, unless a level one lets a wider or longer one be cut.
    """
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    if not len(rows):
        return
    ink = ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    left, top = left + int(columns[0]), top + int(rows[0])
    best, best_room = 0, measure_gutters(ink)
    for y in find_gaps(ink.any(axis=1), MIN_BAND):
        room = max(map(measure_gutters, (ink[:y], ink[y:])))
        if room > best_room:
            best, best_room = y, room
    if best:
        yield from cut_columns(ink[:best], left, top)
        yield from cut_columns(ink[best:], left, top + best)
    elif edges := find_gutters(ink):
        for start, end in zip([0, *edges], [*edges, ink.shape[1]], strict=True):
            yield from cut_columns(ink[:, start:end], left + start, top)
    else:
        yield left, top, left + ink.shape[1], top + ink.shape[0]


def measure_gutters(ink: Any) -> int:
    """Measure the widest gutter by its height: one between a column's numbers and clues is less than that behind it."""
    ink_columns = np.flatnonzero(ink.any(axis=0))
    widths = [ink_columns[k] - ink_columns[k - 1] for k in np.searchsorted(ink_columns, find_gutters(ink))]
    return int(len(ink) * min(max(widths, default=0), MAX_GUTTER))


def find_gutters(ink: Any) -> list[int]:
    """Find where columns end; what is narrower or lower than a column, the number before a clue, is none."""
    edges: list[int] = []
    if len(ink) >= MIN_COLUMN_HEIGHT:
        ink_columns = np.flatnonzero(ink.any(axis=0))
        for x in find_gaps(ink.any(axis=0), MIN_GUTTER):
            if min(x - (edges[-1] if edges else ink_columns[0]), ink_columns[-1] - x) >= MIN_COLUMN_WIDTH and all(
                part.any(axis=1).sum() >= MIN_COLUMN_HEIGHT // 2 for part in (ink[:, :x], ink[:, x:])
            ):
                edges.append(x)
    return edges


def find_gaps(has_ink: Any, min_width: int) -> list[int]:
    """Find the middles of gaps of at least so many pixels between ink."""
    ink_columns = np.flatnonzero(has_ink)
    wide = np.flatnonzero(np.diff(ink_columns) > min_width)
    return [int(ink_columns[i] + ink_columns[i + 1]) // 2 for i in wide]


def space_characters(characters: Sequence[Character], ink_columns: Any, min_width: float) -> str:
    """Put spaces where so many pixels are white within what Tesseract took for one word.

    Parameters
    ----------
    ink_columns : (pixels,) from left to right, where ink is.
    """
    text = [character.text for character in characters]
    ends = np.array([(a.right + b.left) / 2 for a, b in pairwise(characters)])
    for i in np.flatnonzero(np.diff(ink_columns) > min_width) if len(ends) else ():
        off = np.abs(ends - (ink_columns[i] + ink_columns[i + 1]) / 2)
        k = int(np.argmin(off))
        if off[k] < min_width and characters[k].text.isalpha() and characters[k + 1].text.isalpha():
            text[k] += " "
    return re.sub(" +", " ", "".join(text))


def mend_word(text: str, *, is_first: bool) -> str:
    """Put right what Tesseract reads wrong as a rule: a line to be filled in, I as a line, an O behind a number."""
    text = re.sub("_+", "___", text.translate(STRAIGHT))
    if is_first:
        text = re.sub("^([0-9]{2,3})0(?=[a-z])", r"\1 O", text)
        text = re.sub("^([0-9]{1,3})(?=[A-Z_\"'(])", r"\1 ", text)
    return re.sub("(?<=[A-Za-z])(?=___)|(?<=___)(?=[A-Za-z])", " ", text)
