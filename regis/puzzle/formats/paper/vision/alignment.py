"""The characters that Tesseract read, aligned with the ink of their line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from regis.puzzle.formats.paper.vision.character_widths import measure_characters
from regis.puzzle.formats.paper.vision.glyphs import NOISE
from regis.puzzle.formats.paper.vision.marks import BLANK, Mark
from regis.puzzle.formats.paper.vision.segments import Segment
from regis.puzzle.formats.paper.vision.squares import DARK
from regis.puzzle.formats.paper.vision.tesseract import Line

APOSTROPHES = "'‘’‚"  # which Tesseract sees in gaps
LETTER_LIKE = "Xx<>"  # what the letter in the place of a blank is read as
BOX_SLACK = 4  # pixels by which the box of a word may lie off
STRANGER_COST = 0.6
JOINED_COST = 0.3
PARTED_COST = 0.3
EMPTY_COST = 0.6
POSITION_COST = 0.5
"""What speaks against an alignment, beside widths that differ by a line's height: another character than the letter in
place of a blank, two words of Tesseract's as one, a word that begins within one of its, ink without one, a line's
height from where a character is to where Tesseract sees it. Guesses."""


class Characters(NamedTuple):
    """The characters of a line, of all its words."""

    text: str
    probabilities: list[float]  # of each, that its word is right
    middles: list[float]  # of each, in pixels: Tesseract does not say exactly
    stand_ins: list[bool]  # whether each may be a letter in the place of a blank
    starts: list[int]  # of the words that Tesseract saw


def list_characters(line: Line, marks: Sequence[Mark], sheet: Any) -> Characters:
    """List the characters of a line that have ink, with those that stand for its marks."""
    read, starts = "", []
    probabilities: list[float] = []
    middles: list[float] = []
    stand_ins: list[bool] = []
    for text, x0, y0, x1, y1, probability in line.words:
        text = text.replace(BLANK, "")  # those are filled
        if not set(text) & set(LETTER_LIKE) and any(stands_for(mark, x0, x1) for mark in marks):
            text = LETTER_LIKE[0]
        text = text.strip(APOSTROPHES).lstrip(NOISE) if any(map(str.isalnum, text)) else text
        part = sheet[int(y0) : int(y1), max(int(x0) - BOX_SLACK, 0) : int(x1) + BOX_SLACK]
        if not text or not (part < DARK).any():  # seen at the sheet's pale edge
            continue
        widths, end = measure_characters(text), min([x1, *(word.left for word in line.words if word.left > x0)])
        is_near = any(mark.is_filled and x0 < mark.right and mark.left < x1 for mark in marks)
        starts.append(len(read))
        middles.extend(x0 + (end - x0) * (np.cumsum(widths) - widths / 2) / widths.sum())
        probabilities.extend([probability] * len(text))
        stand_ins.extend(is_near and character in LETTER_LIKE for character in text)
        read += text
    return Characters(read, probabilities, middles, stand_ins, starts)


def stands_for(mark: Mark, left: float, right: float) -> bool:
    """Return whether a word is what was read of the letters in place of a mark."""
    return mark.is_filled and mark.left <= (left + right) / 2 <= mark.right and right - left <= mark.right - mark.left


def align_characters(characters: Characters, segments: Sequence[Segment], size: float) -> list[int]:
    """Return behind how many characters each segment ends, so that its width is that of its characters."""
    text, middles = characters.text, np.array(characters.middles)
    n = len(text)
    widths = measure_characters(text)
    is_letter = np.array(characters.stand_ins)
    has_filled = any(segment.is_filled for segment in segments)
    inked = sum(segment.right - segment.left for segment in segments if not segment.mark)
    scale = inked / max(float(widths[~is_letter].sum() if has_filled else widths.sum()), 0.5)
    cumulative = np.r_[0, np.cumsum(widths)] * scale
    others, letters = np.r_[0, np.cumsum(~is_letter)], np.r_[0, np.cumsum(is_letter)]
    is_start = np.zeros(n + 1, bool)
    is_start[[*characters.starts, n]] = True
    inner = np.r_[0, np.cumsum(is_start[:-1])]
    n_inner = np.maximum(inner[None, :] - inner[np.minimum(np.arange(n + 1) + 1, n)][:, None], 0)
    best, links = np.where(np.arange(n + 1) == 0, 0.0, np.inf), []
    for segment in segments:
        width = segment.right - segment.left
        if segment.is_filled:
            cost = STRANGER_COST * (others[None, :] - others[:, None]) + 0.0
        elif segment.mark:
            cost = np.where(np.eye(n + 1, dtype=bool), 0.0, np.inf)
        else:
            cost = abs(width - (cumulative[None, :] - cumulative[:, None])) / size + JOINED_COST * n_inner
            cost += EMPTY_COST * np.eye(n + 1)
            if has_filled:
                cost += STRANGER_COST * (letters[None, :] - letters[:, None])
        distances = np.maximum(np.maximum(segment.left - middles, middles - segment.right), 0) / size
        outside = POSITION_COST * np.r_[0, np.cumsum(distances)]
        cost = cost + outside[None, :] - outside[:, None]
        cost += PARTED_COST * (segment.has_space_before & ~is_start)[:, None]
        total = np.where(np.tri(n + 1, dtype=bool).T, best[:, None] + cost, np.inf)
        links.append(total.argmin(axis=0))
        best = total.min(axis=0)
    ends = [n]
    for link in links[:0:-1]:
        ends.append(int(link[ends[-1]]))
    return ends[::-1]
