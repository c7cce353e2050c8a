"""How wide characters are, and which of them share a piece of ink by that."""

from __future__ import annotations

from typing import Any

import numpy as np

MAX_JOINED = 3  # characters that touch
WIDTHS = (("ijlI|.,;:'", 0.3), ('Jfrt()[]-"!/', 0.4), ("mwMW@%—#&", 0.9), ("ABCDEFGHKLNOPQRSTUVXYZ", 0.72))
"""How wide characters are, beside a line's height; all others are USUAL_WIDTH."""

USUAL_WIDTH = 0.6


def measure_characters(text: str) -> Any:
    """Return how wide characters are, beside a line's height."""
    return np.array([next((width for signs, width in WIDTHS if character in signs), USUAL_WIDTH) for character in text])


def share_ink(text: str, widths: Any) -> list[int] | None:
    """Return where in a word the characters of each glyph begin, and its end: several may touch.

    Parameters
    ----------
    widths : (glyphs,) pixels; a glyph's is about that of its characters. None where there are too few or too many.
    """
    if not len(widths) < len(text) <= MAX_JOINED * len(widths):
        return None
    ends = np.r_[0, np.cumsum(measure_characters(text))]
    ends *= widths.sum() / ends[-1]
    best, links = np.where(np.arange(len(ends)) == 0, 0.0, np.inf), []
    n_characters = np.subtract.outer(np.arange(len(ends)), np.arange(len(ends)))
    may_be = (n_characters > 0) & (n_characters <= MAX_JOINED)
    for width in widths:
        total = np.where(may_be, best + abs(ends[:, None] - ends - width), np.inf)
        links.append(total.argmin(axis=1))
        best = total.min(axis=1)
    starts = [len(text)]
    for link in links[::-1]:
        starts.append(int(link[starts[-1]]))
    return starts[::-1]
