"""The Guardian's JSON, adopted by other players of British crosswords.

There is no grid: entries say where they start and how long they are, and squares in none are blocks. A clue for several
entries lists them as its group; the others say 'See 1'. Clues include the lengths of words.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from regis.puzzle import Cell, Direction
from regis.puzzle.formats.shared import geometry, squares, texts
from regis.puzzle.formats.shared.clues import ListedClue
from regis.puzzle.formats.shared.document import Document, build_document
from regis.puzzle.formats.shared.geometry import CellRun


def read(data: bytes, file_name: str) -> Document:
    """Read such a file; raises PuzzleError."""
    with texts.parse_json_file(data, file_name, "dimensions, entries") as file:
        file = file.get("crossword", file.get("data", file))
        width, height = squares.read_size(file["dimensions"]["cols"], file["dimensions"]["rows"], file_name)
        entries = [(entry, _read_run(entry)) for entry in file["entries"]]
        contents: dict[Cell, str] = {}
        for entry, run in entries:
            letters = texts.clean_text(entry.get("solution"))
            for i, cell in enumerate(run):
                contents[cell] = contents.get(cell) or letters[i : i + 1].strip()
        return build_document(
            squares.draw_rows(contents, width, height, file_name),
            _read_clues(entries),
            file_name,
            starts={str(entry["number"]): run[0] for entry, run in entries if run},
            is_html=True,
            title=file.get("name"),
            author=(file.get("creator") or {}).get("name"),
            notes=file.get("instructions"),
            metadata={"date": texts.date_of_milliseconds(file.get("date"))},
        )


def _read_direction(entry: Any) -> Direction:
    return geometry.parse_direction(str(entry["direction"])) or Direction.ACROSS


def _read_run(entry: Any) -> CellRun:
    start = (int(entry["position"]["y"]), int(entry["position"]["x"]))
    return geometry.straight_run(start, _read_direction(entry), int(entry["length"]))


def _read_clues(entries: list[tuple[Any, CellRun]]) -> Iterator[ListedClue]:
    """Read the clues, those for several entries with all names: '1a,5d'."""
    for entry, run in entries:
        group = [str(name).split("-") for name in entry.get("group") or ()]
        is_first = group and group[0] == [str(entry["number"]), str(entry["direction"])]
        label = ",".join(f"{number}{way[0]}" for number, way in group) if is_first else str(entry["number"])
        yield ListedClue(_read_direction(entry).name, label, entry["clue"], run)
