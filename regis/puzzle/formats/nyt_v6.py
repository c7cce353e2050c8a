"""The JSON in which nytimes.com hands its puzzles to its own players (version 6 of its service).

Squares stand in one list row by row, a block as an object without a type; a type also says what is circled or shaded.
Clues list their squares, and `clueLists` say which of them go across. Texts are HTML where they have two forms.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from regis.puzzle.formats.shared import dimensions, json_files, listed_clues, texts
from regis.puzzle.formats.shared.document import Document
from regis.puzzle.formats.shared.listed_clues import ListedClue
from regis.puzzle.formats.shared.square_content import DEFAULT_SHADE

CIRCLED_TYPES = (2, 4)
SHADED_TYPE = 3

detect = json_files.field_detector("clueLists", "cells", "dimensions")


def read(data: bytes, file_name: str) -> Document:
    """Read all that such a file says. Raises PuzzleError."""
    with json_files.refuse_incomplete(file_name, "body, cells, clues"):
        file = json_files.parse_json_file(data)
        body = file["body"][0]
        width, height = int(body["dimensions"]["width"]), int(body["dimensions"]["height"])
        rows = dimensions.split_rows(body["cells"], width, height, file_name)
        squares = {(r, c): x for r, row in enumerate(rows) for c, x in enumerate(row) if x.get("type")}
        year = texts.clean_line(file.get("copyright"))
        notes = [x for x in file.get("notes") or () if x.get("platforms", {}).get("web", True)]
        metadata = {"editor": file.get("editor"), "date": file.get("publicationDate")}
        return listed_clues.build_document(
            [[_read_answer(x) if x.get("type") else None for x in row] for row in rows],
            _read_clues(body, width),
            file_name,
            starts={texts.clean_line(x["label"]): cell for cell, x in squares.items() if x.get("label")},
            circles=[cell for cell, x in squares.items() if x["type"] in CIRCLED_TYPES],
            shades={cell: DEFAULT_SHADE for cell, x in squares.items() if x["type"] == SHADED_TYPE},
            title=texts.line_from_html(file.get("title")),
            author=texts.join_names([texts.line_from_html(x) for x in file.get("constructors") or ()]),
            copyright=f"© {year} The New York Times" if year else "",
            notes="\n".join(texts.text_from_html(x.get("text")) for x in notes),
            metadata={key: x for key, raw in metadata.items() if (x := texts.line_from_html(raw))},
        )


def _read_answer(square: Any) -> object:
    """Return what a square holds; of several right contents the first, where none is the main one."""
    return square.get("answer") or next(iter(square.get("moreAnswers", {}).get("valid", ())), "")


def _read_clues(body: Any, width: int) -> Iterator[ListedClue]:
    for group in body["clueLists"]:
        for i in group["clues"]:
            clue = body["clues"][i]
            typed = clue["text"][0]
            plain = texts.clean_clue(typed.get("plain"))
            shown = texts.clue_from_html(typed["formatted"]) if typed.get("formatted") else plain
            cells = tuple(divmod(int(n), width) for n in clue["cells"])
            yield ListedClue(str(group["name"]), texts.clean_line(clue["label"]), shown, cells)
