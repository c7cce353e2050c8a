""".ipuz, an open format in JSON (versions 1 and 2; http://www.ipuz.org/ as archived), maybe wrapped in `ipuz(...)`.

The specification allows many spellings: a cell may be a number, a string, null, or an object with `cell`, `style`, and
`value`; a clue may be a string, a pair, or an object. A clue's `cells` count from 1 in the specification, but from 0 in
many files. Texts are HTML. The reader ignores the version and takes each value for what it can mean.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from regis import text
from regis.errors import PuzzleError
from regis.puzzle import BLOCK, Cell, Direction, Grid
from regis.puzzle.formats.shared import geometry, squares, texts
from regis.puzzle.formats.shared.clues import MAX_CLUES, ListedClue
from regis.puzzle.formats.shared.document import TEXT_FIELDS, Document, build_document
from regis.puzzle.formats.shared.geometry import CellRun
from regis.puzzle.formats.shared.squares import DEFAULT_SHADE

METADATA_KEYS = ("editor", "publisher", "publication", "date", "explanation", "annotation", "difficulty", "origin",
                 "url", "uniqueid")  # fmt: skip
"""Text fields of the specification that most other formats lack."""


KEPT_STYLES = {"named", "border", "color", "barred", "highlight", "shapebg"}

WRAPPER_PATTERN = re.compile(r"\s*ipuz[\w.]*\s*\(")


def read(data: bytes, file_name: str) -> Document:
    file = _parse_file(data, file_name)
    kinds = _read_kinds(file)
    geometry.check_kind(kinds, file_name)
    if kinds and "crossword" not in kinds:
        raise PuzzleError(f"{file_name} is another kind of puzzle, which Regis can't solve; choose a crossword")
    block, empty = signs = _block_and_empty(file)
    puzzle = _check_rows(file["puzzle"], file_name)
    solution, saved = (_check_rows(file.get(key) or [], file_name) for key in ("solution", "saved"))
    label_rows = _read_labels(puzzle, file)
    labels = squares.by_cell(label_rows)
    starts: dict[str, Cell] = {}
    for cell, label in labels.items():
        if label not in (None, block, empty, "", "0"):
            starts.setdefault(label, cell)
    are_fake = bool(file.get("fakeclues"))
    read_clues = list(islice(_read_clues(file), MAX_CLUES))
    answers = _read_contents(solution, (block,), numbers=True)
    grid = squares.build_grid(label_rows, file_name, (None, block))
    styles = {cell: _read_style(puzzle[cell[0]][cell[1]], file.get("styles")) for cell in grid.cells}
    bars = list(geometry.bars_at_sides((cell, _sign(style.get("barred", ""))[:4]) for cell, style in styles.items()))
    barred = geometry.add_bars(grid, bars)
    runs = _read_runs([cells for _, cells in read_clues], barred)
    clues = [clue._replace(cells=run) for (clue, _), run in zip(read_clues, runs, strict=True)]
    return build_document(
        grid.map_cells(lambda cell: answers.get(cell, ""), None),
        () if are_fake else clues,
        file_name,
        starts=starts,
        bars=bars,
        circles=[cell for cell, style in styles.items() if style.get("shapebg") == "circle"],
        shades={cell: _read_shade(style) for cell, style in styles.items()},
        given={**_read_contents(puzzle, signs, prefilled=True), **_read_contents(saved, signs)},
        n_fake_clues=len(clues) if are_fake else 0,
        is_html=True,
        is_diagramless="diagramless" in kinds,
        voids=frozenset(cell for cell, label in labels.items() if label is None),
        unportable=(
            *(squares.COLORED_BLOCKS,) * _has_colored_blocks(puzzle, grid, file.get("styles")),
            *(squares.OTHER_STYLES,) * any(map(_has_other_styles, styles.values())),
        ),
        title=file.get("title"),
        author=file.get("author"),
        copyright=file.get("copyright"),
        notes=texts.join_texts(file.get(key) for key in ("intro", "notes")),
        metadata={key: file.get(key) for key in METADATA_KEYS},
    )


def write(document: Document, file_name: str) -> bytes:
    grid = document.grid
    file: dict[str, Any] = {
        "version": "http://ipuz.org/v2",
        "kind": [f"http://ipuz.org/crossword{'/diagramless' * document.is_diagramless}#1"],
    }
    signs = _block_and_empty(file)
    for key in TEXT_FIELDS:
        file[key] = text.text_to_html(getattr(document, key))
    file |= {key: text.text_to_html(document.metadata[key]) for key in METADATA_KEYS if key in document.metadata}
    file["dimensions"] = {"width": grid.width, "height": grid.height}
    file["puzzle"] = _draw_rows(document, lambda cell: _label_cell(document, cell))
    if document.solution:
        file["solution"] = _draw_rows(document, lambda cell: _protect_sign(document.solution.get(cell), signs))
    if document.given:
        file["saved"] = _draw_rows(document, lambda cell: _protect_sign(document.given.get(cell, 0), signs))
    clues: dict[str, list[object]] = {direction.name.title(): [] for direction in Direction}
    for slot, clue in document.clues.items():
        entry: Any = [slot.number, texts.replace_italics(text.text_to_html(clue), "<i>", "</i>")]
        if grid.given_slots:
            entry = {"number": entry[0], "clue": entry[1], "cells": [[c + 1, r + 1] for r, c in slot.cells]}
        clues[slot.direction.name.title()].append(entry)
    file["clues"] = clues
    return _serialize(file)


def fill(data: bytes, file_name: str, letters: Mapping[Cell, str]) -> bytes:
    """Replace the given letters of the file in `data`, and nothing else. Raises PuzzleError.

    If the file prefills an empty square, it is saved as an empty text; otherwise its letter would return.
    """
    file = _parse_file(data, file_name)
    document, signs = read(data, file_name), _block_and_empty(file)
    prefilled = _read_contents(_check_rows(file["puzzle"], file_name), signs, prefilled=True)

    def saved_content(cell: Cell) -> object:
        return _protect_sign(letters.get(cell) or ("" if cell in prefilled else 0), signs)

    file["saved"] = _draw_rows(document, saved_content, file.get("block", BLOCK))
    return _serialize(file)


def _block_and_empty(file: Mapping[str, Any]) -> tuple[str, str]:
    return _sign(file.get("block", BLOCK)), _sign(file.get("empty", 0))


def _protect_sign(content: object, signs: Sequence[str]) -> object:
    """Put a content into an object if it would be taken for one of the file's `signs`."""
    return {"value": content} if isinstance(content, str) and content in signs else content


def _read_clues(file: Mapping[str, Any]) -> Iterator[tuple[ListedClue, object]]:
    """Read the clues, each with its cells as in the file; include the lengths of words only if the file shows them."""
    groups, shows_lengths = file.get("clues"), file.get("showenumerations", True)
    for key, group in (groups if isinstance(groups, dict) else {}).items():
        for clue in group if isinstance(group, list) else ():
            if isinstance(clue, list) and len(clue) > 1:
                clue = {"number": clue[0], "clue": clue[1]}
            elif not isinstance(clue, dict):
                clue = {"clue": clue}
            word_lengths = texts.clean_line(clue.get("enumeration")) if shows_lengths else ""
            typed = texts.clean_text(clue.get("clue"))
            yield ListedClue(str(key), _label_clue(clue), typed, (), word_lengths), clue.get("cells")


def _label_clue(clue: Mapping[str, Any]) -> str:
    """Return the label of a clue; several numbers, of one answer, are joined: '1,5'."""
    number = clue.get("number", clue.get("label", clue.get("numbers")))
    parts = number if isinstance(number, list) else [number]
    return ",".join(texts.clean_line(_as_integer(part)) for part in parts[:12])


def _read_runs(cell_lists: Sequence[object], grid: Grid) -> list[CellRun]:
    """Read the cells of each clue, counted from 1 or from 0, whichever fits the grid; () without any."""
    slots, white = {slot.cells for slot in grid.slots}, set(grid.cells)
    both = [[_parse_run(cells, offset) for cells in cell_lists] for offset in (1, 0)]
    return max(both, key=lambda runs: (sum(run in slots for run in runs), sum(map(white.issuperset, runs))))


def _parse_run(cells: object, offset: int) -> CellRun:
    """Read pairs of column and row, counted from `offset`, as cells; () if invalid."""
    try:
        return tuple((int(y) - offset, int(x) - offset) for x, y in cells) if isinstance(cells, list) else ()
    except (TypeError, ValueError, OverflowError):
        return ()


def _read_kinds(file: Mapping[str, Any]) -> set[str]:
    """Return the words in the puzzle's kinds: 'http://ipuz.org/crossword/diagramless#1' has two."""
    named = file.get("kind")
    urls = [named] if isinstance(named, str) else named if isinstance(named, list) else []
    return {part for url in urls if isinstance(url, str) for part in url.lower().split("#")[0].split("/")[3:]}


def _parse_file(data: bytes, file_name: str) -> dict[str, Any]:
    raw = texts.decode_text(data)
    if wrapper := WRAPPER_PATTERN.match(raw):
        raw = raw[wrapper.end() :].rstrip("); \n\t")
    try:
        file = texts.parse_json(raw)
    except (ValueError, RecursionError) as cause:
        raise PuzzleError(f"{file_name} isn't complete JSON and can't be read as .ipuz; download it again") from cause
    if not isinstance(file, dict) or "puzzle" not in file:
        raise PuzzleError(f"{file_name} has no grid (`puzzle`) and can't be read as .ipuz; choose a crossword")
    return file


def _serialize(file: Mapping[str, Any]) -> bytes:
    """Write JSON in ASCII: safe in any terminal, and half characters survive."""
    return (json.dumps(file) + "\n").encode("ascii")


def _check_rows(raw: object, file_name: str) -> list[list[Any]]:
    if isinstance(raw, list) and all(isinstance(row, list) for row in raw):
        squares.check_size(max(map(len, raw), default=1) or 1, len(raw) or 1, file_name)
        return raw
    raise PuzzleError(f"{file_name} has a grid without rows; fix it or download it again")


def _read_labels(puzzle: Sequence[Sequence[Any]], file: Mapping[str, Any]) -> list[list[str | None]]:
    """Read each cell's label, with the file's sign for a block or empty cell; None outside the puzzle.

    Nothing is outside if the file uses null for empty cells, or names no sign and has no other empty cells.
    """
    block, empty = _block_and_empty(file)
    raw = [[x.get("cell", 0) if isinstance(x, dict) else x for x in row] for row in puzzle]
    words = {_sign(x) for row in raw for x in row if x is not None}
    has_blank = any(x == empty or (x != block and not x.strip(squares.EMPTY_SIGNS)) for x in words)
    implied = "empty" not in file and not has_blank
    outside = empty if implied or file.get("empty", 0) is None else None
    return [[outside if x is None else _sign(x) for x in row] for row in raw]


def _has_other_styles(style: Mapping[str, Any]) -> bool:
    """Return whether a square has more than a document holds: a mark, a shape, a picture, a line."""
    return style.get("shapebg", "circle") != "circle" or not style.keys() <= KEPT_STYLES


def _has_colored_blocks(puzzle: Sequence[Sequence[Any]], grid: Grid, styles: object) -> bool:
    white = set(grid.cells)
    blocks = (x for cell, x in squares.by_cell(puzzle).items() if cell not in white)
    return any(squares.is_block_color(_read_style(block, styles).get("color")) for block in blocks)


def _as_integer(raw: object) -> object:
    """Return 12 for 12.0, and everything else as it is."""
    return int(raw) if isinstance(raw, float) and raw.is_integer() else raw


def _sign(raw: object) -> str:
    """Return a square's content as text; '' if it is neither a text nor a number."""
    return str(_as_integer(raw)) if raw is None or isinstance(raw, str | int | float) else ""


def _read_contents(
    rows: Sequence[Sequence[Any]], signs: Sequence[str], *, prefilled: bool = False, numbers: bool = False
) -> dict[Cell, str]:
    """Read the contents of cells; with `prefilled`, only letters in the puzzle. `numbers` allows nonzero numbers.

    The file's `signs` mean nothing, except in an object's `value`.
    """
    contents = {}
    for cell, x in squares.by_cell(rows).items():
        has_value = isinstance(x, dict) and "value" in x
        if prefilled and not has_value:
            continue
        if isinstance(x, dict):
            x = x.get("value", _across_and_down(x) or x.get("cell"))
        if isinstance(x, list) or (numbers and x and type(x) is int):
            x = "/".join(map(str, x if isinstance(x, list) else [x]))
        if isinstance(x, str) and (has_value or x not in signs):
            contents[cell] = x
    return contents


def _across_and_down(square: Mapping[str, Any]) -> list[str]:
    """Return a square's contents across and down, once if they are the same; [] if it doesn't say."""
    ways = (square.get(direction.name.title()) for direction in Direction)
    return list(dict.fromkeys(x for x in ways if isinstance(x, str)))


def _read_style(cell: object, styles: object) -> dict[str, Any]:
    style = cell.get("style") if isinstance(cell, dict) else None
    if isinstance(style, str) and isinstance(styles, dict):
        style = styles.get(style)
    return style if isinstance(style, dict) else {}


def _read_shade(style: Mapping[str, Any]) -> object:
    """Return a square's color, gray if it is only highlighted."""
    color = style.get("color")
    return color if squares.parse_shade(color) else DEFAULT_SHADE if style.get("highlight") else ""


def _draw_rows(document: Document, value_of: Callable[[Cell], object], block: object = BLOCK) -> list[list[object]]:
    """Return the rows of a grid: the value of each white cell, and null outside the puzzle."""
    return [
        [value_of((r, c)) if x != BLOCK else None if (r, c) in document.voids else block for c, x in enumerate(row)]
        for r, row in enumerate(document.grid.rows)
    ]


def _label_cell(document: Document, cell: Cell) -> object:
    """Return a white cell's number or 0, in an object if it has a style."""
    number = document.grid.cell_numbers.get(cell, 0)
    style = {"shapebg": "circle"} if cell in document.circles else {}
    bars = document.grid.bars
    if sides := "".join(side for side in "TL" if bars.intersection(geometry.bars_at_sides([(cell, side)]))):
        style["barred"] = sides
    if cell in document.shades:
        style["color"] = document.shades[cell].lstrip("#")
    return {"cell": number, "style": style} if style else number
