""".ipuz, an open format in JSON (versions 1 and 2; http://www.ipuz.org/ as archived), also in its wrapper `ipuz(...)`.

The specification allows many spellings of one thing, and files use them all: a cell may be a number, a string, null or
an object with `cell`, `style` and `value`; a clue may be a string, a pair or an object; its `cells` count from 1 by the
specification and from 0 in many files. Texts are HTML. Everything is read by what it can mean, not by version.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from regis import text
from regis.errors import PuzzleError
from regis.puzzle import BLOCK, WHITE, Cell, Direction, Grid, Slot
from regis.puzzle.formats import document, geometry
from regis.puzzle.formats.document import GREY, Document

VERSION = "http://ipuz.org/v2"
KIND = "http://ipuz.org/crossword#1"
DIAGRAMLESS = "http://ipuz.org/crossword/diagramless#1"
MORE = ("editor", "publisher", "publication", "date", "explanation", "annotation", "difficulty", "origin", "url",
        "uniqueid")  # fmt: skip
"""Fields with a text that the specification names and most other formats do not have."""

NOTES = ("intro", "notes")
"""What players show with the puzzle: some this, some that. Programs write the same into both."""

WRAPPER = re.compile(r"\s*ipuz[\w.]*\s*\(")


def detect(data: bytes) -> bool:
    """Whether `data` is a JSON object, wrapped or not, that names ipuz or has its fields."""
    start = data[:128].replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n")
    return start.startswith(b"ipuz") or (
        start.startswith(b"{")
        and b'"puzzle"' in (plain := data.replace(b"\0", b""))
        and (b'"clues"' in plain or b"ipuz.org/" in plain)
    )


def read(data: bytes, name: str) -> Document:
    file = _loaded(data, name)
    kinds = _kinds(file)
    geometry.check_kind(kinds, name)
    if kinds and "crossword" not in kinds:
        raise PuzzleError(f"{name} is no crossword but a puzzle of another kind, which Regis cannot solve; name one")
    block, empty = signs = _signs(file)
    puzzle = _rows(file["puzzle"], name)
    solution, saved = (_rows(file.get(key) or [], name) for key in ("solution", "saved"))
    drawn = _labels(puzzle, file)
    labels = {(r, c): label for r, row in enumerate(drawn) for c, label in enumerate(row)}
    grid = document.shape([[label not in (None, block) for label in row] for row in drawn], name)
    starts = {label: cell for cell, label in labels.items() if label not in (None, block, empty, "", "0")}
    clues = list(islice(_clues(file.get("clues")), document.MAX_CLUES))
    warnings = _belied(file.get("dimensions"), grid, name)
    if len(clues) != len(grid.slots) and len(grid.cells) == grid.width * grid.height:
        hidden = _hidden(solution, block, grid)
        if hidden and len(clues) == len(hidden.slots):
            grid, starts = hidden, {}
            warnings.append(f"{name}: {document.HIDDEN}")
    styles = {cell: _style(puzzle[cell[0]][cell[1]], file.get("styles")) for cell in grid.cells}
    bars = [bar for cell, style in styles.items() for bar in geometry.sides(cell, str(style.get("barred", "")))]
    clues = _in_english(clues, grid, starts)
    first = {(starts.get(label), geometry.direction(heading)) for heading, label, *_ in clues}
    grid = geometry.barred(grid, bars, first)
    clues = _numbered(clues, grid, starts)
    runs = _runs(clues, grid)
    grid, renamed = _shaped(grid, clues, runs, starts, name)
    placed, wrong = document.clued(grid, _placed(clues, runs, grid, starts), name)
    if diagramless := "diagramless" in kinds:
        warnings.append(f"{name} {document.DIAGRAMLESS}")
    given = {**_contents(puzzle, signs, prefilled=True), **_contents(saved, signs)}
    given = {cell: x for cell in grid.cells if (x := document.content(given.get(cell)))}
    answers = _contents(solution, (block,))
    return Document(
        grid,
        placed,
        title=document.line_from_html(file.get("title")),
        author=document.line_from_html(file.get("author")),
        copyright=document.line_from_html(file.get("copyright")),
        notes="\n".join(dict.fromkeys(filter(None, (document.from_html(file.get(key)) for key in NOTES)))),
        more={key: found for key in MORE if (found := document.line_from_html(file.get(key)))},
        given=given,
        solution=document.solved({cell: answers[cell] for cell in grid.cells if cell in answers}),
        circles=frozenset(cell for cell, style in styles.items() if style.get("shapebg") == "circle"),
        shades={cell: shade for cell, style in styles.items() if (shade := _shade(style))},
        voids=frozenset(cell for cell, label in labels.items() if label is None),
        diagramless=diagramless,
        warnings=(*warnings, *renamed, *wrong),
    )


def write(paper: Document, name: str) -> tuple[bytes, list[str]]:
    grid = paper.grid
    file: dict[str, Any] = {"version": VERSION, "kind": [DIAGRAMLESS if paper.diagramless else KIND]}
    signs = _signs(file)
    for key in ("title", "author", "copyright", "notes"):
        file[key] = text.to_html(getattr(paper, key))
    file |= {key: text.to_html(paper.more[key]) for key in MORE if key in paper.more}
    file["dimensions"] = {"width": grid.width, "height": grid.height}
    file["puzzle"] = _drawn(paper, lambda cell: _labelled(paper, cell))
    if paper.solution:
        file["solution"] = _drawn(paper, lambda cell: _square(paper.solution.get(cell), signs))
    if paper.given:
        file["saved"] = _drawn(paper, lambda cell: _square(paper.given.get(cell, 0), signs))
    clues: dict[str, list[object]] = {direction.name.title(): [] for direction in Direction}
    for slot, clue in paper.clues.items():
        entry: Any = [slot.number, text.to_html(clue)]
        if grid.words:
            entry = {"number": entry[0], "clue": entry[1], "cells": [[c + 1, r + 1] for r, c in slot.cells]}
        clues[slot.direction.name.title()].append(entry)
    file["clues"] = clues
    return _dumped(file), [key for key in paper.more if key not in MORE]


def fill(data: bytes, name: str, letters: Mapping[Cell, str]) -> bytes:
    """The file in `data` with `letters` as what the person wrote; all else stays. Raises PuzzleError.

    A square that came with a letter in it, and has none now, is saved as an empty text, or the letter would be back.
    """
    file = _loaded(data, name)
    paper, signs = read(data, name), _signs(file)
    came = _contents(_rows(file["puzzle"], name), signs, prefilled=True)

    def saved(cell: Cell) -> object:
        return _square(letters.get(cell) or ("" if cell in came else 0), signs)

    file["saved"] = _drawn(paper, saved, file.get("block", BLOCK))
    return _dumped(file)


def _signs(file: Mapping[str, Any]) -> tuple[str, str]:
    """What stands for a block in a file, and for an empty square."""
    return str(_whole(file.get("block", BLOCK))), str(_whole(file.get("empty", 0)))


def _square(content: object, signs: Sequence[str]) -> object:
    """What stands in a square, in an object where it would be taken for one of the `signs` of the file."""
    return {"value": content} if isinstance(content, str) and content in signs else content


Clue = tuple[str, str, str, list[Any]]
"""Its group's heading, its label, its text, its cells as they stand in the file; all may be empty."""

Run = tuple[Cell, ...]
"""The same cells as those of the grid."""


def _clues(groups: object) -> Iterator[Clue]:
    for key, group in (groups if isinstance(groups, dict) else {}).items():
        for clue in group if isinstance(group, list) else ():
            if isinstance(clue, dict):
                typed, cells = document.clue_from_html(clue.get("clue")), clue.get("cells")
                label = _label(clue.get("number", clue.get("label")))
                yield str(key), label, typed, cells if isinstance(cells, list) else []
            elif isinstance(clue, list) and len(clue) > 1:
                yield str(key), _label(clue[0]), document.clue_from_html(clue[1]), []
            else:
                yield str(key), "", document.clue_from_html(clue), []


def _in_english(clues: list[Clue], grid: Grid, starts: Mapping[str, Cell]) -> list[Clue]:
    """The clues under 'Across' and 'Down' if they stand under two headings of another language and fit the grid so."""
    headings = list(dict.fromkeys(heading for heading, *_ in clues))
    if len(headings) != 2 or any(map(geometry.direction, headings)):
        return clues
    named = dict(zip(headings, Direction, strict=True))
    if any((starts.get(label), named[heading]) not in grid.by_start for heading, label, *_ in clues):
        return clues
    return [(named[heading].name, label, clue, cells) for heading, label, clue, cells in clues]


def _numbered(clues: list[Clue], grid: Grid, starts: Mapping[str, Cell]) -> list[Clue]:
    """The clues with the numbers that stand before their texts as labels, if none has one and all fit the grid so."""
    starts = starts or document.starts(grid)
    labelled = [(heading, document.number(clue), clue, cells) for heading, _, clue, cells in clues]
    named = {(starts.get(number), geometry.direction(heading)) for heading, number, *_ in labelled}
    if any(label for _, label, *_ in clues) or len(named) < len(clues) or not named <= grid.by_start.keys():
        return clues
    return labelled


def _shaped(
    grid: Grid, clues: Sequence[Clue], runs: Sequence[Run], starts: Mapping[str, Cell], name: str
) -> tuple[Grid, tuple[str, ...]]:
    """`grid` with the entries that the clues have, each by its cells or else by its label; and warnings."""
    placed, white = _placed(clues, runs, grid, starts), set(grid.cells)
    words = []
    for (heading, label, *_), run, (start, direction, _) in zip(clues, runs, placed, strict=True):
        fits = 1 < len(run) <= len(white) and white.issuperset(run)
        home = grid.by_start.get((start, direction)) if start else None
        words.append(geometry.Word(label, heading, run if fits else home.cells if home else ()))
    return geometry.taken(grid, words, name)


def _placed(
    clues: Sequence[Clue], runs: Sequence[Run], grid: Grid, starts: Mapping[str, Cell]
) -> Iterator[document.Placed]:
    """Each clue with the first cell of its slot: by its cells, by its label, else the next of its direction.

    Where a file numbers as every grid does, but not all squares, those without a number have theirs all the same.
    """
    usual = document.starts(grid)
    starts = usual if starts.items() <= usual.items() else starts
    by_cells = {slot.cells: slot for slot in grid.slots}
    order: dict[Direction, Iterator[Slot]] = {
        d: iter([slot for slot in grid.slots if slot.direction is d]) for d in Direction
    }
    for (heading, label, clue, _), run in zip(clues, runs, strict=True):
        direction = geometry.direction(heading)
        if slot := by_cells.get(run):
            yield slot.cells[0], slot.direction, clue
        elif direction is None:
            yield None, Direction.ACROSS, clue
        elif label:
            yield starts.get(label, starts.get(geometry.first_number(label))), direction, clue
        else:
            following = next(order[direction], None)
            yield following.cells[0] if following else None, direction, clue


def _runs(clues: Sequence[Clue], grid: Grid) -> list[Run]:
    """The cells of each clue, which count from 1 or from 0, whichever fits the grid; () where they are none."""
    slots, white = {slot.cells for slot in grid.slots}, set(grid.cells)
    both = [[_run(cells, offset) for *_, cells in clues] for offset in (1, 0)]
    return max(both, key=lambda runs: (sum(run in slots for run in runs), sum(map(white.issuperset, runs))))


def _run(cells: Sequence[Any], offset: int) -> Run:
    """`cells`, pairs of column and row that count from `offset`, as cells; () if they are no such thing."""
    try:
        return tuple((int(y) - offset, int(x) - offset) for x, y in cells)
    except (TypeError, ValueError, OverflowError):
        return ()


def _kinds(file: Mapping[str, Any]) -> set[str]:
    """The words of which the kinds of the puzzle are made: 'http://ipuz.org/crossword/diagramless#1' has two."""
    named = file.get("kind")
    urls = [named] if isinstance(named, str) else named if isinstance(named, list) else []
    return {part for url in urls if isinstance(url, str) for part in url.lower().split("#")[0].split("/")[3:]}


def _belied(stated: object, grid: Grid, name: str) -> list[str]:
    """A warning if the file states another size than its grid has."""
    said = [stated.get(side) for side in ("width", "height")] if isinstance(stated, dict) else []
    if not all(isinstance(side, int) for side in said) or said in ([], [grid.width, grid.height]):
        return []
    return [f"{name} says that it is {document.size(*said)}, but its grid is {grid.width} by {grid.height}, as read"]


def _label(raw: object) -> str:
    if isinstance(raw, list):
        return _label(raw[0]) if raw else ""
    return document.line(_whole(raw.get("number") if isinstance(raw, dict) else raw))


def _loaded(data: bytes, name: str) -> dict[str, Any]:
    raw = document.decoded(data)
    if wrapper := WRAPPER.match(raw):
        raw = raw[wrapper.end() :].rstrip("); \n\t")
    try:
        file = document.loaded(raw)
    except (ValueError, RecursionError) as cause:
        raise PuzzleError(f"{name} is no complete JSON, so it cannot be read as .ipuz; fetch it again") from cause
    if not isinstance(file, dict) or "puzzle" not in file:
        raise PuzzleError(f"{name} has no grid (`puzzle`), so it cannot be read as .ipuz; name a crossword")
    return file


def _dumped(file: Mapping[str, Any]) -> bytes:
    """In ASCII, all else as escapes: nothing in a text can act on a terminal, and half characters survive."""
    return (json.dumps(file) + "\n").encode("ascii")


def _rows(raw: object, name: str) -> list[list[Any]]:
    if isinstance(raw, list) and all(isinstance(row, list) for row in raw):
        document.check_size(max(map(len, raw), default=1) or 1, len(raw) or 1, name)
        return raw
    raise PuzzleError(f"{name} has a grid that is not made of rows; mend it or fetch it again")


def _labels(puzzle: Sequence[Sequence[Any]], file: Mapping[str, Any]) -> list[list[str | None]]:
    """What the cells of the puzzle say they are: a label, the word for a block or an empty one; None outside it.

    In a `file` that has null for empty ones nothing lies outside. One that does not say, but has blocks and numbers and
    null for all else, has it too.
    """
    block, empty = _signs(file)
    raw = [[x.get("cell", 0) if isinstance(x, dict) else x for x in row] for row in puzzle]
    said = {str(_whole(x)) for row in raw for x in row if x is not None}
    blank = any(x == empty or (x != block and not x.strip(document.EMPTY)) for x in said)
    implied = "empty" not in file and block in said and not blank
    outside = empty if implied or file.get("empty", 0) is None else None
    return [[outside if x is None else str(_whole(x)) for x in row] for row in raw]


def _whole(raw: object) -> object:
    """12 for 12.0, as some programs write numbers."""
    return int(raw) if isinstance(raw, float) and raw.is_integer() else raw


def _contents(rows: Sequence[Sequence[Any]], signs: Sequence[str], *, prefilled: bool = False) -> dict[Cell, str]:
    """What stands in the cells; of a puzzle with `prefilled` letters, those.

    The `signs` of the file mean that nothing does, but for the `value` of an object, which is a content.
    """
    found = {}
    for r, row in enumerate(rows):
        for c, x in enumerate(row):
            told = isinstance(x, dict) and "value" in x
            if prefilled and not told:
                continue
            if isinstance(x, dict):
                x = x.get("value", _both_ways(x) or x.get("cell"))
            if isinstance(x, list):
                x = "/".join(map(str, x))
            if isinstance(x, str) and (told or x not in signs):
                found[r, c] = x
    return found


def _both_ways(square: Mapping[str, Any]) -> list[str]:
    """What a square holds across and down, once where that is the same; [] if it does not say so."""
    ways = (square.get(direction.name.title()) for direction in Direction)
    return list(dict.fromkeys(x for x in ways if isinstance(x, str)))


def _hidden(solution: Sequence[Sequence[Any]], block: str, like: Grid) -> Grid | None:
    """The diagram that only the solution shows; None if it has none, or another size."""
    white = {cell for cell, x in _contents(solution, (block,)).items() if x != block}
    if [len(row) for row in solution] != [like.width] * like.height:
        return None
    rows = ["".join(WHITE if (r, c) in white else BLOCK for c in range(like.width)) for r in range(like.height)]
    return Grid(tuple(rows))


def _style(cell: object, styles: object) -> dict[str, Any]:
    style = cell.get("style") if isinstance(cell, dict) else None
    if isinstance(style, str) and isinstance(styles, dict):
        style = styles.get(style)
    return style if isinstance(style, dict) else {}


def _shade(style: Mapping[str, Any]) -> str:
    """The shade of its colour, grey if the file only says that it is highlighted."""
    return document.shade(style.get("color")) or (GREY if style.get("highlight") else "")


def _drawn(paper: Document, of: Callable[[Cell], object], block: object = BLOCK) -> list[list[object]]:
    """The rows of a grid: `of` a cell if it is white, null outside the drawing."""
    return [
        [of((r, c)) if x != BLOCK else None if (r, c) in paper.voids else block for c, x in enumerate(row)]
        for r, row in enumerate(paper.grid.rows)
    ]


def _labelled(paper: Document, cell: Cell) -> object:
    """A white cell: its number or 0, in an object if it has a style."""
    number = paper.grid.numbers.get(cell, 0)
    style = {"shapebg": "circle"} if cell in paper.circles else {}
    if sides := "".join(side for side in "TL" if paper.grid.bars.intersection(geometry.sides(cell, side))):
        style["barred"] = sides
    if cell in paper.shades:
        style["color"] = paper.shades[cell].lstrip("#")
    return {"cell": number, "style": style} if style else number
