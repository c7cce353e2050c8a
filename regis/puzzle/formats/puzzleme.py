"""The JSON of PuzzleMe, by AmuseLabs, used by many newspapers, without its wrapping (`rawc`).

Lists of squares go column by column. Words have a start, a length, and their squares.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from regis.puzzle import Cell, Direction
from regis.puzzle.formats.shared import geometry, squares, texts
from regis.puzzle.formats.shared.clues import ListedClue
from regis.puzzle.formats.shared.document import LINE_FIELDS, Document, build_document

BLOCK_SIGNS = ("\0", None)
WALL_SIDES = {"topWall": "T", "leftWall": "L", "rightWall": "R", "bottomWall": "B"}
NOTES_KEYS = ("description", "help")


def read(data: bytes, file_name: str) -> Document:
    """Read such a file; raises PuzzleError."""
    with texts.parse_json_file(data, file_name, "box, placedWords") as file:
        infos = {(x["y"], x["x"]): x for x in file.get("cellInfos") or ()}
        voids = frozenset(cell for cell, x in infos.items() if x.get("isVoid") is True)
        boxes = _read_columns(file["box"])
        contents = {cell: x for cell, x in boxes.items() if x not in BLOCK_SIGNS and cell not in voids}
        height, width = max(map(len, file["box"]), default=0), len(file["box"])
        circles = [cell for cell, x in infos.items() if x.get("isCircled") is True]
        numbers = _read_columns(file.get("clueNums") or ())
        revealed = {cell for cell, x in _read_columns(file.get("preRevealIdxs") or ()).items() if x is True}
        blocks = (x for cell, x in infos.items() if cell not in contents and cell not in voids)
        has_colors = any(squares.is_block_color(x.get("bgColor")) for x in blocks)
        document = build_document(
            squares.draw_rows(contents, width, height, file_name),
            _read_clues(file),
            file_name,
            starts={str(n): cell for cell, n in numbers.items() if n and cell in contents},
            bars=geometry.bars_at_sides(
                (cell, [side for key, side in WALL_SIDES.items() if x.get(key) is True]) for cell, x in infos.items()
            ),
            circles=circles or [(y, x) for x, y in file.get("backgroundShapeBoxes") or ()],
            shades={cell: x.get("bgColor") for cell, x in infos.items()},
            unportable=(squares.COLORED_BLOCKS,) * has_colors,
            is_html=True,
            **{key: file.get(key) for key in LINE_FIELDS},
            notes=next((file[key] for key in NOTES_KEYS if texts.clean_text(file.get(key))), ""),
            metadata={"date": texts.date_of_milliseconds(file.get("publishTime"))},
            voids=voids,
        )
        return replace(document, given={cell: x for cell, x in document.solution.items() if cell in revealed})


def _read_columns(columns: Any) -> dict[Cell, Any]:
    return {(r, c): x for c, column in enumerate(columns) for r, x in enumerate(column or ())}


def _read_clues(file: Any) -> Iterator[ListedClue]:
    for word in file["placedWords"]:
        number = texts.clean_line(word["clueNum"])
        if number in ("", "0"):  # a word without a clue
            continue
        direction = Direction.ACROSS if word["acrossNotDown"] else Direction.DOWN
        boxes = tuple((int(x["y"]), int(x["x"])) for x in word.get("boxesForWord") or ())
        run = boxes or geometry.straight_run((int(word["y"]), int(word["x"])), direction, int(word["nBoxes"]))
        lengths = ",".join(map(str, word.get("wordLens") or ())) if file.get("wordLengthsEnabled") else ""
        yield ListedClue(direction.name, number, (word.get("clue") or {}).get("clue", ""), run, lengths)
