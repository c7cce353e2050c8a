"""The words of a line as they are printed, by what Tesseract read and where the ink is.

Tesseract takes two words for one, and one for two, where lines are stretched; so what is white between letters says
where words end, and the marks that were taken out are put back where they stood.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple
from xml.etree import ElementTree

import numpy as np

from regis.puzzle.formats.paper.vision.glyphs import NOISE, LineGlyphs
from regis.puzzle.formats.paper.vision.marks import BLANK, PALE, Mark
from regis.puzzle.formats.paper.vision.squares import DARK
from regis.puzzle.formats.paper.vision.tesseract import list_words, read_properties

STRAIGHT = str.maketrans("“”„‘’‚|", "\"\"\"'''I")  # which quotation marks these are is not seen for sure
APOSTROPHES = "'‘’‚"  # which Tesseract sees in gaps
SENTENCE_MARKS = "-,.;:!?)'"
MARK_SURE = 0.95  # a guess
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

BOX_SLACK = 4  # pixels by which the box of a word may lie off
MIN_SPACE = 0.24
MAX_SPACE = 0.3
"""Of a line's height, that is white between words at least: the bounds of what the words of a line tell."""

SPACE_SHARE = 0.6  # of what is white between most words of a line
MIN_CLEAR_SPACE = 0.15
CLEAR_SHARE = 0.75
"""Of a line's height, that is white between words at least where there are as many of such gaps as Tesseract says, and
all others are less than that share."""


class PrintedWord(NamedTuple):
    """A word, from where to where it goes in pixels, and how likely it is read right."""

    text: str
    left: float
    right: float
    probability: float


class Segment(NamedTuple):
    """Ink between two gaps of a line, or a mark in it; in pixels."""

    left: int
    right: int
    mark: str  # '' for ink that Tesseract read
    is_filled: bool  # by letters in its place
    has_space_before: bool


def join_words(line: ElementTree.Element, marks: Sequence[Mark], sheet: Any, size: float) -> list[PrintedWord]:
    """Join the characters of a line to words, by what is white between them, with the marks that were taken out.

    Parameters
    ----------
    size : pixels, the height of the line.
    """
    about = read_properties(line)
    foot = int(about["bbox"][3]) + int(about.get("baseline", [0.0, 0.0])[1])
    on_line = sorted((x for x in marks if abs(x.baseline - foot) < size / 2), key=lambda x: x.left)
    band = sheet[max(foot - int(BAND_HEIGHT * size), 0) : foot + 1]
    text, sures, starts, stand_ins = "", [], [], []
    for characters, (x0, y0, x1, y1), sure in list_words(line):
        word = "".join(character.text for character in characters if character.text != BLANK)  # those are filled
        if not set(word) & set(LETTER_LIKE) and any(stands_for(mark, x0, x1) for mark in on_line):
            word = LETTER_LIKE[0]
        word = word.strip(APOSTROPHES).lstrip(NOISE) if any(map(str.isalnum, word)) else word
        part = sheet[int(y0) : int(y1), max(int(x0) - BOX_SLACK, 0) : int(x1) + BOX_SLACK]
        if not word or not (part < DARK).any():  # seen at the sheet's pale edge
            continue
        starts.append(len(text))
        text += word
        sures += [sure] * len(word)
        is_near = any(mark.is_filled and x0 < mark.right and mark.left < x1 for mark in on_line)
        stand_ins += [is_near and character in LETTER_LIKE for character in word]
    segments = list(cut_segments(band, on_line, size, len(starts)))
    if not text or not segments:
        return []
    ends = align_characters(text, starts, stand_ins, segments, size)
    words: list[PrintedWord] = []
    glyphs = LineGlyphs(sheet, foot, size, on_line)
    contents = [text[start:end] for start, end in pairwise([0, *ends])]
    read = [(content, x.left, x.right) for x, content in zip(segments, contents, strict=True) if not x.mark]
    glyphs.measure_small(read)
    for segment, following, (start, end) in zip(segments, [*segments[1:], None], pairwise([0, *ends]), strict=True):
        content = name_blank(text[start:end]) if segment.mark == BLANK else segment.mark
        if not segment.mark:
            content = glyphs.check_word(text[start:end], segment.left, segment.right)
        probability = MARK_SURE if segment.mark else min(sures[start:end], default=1.0)
        is_closing = segment.mark in ("'", '"') and (following is None or following.has_space_before)
        is_closing |= content[:1] in tuple("!?)]")
        is_apart = (
            segment.has_space_before
            and not is_closing
            and (
                segment.mark not in ("", BLANK)
                or start in starts
                or may_be_apart(words[-1].text if words else "", content, text[start : start + 2])
            )
        )
        if words and not is_apart:
            last = words.pop()
            content, probability = last.text + content, min(last.probability, probability)
            segment = segment._replace(left=int(last.left))
        words.append(PrintedWord(content, segment.left, segment.right, probability))
    return [word for word in words if word.text]


def stands_for(mark: Mark, left: float, right: float) -> bool:
    """Return whether a word is what was read of the letters in place of a mark."""
    return mark.is_filled and mark.left <= (left + right) / 2 <= mark.right and right - left <= mark.right - mark.left


def name_blank(text: str) -> str:
    """Return a blank with the marks that were read at its ends."""
    found = re.fullmatch("([(]?).*?([)?!-]*)", text)
    return found[1] + BLANK + found[2] if found else BLANK


def may_be_apart(text_before: str, content: str, beginning: str) -> bool:
    """Return whether what Tesseract took for one word may be two: not at the marks of a sentence."""
    is_mark = content[:1] in SENTENCE_MARKS and beginning != ".."
    return (text_before[-1:].isalnum() or text_before.endswith((BLANK, ",", ";", ":", ".."))) and not is_mark


def cut_segments(band: Any, marks: Sequence[Mark], size: float, n_words: int) -> Iterator[Segment]:
    """Cut the ink of a line where words end, and around its blanks.

    Parameters
    ----------
    band : (rows, columns) of the sheet.
    n_words : as many as Tesseract saw.
    """
    has_ink = (band < PALE).any(axis=0)
    has_dark = (band < DARK).any(axis=0)
    for mark in marks:  # what touches it is no part of it
        x0, x1 = mark.left, mark.right
        has_ink[max(x0 - 1, 0) : x0] = has_ink[x1 + 1 : x1 + 2] = False
        has_ink[x0:x1] = has_dark[x0:x1] = True
    edges = np.flatnonzero(np.diff(np.r_[0, has_ink, 0].astype(int))).reshape(-1, 2)
    edges = np.array([x for x in edges if has_dark[x[0] : x[1]].any()]).reshape(-1, 2)
    widths = np.sort(edges[1:, 0] - edges[:-1, 1])[::-1]
    usual = float(np.median(widths[1 : n_words - 1])) if n_words > 2 < len(widths) else 0.0  # without the number's
    least = float(np.clip(SPACE_SHARE * usual, MIN_SPACE * size, MAX_SPACE * size))
    if 0 < n_words - 1 <= len(widths):
        space, letter_gap = np.r_[widths, 0][n_words - 2 : n_words]
        if space > MIN_CLEAR_SPACE * size and letter_gap < min(CLEAR_SHARE * space, least):
            least = (space + letter_gap) / 2
    which = [next((k for k, x in enumerate(marks) if x.left <= (a + b) / 2 <= x.right), -1) for a, b in edges]
    start = 0
    for i in range(1, len(edges) + 1):
        gap = edges[i, 0] - edges[i - 1, 1] if i < len(edges) else least
        if which[i - 1] != which[i] if i < len(edges) and max(which[i - 1], which[i]) >= 0 else gap >= least:
            has_space_before = start > 0 and edges[start, 0] - edges[start - 1, 1] >= least
            here = marks[which[start]] if which[start] >= 0 else None
            about = (here.text, here.is_filled) if here else ("", False)
            yield Segment(int(edges[start, 0]), int(edges[i - 1, 1]), *about, bool(has_space_before))
            start = i


def align_characters(
    text: str, starts: Sequence[int], stand_ins: Sequence[bool], segments: Sequence[Segment], size: float
) -> list[int]:
    """Return behind how many characters each segment ends, so that its width is that of its characters.

    Where a character is, Tesseract does not say exactly; `starts` of words that it saw are likelier than others.
    """
    n = len(text)
    widths = np.array(
        [next((width for signs, width in WIDTHS if character in signs), USUAL_WIDTH) for character in text]
    )
    is_letter = np.array(stand_ins)
    has_filled = any(segment.is_filled for segment in segments)
    inked = sum(segment.right - segment.left for segment in segments if not segment.mark)
    scale = inked / max(float(widths[~is_letter].sum() if has_filled else widths.sum()), 0.5)
    cumulative = np.r_[0, np.cumsum(widths)] * scale
    others, letters = np.r_[0, np.cumsum(~is_letter)], np.r_[0, np.cumsum(is_letter)]
    is_start = np.zeros(n + 1, bool)
    is_start[[*starts, n]] = True
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
    text = re.sub(
        r"(?<![\w'])l(?![\w'])|(?<!\w)l(?=[A-Z]{2})|(?<=[A-Z]\.)l(?=\.)", "I", re.sub("(?<![0-9])0O", "O", text)
    )
    if re.search(r"\b[A-Z]\S*(?<!,)$", text_before):  # 'World War Il'
        text = re.sub(r"^[Il]{2,3}(?!\w)", lambda found: "I" * len(found[0]), text)
    else:
        text = re.sub(r"^[Il]{3}(?!\w)", "Ill", text)
    if re.fullmatch("[0-9]{1,3}[.):]?", text_before):  # a capital looks as its small letter does
        text = re.sub("^(?:j|i(?=[a-z]))", lambda found: found[0].upper(), text)
        text = re.sub("^—'?(?=[A-Za-z])", "", text)  # seen in the gap behind the number
        text = re.sub("^l(?=[a-df-hj-tv-xz])", "I", text)
    if not text_before:
        text = re.sub("^([0-9]{2,3})0(?=[a-z]{2})(?!th\\b)", r"\1 O", text)
        text = re.sub("^([0-9]{1,3})(?=[A-Z_\"'(])", r"\1 ", text)
    text = re.sub("^II(?=[a-z])", "Il", text)
    return re.sub("(?<=[A-Za-z])(?=___)|(?<=___)(?=[A-Za-z])", " ", text)
