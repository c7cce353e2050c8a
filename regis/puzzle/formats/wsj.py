"""The JSON of the Wall Street Journal's player: squares that say whether they are blank, and texts in HTML."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from regis.puzzle.formats.shared import json_files, listed_clues, texts
from regis.puzzle.formats.shared.document import Document
from regis.puzzle.formats.shared.listed_clues import ListedClue
from regis.puzzle.formats.shared.square_content import DEFAULT_SHADE

NOTES_KEYS = ("description", "crosswordadditionalcopy")
METADATA_KEYS = {"publisher": "publisher", "date-publish": "date"}

detect = json_files.field_detector("copy", "gridsize", "grid", "Blank")


def read(data: bytes, file_name: str) -> Document:
    """Read all that such a file says. Raises PuzzleError."""
    with json_files.refuse_incomplete(file_name, "copy, grid"):
        file = json_files.parse_json_file(data)
        file = file.get("data", file)
        copy, rows = file["copy"], file["grid"]
        squares = {(r, c): x for r, row in enumerate(rows) for c, x in enumerate(row)}
        styles = {cell: style for cell, x in squares.items() if isinstance(style := x.get("style"), dict)}
        return listed_clues.build_document(
            [[None if x.get("Blank") else x.get("Letter", "") for x in row] for row in rows],
            _read_clues(copy),
            file_name,
            circles=[cell for cell, style in styles.items() if style.get("shapebg") == "circle"],
            shades={cell: DEFAULT_SHADE for cell, style in styles.items() if style.get("highlight") is True},
            title=texts.line_from_html(copy.get("title")),
            author=texts.line_from_html(copy.get("byline")),
            notes="\n".join(filter(None, (texts.text_from_html(copy.get(key)) for key in NOTES_KEYS))),
            metadata={name: x for key, name in METADATA_KEYS.items() if (x := texts.line_from_html(copy.get(key)))},
        )


def _read_clues(copy: Any) -> Iterator[ListedClue]:
    for group in copy["clues"]:
        for clue in group["clues"]:
            heading = texts.line_from_html(group["title"])
            yield ListedClue(heading, texts.clean_line(clue["number"]), texts.clue_from_html(clue["clue"]))
