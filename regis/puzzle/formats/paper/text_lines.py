"""Glyphs to lines of text, and lines into the order in which a person reads them.

There are two orders, and neither is always right: that in which the file writes its text, and that in which the columns
stand on the page. `clue_reading` tries both and believes the one that fits the numbers.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from regis.puzzle.formats.paper.page_objects import Glyph, Page

MAX_WORD_GAP = 0.85
"""Of a line's height: a wider gap parts two columns, or a number from its clue. Justified words lie up to 0.6 apart."""

MIN_WORD_GAP = 0.12  # of a line's height: a gap that is a space although none is written
MAX_BASELINE_STEP = 0.25  # of a line's height, within one line
MAX_SIZE_RATIO = 1.25  # between glyphs of one line
MAX_STRETCHED_GAP = 4.0  # of a line's height, between words of a stretched line
MIN_MARGIN_LINES = 6
MIN_MARGIN_SHARE = 0.04
"""Lines, and share of a page's lines, that begin below each other from which on a column begins there."""

MAX_NUMBER_GAP = 4.0  # of a line's height, from a number to its clue
WHITE_ABOVE = 0.15  # of a line's height, above its letters, and below them
MAX_ORDERED_LINES = 2000  # lines of a page whose columns are looked for; a full page of a newspaper has 800
MIN_GUTTER = 0.3  # of a line's height, between two columns

NUMBER_ALONE = re.compile(r"[\[(]?[0-9]{1,3}[\])]?[.:]?")

Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""

Run = tuple[str, bool]
"""A piece of text and whether it is in italics."""


@dataclass(frozen=True)
class TextLine:
    """One line of one column."""

    page_number: int
    order: int  # in which the file writes it
    left: float
    top: float
    right: float
    baseline: float
    height: float
    runs: tuple[Run, ...]
    bold_start: bool
    number_gap: float = 0.0  # from a number that stands apart to its clue, in heights
    probability: float = 1.0  # that all of it is read right

    @cached_property
    def text(self) -> str:
        return "".join(piece for piece, _ in self.runs).strip()

    @property
    def box(self) -> Box:
        """Return where the line is, without the white above and below its letters."""
        white = WHITE_ABOVE * self.height
        return self.left, self.top + white, self.right, self.top + self.height - white


def read_lines(page: Page, grid_boxes: Sequence[Box]) -> list[TextLine]:
    """Read the lines of a page as the file orders them, without what stands in the grids."""
    pieces: list[list[Glyph]] = []
    for glyph in page.glyphs:
        x, y = glyph.centre
        if any(left < x < right and top < y < bottom for left, top, right, bottom in grid_boxes):
            continue
        if pieces and _goes_on(pieces[-1], glyph):
            pieces[-1].append(glyph)
        elif not glyph.character.isspace():
            pieces.append([glyph])
    lines = [_make_line(page.number, order, piece) for order, piece in enumerate(pieces)]
    return _join_numbers(_join_words(_join_stretched([line for line in lines if line.text])))


def _goes_on(piece: Sequence[Glyph], glyph: Glyph) -> bool:
    """Return whether a glyph continues a piece of a line."""
    last = piece[-1]
    if glyph.character.isspace() and glyph.height < 1e-6:  # a space that PDFium found, with a box of nothing
        return abs(glyph.baseline - last.baseline) <= MAX_BASELINE_STEP * last.height
    size = max(last.height, glyph.height)
    gap = glyph.left - last.right
    is_alike = min(last.height, glyph.height) * MAX_SIZE_RATIO >= size or glyph.character.isspace()
    is_ligature = abs(glyph.baseline - last.baseline) < 0.02 * size and abs(gap) < 0.1 * size  # its letters lie lower
    return (
        (is_alike or is_ligature)
        and abs(glyph.baseline - last.baseline) <= MAX_BASELINE_STEP * size
        and -0.5 * size <= gap <= MAX_WORD_GAP * size
    )


def _make_line(page_number: int, order: int, glyphs: Sequence[Glyph]) -> TextLine:
    inked = [glyph for glyph in glyphs if not glyph.character.isspace()]
    height = sorted(glyph.height for glyph in inked)[len(inked) // 2]
    pieces: list[Run] = []
    last: Glyph | None = None
    for glyph in glyphs:
        if last and not last.character.isspace() and not glyph.character.isspace():
            after_number = last.character.isdigit() and last.is_bold and not glyph.is_bold
            if glyph.left - last.right > MIN_WORD_GAP * height or after_number:
                pieces.append((" ", glyph.is_italic and last.is_italic))
        pieces.append((" " if glyph.character.isspace() else glyph.character, glyph.is_italic))
        last = glyph
    return TextLine(
        page_number,
        order,
        left=min(glyph.left for glyph in inked),
        top=min(glyph.top for glyph in inked),
        right=max(glyph.right for glyph in inked),
        baseline=inked[0].baseline,
        height=height,
        runs=_merge_runs(pieces),
        bold_start=inked[0].is_bold,
        probability=min(glyph.probability for glyph in inked),
    )


def _merge_runs(runs: Iterable[Run]) -> tuple[Run, ...]:
    """Join neighbours of one kind; a space belongs to what is before it."""
    merged: list[Run] = []
    for piece, italic in runs:
        if merged and (merged[-1][1] == italic or piece.isspace()):
            text = merged[-1][0]
            merged[-1] = (text if piece == " " and text.endswith(" ") else text + piece, merged[-1][1])
        else:
            merged.append((piece, italic))
    return tuple(merged)


def _join(one: TextLine, other: TextLine, number_gap: float = 0.0) -> TextLine:
    """Put what stands right of a line behind it."""
    return replace(
        one,
        top=min(one.top, other.top),
        right=max(one.right, other.right),
        height=max(one.height, other.height),
        runs=_merge_runs([*one.runs, (" ", False), *other.runs]),
        number_gap=number_gap or one.number_gap,
        probability=min(one.probability, other.probability),
    )


def _are_level(one: TextLine, other: TextLine) -> bool:
    size = max(one.height, other.height)
    return (
        one.page_number == other.page_number
        and abs(one.baseline - other.baseline) <= MAX_BASELINE_STEP * size
        and size <= MAX_SIZE_RATIO * min(one.height, other.height)
    )


def _join_stretched(lines: Sequence[TextLine]) -> list[TextLine]:
    """Join the words of lines that are stretched to their column's width: written one after the other, and the next
    not where many lines begin.
    """
    n_at_margin = Counter(round(line.left) for line in lines)
    for before, line in pairwise(lines):  # of a picture the columns are known
        if line.probability < 1 and NUMBER_ALONE.fullmatch(before.text) and _are_level(before, line):
            n_at_margin[round(line.left)] -= 1
    many = max(MIN_MARGIN_LINES, MIN_MARGIN_SHARE * len(lines))
    joined: list[TextLine] = []
    for line in lines:
        last = joined[-1] if joined else None
        if last and _are_level(last, line) and 0 <= line.left - last.right <= MAX_STRETCHED_GAP * line.height:
            n_beginning = sum(n_at_margin[round(line.left) + step] for step in (-1, 0, 1))
            if n_beginning < many and not NUMBER_ALONE.fullmatch(last.text):
                joined[-1] = _join(last, line)
                continue
        joined.append(line)
    return joined


def _join_words(lines: Sequence[TextLine]) -> list[TextLine]:
    """Join pieces of one line that the file writes far apart: word for word, in whatever order."""
    joined: list[TextLine] = []
    by_baseline = sorted(lines, key=lambda line: (line.baseline, line.left))
    row: list[TextLine] = []
    for line in by_baseline:
        if row and not abs(line.baseline - row[0].baseline) <= MAX_BASELINE_STEP * row[0].height:
            joined += _join_row(row)
            row = []
        row.append(line)
    joined += _join_row(row)
    return sorted(joined, key=lambda line: line.order)


def _join_row(row: Sequence[TextLine]) -> list[TextLine]:
    joined: list[TextLine] = []
    for line in sorted(row, key=lambda x: x.left):
        if joined and _are_level(joined[-1], line):
            gap = (line.left - joined[-1].right) / line.height
            is_number = NUMBER_ALONE.fullmatch(joined[-1].text)
            is_pictured = line.probability < 1  # its columns are known, and each is written line by line
            if -0.2 <= gap <= MIN_GUTTER and not is_number and not is_pictured:
                joined[-1] = replace(_join(joined[-1], line), order=min(joined[-1].order, line.order))
                continue
        joined.append(line)
    return joined


def _join_numbers(lines: Sequence[TextLine]) -> list[TextLine]:
    """Join numbers that stand apart with the clues behind them."""
    joined: list[TextLine] = []
    for line in lines:
        last = joined[-1] if joined else None
        if last and NUMBER_ALONE.fullmatch(last.text) and _are_level(last, line):
            gap = (line.left - last.right) / line.height
            if 0 <= gap <= MAX_NUMBER_GAP:
                joined[-1] = _join(last, line, number_gap=gap)
                continue
        joined.append(line)
    return joined


def order_by_columns(lines: Sequence[TextLine], obstacles: Sequence[Box]) -> list[TextLine]:
    """Order the lines of one page by the columns that the white between them makes; grids are in the way of columns."""
    if len(lines) > MAX_ORDERED_LINES:
        return list(lines)
    boxes: list[tuple[Box, TextLine | None]] = [(line.box, line) for line in lines]
    boxes += [(box, None) for box in obstacles]
    gutter = MIN_GUTTER * (sorted(line.height for line in lines)[len(lines) // 2] if lines else 1)
    return [line for _, line in _order(boxes, gutter, 0) if line]


def _order(boxes: list[tuple[Box, TextLine | None]], gutter: float, depth: int) -> list[tuple[Box, TextLine | None]]:
    """Cut along white strips: upright ones where there are any, else a level one that lets an upright one be cut."""
    in_rows = sorted(boxes, key=lambda x: (x[0][1], x[0][0]))
    if len(boxes) < 2 or depth > 40:
        return in_rows
    if columns := _cut(boxes, 0, gutter):
        return [box for column in columns for box in _order(column, gutter, depth + 1)]
    bands = _cut(in_rows, 1, 0)
    best, best_size = 0, 0
    for i in range(1, len(bands)):
        for part in (bands[:i], bands[i:]):
            flat = [box for band in part for box in band]
            if len(flat) > max(best_size, 1) and _cut(flat, 0, gutter):
                best, best_size = i, len(flat)
    if not best:
        return in_rows
    parts = ([box for band in part for box in band] for part in (bands[:best], bands[best:]))
    return [box for part in parts for box in _order(part, gutter, depth + 1)]


def _cut(
    boxes: Sequence[tuple[Box, TextLine | None]], axis: int, gutter: float
) -> list[list[tuple[Box, TextLine | None]]]:
    """Cut boxes where nothing lies along an axis (0: from left to right) for more than `gutter`; [] for no cut."""
    parts: list[list[tuple[Box, TextLine | None]]] = []
    end = 0.0
    for box in sorted(boxes, key=lambda x: x[0][axis]):
        if parts and box[0][axis] <= end + gutter:
            parts[-1].append(box)
            end = max(end, box[0][axis + 2])
        else:
            parts.append([box])
            end = box[0][axis + 2]
    return parts if len(parts) > 1 else []
