"""The JSON of the Wall Street Journal's player, with texts in HTML."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from regis import text
from regis.puzzle.formats.shared import squares, texts
from regis.puzzle.formats.shared.clues import ListedClue
from regis.puzzle.formats.shared.document import Document, build_document
from regis.puzzle.formats.shared.squares import DEFAULT_SHADE

NOTES_KEYS = ("description", "crosswordadditionalcopy")


def read(data: bytes, file_name: str) -> Document:
    """Read such a file; raises PuzzleError."""
    with texts.parse_json_file(data, file_name, "copy, grid") as file:
        file = file.get("data", file)
        copy, rows = file["copy"], file["grid"]
        cells = squares.by_cell(rows)
        styles = {cell: style for cell, x in cells.items() if isinstance(style := x.get("style"), dict)}
        return build_document(
            [[None if x.get("Blank") else x.get("Letter", "") for x in row] for row in rows],
            _read_clues(copy),
            file_name,
            circles=[cell for cell, style in styles.items() if style.get("shapebg") == "circle"],
            shades={cell: DEFAULT_SHADE for cell, style in styles.items() if style.get("highlight") is True},
            is_html=True,
            title=copy.get("title"),
            author=copy.get("byline"),
            notes=texts.join_texts(copy.get(key) for key in NOTES_KEYS),
            metadata={"publisher": copy.get("publisher"), "date": copy.get("date-publish")},
        )


def _read_clues(copy: Any) -> Iterator[ListedClue]:
    for group in copy["clues"]:
        for clue in group["clues"]:
            yield ListedClue(text.html_to_text(group["title"]), texts.clean_line(clue["number"]), clue["clue"])
