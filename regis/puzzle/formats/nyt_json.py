"""The JSON of xwordinfo.com, used by the archive of New York Times puzzles github.com/doshea/nyt_crosswords.

The grid is the solution, one flat list row by row, `.` a block; a rebus square is a longer string. Clues are '12. Text'
in HTML; `gridnums` has the numbers' squares, since some puzzles number in their own way. `jnotes` aren't read: they
reveal answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from regis.puzzle import Direction
from regis.puzzle.formats.shared import clues as clue_lists
from regis.puzzle.formats.shared import geometry, squares, texts
from regis.puzzle.formats.shared.clues import ListedClue
from regis.puzzle.formats.shared.document import LINE_FIELDS, Document, build_document
from regis.puzzle.formats.shared.squares import BLOCK_SIGN, DEFAULT_SHADE

BAR_SIDES = (("rbars", "R"), ("bbars", "B"))
_CLUE = re.compile(r"\s*(\d{1,5})\.(.*)$", re.DOTALL)


def read(data: bytes, file_name: str) -> Document:
    """Read such a file; raises PuzzleError."""
    with texts.parse_json_file(data, file_name, "size, grid, clues") as file:
        width, height = squares.read_size(file["size"]["cols"], file["size"]["rows"], file_name)
        rows = squares.split_rows([str(x) for x in file["grid"]], width, height, file_name)
        clues = list(_read_clues(file["clues"]))
        sides = ((divmod(i, width), side) for key, side in BAR_SIDES for i in _marked_places(file.get(key)))
        bars = list(geometry.bars_at_sides(sides))
        grid = geometry.add_bars(squares.build_grid(rows, file_name, (BLOCK_SIGN,)), bars)
        numbers, usual = file.get("gridnums"), geometry.number_cells(grid)
        is_listed = isinstance(numbers, list) and len(numbers) == width * height
        printed = usual | {str(n): divmod(i, width) for i, n in enumerate(numbers) if n} if is_listed else usual
        is_usual = clue_lists.count_placed(clues, grid, usual) > clue_lists.count_placed(clues, grid, printed)
        marked = [divmod(i, width) for i in _marked_places(file.get("circles"))]
        are_shaded = file.get("shadecircles") is True
        return build_document(
            [[None if x == BLOCK_SIGN else x for x in row] for row in rows],
            clues,
            file_name,
            starts=usual if is_usual else printed,
            bars=bars,
            circles=() if are_shaded else marked,
            shades=dict.fromkeys(marked, DEFAULT_SHADE) if are_shaded else {},
            is_html=True,
            **{key: file.get(key) for key in LINE_FIELDS},
            notes=file.get("notepad"),
            metadata={key: file.get(key) for key in ("editor", "publisher", "date")},
        )


def _marked_places(marks: object) -> list[int]:
    """List the squares, from 0, that have a 1 in a list of all squares."""
    return [i for i, x in enumerate(marks if isinstance(marks, list) else ()) if x == 1]


def _read_clues(groups: Any) -> Iterator[ListedClue]:
    for direction in Direction:
        group = groups.get(direction.name.lower()) if isinstance(groups, dict) else None
        for raw in map(str, group if isinstance(group, list) else ()):
            if found := _CLUE.match(raw):
                yield ListedClue(direction.name, str(int(found[1])), found[2])
            else:
                yield ListedClue(direction.name, "?", raw)
