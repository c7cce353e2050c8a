"""Puzzles of Universal (once uclick) and USA Today: the fields of an old XML, also as JSON under the same names.

The grid is one string, the solution, `-` or a space a block, or in newer files a list of rows. Clues are elements whose
attributes are written as in addresses (`%20`), or in JSON lines: '01|Clue'.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any
from xml.etree.ElementTree import Element

from regis.errors import PuzzleError
from regis.puzzle import Direction
from regis.puzzle.formats.shared import dimensions, json_files, listed_clues, texts, xml_files
from regis.puzzle.formats.shared.document import Document
from regis.puzzle.formats.shared.listed_clues import ListedClue

BLOCK_SIGNS = "- "
ROOT_TAG = re.compile("<(crossword)\\b")
_ESCAPES = re.compile("(?:%[0-9A-Fa-f]{2})+")


def detect(data: bytes) -> bool:
    """Return whether `data` is XML, or a JSON object, with the fields that only this format has."""
    if json_files.has_fields(data, "AllAnswer", "AcrossClue") or json_files.has_fields(data, "acrossClue", "solution"):
        return True
    start = data[:4096].replace(b"\0", b"")
    return b"<AllAnswer" in start and b"<crossword" in start


def read(data: bytes, file_name: str) -> Document:
    """Read all that such a file says. Raises PuzzleError."""
    if json_files.has_fields(data):
        with json_files.refuse_incomplete(file_name, "width, height, clues"):
            file = json_files.parse_json_file(data)
            for holder in ("data", "gameData"):  # what newer files have around their fields
                file = file.get(holder, file)
            fields = {key.lower(): x for key, x in file.items()}
            clues = [clue for d in Direction for clue in _split_clues(d, str(fields[f"{d.name.lower()}clue"]))]
            return _build_document(fields, clues, file_name)
    root = xml_files.parse_xml_file(data, file_name, "Universal's XML", ROOT_TAG)
    fields = {x.tag.lower(): x.get("v") for x in root.iter() if "v" in x.attrib}
    if not {"width", "height", "allanswer"} <= fields.keys():
        raise PuzzleError(f"{file_name} has no grid, so it cannot be read as Universal's XML; fetch it again")
    with json_files.refuse_incomplete(file_name, "Width, Height, AllAnswer"):
        return _build_document(fields, list(_read_clues(root)), file_name)
    raise AssertionError


def _build_document(fields: Mapping[str, Any], clues: list[ListedClue], file_name: str) -> Document:
    width, height = int(fields["width"]), int(fields["height"])
    answer = fields.get("allanswer") or "".join(row.ljust(width) for row in fields["solution"])
    rows = dimensions.split_rows(answer, width, height, file_name)
    date = re.sub(r"^(\d{4})(\d\d)(\d\d)$", r"\1-\2-\3", _decode(fields.get("date")))
    return listed_clues.build_document(
        [[None if x in BLOCK_SIGNS else x for x in row] for row in rows],
        clues,
        file_name,
        title=_decode(fields.get("title")),
        author=_decode(fields.get("author")),
        copyright=_decode(fields.get("copyright")),
        metadata={key: x for key, x in {"editor": _decode(fields.get("editor")), "date": date}.items() if x},
    )


def _decode(raw: object) -> str:
    """Return a text that may be written as in an address, on one line."""
    return texts.line_from_html(_unescape(raw) if isinstance(raw, str) else raw)


def _unescape(raw: str) -> str:
    """Return a text that may be written as in an address, '%C3%A9' for 'é'."""
    return _ESCAPES.sub(lambda found: texts.decode_text(bytes.fromhex(found[0].replace("%", ""))), raw)


def _split_clues(direction: Direction, raw: str) -> Iterator[ListedClue]:
    for line in texts.nonblank_lines(raw):
        number, bar, typed = line.partition("|")
        if line == "end":  # behind the last clue
            return
        if bar:
            yield ListedClue(direction.name, number.strip().lstrip("0"), texts.clue_from_html(typed))


def _read_clues(root: Element) -> Iterator[ListedClue]:
    for direction in Direction:
        for x in root.iterfind(f"{direction.name.lower()}/*"):
            number = texts.clean_line(x.get("cn", ""))
            yield ListedClue(direction.name, number, texts.clue_from_html(_unescape(x.get("c", ""))))
