"""The JSON of PuzzleMe, by AmuseLabs, which many newspapers use, once its wrapping (`rawc`) is undone.

All lists by squares go column by column. Words say where they begin, how long they are and in which squares they stand.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from regis.puzzle import Cell, Direction
from regis.puzzle.formats.shared import geometry, json_files, listed_clues, square_content, texts
from regis.puzzle.formats.shared.document import Document
from regis.puzzle.formats.shared.listed_clues import ListedClue

BLOCK_SIGNS = ("\0", None)
WALL_SIDES = {"topWall": "T", "leftWall": "L", "rightWall": "R", "bottomWall": "B"}
NOTES_KEYS = ("description", "help")

detect = json_files.field_detector("placedWords", "box")


def read(data: bytes, file_name: str) -> Document:
    """Read all that such a file says. Raises PuzzleError."""
    with json_files.refuse_incomplete(file_name, "box, placedWords"):
        file = json_files.parse_json_file(data)
        infos = {(x["y"], x["x"]): x for x in file.get("cellInfos") or ()}
        voids = frozenset(cell for cell, x in infos.items() if x.get("isVoid") is True)
        boxes = _read_columns(file["box"])
        contents = {cell: x for cell, x in boxes.items() if x not in BLOCK_SIGNS and cell not in voids}
        height, width = max(map(len, file["box"]), default=0), len(file["box"])
        circles = [cell for cell, x in infos.items() if x.get("isCircled") is True]
        numbers = _read_columns(file.get("clueNums") or ())
        document = listed_clues.build_document(
            [[contents.get((r, c)) for c in range(width)] for r in range(height)],
            _read_clues(file),
            file_name,
            starts={str(n): cell for cell, n in numbers.items() if n and cell in contents},
            bars=geometry.bars_at_sides(
                (cell, [side for key, side in WALL_SIDES.items() if x.get(key) is True]) for cell, x in infos.items()
            ),
            circles=circles or [(y, x) for x, y in file.get("backgroundShapeBoxes") or ()],
            shades={cell: square_content.parse_shade(x.get("bgColor")) for cell, x in infos.items()},
        )
        revealed = {cell for cell, x in _read_columns(file.get("preRevealIdxs") or ()).items() if x is True}
        blocks = (cell for cell in infos if cell not in contents and cell not in voids)
        notes = [x for x in (texts.text_from_html(file.get(key)) for key in NOTES_KEYS) if x]
        return replace(
            document,
            title=texts.line_from_html(file.get("title")),
            author=texts.line_from_html(file.get("author")),
            copyright=texts.line_from_html(file.get("copyright")),
            notes="".join(notes[:1]),
            metadata={"date": x} if (x := json_files.date_of_milliseconds(file.get("publishTime"))) else {},
            given={cell: x for cell, x in document.solution.items() if cell in revealed},
            voids=voids,
            unportable=(square_content.COLOURED_BLOCKS,)
            * any(square_content.is_block_colour(infos[cell].get("bgColor")) for cell in blocks),
        )


def _read_columns(columns: Any) -> dict[Cell, Any]:
    return {(r, c): x for c, column in enumerate(columns) for r, x in enumerate(column or ())}


def _read_clues(file: Any) -> Iterator[ListedClue]:
    for word in file["placedWords"]:
        number = texts.clean_line(word["clueNum"])
        if number in ("", "0"):  # a word without a clue
            continue
        direction = Direction.ACROSS if word["acrossNotDown"] else Direction.DOWN
        boxes = tuple((int(x["y"]), int(x["x"])) for x in word.get("boxesForWord") or ())
        run = boxes or listed_clues.straight_run((int(word["y"]), int(word["x"])), direction, int(word["nBoxes"]))
        lengths = ",".join(map(str, word.get("wordLens") or ())) if file.get("wordLengthsEnabled") else ""
        clue = word.get("clue") or {}
        yield ListedClue(direction.name, number, texts.clue_from_html(clue.get("clue", "")), run, lengths)
