"""The JSON of xwordinfo.com, in which the archive github.com/doshea/nyt_crosswords keeps the New York Times's puzzles.

The grid is the solution, one flat list row by row, `.` a block; a rebus square is a longer string. Clues are '12. Text'
in HTML; where its number stands, `gridnums` tells: some puzzles count in their own way. `jnotes` are not read: they
tell the answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from regis.errors import PuzzleError
from regis.puzzle import Cell, Direction, Grid
from regis.puzzle.formats import document
from regis.puzzle.formats.document import GREY, Document

BLOCK = "."
_CLUE = re.compile(r"\s*(\d{1,5})\.(.*)$", re.DOTALL)


def detect(data: bytes) -> bool:
    """Whether `data` is a JSON object with the fields that only this format has."""
    plain = data.replace(b"\0", b"")  # of UTF-16, too
    return plain[:64].lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n").startswith(b"{") and all(
        field in plain for field in (b'"gridnums"', b'"grid"', b'"clues"')
    )


def read(data: bytes, name: str) -> Document:
    try:
        file = document.loaded(document.decoded(data))
        size = file["size"]
        width, height, flat = int(size["cols"]), int(size["rows"]), [str(x) for x in file["grid"]]
    except (ValueError, RecursionError, KeyError, TypeError, OverflowError) as cause:
        raise PuzzleError(f"{name} is no complete JSON of this format (size, grid, clues); fetch it again") from cause
    document.check_size(width, height, name)
    if len(flat) != width * height:
        raise PuzzleError(f"{name} has {len(flat)} squares and not {width} by {height}; fetch it again")
    grid = document.shape([[x != BLOCK for x in flat[r * width : (r + 1) * width]] for r in range(height)], name)
    clues, warnings = document.clued(grid, _placed(file, grid), name)
    circles = file.get("circles")
    circled = {divmod(i, width) for i, x in enumerate(circles if isinstance(circles, list) else ()) if x == 1}
    marked = frozenset(cell for cell in grid.cells if cell in circled)
    shaded = file.get("shadecircles") is True
    return Document(
        grid,
        clues,
        title=document.line_from_html(file.get("title")),
        author=document.line_from_html(file.get("author")),
        copyright=document.line_from_html(file.get("copyright")),
        notes=document.from_html(file.get("notepad")),
        more={key: x for key in ("editor", "publisher", "date") if (x := document.line_from_html(file.get(key)))},
        solution=document.solved({(r, c): flat[r * width + c] for r, c in grid.cells}),
        circles=frozenset() if shaded else marked,
        shades=dict.fromkeys(sorted(marked), GREY) if shaded else {},
        warnings=warnings,
    )


def _placed(file: Mapping[str, Any], grid: Grid) -> list[document.Placed]:
    """The clues where their numbers are printed, or, if more have a place so, where these stand as usual."""
    usual, numbers = document.starts(grid), file.get("gridnums")
    ways = [usual]
    if isinstance(numbers, list) and len(numbers) == grid.width * grid.height:
        ways.insert(0, {**usual, **{str(n): divmod(i, grid.width) for i, n in enumerate(numbers) if n}})
    return min(
        (list(_clues(file.get("clues"), starts)) for starts in ways),
        key=lambda placed: document.homeless(grid, placed),
    )


def _clues(groups: Any, starts: Mapping[str, Cell]) -> Iterator[document.Placed]:
    for direction in Direction:
        group = groups.get(direction.name.lower()) if isinstance(groups, dict) else None
        for raw in group if isinstance(group, list) else ():
            if found := _CLUE.match(str(raw)):
                yield starts.get(str(int(found[1]))), direction, document.clue_from_html(found[2])
            else:
                yield None, direction, ""
