"""What stands on a page beside grid and clues: title, author, date, copyright, notes.

The largest line is the title, 'By' begins the author, the rest is known by its signs; what the page does not show is
taken from the properties of the file, where programs write 'Untitled', too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from regis.puzzle.formats import publication_date
from regis.puzzle.formats.paper.text_lines import TextLine

MIN_TITLE_SIZE = 1.15  # of the size of clues, for a line to be the title
MAX_TITLE_LINES = 3
MAX_AUTHOR_DISTANCE = 6  # lines from the title to the author
MAX_AUTHOR_WORDS = 8
MAX_NOTE_LINES = 12

_BY = re.compile(r"(?i)(?:(?:a )?(?:puzzle|crossword) )?by:?\s+(?P<name>\S.*)")
_EDITED = re.compile(r"(?i)\s*[/,;|]?\s*(?<!\w)(?:edited by|ed\.|editor:?)\s+(?P<name>\S.*)")
_COPYRIGHT = re.compile(r"(?i)©|\(c\)\s|copyright")
_NOTE = re.compile(r"(?i)(?:notes?|notepad)\b\s*[:.]?\s*(?P<rest>.*)")
_PARTS = re.compile(r"\s+[·•|]\s+")
_NO_TITLE = re.compile(r"(?i)untitled|.*\.(?:indd|docx?|pdf|puz|qxp|ai|tex)$|microsoft word|print|.*://.*")
_NO_AUTHOR = re.compile(r"(?i)(?:anonymous|unknown|user|admin|owner)$")


class Masthead(NamedTuple):
    """The texts around a puzzle; '' where there is none."""

    title: str
    author: str
    editor: str
    copyright: str
    date: str
    notes: str


def read_masthead(lines: Sequence[TextLine], clue_height: float, properties: tuple[str, str]) -> Masthead:
    """Read the texts around a puzzle.

    Parameters
    ----------
    lines : those of its pages that are neither clues nor headings, in reading order.
    clue_height : points, the height of clues; 0 where there are none.
    properties : title and author as the file's properties have them.
    """
    first_page = [line for line in lines if line.page_number == lines[0].page_number] if lines else []
    title, behind = _find_title(first_page, clue_height)
    parts = [part for line in lines for part in _PARTS.split(line.text)]
    copyright = next((part for part in parts if _COPYRIGHT.search(part)), "")
    date = next((part for part in parts if part != copyright and publication_date.date_in_text(part)), "")
    author, editor = _find_author(first_page, behind, {copyright, date})
    if not title and properties[0].strip() and not _NO_TITLE.match(properties[0].strip()):
        title = properties[0].strip()
    if not author and not _NO_AUTHOR.match(properties[1].strip()):
        author = properties[1].strip()
    return Masthead(title, author, editor, copyright, date, _find_notes(lines))


def _find_title(lines: Sequence[TextLine], clue_height: float) -> tuple[str, int]:
    """Find the title, and which line comes behind it."""
    largest = max((line.height for line in lines if any(map(str.isalpha, line.text))), default=0.0)
    if largest < MIN_TITLE_SIZE * clue_height or not largest:
        return "", 0
    first = next(i for i, line in enumerate(lines) if line.height == largest)
    end = first + 1
    while end < min(len(lines), first + MAX_TITLE_LINES) and abs(lines[end].height - largest) < 0.02 * largest:
        end += 1
    return " ".join(line.text for line in lines[first:end]), end


def _find_author(lines: Sequence[TextLine], behind_title: int, taken: set[str]) -> tuple[str, str]:
    """Find author and editor."""
    author = editor = ""
    for line in lines:
        for part in _PARTS.split(line.text):
            shown = part
            if edited := _EDITED.search(part):
                editor, shown = editor or edited["name"].strip(), part[: edited.start()]
            if (by := _BY.fullmatch(shown.strip())) and len(by["name"].split()) <= MAX_AUTHOR_WORDS:
                author = author or by["name"].strip()
    if not author and 0 < behind_title < len(lines):
        following = _PARTS.split(lines[behind_title].text)[0]
        is_name = len(following.split()) <= MAX_AUTHOR_WORDS and following not in taken and following[:1].isupper()
        if is_name and not any(map(str.isdigit, following)) and following[-1:] not in ".!?:":
            author = following
    return author, editor


def _find_notes(lines: Sequence[TextLine]) -> str:
    """Find what follows the word 'Note', as far as it stands close together."""
    for i, line in enumerate(lines):
        if found := _NOTE.fullmatch(line.text):
            notes = [found["rest"]] if found["rest"] else []
            last = line
            for following in lines[i + 1 : i + MAX_NOTE_LINES]:
                step = following.baseline - last.baseline
                if following.page_number != last.page_number or not 0 < step <= 1.9 * following.height:
                    break
                if _COPYRIGHT.search(following.text):
                    break
                notes.append(following.text)
                last = following
            return " ".join(notes)
    return ""
