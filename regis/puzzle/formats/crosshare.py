"""Crosshare's JSON: the data of a puzzle's page, or the puzzle alone.

The grid is the solution, one flat list, `.` a block; bars are right of squares and below. Clues have numbers, a
direction 0 or 1, and Markdown; `clueHasts` has its elements, in the order of entries.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from regis import text
from regis.puzzle import Direction
from regis.puzzle.formats.shared import geometry, squares, texts
from regis.puzzle.formats.shared.clues import ListedClue
from regis.puzzle.formats.shared.document import Document, build_document
from regis.puzzle.formats.shared.squares import BLOCK_SIGN, DEFAULT_SHADE

BAR_SIDES = (("vBars", "R"), ("hBars", "B"))
META_CLUE_SIGN = "!@"  # before a clue that counts differently there


def read(data: bytes, file_name: str) -> Document:
    """Read such a file; raises PuzzleError."""
    with texts.parse_json_file(data, file_name, "size, grid, clues") as file:
        for key in ("props", "pageProps", "puzzle"):
            file = file.get(key, file)
        width, height = squares.read_size(file["size"]["cols"], file["size"]["rows"], file_name)
        rows = squares.split_rows(file["grid"], width, height, file_name)
        styles = file.get("cellStyles") or {file.get("highlight", "circle"): file.get("highlighted") or ()}
        circles, shades = ([divmod(int(i), width) for i in styles.get(key, ())] for key in ("circle", "shade"))
        sides = ((divmod(int(i), width), side) for key, side in BAR_SIDES for i in file.get(key) or ())
        return build_document(
            [[None if x == BLOCK_SIGN else x for x in row] for row in rows],
            _read_clues(file),
            file_name,
            bars=geometry.bars_at_sides(sides),
            circles=circles,
            shades=dict.fromkeys(shades, DEFAULT_SHADE),
            is_html=True,
            title=file.get("title"),
            author=file.get("guestConstructor") or file.get("authorName"),
            copyright=file.get("copyright"),
            notes=_write_html(file.get("constructorNotes")),
            metadata={"date": texts.date_of_milliseconds(file.get("publishTime"))},
        )


def _read_clues(file: Any) -> Iterator[ListedClue]:
    clues = sorted(file["clues"], key=lambda clue: (int(clue["num"]), int(clue["dir"])))
    elements = file.get("clueHasts") or ()
    typed = elements if len(elements) == len(clues) else [clue["clue"] for clue in clues]
    for clue, raw in zip(clues, typed, strict=True):
        direction = tuple(Direction)[int(clue["dir"])]
        yield ListedClue(direction.name, str(int(clue["num"])), _write_html(raw).removeprefix(META_CLUE_SIGN))


def _write_html(element: Any) -> str:
    """Write a text, or an element of a page with its content, as HTML."""
    if not isinstance(element, dict):
        return text.text_to_html(element if isinstance(element, str) else texts.clean_text(element))
    inner = "".join(map(_write_html, element.get("children") or ()))
    tag = str(element.get("tagName", ""))
    return f"<{tag}>{inner}</{tag}>" if tag.isalnum() else inner or _write_html(element.get("value", ""))
