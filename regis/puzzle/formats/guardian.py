"""The Guardian's JSON, which other players of British crosswords have taken over.

There is no grid: entries say where they begin and how long they are, and what is in none of them is a block. One clue
for several entries names them as its group; the others say 'See 1'. Lengths of words stand in the clues.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from regis.puzzle import Cell, Direction
from regis.puzzle.formats.shared import dimensions, geometry, json_files, listed_clues, texts
from regis.puzzle.formats.shared.document import Document
from regis.puzzle.formats.shared.listed_clues import CellRun, ListedClue

detect = json_files.field_detector("entries", "dimensions", "position", "direction")


def read(data: bytes, file_name: str) -> Document:
    """Read all that such a file says. Raises PuzzleError."""
    with json_files.refuse_incomplete(file_name, "dimensions, entries"):
        file = json_files.parse_json_file(data)
        file = file.get("crossword", file.get("data", file))
        width, height = int(file["dimensions"]["cols"]), int(file["dimensions"]["rows"])
        dimensions.check_size(width, height, file_name)
        runs = [_read_run(entry) for entry in file["entries"]]
        contents: dict[Cell, str] = {}
        for entry, run in zip(file["entries"], runs, strict=True):
            letters = texts.clean_text(entry.get("solution")).ljust(len(run))
            for cell, letter in zip(run, letters, strict=False):
                contents[cell] = contents.get(cell, "").strip() or letter
        return listed_clues.build_document(
            [[contents.get((r, c)) for c in range(width)] for r in range(height)],
            _read_clues(file, runs),
            file_name,
            starts={str(entry["number"]): run[0] for entry, run in zip(file["entries"], runs, strict=True) if run},
            title=texts.line_from_html(file.get("name")),
            author=texts.line_from_html((file.get("creator") or {}).get("name")),
            notes=texts.text_from_html(file.get("instructions")),
            metadata={"date": x} if (x := json_files.date_of_milliseconds(file.get("date"))) else {},
        )


def _read_direction(name: object) -> Direction:
    return geometry.parse_direction(str(name)) or Direction.ACROSS


def _read_run(entry: Any) -> CellRun:
    start = (int(entry["position"]["y"]), int(entry["position"]["x"]))
    return listed_clues.straight_run(start, _read_direction(entry["direction"]), int(entry["length"]))


def _read_clues(file: Any, runs: list[CellRun]) -> Iterator[ListedClue]:
    """Read the clues, those for several entries with the names of all: '1a,5d'."""
    for entry, run in zip(file["entries"], runs, strict=True):
        group = [str(name).split("-") for name in entry.get("group") or ()]
        is_first = group and group[0] == [str(entry["number"]), str(entry["direction"])]
        label = ",".join(f"{number}{way[0]}" for number, way in group) if is_first else str(entry["number"])
        heading = _read_direction(entry["direction"]).name
        yield ListedClue(heading, label, texts.clue_from_html(entry["clue"]), run)
