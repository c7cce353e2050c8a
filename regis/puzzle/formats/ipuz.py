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
from regis.puzzle import BLOCK, WHITE, Cell, Direction, Grid
from regis.puzzle.formats.shared import clue_placement, dimensions, geometry, listed_clues, square_content, texts
from regis.puzzle.formats.shared.comparison import list_differences
from regis.puzzle.formats.shared.document import DIAGRAMLESS_WARNING, HIDDEN_BLOCKS_WARNING, Document
from regis.puzzle.formats.shared.listed_clues import CellRun, ListedClue
from regis.puzzle.formats.shared.square_content import DEFAULT_SHADE

METADATA_KEYS = ("editor", "publisher", "publication", "date", "explanation", "annotation", "difficulty", "origin",
                 "url", "uniqueid")  # fmt: skip
"""Fields with a text that the specification names and most other formats do not have."""

NOTES_KEYS = ("intro", "notes")
"""What players show with the puzzle: some this, some that. Programs write the same into both."""

KEPT_STYLES = {"named", "border", "color", "barred", "highlight", "mark", "shapebg"}
MARK_SIDES = ("TL", "T", "TR", "L", "C", "R", "BL", "B", "BR")

WRAPPER_PATTERN = re.compile(r"\s*ipuz[\w.]*\s*\(")


def detect(data: bytes) -> bool:
    """Return whether `data` is a JSON object, wrapped or not, that names ipuz or has its fields."""
    start = data[:128].replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n")
    return start.startswith(b"ipuz") or (
        start.startswith(b"{")
        and b'"puzzle"' in (plain := data.replace(b"\0", b""))
        and (b'"clues"' in plain or b"ipuz.org/" in plain)
    )


def read(data: bytes, file_name: str) -> Document:
    """Read all that an .ipuz says. Raises PuzzleError."""
    file = _parse_file(data, file_name)
    kinds = _read_kinds(file)
    geometry.check_kind(kinds, file_name)
    if kinds and "crossword" not in kinds:
        raise PuzzleError(
            f"{file_name} is no crossword but a puzzle of another kind, which Regis cannot solve; name one"
        )
    block, empty = signs = _block_and_empty(file)
    puzzle = _check_rows(file["puzzle"], file_name)
    solution, saved = (_check_rows(file.get(key) or [], file_name) for key in ("solution", "saved"))
    label_rows = _read_labels(puzzle, file)
    labels = {(r, c): label for r, row in enumerate(label_rows) for c, label in enumerate(row)}
    grid = dimensions.build_grid([[label not in (None, block) for label in row] for row in label_rows], file_name)
    starts: dict[str, Cell] = {}
    for cell, label in labels.items():
        if label not in (None, block, empty, "", "0"):
            starts.setdefault(label, cell)
    read_clues = list(islice(_read_clues(file), clue_placement.MAX_CLUES))
    clues = [clue for clue, _ in read_clues]
    stated = file.get("dimensions")
    sides = [stated.get(side) for side in ("width", "height")] if isinstance(stated, dict) else [None]
    warnings = dimensions.compare_size(sides, grid, file_name)
    if len(clues) != len(grid.slots) and len(grid.cells) == grid.width * grid.height:
        solution_grid = _grid_of_solution(solution, block, grid)
        if solution_grid and len(clues) == len(solution_grid.slots):
            grid, starts = solution_grid, {}
            warnings.append(f"{file_name}: {HIDDEN_BLOCKS_WARNING}")
    styles = {cell: _read_style(puzzle[cell[0]][cell[1]], file.get("styles")) for cell in grid.cells}
    bars = geometry.bars_at_sides((cell, str(style.get("barred", ""))) for cell, style in styles.items())
    clues = _translate_headings(clues, grid, starts)
    grid = listed_clues.add_clued_bars(grid, bars, clues, starts)
    if are_fake := _is_true(file.get("fakeclues")):
        placed = [(None, Direction.ACROSS, clue.text) for clue in clues]
        by_slot, clue_warnings = clue_placement.assign_clues(grid, placed, file_name)
    else:
        runs = _read_runs([cells for _, cells in read_clues], grid)
        clues = [x._replace(cells=run) for x, run in zip(_label_by_text(clues, grid, starts), runs, strict=True)]
        grid, by_slot, clue_warnings = listed_clues.tie_clues(grid, clues, starts, file_name)
    if is_diagramless := "diagramless" in kinds:
        warnings.append(f"{file_name} {DIAGRAMLESS_WARNING}")
    given = {**_read_contents(puzzle, signs, prefilled=True), **_read_contents(saved, signs)}
    given = {cell: x for cell in grid.cells if (x := square_content.clean_content(given.get(cell)))}
    answers = _read_contents(solution, (block,), numbers=True)
    return Document(
        grid,
        by_slot,
        title=texts.line_from_html(file.get("title")),
        author=texts.line_from_html(file.get("author")),
        copyright=texts.line_from_html(file.get("copyright")),
        notes="\n".join(dict.fromkeys(filter(None, (texts.text_from_html(file.get(key)) for key in NOTES_KEYS)))),
        metadata={key: found for key in METADATA_KEYS if (found := texts.line_from_html(file.get(key)))},
        given=given,
        solution=square_content.clean_solution({cell: answers[cell] for cell in grid.cells if cell in answers}),
        circles=frozenset(cell for cell, style in styles.items() if style.get("shapebg") == "circle"),
        shades={cell: shade for cell, style in styles.items() if (shade := _read_shade(style))},
        voids=frozenset(cell for cell, label in labels.items() if label is None),
        is_diagramless=is_diagramless,
        unportable=(
            *(clue_placement.FAKE_CLUES,) * are_fake,
            *(square_content.COLOURED_BLOCKS,) * _has_coloured_blocks(puzzle, grid, file.get("styles")),
            *(square_content.OTHER_STYLES,) * any(_has_other_styles(x, labels[cell]) for cell, x in styles.items()),
        ),
        warnings=(*warnings, *clue_warnings),
    )


def write(document: Document, file_name: str) -> tuple[bytes, list[str]]:
    """Write a document as a new .ipuz, and list what it has no place for."""
    data = _write_file(document)
    return data, list_differences(document, read(data, file_name))


def _write_file(document: Document) -> bytes:
    grid = document.grid
    file: dict[str, Any] = {
        "version": "http://ipuz.org/v2",
        "kind": [f"http://ipuz.org/crossword{'/diagramless' * document.is_diagramless}#1"],
    }
    signs = _block_and_empty(file)
    for key in ("title", "author", "copyright", "notes"):
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
    """Write `letters` into the file in `data` as what the person wrote; all else stays. Raises PuzzleError.

    A square that came with a letter in it, and has none now, is saved as an empty text, or the letter would be back.
    """
    file = _parse_file(data, file_name)
    document, signs = read(data, file_name), _block_and_empty(file)
    prefilled = _read_contents(_check_rows(file["puzzle"], file_name), signs, prefilled=True)

    def saved_content(cell: Cell) -> object:
        return _protect_sign(letters.get(cell) or ("" if cell in prefilled else 0), signs)

    file["saved"] = _draw_rows(document, saved_content, file.get("block", BLOCK))
    return _serialize(file)


def _block_and_empty(file: Mapping[str, Any]) -> tuple[str, str]:
    return str(_as_integer(file.get("block", BLOCK))), str(_as_integer(file.get("empty", 0)))


def _protect_sign(content: object, signs: Sequence[str]) -> object:
    """Put a content into an object where it would be taken for one of the `signs` of the file."""
    return {"value": content} if isinstance(content, str) and content in signs else content


def _read_clues(file: Mapping[str, Any]) -> Iterator[tuple[ListedClue, object]]:
    """Read the clues, each with its cells as they stand in the file.

    The lengths of their answers' words are left out where the file says not to show them.
    """
    groups, shows_lengths = file.get("clues"), _is_true(file.get("showenumerations", True))
    for key, group in (groups if isinstance(groups, dict) else {}).items():
        for clue in group if isinstance(group, list) else ():
            if isinstance(clue, dict):
                word_lengths = texts.clean_line(clue.get("enumeration")) if shows_lengths else ""
                typed = texts.clue_from_html(clue.get("clue"))
                yield ListedClue(str(key), _label_clue(clue), typed, (), word_lengths), clue.get("cells")
            elif isinstance(clue, list) and len(clue) > 1:
                yield ListedClue(str(key), _label_clue({"number": clue[0]}), texts.clue_from_html(clue[1])), None
            else:
                yield ListedClue(str(key), "", texts.clue_from_html(clue)), None


def _label_clue(clue: Mapping[str, Any]) -> str:
    """Return the label of a clue, with the entries in which its answer goes on: '1,5d'."""
    number = clue.get("number", clue.get("label", clue.get("numbers")))
    labels = [*_name_entries(number, ""), *_name_entries(clue.get("continued"), "")]
    linked = ",".join(labels)
    return linked if listed_clues.LINKED_LABEL.fullmatch(linked) else next(iter(labels), "")


def _name_entries(raw: object, heading: str) -> Iterator[str]:
    """Name entries that a clue points to: '5d' for {"direction": "Down", "number": 5}, ["Down", 5], {"Down": [5]}."""
    if isinstance(raw, dict) and "number" in raw:
        yield from _name_entries(raw["number"], str(raw.get("direction", heading)))
    elif isinstance(raw, dict):
        for key, numbers in raw.items():
            yield from _name_entries(numbers, str(key))
    elif isinstance(raw, list):
        named = raw[0] if raw and isinstance(raw[0], str) and geometry.parse_direction(raw[0]) else None
        for entry in raw[1:] if named else raw:
            yield from _name_entries(entry, named or heading)
    elif label := texts.clean_line(_as_integer(raw)):
        direction = geometry.parse_direction(heading)
        yield f"{label}{direction.lower() if direction else ''}"


def _translate_headings(clues: list[ListedClue], grid: Grid, starts: Mapping[str, Cell]) -> list[ListedClue]:
    """Put clues under 'Across' and 'Down' if they stand under two headings of another language and fit the grid so."""
    headings = list(dict.fromkeys(heading for heading, *_ in clues))
    if len(headings) != 2 or any(map(geometry.parse_direction, headings)):
        return clues
    named = dict(zip(headings, Direction, strict=True))
    if any((starts.get(label), named[heading]) not in grid.slots_by_start for heading, label, *_ in clues):
        return clues
    return [clue._replace(heading=named[clue.heading].name) for clue in clues]


def _label_by_text(clues: list[ListedClue], grid: Grid, starts: Mapping[str, Cell]) -> list[ListedClue]:
    """Label clues with the numbers that stand before their texts, if none has a label and all fit the grid so."""
    starts = starts or clue_placement.number_cells(grid)
    labelled = [clue._replace(label=clue_placement.number_before_clue(clue.text)) for clue in clues]
    named = {(starts.get(number), geometry.parse_direction(heading)) for heading, number, *_ in labelled}
    if any(clue.label for clue in clues) or len(named) < len(clues) or not named <= grid.slots_by_start.keys():
        return clues
    return labelled


def _read_runs(cell_lists: Sequence[object], grid: Grid) -> list[CellRun]:
    """Read the cells of each clue, counted from 1 or from 0, whichever fits the grid; () where it has none."""
    slots, white = {slot.cells for slot in grid.slots}, set(grid.cells)
    both = [[_parse_run(cells, offset) for cells in cell_lists] for offset in (1, 0)]
    return max(both, key=lambda runs: (sum(run in slots for run in runs), sum(map(white.issuperset, runs))))


def _parse_run(cells: object, offset: int) -> CellRun:
    """Read pairs of column and row, counted from `offset`, as cells; () if they are no such thing."""
    try:
        return tuple((int(y) - offset, int(x) - offset) for x, y in cells) if isinstance(cells, list) else ()
    except (TypeError, ValueError, OverflowError):
        return ()


def _read_kinds(file: Mapping[str, Any]) -> set[str]:
    """Return the words of which the kinds of the puzzle are made: 'http://ipuz.org/crossword/diagramless#1' has two."""
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
        raise PuzzleError(f"{file_name} is no complete JSON, so it cannot be read as .ipuz; fetch it again") from cause
    if not isinstance(file, dict) or "puzzle" not in file:
        raise PuzzleError(f"{file_name} has no grid (`puzzle`), so it cannot be read as .ipuz; name a crossword")
    return file


def _serialize(file: Mapping[str, Any]) -> bytes:
    """Write JSON in ASCII: nothing in a text can act on a terminal, and half characters survive."""
    return (json.dumps(file) + "\n").encode("ascii")


def _check_rows(raw: object, file_name: str) -> list[list[Any]]:
    if isinstance(raw, list) and all(isinstance(row, list) for row in raw):
        dimensions.check_size(max(map(len, raw), default=1) or 1, len(raw) or 1, file_name)
        return raw
    raise PuzzleError(f"{file_name} has a grid that is not made of rows; mend it or fetch it again")


def _read_labels(puzzle: Sequence[Sequence[Any]], file: Mapping[str, Any]) -> list[list[str | None]]:
    """Read what the cells of the puzzle are: a label, the word for a block or an empty one; None outside it.

    In a `file` that has null for empty ones nothing lies outside. One that does not say, but has no empty ones except
    null, has it too.
    """
    block, empty = _block_and_empty(file)
    raw = [[_read_label(x, file.get("styles"), empty) if isinstance(x, dict) else x for x in row] for row in puzzle]
    words = {str(_as_integer(x)) for row in raw for x in row if x is not None}
    has_blank = any(x == empty or (x != block and not x.strip(square_content.EMPTY_SIGNS)) for x in words)
    implied = "empty" not in file and not has_blank
    outside = empty if implied or file.get("empty", 0) is None else None
    return [[outside if x is None else str(_as_integer(x)) for x in row] for row in raw]


def _read_label(square: Mapping[str, Any], styles: object, empty: str) -> object:
    """Return the label of a square, or the number in one of its corners if it has none."""
    label = square.get("cell", 0)
    if str(_as_integer(label)) in ("", "0", empty):
        marks = (_as_integer(mark) for mark in _read_marks(_read_style(square, styles)).values())
        return next((mark for mark in marks if geometry.first_number(str(mark)) == str(mark)), label)
    return label


def _read_marks(style: Mapping[str, Any]) -> Mapping[str, object]:
    """Return what stands in the corners of a square, the top left one first."""
    marks = style.get("mark")
    return {side: marks[side] for side in MARK_SIDES if side in marks} if isinstance(marks, dict) else {}


def _has_other_styles(style: Mapping[str, Any], label: str | None) -> bool:
    """Return whether a square has more than a document keeps: a mark beside its label, a shape, a picture, a line."""
    has_other_marks = any(str(_as_integer(mark)) != label for mark in _read_marks(style).values())
    return has_other_marks or style.get("shapebg", "circle") != "circle" or not style.keys() <= KEPT_STYLES


def _is_true(raw: object) -> bool:
    """Return whether a field says yes; some programs write that as a text."""
    return str(raw).lower() not in ("", "0", "false", "none") if isinstance(raw, str) else bool(raw)


def _has_coloured_blocks(puzzle: Sequence[Sequence[Any]], grid: Grid, styles: object) -> bool:
    white = set(grid.cells)
    blocks = (x for r, row in enumerate(puzzle) for c, x in enumerate(row) if (r, c) not in white)
    return any(square_content.is_block_colour(_read_style(block, styles).get("color")) for block in blocks)


def _as_integer(raw: object) -> object:
    """Return 12 for 12.0, as some programs write numbers; all else as it is."""
    return int(raw) if isinstance(raw, float) and raw.is_integer() else raw


def _read_contents(
    rows: Sequence[Sequence[Any]], signs: Sequence[str], *, prefilled: bool = False, numbers: bool = False
) -> dict[Cell, str]:
    """Read what stands in the cells; of a puzzle with `prefilled` letters, those. `numbers` but 0 may be contents.

    The `signs` of the file mean that nothing does, but for the `value` of an object, which is a content.
    """
    contents = {}
    for r, row in enumerate(rows):
        for c, x in enumerate(row):
            has_value = isinstance(x, dict) and "value" in x
            if prefilled and not has_value:
                continue
            if isinstance(x, dict):
                x = x.get("value", _across_and_down(x) or x.get("cell"))
            if isinstance(x, list) or (numbers and x and type(x) is int):
                x = "/".join(map(str, x if isinstance(x, list) else [x]))
            if isinstance(x, str) and (has_value or x not in signs):
                contents[r, c] = x
    return contents


def _across_and_down(square: Mapping[str, Any]) -> list[str]:
    """Return what a square holds across and down, once where that is the same; [] if it does not say so."""
    ways = (square.get(direction.name.title()) for direction in Direction)
    return list(dict.fromkeys(x for x in ways if isinstance(x, str)))


def _grid_of_solution(solution: Sequence[Sequence[Any]], block: str, like: Grid) -> Grid | None:
    """Return the grid that only the solution shows; None if it has none, or another size than `like`."""
    white = {cell for cell, x in _read_contents(solution, (block,)).items() if x != block}
    if [len(row) for row in solution] != [like.width] * like.height:
        return None
    rows = ["".join(WHITE if (r, c) in white else BLOCK for c in range(like.width)) for r in range(like.height)]
    return Grid(tuple(rows))


def _read_style(cell: object, styles: object) -> dict[str, Any]:
    style = cell.get("style") if isinstance(cell, dict) else None
    if isinstance(style, str) and isinstance(styles, dict):
        style = styles.get(style)
    return style if isinstance(style, dict) else {}


def _read_shade(style: Mapping[str, Any]) -> str:
    """Return the shade of a colour, grey if the file only says that the square is highlighted."""
    return square_content.parse_shade(style.get("color")) or (DEFAULT_SHADE if _is_true(style.get("highlight")) else "")


def _draw_rows(document: Document, value_of: Callable[[Cell], object], block: object = BLOCK) -> list[list[object]]:
    """Return the rows of a grid: the value of a cell if it is white, null outside the drawing."""
    return [
        [value_of((r, c)) if x != BLOCK else None if (r, c) in document.voids else block for c, x in enumerate(row)]
        for r, row in enumerate(document.grid.rows)
    ]


def _label_cell(document: Document, cell: Cell) -> object:
    """Return the number of a white cell or 0, in an object if it has a style."""
    number = document.grid.cell_numbers.get(cell, 0)
    style = {"shapebg": "circle"} if cell in document.circles else {}
    bars = document.grid.bars
    if sides := "".join(side for side in "TL" if bars.intersection(geometry.bars_at_sides([(cell, side)]))):
        style["barred"] = sides
    if cell in document.shades:
        style["color"] = document.shades[cell].lstrip("#")
    return {"cell": number, "style": style} if style else number
