""".cfp, the XML in which CrossFire, a program for making crosswords, keeps its work.

The grid is the solution, row by row, `.` a block; signs stand for the letters of rebus squares. Circles are counted
from 0, row by row.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from regis.errors import PuzzleError
from regis.puzzle.formats.shared import dimensions, listed_clues, texts, xml_files
from regis.puzzle.formats.shared.document import Document
from regis.puzzle.formats.shared.listed_clues import ListedClue
from regis.puzzle.formats.shared.xml_files import element_text

BLOCK_SIGN = "."
ROOT_TAG = re.compile("<(CROSSFIRE)\\b")


def detect(data: bytes) -> bool:
    """Return whether `data` begins as such XML does."""
    return b"<CROSSFIRE" in data[:1024].replace(b"\0", b"")


def read(data: bytes, file_name: str) -> Document:
    """Read all that a .cfp says. Raises PuzzleError."""
    root = xml_files.parse_xml_file(data, file_name, ".cfp", ROOT_TAG)
    drawn = root.find("GRID")
    rows = [] if drawn is None else [row.rstrip("\r") for row in (drawn.text or "").strip("\n").split("\n")]
    width = max(map(len, rows), default=0)
    if not width:
        raise PuzzleError(f"{file_name} has no grid, so it cannot be read as .cfp; name a crossword")
    dimensions.check_size(width, len(rows), file_name)
    rebus = {x.get("input", ""): x.get("letters", "") for x in root.iter("REBUS")}
    return listed_clues.build_document(
        [[None if x == BLOCK_SIGN else rebus.get(x, x) for x in row.ljust(width)] for row in rows],
        _read_clues(root),
        file_name,
        circles=[divmod(int(x), width) for x in re.findall("[0-9]{1,5}", element_text(root.find("CIRCLES")))],
        title=texts.clean_line(element_text(root.find("TITLE"))),
        author=texts.clean_line(element_text(root.find("AUTHOR"))),
        copyright=texts.clean_line(element_text(root.find("COPYRIGHT"))),
        notes=element_text(root.find("NOTES")),
    )


def _read_clues(root: Element) -> Iterator[ListedClue]:
    for word in root.iter("WORD"):
        typed = texts.clue_from_html(element_text(word))
        yield ListedClue(word.get("dir", ""), texts.clean_line(word.get("num")), typed)
