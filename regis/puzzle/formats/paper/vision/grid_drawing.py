"""What is written and drawn in a grid that was laid flat."""

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

WHITE = 0.94  # of the lightness around, from which on a square is white
NUMBER_EDGE = 5
NUMBER_HEIGHT = 34
NUMBER_WIDTH = 56
"""Pixels of a square in which its number is."""

NUMBER_INK = 185  # of 255
MIN_NUMBER_INK = 20  # pixels of it
MIN_LETTER_INK = 60  # pixels of it, below the number; with 20, specks of photographs are letters


def whiten(cells: Any) -> Any:
    """Make squares as light as those around are white: (height, width, side, side)."""
    lightness = measure_lightness(cells / 255).astype(np.float32)
    around = np.maximum(cv2.dilate(lightness, np.ones((7, 7))), 0.5)
    shares = cells / 255 / around[:, :, None, None]
    return np.where(shares >= WHITE, 255, 255 * shares).astype(np.uint8)


def write_squares(cells: Any, lattice: Lattice) -> list[Glyph]:
    """Write what is read in the squares of a grid, in pixels."""
    is_white = measure_lightness(cells / 255) > 0.5
    numbers = read_numbers(cells, is_white)
    letters = read_letters(cells, is_white & ~find_circles(cells / 255), numbers)
    signs = [(letter, r + 0.9, c + 0.2, 0.8, P_DOUBTFUL) for (r, c), letter in letters.items()]
    signs += [
        (digit, r + 0.3, c + 0.05 + 0.15 * i, 0.25, 1.0)
        for (r, c), number in numbers.items()
        for i, digit in enumerate(number)
    ]
    pitch = lattice.pitch_x
    glyphs = []
    for sign, row, column, height, probability in signs:
        x, y = lattice.left + column * pitch, lattice.top + row * pitch
        right, top = x + height / 2 * pitch, y - height * pitch
        glyphs.append(Glyph(sign, x, top, right, y, y, probability=probability))
    return glyphs


def read_numbers(cells: Any, is_white: Any) -> dict[tuple[int, int], str]:
    """Read the digits at the top left of the squares."""
    corners = cells[:, :, NUMBER_EDGE:NUMBER_HEIGHT, NUMBER_EDGE:NUMBER_WIDTH]
    has_ink = is_white & ((corners < NUMBER_INK).sum(axis=(2, 3)) >= MIN_NUMBER_INK)
    numbered = [(int(r), int(c)) for r, c in zip(*np.nonzero(has_ink), strict=True)]
    return read_cuttings({cell: corners[cell] for cell in numbered}, digits)


def read_letters(cells: Any, is_white: Any, numbers: Container[tuple[int, int]]) -> dict[tuple[int, int], str]:
    """Read the letters that a person wrote into squares, without the numbers above them; not what touches an edge."""
    has_ink = is_white & ((cells[:, :, NUMBER_HEIGHT:-NUMBER_EDGE] < DARK).sum(axis=(2, 3)) >= MIN_LETTER_INK)
    cuttings = {}
    for r, c in zip(*np.nonzero(has_ink), strict=True):
        letter = cells[r, c].copy()
        if (r, c) in numbers:
            letter[:NUMBER_HEIGHT, :NUMBER_WIDTH] = 255
        _, labels = cv2.connectedComponents((letter < DARK).astype(np.uint8))
        edge = np.concatenate([labels[0], labels[-1], labels[:, 0], labels[:, -1]])
        is_line = (np.isin(labels, edge) & (labels > 0)).astype(np.uint8)
        letter[cv2.dilate(is_line, np.ones((7, 7))) > 0] = 255
        if (letter[NUMBER_HEIGHT:] < DARK).sum() >= MIN_LETTER_INK:
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
