"""The JSON of nytimes.com's own players (version 6 of its service).

Squares are one flat list, a block an object without a type; a type also marks circles and shades. Clues list their
squares; `clueLists` say which go across. Bars, only in a picture, follow from entries that end next to white squares.
Texts with two forms are HTML.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from regis import text
from regis.puzzle.formats.shared import geometry, squares, texts
from regis.puzzle.formats.shared.clues import ListedClue
from regis.puzzle.formats.shared.document import Document, build_document
from regis.puzzle.formats.shared.squares import DEFAULT_SHADE

CIRCLED_TYPES = (2, 4)
SHADED_TYPE = 3


def read(data: bytes, file_name: str) -> Document:
    """Read such a file; raises PuzzleError."""
    with texts.parse_json_file(data, file_name, "body, cells, clues") as file:
        body = file["body"][0]
        width, height = squares.read_size(body["dimensions"]["width"], body["dimensions"]["height"], file_name)
        rows = squares.split_rows(body["cells"], width, height, file_name)
        cells = {cell: x for cell, x in squares.by_cell(rows).items() if x.get("type")}
        year = texts.clean_line(file.get("copyright"))
        notes = (x.get("text") for x in file.get("notes") or () if x.get("platforms", {}).get("web", True))
        clues = list(_read_clues(body, width))
        return build_document(
            [[_read_answer(x) if x.get("type") else None for x in row] for row in rows],
            clues,
            file_name,
            starts={texts.clean_line(x["label"]): cell for cell, x in cells.items() if x.get("label")},
            bars=geometry.bars_between_runs({clue.cells for clue in clues}),
            circles=[cell for cell, x in cells.items() if x["type"] in CIRCLED_TYPES],
            shades={cell: DEFAULT_SHADE for cell, x in cells.items() if x["type"] == SHADED_TYPE},
            is_html=True,
            title=file.get("title"),
            author=texts.join_names([texts.clean_line(x) for x in file.get("constructors") or ()]),
            copyright=f"© {year} The New York Times" if year else "",
            notes=texts.join_texts(notes),
            metadata={"editor": file.get("editor"), "date": file.get("publicationDate")},
        )


def _read_answer(square: Any) -> object:
    """Return a square's content, the first of several right ones."""
    return square.get("answer") or next(iter(square.get("moreAnswers", {}).get("valid", ())), "")


def _read_clues(body: Any, width: int) -> Iterator[ListedClue]:
    """Read the clues of each list, each once."""
    for group in body["clueLists"]:
        for i in dict.fromkeys(group["clues"]):
            clue = body["clues"][i]
            typed = clue["text"][0]
            shown = typed.get("formatted") or text.text_to_html(texts.clean_text(typed.get("plain")))
            cells = tuple(divmod(int(n), width) for n in clue["cells"])
            yield ListedClue(str(group["name"]), texts.clean_line(clue["label"]), shown, cells)
