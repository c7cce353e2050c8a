"""The text around the grid and clues: title, author, editor, copyright, date, and notes.

The title is a line in quotation marks, the largest line, or the first line. The author follows 'By' or the title. A
title or author that isn't on the page comes from the file's properties, unless these contain a placeholder such as
'Untitled' or something that isn't a full name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from regis.puzzle.formats import publication_date
from regis.puzzle.formats.paper.page_words import (
    MAX_CHARACTERS,
    Word,
    group_rows,
    size_of,
    split_row,
    text_of,
)

MIN_TITLE_SIZE = 1.15  # multiple of the clues' size; a title below the top of the puzzle is at least this large
MAX_GAP = 1.0  # multiple of a line's height; a wider gap separates two lines
MAX_LINE_STEP = 2.0  # multiple of a line's height; the largest leading of the notes

_BY = re.compile(r"(?i)(?:(?:an? )?(?:puzzle|crossword) )?by:?\s+(?P<name>\S.*)")
_TITLE_BY = re.compile(r"(?P<title>\S.*?),?\s+by\s+(?P<name>[A-Z]\S*\s[A-Z].*)")
_EDITED = re.compile(r"(?i)(?:^|[\s/,;|(])(?:edited by|ed\.|editor:?)\s+(?P<name>\S.*)")
_COPYRIGHT = re.compile(r"(?i)©|\(c\)\s|copyright")
_NOTE = re.compile(r"(?i)(?:notes?|notepad)\b\s?[:.]?\s?(?P<rest>.*)")
_PARTS = re.compile(r"\s[·•|]\s")
_NAME = re.compile(r"(?:[^\W\d_][\w.'’-]*,?\s(?:(?:and|&|de|van|von|der|la)\s)?){1,6}[^\W\d_][\w.'’-]*")
_QUOTED = re.compile('[“"](?P<title>[^“”"]+)[”"](?:$| [(])')
_NO_TITLE = re.compile(
    r"(?i)(?:untitled|print|page|puzzle|crosswords?|solution|across|down)?\W*$|.*\.(?:indd|docx?|pdf|puz|qxp|ai|tex)$"
    r"|microsoft word|.*(?:://|www\.|\.com\b)|\d[\d/:,. ]*(?:[ap]m)?\b|(?:puzzle )?(?:date|no|number|difficulty)\b[:. ]"
)


class Masthead(NamedTuple):
    """The texts around a puzzle, '' for each missing one."""

    title: str
    author: str
    editor: str
    copyright: str
    date: str
    notes: str


class Line(NamedTuple):
    """Words on one baseline, with no wide gap between them."""

    page_number: int
    text: str
    baseline: float
    height: float


def read_masthead(
    words: Iterable[Word], clue_height: float, start: tuple[int, float], properties: tuple[str, str]
) -> Masthead:
    """Read the texts around a puzzle.

    Parameters
    ----------
    words : the words of its pages, without clues and headings.
    clue_height : usual height of the clues' words, 0 if there are no clues.
    start : the page number and y-coordinate where the puzzle starts.
    properties : the title and author in the file's properties.
    """
    lines = _find_lines(words)
    parts = [part for line in lines for part in _PARTS.split(line.text)]
    copyright = next((part for part in parts if _COPYRIGHT.search(part)), "")
    date = next((part for part in parts if part != copyright and publication_date.date_in_text(part)), "")
    editors = (found["name"] for part in parts if (found := _EDITED.search(part)))
    title, next_line = _find_title(lines, clue_height, start)
    author = _find_author(lines, title, next_line)
    if found := _QUOTED.match(title):
        title = found["title"]
    if found := _TITLE_BY.fullmatch(title):
        title, author = found["title"], found["name"]
    if not title and not _NO_TITLE.match(properties[0]):
        title = properties[0]
    if not author and _NAME.fullmatch(properties[1]):
        author = properties[1]
    return Masthead(title, author, _trim_name(next(editors, "")), copyright, date, _find_notes(lines))


def _find_lines(words: Iterable[Word]) -> list[Line]:
    """Find the lines of each page, from top to bottom."""
    lines = []
    for number, on_page in groupby(sorted(words, key=lambda word: word.page_number), key=lambda word: word.page_number):
        found = [*on_page]
        for row in group_rows(found, sorted(word.height for word in found)[len(found) // 2]):
            for part in split_row(row, MAX_GAP):
                text = text_of(part)[:MAX_CHARACTERS]
                lines.append(Line(number, text, part[0].baseline, size_of(part)))
    return lines


def _find_title(lines: Sequence[Line], clue_height: float, start: tuple[int, float]) -> tuple[str, int]:
    """Find the title, and the index of the line after it."""
    titles = [
        (bool(_QUOTED.match(line.text)), round(line.height, 1), -i)
        for i, line in enumerate(lines)
        if not (_NO_TITLE.match(line.text) or _BY.fullmatch(line.text) or _COPYRIGHT.search(line.text))
        and ((line.page_number, line.baseline) < start or line.height >= MIN_TITLE_SIZE * clue_height > 0)
    ]
    if not titles:
        return "", 0
    best = -max(titles)[-1]
    return lines[best].text, best + 1


def _find_author(lines: Sequence[Line], title: str, next_line: int) -> str:
    """Find the author: the name after 'By', or the line after the title if it is a name."""
    for line in lines:
        for part in _PARTS.split(line.text):
            shown = part[: found.start()] if (found := _EDITED.search(part)) else part
            if by := _BY.fullmatch(shown.strip(" /,;|")):
                return _trim_name(by["name"])
    for line in lines[next_line : next_line + 1] if title else []:
        shown = _trim_name(_PARTS.split(line.text)[0])
        if _NAME.fullmatch(shown) and not _NO_TITLE.match(shown):
            return shown
    return ""


def _trim_name(name: str) -> str:
    return name.strip(" /,;|)(")


def _find_notes(lines: Sequence[Line]) -> str:
    """Find the note: closely spaced lines, of which the first starts with 'Note'."""
    for i, line in enumerate(lines):
        if found := _NOTE.fullmatch(line.text):
            notes = [found["rest"]] if found["rest"] else []
            for last, following in pairwise(lines[i:]):
                step = following.baseline - last.baseline
                if following.page_number != last.page_number or not 0 < step <= MAX_LINE_STEP * following.height:
                    break
                notes.append(following.text)
            return " ".join(notes)
    return ""
