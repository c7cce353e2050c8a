"""Puzzles of Universal (once uclick) and USA Today: an old XML, also JSON with the same names.

The grid is the solution, one string with `-` or a space for blocks, or in newer files a list of rows. Clues are
elements with URL-encoded attributes (`%20`), or lines in JSON: '01|Clue'.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any
from xml.etree.ElementTree import Element

from regis.errors import PuzzleError
from regis.puzzle import Direction
from regis.puzzle.formats.shared import squares, texts, xml_files
from regis.puzzle.formats.shared.clues import ListedClue
from regis.puzzle.formats.shared.document import Document, build_document

BLOCK_SIGNS = ("-", " ", None)
ROOT_TAG = re.compile("<(crossword)\\b")
_ESCAPES = re.compile("(?:%[0-9A-Fa-f]{2})+")


def read(data: bytes, file_name: str) -> Document:
    if texts.decode_text(data).lstrip().startswith("{"):
        with texts.parse_json_file(data, file_name, "width, height, clues") as file:
            for holder in ("data", "gameData"):  # newer files wrap the fields in these
                file = file.get(holder, file)
            fields = {key.lower(): x for key, x in file.items()}
            lists = [(d, texts.nonblank_lines(str(fields[f"{d.name.lower()}clue"]))) for d in Direction]
            return _build_document(fields, [clue for lines in lists for clue in _split_clues(*lines)], file_name)
    root = xml_files.parse_xml_file(data, file_name, "Universal's XML", ROOT_TAG)
    fields = {x.tag.lower(): x.get("v") for x in root.iter() if "v" in x.attrib}
    if not {"width", "height", "allanswer"} <= fields.keys():
        raise PuzzleError(f"{file_name} has no grid and can't be read as Universal's XML; download it again")
    with texts.refuse_incomplete(file_name, "Width, Height, AllAnswer", "XML"):
        return _build_document(fields, _read_clues(root), file_name)


def _build_document(fields: Mapping[str, Any], clues: Iterable[ListedClue], file_name: str) -> Document:
    width, height = squares.read_size(fields["width"], fields["height"], file_name)
    rows: Sequence[Sequence[object]]
    if answer := fields.get("allanswer"):
        rows = squares.split_rows(answer, width, height, file_name)
    else:
        rows = squares.draw_rows(squares.by_cell(fields["solution"]), width, height, file_name)
    date = re.sub(r"^(\d{4})(\d\d)(\d\d)$", r"\1-\2-\3", _unescape(fields.get("date")))
    return build_document(
        [[None if x in BLOCK_SIGNS else x for x in row] for row in rows],
        clues,
        file_name,
        is_html=True,
        title=_unescape(fields.get("title")),
        author=_unescape(fields.get("author")),
        copyright=_unescape(fields.get("copyright")),
        metadata={"editor": _unescape(fields.get("editor")), "date": date},
    )


def _unescape(raw: object) -> str:
    """Decode a URL-encoded text, '%C3%A9' for 'é'."""
    return _ESCAPES.sub(
        lambda found: texts.decode_text(bytes.fromhex(found[0].replace("%", ""))), raw if isinstance(raw, str) else ""
    )


def _split_clues(direction: Direction, lines: Iterable[str]) -> Iterator[ListedClue]:
    for line in lines:
        number, bar, typed = line.partition("|")
        if line == "end":  # after the last clue
            return
        if bar:
            yield ListedClue(direction.name, number.strip().lstrip("0"), typed)


def _read_clues(root: Element) -> Iterator[ListedClue]:
    for direction in Direction:
        for x in root.iterfind(f"{direction.name.lower()}/*"):
            yield ListedClue(direction.name, texts.clean_line(x.get("cn", "")), _unescape(x.get("c")))
