"""The words of a line as they are printed, by what Tesseract read and where the ink is.

Tesseract overlooks lines to be filled in, or takes them for other signs; so letters stand in their place while it
reads. It takes two words for one, and one for two, where lines are stretched; so what is white between letters says
where words end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple
from xml.etree import ElementTree

import cv2
import numpy as np

from regis.puzzle.formats.paper.vision.squares import DARK
from regis.puzzle.formats.paper.vision.tesseract import list_words, read_properties

STRAIGHT = str.maketrans("“”„‘’‚|", "\"\"\"'''I")  # which quotation marks these are is not seen for sure
NOISE = "=~{}«»^"  # what Tesseract sees in gaps
PALE = 200  # of 255, darker than which is ink
CAPITAL_LIKE = "cjosuvwxz"  # small letters that differ from capitals by their size alone
BLANK = "_"
SENTENCE_MARKS = "-,.;:!?)'"
MIN_BLANK_WIDTH = 24  # pixels of a line to be filled in
MIN_BLANK_OBLONG = 5.0  # times as wide as high
BLANK_AROUND = 120  # pixels around it in which letters say whether it is a dash
MAX_DEPTH = 1.2  # of a small letter's height, from a blank or dash to the feet of its line
MIN_DASH_HEIGHT = 0.3  # of it, from the feet of the line to a dash
CAPITAL = 1.3  # of it
LETTER_WIDTH = 0.85  # of a capital's height, with what is white behind it
BLANK_SURE = 0.95  # a guess
LETTER_LIKE = "Xx<>"  # what the letter in its place is read as
BAND_HEIGHT = 0.8  # of a line's height, above its foot, in which its ink is looked at
WIDTHS = (("ijlI|.,;:'", 0.3), ('frt()[]-"!/', 0.4), ("mwMW@%—#&", 0.9), ("ABCDEFGHKLNOPQRSTUVXYZ", 0.72))
"""How wide characters are, beside a line's height; all others are USUAL_WIDTH."""

USUAL_WIDTH = 0.6
STRANGER_COST = 0.6
JOINED_COST = 0.3
PARTED_COST = 0.3
EMPTY_COST = 0.6
"""What speaks against an alignment, beside widths that differ by a line's height: another character than the letter in
place of a blank, two words of Tesseract's as one, a word that begins within one of its, ink without one. Guesses."""

MIN_SPACE = 0.24
MAX_SPACE = 0.3
"""Of a line's height, that is white between words at least: the bounds of what the words of a line tell."""

SPACE_SHARE = 0.6  # of what is white between most words of a line
MIN_CLEAR_SPACE = 0.15
CLEAR_SHARE = 0.75
"""Of a line's height, that is white between words at least where there are as many of such gaps as Tesseract says, and
all others are less than that share."""


Box = tuple[int, int, int, int]
"""Left, top, right, bottom, in pixels."""


class PrintedWord(NamedTuple):
    """A word, from where to where it goes in pixels, and how likely it is read right."""

    text: str
    left: float
    right: float
    probability: float


def fill_blanks(sheet: Any) -> list[Box]:
    """Put letters in place of lines to be filled in, and say where; a dash, which stands higher, stays."""
    _, _, stats, _ = cv2.connectedComponentsWithStats((sheet < PALE).astype(np.uint8), connectivity=8)
    left, top, width, height, _ = stats[1:].T
    right, foot = left + width, top + height
    is_line = (width >= MIN_BLANK_WIDTH) & (width >= MIN_BLANK_OBLONG * height)
    small = float(np.median(height[~is_line])) if not is_line.all() else 0.0
    blanks: list[Box] = []
    for i in np.flatnonzero(is_line):
        middle = top[i] + height[i] / 2
        is_near = ~is_line & (left < right[i] + BLANK_AROUND) & (right > left[i] - BLANK_AROUND)
        is_near &= (abs(foot - middle) < MAX_DEPTH * small) & (height > small / 2)
        if is_near.any() and middle < np.median(foot[is_near]) - MIN_DASH_HEIGHT * small:
            continue
        x0, y0, x1, y1 = (int(x) for x in (left[i], top[i], right[i], foot[i]))
        sheet[max(y0 - 2, 0) : y1 + 2, max(x0 - 2, 0) : x1 + 2] = 255
        capital = max(round(CAPITAL * small), 8)
        n_letters = max(round((x1 - x0) / (LETTER_WIDTH * capital)), 1)
        for k in range(n_letters):
            start = x0 + round((x1 - x0) * k / n_letters)
            draw_letter(sheet, start + 1, y0 - capital, round((x1 - x0) / n_letters) - 3, capital)
        blanks.append((x0, y0 - capital, x1, y1))
    return blanks


def draw_letter(sheet: Any, left: int, top: int, width: int, height: int) -> None:
    """Draw an X."""
    right, bottom, stroke = left + width, top + height, max(height // 8, 2)
    cv2.line(sheet, (left, top), (right, bottom), 0, stroke, cv2.LINE_AA)
    cv2.line(sheet, (left, bottom), (right, top), 0, stroke, cv2.LINE_AA)


class Segment(NamedTuple):
    """Ink between two gaps of a line, or a blank in it; in pixels."""

    left: int
    right: int
    is_blank: bool
    has_space_before: bool


def join_words(line: ElementTree.Element, blanks: Sequence[Box], sheet: Any, size: float) -> list[PrintedWord]:
    """Join the characters of a line to words, by what is white between them; blanks are words like any other.

    Parameters
    ----------
    size : pixels, the height of the line.
    """
    about = read_properties(line)
    _, top, _, bottom = (int(x) for x in about["bbox"])
    foot = bottom + int(about.get("baseline", [0.0, 0.0])[1])
    band = sheet[max(foot - int(BAND_HEIGHT * size), 0) : foot + 1]
    text, sures, starts = "", [], []
    for characters, (x0, y0, x1, y1), sure in list_words(line):
        word = "".join(character.text for character in characters if character.text != BLANK)  # those are filled
        if not word or not (sheet[int(y0) : int(y1), int(x0) : int(x1)] < DARK).any():  # seen at the sheet's pale edge
            continue
        starts.append(len(text))
        text += word
        sures += [sure] * len(word)
    on_line = [x for x in blanks if top < (x[1] + x[3]) / 2 < bottom]
    segments = list(cut_segments(band, on_line, size, len(starts)))
    if not text or not segments:
        return []
    ends = align_characters(text, starts, segments, size)
    words: list[PrintedWord] = []
    for segment, (start, end) in zip(segments, pairwise([0, *ends]), strict=True):
        content = name_blank(text[start:end]) if segment.is_blank else text[start:end]
        probability = BLANK_SURE if segment.is_blank else min(sures[start:end], default=1.0)
        is_apart = segment.has_space_before and (
            start in starts or may_be_apart(words[-1].text if words else "", content, text[start : start + 2])
        )
        if words and not is_apart:
            last = words.pop()
            content, probability = last.text + content, min(last.probability, probability)
            segment = segment._replace(left=int(last.left))
        words.append(PrintedWord(content, segment.left, segment.right, probability))
    return [word for word in words if word.text]


def name_blank(text: str) -> str:
    """Return a blank with the marks that were read at its ends."""
    found = re.fullmatch("([\"'(]?).*?([\"')?!,.-]*)", text)
    return found[1] + BLANK + found[2] if found else BLANK


def may_be_apart(text_before: str, content: str, beginning: str) -> bool:
    """Return whether what Tesseract took for one word may be two: not at the marks of a sentence."""
    is_mark = content[:1] in SENTENCE_MARKS and beginning != ".."
    return (text_before[-1:].isalnum() or text_before.endswith((BLANK, ",", ";", ":", ".."))) and not is_mark


def cut_segments(band: Any, blanks: Sequence[Box], size: float, n_words: int) -> Iterator[Segment]:
    """Cut the ink of a line where words end, and around its blanks.

    Parameters
    ----------
    band : (rows, columns) of the sheet.
    n_words : as many as Tesseract saw.
    """
    has_ink = (band < PALE).any(axis=0)
    for x0, _, x1, _ in blanks:  # what touches the letters in their place is no part of them
        has_ink[max(x0 - 1, 0) : x0] = has_ink[x1 + 1 : x1 + 2] = False
    edges = np.flatnonzero(np.diff(np.r_[0, has_ink, 0].astype(int))).reshape(-1, 2)
    edges = np.array([x for x in edges if (band[:, x[0] : x[1]] < DARK).any()]).reshape(-1, 2)
    widths = np.sort(edges[1:, 0] - edges[:-1, 1])[::-1]
    usual = float(np.median(widths[1 : n_words - 1])) if n_words > 2 < len(widths) else 0.0  # without the number's
    least = float(np.clip(SPACE_SHARE * usual, MIN_SPACE * size, MAX_SPACE * size))
    if 0 < n_words - 1 <= len(widths):
        space, letter_gap = np.r_[widths, 0][n_words - 2 : n_words]
        if space > MIN_CLEAR_SPACE * size and letter_gap < min(CLEAR_SHARE * space, least):
            least = (space + letter_gap) / 2
    which = [next((k for k, x in enumerate(blanks) if x[0] <= (a + b) / 2 <= x[2]), -1) for a, b in edges]
    start = 0
    for i in range(1, len(edges) + 1):
        gap = edges[i, 0] - edges[i - 1, 1] if i < len(edges) else least
        if which[i - 1] != which[i] if i < len(edges) and max(which[i - 1], which[i]) >= 0 else gap >= least:
            has_space_before = start > 0 and edges[start, 0] - edges[start - 1, 1] >= least
            yield Segment(int(edges[start, 0]), int(edges[i - 1, 1]), which[start] >= 0, bool(has_space_before))
            start = i


def align_characters(text: str, starts: Sequence[int], segments: Sequence[Segment], size: float) -> list[int]:
    """Return behind how many characters each segment ends, so that its width is that of its characters.

    Where a character is, Tesseract does not say exactly; `starts` of words that it saw are likelier than others.
    """
    n = len(text)
    widths = np.array(
        [next((width for signs, width in WIDTHS if character in signs), USUAL_WIDTH) for character in text]
    )
    is_letter = np.array([character in LETTER_LIKE for character in text])
    has_blank = any(segment.is_blank for segment in segments)
    inked = sum(segment.right - segment.left for segment in segments if not segment.is_blank)
    scale = inked / max(float(widths[~is_letter].sum() if has_blank else widths.sum()), 0.5)
    cumulative = np.r_[0, np.cumsum(widths)] * scale
    others, letters = np.r_[0, np.cumsum(~is_letter)], np.r_[0, np.cumsum(is_letter)]
    is_start = np.zeros(n + 1, bool)
    is_start[[*starts, n]] = True
    inner = np.r_[0, np.cumsum(is_start[:-1])]
    n_inner = np.maximum(inner[None, :] - inner[np.minimum(np.arange(n + 1) + 1, n)][:, None], 0)
    best, links = np.where(np.arange(n + 1) == 0, 0.0, np.inf), []
    for segment in segments:
        width = segment.right - segment.left
        if segment.is_blank:
            cost = STRANGER_COST * (others[None, :] - others[:, None]) + 0.0
        else:
            cost = abs(width - (cumulative[None, :] - cumulative[:, None])) / size + JOINED_COST * n_inner
            cost += EMPTY_COST * np.eye(n + 1)
            if has_blank:
                cost += STRANGER_COST * (letters[None, :] - letters[:, None])
        cost = cost + PARTED_COST * (segment.has_space_before & ~is_start)[:, None]
        total = np.where(np.tri(n + 1, dtype=bool).T, best[:, None] + cost, np.inf)
        links.append(total.argmin(axis=0))
        best = total.min(axis=0)
    ends = [n]
    for link in links[:0:-1]:
        ends.append(int(link[ends[-1]]))
    return ends[::-1]


def mend_word(text: str, text_before: str) -> str:
    """Put right what Tesseract reads wrong as a rule: I as a line or l, an O as 0 or twice, a number with its clue.

    Parameters
    ----------
    text_before : what is before it in its line.
    """
    text = re.sub('""+', '"', re.sub("_+", "___", text.translate(STRAIGHT)))
    text = re.sub(r"(?<![\w'])l(?![\w'])", "I", re.sub("(?<![0-9])0O", "O", text))
    if re.search(r"\b[A-Z]\S*(?<!,)$", text_before):  # 'World War Il'
        text = re.sub(r"^[Il]{2,3}(?!\w)", lambda found: "I" * len(found[0]), text)
    if re.fullmatch("[0-9]{1,3}[.):]?", text_before):  # a capital looks as its small letter does
        text = re.sub(f"^(?:[{CAPITAL_LIKE}]|i(?=[a-z]))", lambda found: found[0].upper(), text)
    if not text_before:
        text = re.sub("^([0-9]{2,3})0(?=[a-z]{2})(?!th\\b)", r"\1 O", text)
        text = re.sub("^([0-9]{1,3})(?=[A-Z_\"'(])", r"\1 ", text)
    text = re.sub("^II(?=[a-z])", "Il", text)
    text = re.sub(f"^[{NOISE}]+(?=[\\w\"'])|(?<=[\\w\"'])[{NOISE}]+$", "", text)
    return re.sub("(?<=[A-Za-z])(?=___)|(?<=___)(?=[A-Za-z])", " ", text)
