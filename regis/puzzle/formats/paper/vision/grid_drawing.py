"""What is seen in a grid that was laid flat, drawn as a page would: lightness of the squares, circles, numbers."""

from __future__ import annotations

from collections.abc import Container, Mapping
from string import ascii_uppercase, digits
from typing import Any

import cv2
import numpy as np

from regis.puzzle.formats.paper.vision.recognizer import recognize
from regis.puzzle.formats.paper.vision.squares import CELL

WHITE = 0.94  # of the lightness around, from which on a square is white
CIRCLE_INK = 190
MIN_CIRCLE = 0.8  # of a ring that is ink
NUMBER_EDGE = 5
NUMBER_HEIGHT = 34
NUMBER_WIDTH = 56
"""Pixels of a square in which its number is."""

MIN_NUMBER_INK = 20  # pixels of it
NUMBER_INK = 185  # of 255
LETTER_INK = 150  # of 255
MIN_LETTER_INK = 60  # pixels of it, below the number
LETTER_SURE = 0.6  # a guess: nobody's hand was measured


def draw_grid(cells: Any, left: float, top: float, pitch: float) -> tuple[list[Any], list[list[Any]]]:
    """Draw what is seen in a grid, as `pdf_extractor` lists shapes and glyphs, in pixels."""
    height, width = cells.shape[:2]
    lightness = measure_lightness(cells)
    shapes: list[Any] = []
    has_ring = np.zeros((height, width), bool)
    black = [0, 0, 0, 255]
    for r in range(height):
        for c in range(width):
            x, y = left + c * pitch, top + r * pitch
            box = [[x, y], [x + pitch, y], [x + pitch, y + pitch], [x, y + pitch], [x, y]]
            grey = round(255 * lightness[r, c])
            shapes.append([[grey, grey, grey, 255], black, 2.0, [[0, box]]])
            if lightness[r, c] > 0.5 and has_circle(cells[r, c]):
                has_ring[r, c] = True
                ring = [[x + 0.05 * pitch, y + 0.05 * pitch], [x + 0.95 * pitch, y + 0.95 * pitch]]
                shapes.append([None, black, 1.0, [[1, ring]]])
    glyphs = []
    numbers = read_numbers(cells, lightness > 0.5)
    for (r, c), letter in read_letters(cells, (lightness > 0.5) & ~has_ring, numbers).items():
        x, y = left + (c + 0.2) * pitch, top + (r + 0.9) * pitch
        glyphs.append([ord(letter), x, y, x + 0.6 * pitch, y - 0.8 * pitch, x, y, 0, 0, LETTER_SURE])
    for (r, c), number in numbers.items():
        for i, digit in enumerate(number):
            x, y = left + (c + 0.05 + 0.15 * i) * pitch, top + (r + 0.3) * pitch
            glyphs.append([ord(digit), x, y, x + 0.14 * pitch, y - 0.25 * pitch, x, y, 0, 0, 1.0])
    return shapes, glyphs


def measure_lightness(cells: Any) -> Any:
    """Measure each square's lightness beside the white of those around: (height, width) from 0 to 1."""
    inner = cells[:, :, CELL // 4 : -CELL // 8, CELL // 4 : -CELL // 8]
    lightness = np.median(inner, axis=(2, 3)) / 255
    around = np.maximum(cv2.dilate(lightness.astype(np.float32), np.ones((7, 7))), 0.5)
    return np.where(lightness >= WHITE * around, 1.0, np.round(lightness / around, 2))


def has_circle(cell: Any) -> bool:
    """Return whether there is ink all around the middle of a square."""
    angles = np.linspace(0, 2 * np.pi, 48, endpoint=False)
    for radius in np.arange(0.36, 0.5, 0.01) * CELL:
        x, y = (CELL / 2 + radius * np.cos(angles)).astype(int), (CELL / 2 + radius * np.sin(angles)).astype(int)
        if (cell[np.clip(y, 2, CELL - 3), np.clip(x, 2, CELL - 3)] < CIRCLE_INK).mean() > MIN_CIRCLE:
            return True
    return False


def read_numbers(cells: Any, is_white: Any) -> dict[tuple[int, int], str]:
    """Read the digits at the top left of the squares."""
    corners = cells[:, :, NUMBER_EDGE:NUMBER_HEIGHT, NUMBER_EDGE:NUMBER_WIDTH]
    has_ink = is_white & ((corners < NUMBER_INK).sum(axis=(2, 3)) >= MIN_NUMBER_INK)
    numbered = [(int(r), int(c)) for r, c in zip(*np.nonzero(has_ink), strict=True)]
    found = read_cuttings({cell: corners[cell] for cell in numbered}, digits)
    for before, cell, behind in zip(numbered, numbered[1:], numbered[2:], strict=False):
        if before in found and behind in found and int(found[before]) + 2 == int(found[behind]):  # one number between
            found[cell] = str(int(found[before]) + 1)
    return found


def read_letters(cells: Any, is_white: Any, numbers: Container[tuple[int, int]]) -> dict[tuple[int, int], str]:
    """Read the letters that a person wrote into squares, without the numbers above them; not what touches an edge."""
    has_ink = is_white & ((cells[:, :, NUMBER_HEIGHT:-NUMBER_EDGE] < LETTER_INK).sum(axis=(2, 3)) >= MIN_LETTER_INK)
    cuttings = {}
    for r, c in zip(*np.nonzero(has_ink), strict=True):
        letter = cells[r, c].copy()
        if (r, c) in numbers:
            letter[:NUMBER_HEIGHT, :NUMBER_WIDTH] = 255
        _, labels = cv2.connectedComponents((letter < LETTER_INK).astype(np.uint8))
        edge = np.concatenate([labels[0], labels[-1], labels[:, 0], labels[:, -1]])
        is_line = (np.isin(labels, edge) & (labels > 0)).astype(np.uint8)
        letter[cv2.dilate(is_line, np.ones((7, 7))) > 0] = 255
        if (letter[NUMBER_HEIGHT:] < LETTER_INK).sum() >= MIN_LETTER_INK:
            cuttings[int(r), int(c)] = letter
    return {cell: text for cell, text in read_cuttings(cuttings, ascii_uppercase).items() if len(text) == 1}


def read_cuttings(cuttings: Mapping[tuple[int, int], Any], alphabet: str) -> dict[tuple[int, int], str]:
    """Read what is in pictures of squares."""
    found = {}
    for cell, cutting in cuttings.items():
        inked = np.argwhere(cutting < NUMBER_INK)
        (y0, x0), (y1, x1) = inked.min(axis=0), inked.max(axis=0) + 1
        margin = (y1 - y0) // 4 + 1
        part = cv2.copyMakeBorder(cutting[y0:y1, x0:x1], *[margin] * 4, cv2.BORDER_CONSTANT, value=255)
        found[cell] = "".join(x.text for x in recognize(part, alphabet))
    return {cell: text for cell, text in found.items() if text}
