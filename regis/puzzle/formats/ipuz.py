""".ipuz, an open format in JSON (versions 1 and 2; http://www.ipuz.org/ as archived), also in its wrapper `ipuz(...)`.

The specification allows many spellings of one thing, and files use them all: a cell may be a number, a string, null or
an object with `cell`, `style` and `value`; a clue may be a string, a pair or an object; its `cells` count from 1 by the
specification and from 0 in many files. Texts are HTML. Everything is read by what it can mean, not by version.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from regis import text
from regis.errors import PuzzleError
from regis.puzzle import BLOCK, WHITE, Cell, Direction, Grid, Slot
from regis.puzzle.formats.shared import clue_placement, dimensions, geometry, square_content, texts
from regis.puzzle.formats.shared.comparison import list_differences
from regis.puzzle.formats.shared.document import DIAGRAMLESS_WARNING, HIDDEN_BLOCKS_WARNING, Document
from regis.puzzle.formats.shared.square_content import DEFAULT_SHADE

IPUZ_VERSION = "http://ipuz.org/v2"
CROSSWORD_KIND = "http://ipuz.org/crossword#1"
DIAGRAMLESS_KIND = "http://ipuz.org/crossword/diagramless#1"
METADATA_KEYS = ("editor", "publisher", "publication", "date", "explanation", "annotation", "difficulty", "origin",
                 "url", "uniqueid")  # fmt: skip
"""Fields with a text that the specification names and most other formats do not have."""

NOTES_KEYS = ("intro", "notes")
"""What players show with the puzzle: some this, some that. Programs write the same into both."""

CORNER_MARKS = "marks in the corners of squares"  # for which a document has no place
MARK_SIDES = ("TL", "T", "TR", "L", "C", "R", "BL", "B", "BR")

LINKED_NUMBER = re.compile(r"(\d{1,3})\s*([ad]?)(?:c|n|cross|own)?\b", re.IGNORECASE)
LINKED_LABEL = re.compile(rf"{LINKED_NUMBER.pattern}(?:\s*[,/&+]\s*{LINKED_NUMBER.pattern})+", re.IGNORECASE)

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
    starts = {label: cell for cell, label in labels.items() if label not in (None, block, empty, "", "0")}
    clues = list(islice(_read_clues(file), clue_placement.MAX_CLUES))
    warnings = _check_dimensions(file.get("dimensions"), grid, file_name)
    if len(clues) != len(grid.slots) and len(grid.cells) == grid.width * grid.height:
        solution_grid = _grid_of_solution(solution, block, grid)
        if solution_grid and len(clues) == len(solution_grid.slots):
            grid, starts = solution_grid, {}
            warnings.append(f"{file_name}: {HIDDEN_BLOCKS_WARNING}")
    styles = {cell: _read_style(puzzle[cell[0]][cell[1]], file.get("styles")) for cell in grid.cells}
    bars = [bar for cell, style in styles.items() for bar in geometry.bars_at_sides(cell, str(style.get("barred", "")))]
    clues = _translate_headings(clues, grid, starts)
    clue_starts = {(starts.get(label), geometry.parse_direction(heading)) for heading, label, *_ in clues}
    grid = geometry.add_bars(grid, bars, clue_starts)
    entry_warnings: tuple[str, ...] = ()
    if are_fake := bool(file.get("fakeclues")):
        placed: Iterable[clue_placement.PlacedClue] = [(None, Direction.ACROSS, clue.text) for clue in clues]
    else:
        clues = _label_by_text(clues, grid, starts)
        runs = _read_runs(clues, grid)
        grid, entry_warnings = _apply_entries(grid, clues, runs, starts, file_name)
        placed = _place_clues(clues, runs, grid, starts)
    clues_by_slot, clue_warnings = clue_placement.assign_clues(grid, placed, file_name)
    if is_diagramless := "diagramless" in kinds:
        warnings.append(f"{file_name} {DIAGRAMLESS_WARNING}")
    given = {**_read_contents(puzzle, signs, prefilled=True), **_read_contents(saved, signs)}
    given = {cell: x for cell in grid.cells if (x := square_content.clean_content(given.get(cell)))}
    answers = _read_contents(solution, (block,))
    return Document(
        grid,
        clues_by_slot,
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
            *(CORNER_MARKS,) * any(_has_other_marks(style, labels[cell]) for cell, style in styles.items()),
        ),
        warnings=(*warnings, *entry_warnings, *clue_warnings),
    )


def write(document: Document, file_name: str) -> tuple[bytes, list[str]]:
    """Write a document as a new .ipuz, and list what it has no place for."""
    data = _write_file(document)
    return data, list_differences(document, read(data, file_name))


def _write_file(document: Document) -> bytes:
    grid = document.grid
    file: dict[str, Any] = {
        "version": IPUZ_VERSION,
        "kind": [DIAGRAMLESS_KIND if document.is_diagramless else CROSSWORD_KIND],
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
        entry: Any = [slot.number, text.text_to_html(clue)]
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
    """Return what stands for a block in a file, and for an empty square."""
    return str(_as_integer(file.get("block", BLOCK))), str(_as_integer(file.get("empty", 0)))


def _protect_sign(content: object, signs: Sequence[str]) -> object:
    """Put a content into an object where it would be taken for one of the `signs` of the file."""
    return {"value": content} if isinstance(content, str) and content in signs else content


class IpuzClue(NamedTuple):
    """A clue as it stands in the file; all may be empty."""

    heading: str  # of its group
    label: str
    text: str
    cells: list[Any]
    word_lengths: str = ""  # of its answer: '2,3'


CellRun = tuple[Cell, ...]
"""The cells of a clue as cells of the grid."""


def _read_clues(file: Mapping[str, Any]) -> Iterator[IpuzClue]:
    """Read the clues, with the lengths of their answers' words unless the file says not to show them."""
    groups, shows_lengths = file.get("clues"), file.get("showenumerations", True)
    for key, group in (groups if isinstance(groups, dict) else {}).items():
        for clue in group if isinstance(group, list) else ():
            if isinstance(clue, dict):
                typed, cells = texts.clue_from_html(clue.get("clue")), clue.get("cells")
                label = _parse_label(clue.get("number", clue.get("label", clue.get("numbers"))))
                word_lengths = texts.clean_line(clue.get("enumeration")) if shows_lengths else ""
                yield IpuzClue(str(key), label, typed, cells if isinstance(cells, list) else [], word_lengths)
            elif isinstance(clue, list) and len(clue) > 1:
                yield IpuzClue(str(key), _parse_label(clue[0]), texts.clue_from_html(clue[1]), [])
            else:
                yield IpuzClue(str(key), "", texts.clue_from_html(clue), [])


def _translate_headings(clues: list[IpuzClue], grid: Grid, starts: Mapping[str, Cell]) -> list[IpuzClue]:
    """Put clues under 'Across' and 'Down' if they stand under two headings of another language and fit the grid so."""
    headings = list(dict.fromkeys(heading for heading, *_ in clues))
    if len(headings) != 2 or any(map(geometry.parse_direction, headings)):
        return clues
    named = dict(zip(headings, Direction, strict=True))
    if any((starts.get(label), named[heading]) not in grid.slots_by_start for heading, label, *_ in clues):
        return clues
    return [clue._replace(heading=named[clue.heading].name) for clue in clues]


def _label_by_text(clues: list[IpuzClue], grid: Grid, starts: Mapping[str, Cell]) -> list[IpuzClue]:
    """Label clues with the numbers that stand before their texts, if none has a label and all fit the grid so."""
    starts = starts or clue_placement.number_cells(grid)
    labelled = [clue._replace(label=clue_placement.number_before_clue(clue.text)) for clue in clues]
    named = {(starts.get(number), geometry.parse_direction(heading)) for heading, number, *_ in labelled}
    if any(clue.label for clue in clues) or len(named) < len(clues) or not named <= grid.slots_by_start.keys():
        return clues
    return labelled


def _apply_entries(
    grid: Grid, clues: Sequence[IpuzClue], runs: Sequence[CellRun], starts: Mapping[str, Cell], file_name: str
) -> tuple[Grid, tuple[str, ...]]:
    """Give `grid` the entries that the clues have, each by its cells or else by its label; and list warnings."""
    placed, white = _place_clues(clues, runs, grid, starts), set(grid.cells)
    entries = []
    for (heading, label, *_), run, (start, direction, _) in zip(clues, runs, placed, strict=False):
        fits = 1 < len(run) <= len(white) and white.issuperset(run)
        home = grid.slots_by_start.get((start, direction)) if start else None
        entries.append(geometry.ListedEntry(label, heading, run if fits else home.cells if home else ()))
    labels = {cell: label for label, cell in starts.items()}
    return geometry.apply_listed_entries(grid, entries, labels, file_name)


def _place_clues(
    clues: Sequence[IpuzClue], runs: Sequence[CellRun], grid: Grid, starts: Mapping[str, Cell]
) -> Iterator[clue_placement.PlacedClue]:
    """Place each clue at the first cell of its slot: by its cells, by its label, else the next of its direction.

    Where a file numbers as every grid does, but not all squares, those without a number have theirs all the same.
    """
    links: list[clue_placement.PlacedClue] = []
    usual = clue_placement.number_cells(grid)
    starts = usual if starts.items() <= usual.items() else starts
    by_cells = {slot.cells: slot for slot in grid.slots}
    order: dict[Direction, Iterator[Slot]] = {
        d: iter([slot for slot in grid.slots if slot.direction is d]) for d in Direction
    }
    for (heading, label, typed, _, word_lengths), run in zip(clues, runs, strict=True):
        direction = geometry.parse_direction(heading)
        start: Cell | None = None
        if slot := by_cells.get(run):
            chain: Sequence[Slot] = (slot,)
        elif not (chain := geometry.split_chain(grid, run)) and direction:
            chain = _read_linked_entries(label, direction, grid, starts)
        if not chain and direction and label:
            start = starts.get(label, starts.get(geometry.first_number(label)))
            chain = [slot] if start and (slot := grid.slots_by_start.get((start, direction))) else ()
        elif not chain and direction:
            chain = list(islice(order[direction], 1))
        clue = clue_placement.add_word_lengths(typed, word_lengths, sum(map(len, chain)))
        if chain:
            links += clue_placement.point_to_first(chain)
            yield chain[0].cells[0], chain[0].direction, clue_placement.name_linked(clue, chain[1:])
        else:
            yield start, direction or Direction.ACROSS, clue
    yield from links


def _read_linked_entries(label: str, direction: Direction, grid: Grid, starts: Mapping[str, Cell]) -> Sequence[Slot]:
    """Read the entries of a label that names several, '1,5' or '1/5dn'; () for any other."""
    if not LINKED_LABEL.fullmatch(label):
        return ()
    parts = LINKED_NUMBER.findall(label)
    directions = [Direction(letter.upper()) if letter else direction for _, letter in parts]
    named = [(starts.get(number), way) for (number, _), way in zip(parts, directions, strict=True)]
    chain = [grid.slots_by_start[cell, way] for cell, way in named if cell and (cell, way) in grid.slots_by_start]
    return chain if len(chain) == len(named) else ()


def _read_runs(clues: Sequence[IpuzClue], grid: Grid) -> list[CellRun]:
    """Read the cells of each clue, counted from 1 or from 0, whichever fits the grid; () where it has none."""
    slots, white = {slot.cells for slot in grid.slots}, set(grid.cells)
    both = [[_parse_run(cells, offset) for *_, cells, _ in clues] for offset in (1, 0)]
    return max(both, key=lambda runs: (sum(run in slots for run in runs), sum(map(white.issuperset, runs))))


def _parse_run(cells: Sequence[Any], offset: int) -> CellRun:
    """Read pairs of column and row, counted from `offset`, as cells; () if they are no such thing."""
    try:
        return tuple((int(y) - offset, int(x) - offset) for x, y in cells)
    except (TypeError, ValueError, OverflowError):
        return ()


def _read_kinds(file: Mapping[str, Any]) -> set[str]:
    """Return the words of which the kinds of the puzzle are made: 'http://ipuz.org/crossword/diagramless#1' has two."""
    named = file.get("kind")
    urls = [named] if isinstance(named, str) else named if isinstance(named, list) else []
    return {part for url in urls if isinstance(url, str) for part in url.lower().split("#")[0].split("/")[3:]}


def _check_dimensions(stated: object, grid: Grid, file_name: str) -> list[str]:
    """Warn if the file states another size than its grid has."""
    stated_sides = [stated.get(side) for side in ("width", "height")] if isinstance(stated, dict) else []
    if not all(isinstance(side, int) for side in stated_sides) or stated_sides in ([], [grid.width, grid.height]):
        return []
    size = dimensions.size_text(*stated_sides)
    return [f"{file_name} says that it is {size}, but its grid is {grid.width} by {grid.height}, as read"]


def _parse_label(raw: object) -> str:
    if isinstance(raw, list):
        return _parse_label(raw[0]) if raw else ""
    return texts.clean_line(_as_integer(raw.get("number") if isinstance(raw, dict) else raw))


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


def _has_other_marks(style: Mapping[str, Any], label: str | None) -> bool:
    """Return whether something stands in the corners of a square beside its label."""
    return any(str(_as_integer(mark)) != label for mark in _read_marks(style).values())


def _has_coloured_blocks(puzzle: Sequence[Sequence[Any]], grid: Grid, styles: object) -> bool:
    """Return whether a block has another colour than blocks have."""
    white = set(grid.cells)
    blocks = (x for r, row in enumerate(puzzle) for c, x in enumerate(row) if (r, c) not in white)
    return any(square_content.is_block_colour(_read_style(block, styles).get("color")) for block in blocks)


def _as_integer(raw: object) -> object:
    """Return 12 for 12.0, as some programs write numbers; all else as it is."""
    return int(raw) if isinstance(raw, float) and raw.is_integer() else raw


def _read_contents(rows: Sequence[Sequence[Any]], signs: Sequence[str], *, prefilled: bool = False) -> dict[Cell, str]:
    """Read what stands in the cells; of a puzzle with `prefilled` letters, those.

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
            if isinstance(x, list):
                x = "/".join(map(str, x))
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
    return square_content.parse_shade(style.get("color")) or (DEFAULT_SHADE if style.get("highlight") else "")


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
    if sides := "".join(side for side in "TL" if document.grid.bars.intersection(geometry.bars_at_sides(cell, side))):
        style["barred"] = sides
    if cell in document.shades:
        style["color"] = document.shades[cell].lstrip("#")
    return {"cell": number, "style": style} if style else number
