"""Reads the numbers and handwritten letters in a rectified grid, and whitens its background."""

from __future__ import annotations

from collections.abc import Container, Mapping
from string import ascii_uppercase, digits
from typing import Any

import cv2
import numpy as np

from regis.puzzle.formats.paper.page_objects import P_DOUBTFUL, Glyph, Lattice
from regis.puzzle.formats.paper.square_reading import find_circles, measure_lightness
from regis.puzzle.formats.paper.vision.recognizer import recognize
from regis.puzzle.formats.paper.vision.squares import DARK

WHITE_RATIO = 0.94  # lightness of a pixel over that of the lightest nearby square; with more, it becomes white
NUMBER_EDGE = 5  # pixels; left and top edge of a square's number
NUMBER_HEIGHT = 34  # pixels; its bottom edge
NUMBER_WIDTH = 56  # pixels; its right edge
NUMBER_INK = 185  # of 255; a darker pixel is ink of a number
MIN_NUMBER_INK = 20  # pixels
MIN_LETTER_INK = 60  # pixels below the number; with 20, specks in photographs become letters


def whiten(cells: Any) -> Any:
    """Make white squares entirely white: (height, width, side, side)."""
    lightness = measure_lightness(cells / 255).astype(np.float32)
    nearby_lightness = np.maximum(cv2.dilate(lightness, np.ones((7, 7))), 0.5)
    ratios = cells / 255 / nearby_lightness[:, :, None, None]
    return np.where(ratios >= WHITE_RATIO, 255, 255 * ratios).astype(np.uint8)


def read_glyphs(cells: Any, lattice: Lattice) -> list[Glyph]:
    """Read the glyphs in the squares of a grid, with their positions on the page."""
    is_white = measure_lightness(cells / 255) > 0.5
    numbers = read_numbers(cells, is_white)
    letters = read_letters(cells, is_white & ~find_circles(cells / 255), numbers)
    placed = [(letter, r + 0.9, c + 0.2, 0.8, P_DOUBTFUL) for (r, c), letter in letters.items()]
    placed += [
        (digit, r + 0.3, c + 0.05 + 0.15 * i, 0.25, 1.0)
        for (r, c), number in numbers.items()
        for i, digit in enumerate(number)
    ]
    pitch = lattice.pitch_x
    glyphs = []
    for character, row, column, height, probability in placed:
        x, y = lattice.left + column * pitch, lattice.top + row * pitch
        right, top = x + height / 2 * pitch, y - height * pitch
        glyphs.append(Glyph(character, x, top, right, y, y, probability=probability))
    return glyphs


def read_numbers(cells: Any, is_white: Any) -> dict[tuple[int, int], str]:
    """Read the digits at the top left of the squares."""
    corners = cells[:, :, NUMBER_EDGE:NUMBER_HEIGHT, NUMBER_EDGE:NUMBER_WIDTH]
    has_ink = is_white & ((corners < NUMBER_INK).sum(axis=(2, 3)) >= MIN_NUMBER_INK)
    numbered = [(int(r), int(c)) for r, c in zip(*np.nonzero(has_ink), strict=True)]
    return read_crops({cell: corners[cell] for cell in numbered}, digits)


def read_letters(cells: Any, is_white: Any, numbers: Container[tuple[int, int]]) -> dict[tuple[int, int], str]:
    """Read the letters that a person wrote into squares; ignore numbers and ink that touches an edge."""
    has_ink = is_white & ((cells[:, :, NUMBER_HEIGHT:-NUMBER_EDGE] < DARK).sum(axis=(2, 3)) >= MIN_LETTER_INK)
    crops = {}
    for r, c in zip(*np.nonzero(has_ink), strict=True):
        letter = cells[r, c].copy()
        if (r, c) in numbers:
            letter[:NUMBER_HEIGHT, :NUMBER_WIDTH] = 255
        _, labels = cv2.connectedComponents((letter < DARK).astype(np.uint8))
        edge = np.concatenate([labels[0], labels[-1], labels[:, 0], labels[:, -1]])
        is_line = (np.isin(labels, edge) & (labels > 0)).astype(np.uint8)
        letter[cv2.dilate(is_line, np.ones((7, 7))) > 0] = 255
        if (letter[NUMBER_HEIGHT:] < DARK).sum() >= MIN_LETTER_INK:
            crops[int(r), int(c)] = letter
    return {cell: text for cell, text in read_crops(crops, ascii_uppercase).items() if len(text) == 1}


def read_crops(crops: Mapping[tuple[int, int], Any], alphabet: str) -> dict[tuple[int, int], str]:
    """Read the text in crops of squares; omit those without any."""
    found = {}
    for cell, crop in crops.items():
        ink = np.argwhere(crop < NUMBER_INK)
        (y0, x0), (y1, x1) = ink.min(axis=0), ink.max(axis=0) + 1
        margin = (y1 - y0) // 4 + 1
        part = cv2.copyMakeBorder(crop[y0:y1, x0:x1], *[margin] * 4, cv2.BORDER_CONSTANT, value=255)
        found[cell] = "".join(x.text for x in recognize(part, alphabet))
    return {cell: text for cell, text in found.items() if text}
