"""The text of a page that was laid flat, column by column."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import cv2
import numpy as np

from regis.puzzle.formats.paper.vision.squares import DARK
from regis.puzzle.formats.paper.vision.tesseract import Character, Word, list_words, read_properties, recognize

STRAIGHT = str.maketrans("“”„‘’‚|", "\"\"\"'''I")  # which quotation marks these are is not seen for sure
MAX_SIZE_RATIO = 1.22  # of a line's size to the usual, to be the same
DESCENT = 0.22  # share of a line's height below its letters
MIN_GUTTER = 18  # pixels of white between columns
WIDE_GUTTER = 28  # wider than between words that are stretched
MAX_GUTTER = 100  # wider is not better
MIN_COLUMN_WIDTH = 200
MIN_COLUMN_HEIGHT = 150
MIN_BAND = 6  # and between lines
MIN_TEXT_HEIGHT = 12
MAX_LETTER_SIDE = 150  # pixels; larger are lines between columns, and the edge of the sheet
COLUMN_MARGIN = 40
MAX_SLOPE = 0.06  # of lines that are not level, on paper that bends
N_SLOPES = 31  # that are tried
SHEAR_STEP = 4  # pixels of the page for one where they are tried
EDGE = 4  # pixels of a letter's edge that are lighter
MAX_COLUMNS = 60
MIN_SPACE = 0.32  # of a line's height, that is white between words
PALE = 200  # of 255, darker than which is ink
MIN_BLANK_WIDTH = 24  # pixels of a line to be filled in
MIN_BLANK_OBLONG = 5.0  # times as wide as high
MAX_COVERED = 0.5  # share of it over which something was read, if it was overlooked
BLANK_SURE = 0.95  # a guess
BLANK_DEPTH = 0.25  # of a line's height, from the foot of its letters
MIN_BLANK_GAP = 0.15  # of a line's height, from a blank to another word
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
        part, added = level_lines(page[top - above : bottom + EDGE, left - before : right + EDGE])
        place = sheet[y - above - added :, COLUMN_MARGIN - before :][: part.shape[0], : part.shape[1]]
        np.minimum(place, part[: len(place)], out=place)
        starts.append(y)
        y += bottom - top + COLUMN_MARGIN
    lines = [x for x in recognize(sheet, "--psm", "6").iter() if "x_size" in x.get("title", "")]
    sizes = sorted(read_properties(line)["x_size"][0] for line in lines)
    usual = sizes[len(sizes) // 2] if sizes else 0.0
    blanks = find_blanks(sheet)
    glyphs: list[list[Any]] = []
    for line in lines:
        about = read_properties(line)
        line_left, line_top, line_right, line_bottom = about["bbox"]
        size = about["x_size"][0]
        size = usual if 1 / MAX_SIZE_RATIO < size / usual < MAX_SIZE_RATIO else size
        slope, offset = about.get("baseline", [0.0, 0.0])
        k = max(int(np.searchsorted(starts, (line_top + line_bottom) / 2)) - 1, 0)
        dx, dy = columns[k][0] - COLUMN_MARGIN, columns[k][1] - starts[k]
        end, was_blank = -1e9, False
        near = MAX_WORD_GAP * size
        on_line = [
            x for x in blanks
            if abs((x[1] + x[3]) / 2 - line_bottom - offset) < BLANK_DEPTH * size
            and line_left - near < x[2] and x[0] < line_right + near
        ]  # fmt: skip
        for characters, (x0, y0, x1, y1), sure in with_blanks(list(list_words(line)), on_line):
            word = sheet[int(y0) : int(y1), int(x0) : int(x1)]
            is_blank = characters[0].text == "_"
            if not (word < DARK).any() and not is_blank:  # seen in what is white, or at the pale edge of the sheet
                continue
            ink_columns = np.flatnonzero((word < PALE).any(axis=0))
            baseline = line_bottom + offset + slope * (x0 - line_left) + dy
            upper, lower = baseline - (1 - DESCENT) * size, baseline + DESCENT * size
            if MIN_BLANK_GAP * size * (is_blank or was_blank) < x0 - end < near:
                glyphs.append([32, end + dx, lower, x0 + dx, upper, end + dx, baseline, 0, 0, 1.0])
            text = mend_word(space_characters(characters, x0 + ink_columns, MIN_SPACE * size), is_first=end < 0)
            width = (x1 - x0) / len(text)
            for i, character in enumerate(text):
                x = x0 + dx + i * width
                glyphs.append([ord(character), x, lower, x + width, upper, x, baseline, 0, 0, sure])
            end, was_blank = x1, is_blank
    return glyphs


def level_lines(column: Any) -> tuple[Any, int]:
    """Shear a column so that its lines are level, as on paper that bends; say how many pixels that adds above."""
    height, width = column.shape
    if height < MIN_COLUMN_HEIGHT:
        return column, 0
    small = 255 - cv2.resize(column, None, fx=1 / SHEAR_STEP, fy=1 / SHEAR_STEP, interpolation=cv2.INTER_AREA)
    slopes = np.linspace(-MAX_SLOPE, MAX_SLOPE, N_SLOPES)
    sharpness = [shear(small, slope, 0).sum(axis=1, dtype=float).var() for slope in slopes]
    slope = slopes[int(np.argmax(sharpness))]
    added = min(int(abs(slope) * width / 2) + 1, COLUMN_MARGIN - EDGE)
    padded = cv2.copyMakeBorder(255 - column, added, added, 0, 0, cv2.BORDER_CONSTANT)
    return 255 - shear(padded, slope, width / 2), added


def shear(ink: Any, slope: float, middle: float) -> Any:
    """Move ink up or down, the more the further it is from the middle."""
    return cv2.warpAffine(ink, np.array([[1.0, 0, 0], [slope, 1, -slope * middle]]), ink.shape[::-1])


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
    """Find where columns end; what is narrower or lower than a column, the number before a clue, is none.

    A column may be of a line or two, where the gap before it is wider than any between words and it begins no higher
    than what is left of it, as the author's name would.
    """
    edges: list[int] = []
    if len(ink) >= MIN_COLUMN_HEIGHT:
        ink_columns = np.flatnonzero(ink.any(axis=0))
        wide = set(find_gaps(ink.any(axis=0), WIDE_GUTTER))
        for x in find_gaps(ink.any(axis=0), MIN_GUTTER):
            before, behind = (np.flatnonzero(part.any(axis=1)) for part in (ink[:, :x], ink[:, x:]))
            may_be_low = x in wide and behind[0] >= before[0] - MIN_GUTTER
            is_wide = min(x - (edges[-1] if edges else ink_columns[0]), ink_columns[-1] - x) >= MIN_COLUMN_WIDTH
            if is_wide and min(len(before), len(behind) if not may_be_low else len(before)) >= MIN_COLUMN_HEIGHT // 2:
                edges.append(x)
    return edges


def find_gaps(has_ink: Any, min_width: int) -> list[int]:
    """Find the middles of gaps of at least so many pixels between ink."""
    ink_columns = np.flatnonzero(has_ink)
    wide = np.flatnonzero(np.diff(ink_columns) > min_width)
    return [int(ink_columns[i] + ink_columns[i + 1]) // 2 for i in wide]


def find_blanks(sheet: Any) -> list[tuple[int, int, int, int]]:
    """Find lines to be filled in, which Tesseract often overlooks: left, top, right, bottom."""
    _, _, stats, _ = cv2.connectedComponentsWithStats((sheet < PALE).astype(np.uint8), connectivity=8)
    boxes = ((int(x), int(y), int(x + width), int(y + height)) for x, y, width, height, _ in stats[1:])
    return [x for x in boxes if x[2] - x[0] >= max(MIN_BLANK_WIDTH, MIN_BLANK_OBLONG * (x[3] - x[1]))]


def with_blanks(words: Sequence[Word], blanks: Sequence[tuple[int, int, int, int]]) -> list[Word]:
    """Put the blanks of a line among its words, where no character was read."""
    characters = [character for word in words for character in word[0]]
    found = list(words)
    for left, top, right, bottom in blanks:
        width = right - left
        n_covered = sum(max(0.0, min(x.right, right) - max(x.left, left)) for x in characters)
        is_seen = any(x.text == "_" and left - width < x.right and x.left < right + width for x in characters)
        if n_covered < MAX_COVERED * width and not is_seen:
            found.append(([Character("_", left, right)], [left, top, right, bottom], BLANK_SURE))
    return sorted(found, key=lambda word: word[1][0])


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
    """Put right what Tesseract reads wrong as a rule: a line to be filled in, I as a line or l, an O as 0 or twice."""
    text = re.sub("_+", "___", text.translate(STRAIGHT))
    text = re.sub(r"(?<![\w'])l(?![\w'])", "I", re.sub("(?<![0-9])0O", "O", text))
    if is_first:
        text = re.sub("^([0-9]{2,3})0(?=[a-z])", r"\1 O", text)
        text = re.sub("^([0-9]{1,3})(?=[A-Z_\"'(])", r"\1 ", text)
    return re.sub("(?<=[A-Za-z])(?=___)|(?<=___)(?=[A-Za-z])", " ", text)
