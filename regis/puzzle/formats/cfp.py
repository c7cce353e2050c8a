""".cfp, the XML of CrossFire, a program for constructors.

The grid is the solution, row by row, `.` a block; signs replace the contents of rebus squares. Circles are numbered
from 0, row by row.
"""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element

from regis import text
from regis.errors import PuzzleError
from regis.puzzle.formats.shared import squares, texts, xml_files
from regis.puzzle.formats.shared.clues import ListedClue
from regis.puzzle.formats.shared.document import Document, build_document
from regis.puzzle.formats.shared.squares import BLOCK_SIGN
from regis.puzzle.formats.shared.xml_files import element_text

ROOT_TAG = re.compile("<(CROSSFIRE)\\b")


def read(data: bytes, file_name: str) -> Document:
    root = xml_files.parse_xml_file(data, file_name, ".cfp", ROOT_TAG)
    drawn = root.find("GRID")
    rows = [] if drawn is None else [row.rstrip("\r") for row in (drawn.text or "").strip("\n").split("\n")]
    if not any(rows):
        raise PuzzleError(f"{file_name} has no grid and can't be read as .cfp; choose a crossword")
    width, _ = squares.read_size(max(map(len, rows)), len(rows), file_name)
    rebus = {x.get("input", ""): squares.clean_content(x.get("letters")) for x in root.iter("REBUS")}
    return build_document(
        [[None if x == BLOCK_SIGN else rebus.get(x, x) for x in row.ljust(width)] for row in rows],
        (ListedClue(x.get("dir", ""), texts.clean_line(x.get("num")), element_text(x)) for x in root.iter("WORD")),
        file_name,
        circles=[divmod(int(x), width) for x in re.findall("[0-9]{1,5}", element_text(root.find("CIRCLES")))],
        is_html=True,
        title=_html_of(root.find("TITLE")),
        author=_html_of(root.find("AUTHOR")),
        copyright=_html_of(root.find("COPYRIGHT")),
        notes=_html_of(root.find("NOTES")),
    )


def _html_of(element: Element | None) -> str:
    """Return an element's text as HTML; only clues are HTML already."""
    return text.text_to_html(element_text(element))
