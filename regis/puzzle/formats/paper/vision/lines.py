"""The lines of a sheet, read once, and read again where a word is doubtful; the readings vote.

Tesseract errs by how a line falls on its own grid of pixels: the same line enlarged or reduced a little is misread
elsewhere, if at all (docs/experiments/lines-read-again.md).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import cv2
import numpy as np

from regis.puzzle.formats.paper.vision.marks import Mark, take_marks
from regis.puzzle.formats.paper.vision.tesseract import Line, UnreadablePicture, Word, recognize_lines
from regis.puzzle.formats.paper.vision.words import UNREAD_INK, PrintedWord, join_words, mend_word

MAX_SIZE_RATIO = 1.3  # of a line's size to the usual, to be the same
MIN_PROBABILITY = 0.89  # of the least sure word of a line that is read once
MAX_DOUBTFUL_LINES = 60  # that are read again: a page that is doubtful all over is no better for it
SCALES = (0.8, 1.3)  # at which they are
LINE_MARGIN = 40  # pixels of white around them
BOX_SLACK = 3  # pixels by which the box of a line may lie off


def read_sheet(sheet: Any) -> Iterator[tuple[Line, list[PrintedWord]]]:
    """Read the lines of a sheet, whose marks are taken out for it."""
    marks = take_marks(sheet)
    lines = recognize_lines(sheet)
    usual = sorted(line.size for line in lines)[len(lines) // 2] if lines else 0.0
    lines = [line._replace(size=choose_size(line, usual, marks)) for line in lines]
    readings = [[read_words(line, marks, sheet)] for line in lines]
    probabilities = [min((word.probability for word in words), default=1.0) for (words,) in readings]
    doubtful = [k for k in np.argsort(probabilities, kind="stable") if probabilities[k] < MIN_PROBABILITY]
    doubtful = sorted(map(int, doubtful[:MAX_DOUBTFUL_LINES]))
    for scale in SCALES if doubtful else ():
        for k, line in zip(doubtful, read_lines_again(sheet, [lines[k] for k in doubtful], scale), strict=True):
            readings[k].append(read_words(line, marks, sheet))
    for line, of_line in zip(lines, readings, strict=True):
        yield line, choose_words(of_line)


def choose_size(line: Line, usual: float, marks: Sequence[Mark]) -> float:
    """Return the size of a line, or the usual one where it is about that, or letters stand in it for a mark."""
    is_filled = any(mark.is_filled and line.top < mark.baseline <= line.bottom + BOX_SLACK for mark in marks)
    return usual if is_filled or 1 / MAX_SIZE_RATIO < line.size / usual < MAX_SIZE_RATIO else line.size


def read_words(line: Line, marks: Sequence[Mark], sheet: Any) -> list[PrintedWord]:
    """Return the words of a line as they are printed."""
    words: list[PrintedWord] = []
    for word in join_words(line, marks, sheet):
        before = " ".join(x.text for x in words if x.text != UNREAD_INK)
        words.append(word._replace(text=mend_word(word.text, before)))
    return words


def read_lines_again(sheet: Any, lines: Sequence[Line], scale: float) -> list[Line]:
    """Have lines read at another scale, below each other on a sheet of their own."""
    corners = [(max(int(line.left) - BOX_SLACK, 0), max(int(line.top) - BOX_SLACK, 0)) for line in lines]
    interpolation = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    parts = []
    for line, (left, top) in zip(lines, corners, strict=True):
        part = sheet[top : int(line.bottom) + BOX_SLACK, left : int(line.right) + BOX_SLACK]
        parts.append(cv2.resize(part, None, fx=scale, fy=scale, interpolation=interpolation))
    starts = np.cumsum([LINE_MARGIN, *(len(part) + LINE_MARGIN for part in parts)])
    again = np.full((starts[-1], max(part.shape[1] for part in parts) + 2 * LINE_MARGIN), 255, np.uint8)
    for start, part in zip(starts, parts, strict=False):
        again[start : start + len(part), LINE_MARGIN : LINE_MARGIN + part.shape[1]] = part
    found: list[list[Word]] = [[] for _ in lines]
    try:
        found_lines = recognize_lines(again)
    except UnreadablePicture:  # the first reading is there
        found_lines = []
    for line in found_lines:
        k = int(np.searchsorted(starts, (line.top + line.bottom) / 2)) - 1
        if 0 <= k < len(lines):
            left, top = corners[k]
            for word in line.words:
                x0, x1 = ((x - LINE_MARGIN) / scale + left for x in (word.left, word.right))
                y0, y1 = ((y - starts[k]) / scale + top for y in (word.top, word.bottom))
                found[k].append(word._replace(left=x0, top=y0, right=x1, bottom=y1))
    return [line._replace(words=sorted(words, key=lambda x: x.left)) for line, words in zip(lines, found, strict=True)]


def choose_words(readings: Sequence[list[PrintedWord]]) -> list[PrintedWord]:
    """Choose where a line's words end as most readings say, then each word; the first where all differ."""
    readings = [words for words in readings if words]
    if not readings:
        return []
    edges = [tuple(edge for word in words for edge in (word.left, word.right)) for words in readings]
    most = Counter(edges).most_common(1)[0][0]
    alike = [words for words, its_edges in zip(readings, edges, strict=True) if its_edges == most]
    words = []
    for versions in zip(*alike, strict=True):
        text = Counter(word.text for word in versions).most_common(1)[0][0]
        probability = sum(word.probability for word in versions if word.text == text) / len(readings)
        if printed := text.replace(UNREAD_INK, ""):
            words.append(versions[0]._replace(text=printed, probability=probability))
    return words
