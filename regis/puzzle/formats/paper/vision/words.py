"""The words of a line as they are printed, by what Tesseract read and where the ink is: the marks that were taken out
are put back where they stood.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from regis.puzzle.formats.paper.vision.alignment import align_characters, list_characters
from regis.puzzle.formats.paper.vision.glyphs import LineGlyphs
from regis.puzzle.formats.paper.vision.marks import BLANK, Mark
from regis.puzzle.formats.paper.vision.segments import Segment, cut_segments
from regis.puzzle.formats.paper.vision.tesseract import Line

STRAIGHT = str.maketrans("“”„‘’‚|", "\"\"\"'''I")  # which quotation marks these are is not seen for sure
SENTENCE_MARKS = "-,.;:!?)'"
MARK_SURE = 0.95  # a guess
UNREAD_INK = "\ufffd"  # ink that Tesseract passed over
BAND_HEIGHT = 0.88  # of a line's height, above its foot, in which its ink is looked at

LINE_START_RULES = (
    ("^([0-9]{2,3})0(?=[a-z]{2})(?!th\\b)", r"\1 O"),
    ("^([0-9]{1,3})(?=[A-Z_\"'(]|l[b-df-hj-tv-xz])", r"\1 "),  # the number of a clue, and the clue
)
RULES = (
    (r"(?<=\w)''(?=\w)", "'"),
    ('""+', '"'),
    ("_+", "___"),
    ("(?<![0-9])0O", "O"),
    ("(?<!\\w)O(?=°)", "0"),
    (
        r"(?<![\w'])l(?![\w'])|(?<![\w'])l(?!tr|td)(?=[cdfghjkmnpqrtvwxz]\w{2})|(?<!\w)l(?=[A-Z]{2})|(?<=[A-Z]\.)l(?=\.)",
        "I",
    ),
)
NUMERAL_RULES = ((r"^[Il]{3}(?!\w)", "III"), (r"^[Il]{2}(?!\w)", "II"))
ILL_RULES = ((r"^[Il]{3}(?!\w)", "Ill"),)
CLUE_START_RULES = (  # a capital looks as its small letter does
    ("^j", "J"),
    ("^i(?=[a-z])", "I"),
    ("^—'?(?=[A-Za-z])", ""),  # seen in the gap behind the number
)
LAST_RULES = (("^II(?=[a-z])|(?<!\\w)ll(?=i)", "Il"),)
"""What Tesseract reads wrong as a rule, and what is meant: at the start of a line, anywhere, behind a capital or not,
behind a clue's number, and when all that is done."""


class PrintedWord(NamedTuple):
    """A word, from where to where it goes in pixels, and how likely it is read right."""

    text: str
    left: float
    right: float
    probability: float


def join_words(line: Line, marks: Sequence[Mark], sheet: Any) -> list[PrintedWord]:
    """Join the characters of a line to words, by what is white between them, with the marks that were taken out."""
    foot = int(line.foot)
    on_line = sorted((x for x in marks if abs(x.baseline - foot) < line.size / 2), key=lambda x: x.left)
    band = sheet[max(foot - int(BAND_HEIGHT * line.size), 0) : foot + 1]
    characters = list_characters(line, on_line, sheet)
    segments = list(cut_segments(band, on_line, line.size, len(characters.starts)))
    if not characters.text or not segments:
        return []
    edges = list(pairwise([0, *align_characters(characters, segments, line.size)]))
    contents = [characters.text[start:end] for start, end in edges]
    glyphs = LineGlyphs(sheet, foot, line.size, on_line)
    glyphs.measure_small([(text, x.left, x.right) for x, text in zip(segments, contents, strict=True) if not x.mark])
    words: list[PrintedWord] = []
    for i, (segment, (start, end)) in enumerate(zip(segments, edges, strict=True)):
        text, probability = segment.mark, MARK_SURE
        if segment.mark == BLANK:
            text = name_blank(contents[i])
        elif not segment.mark:
            probability = min(characters.probabilities[start:end], default=MARK_SURE)
            text = glyphs.check_word(contents[i], segment.left, segment.right, probability)
            text, probability = (text, probability) if text else (UNREAD_INK, 0.0)
        word = PrintedWord(text, segment.left, segment.right, probability)
        following = segments[i + 1] if i + 1 < len(segments) else None
        if words and not is_apart(words[-1].text, text, segment, following, is_start=start in characters.starts):
            last = words.pop()
            word = PrintedWord(last.text + text, last.left, segment.right, min(last.probability, probability))
        words.append(word)
    return words


def is_apart(text_before: str, text: str, segment: Segment, following: Segment | None, *, is_start: bool) -> bool:
    """Return whether what a segment holds is a word of its own, and no end of the one before it.

    Parameters
    ----------
    is_start : whether Tesseract, too, says that a word begins there.
    """
    if re.search(r"\(['\"]*$", text_before):
        return False
    if not segment.mark and text[0] in SENTENCE_MARKS and not text.startswith(".."):
        return segment.has_wide_space_before
    if segment.mark in ("'", '"'):
        is_closing = following.has_space_before if following else not segment.has_wide_space_before
        return segment.has_space_before and not is_closing
    may_end = text_before[-1].isalnum() or text_before.endswith((BLANK, ",", ";", ":", "..", "–", "—"))
    return segment.has_space_before and (segment.mark not in ("", BLANK) or is_start or may_end)


def name_blank(text: str) -> str:
    """Return a blank with the marks that were read at its ends."""
    found = re.fullmatch("([(]?).*?([)?!-]*)", text)
    return found[1] + BLANK + found[2] if found else BLANK


def mend_word(text: str, text_before: str) -> str:
    """Put right what Tesseract reads wrong as a rule: I as a line or l, an O as 0 or twice, a number with its clue.

    Parameters
    ----------
    text_before : what is before it in its line.
    """
    is_behind_capital = re.search(r"\b[A-Z]\S*(?<!,)$", text_before)  # 'World War Il'
    is_behind_number = re.fullmatch("[0-9]{1,3}[.):]?", text_before)
    rules = [
        *(() if text_before else LINE_START_RULES),
        *RULES,
        *(NUMERAL_RULES if is_behind_capital else ILL_RULES),
        *(CLUE_START_RULES if is_behind_number else ()),
        *LAST_RULES,
    ]
    text = text.translate(STRAIGHT)
    for pattern, meant in rules:
        text = re.sub(pattern, meant, text)
    return text
