"""The JSON of websites: Crosshare, xwordinfo.com, nytimes.com, PuzzleMe, the Guardian, and the Wall Street Journal.

Each site has its own reader, because each writes the same things differently: squares in one flat list, by rows, or by
columns; clues with labels, cells, or both. Nearly all texts are HTML.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from regis import text
from regis.puzzle import Cell, Direction
from regis.puzzle.formats.shared import clues as clue_lists
from regis.puzzle.formats.shared import geometry, squares, texts
from regis.puzzle.formats.shared.clues import ListedClue
from regis.puzzle.formats.shared.document import LINE_FIELDS, Document, build_document
from regis.puzzle.formats.shared.geometry import CellRun
from regis.puzzle.formats.shared.squares import BLOCK_SIGN, DEFAULT_SHADE

# Crosshare

CROSSHARE_BARS = (("vBars", "R"), ("hBars", "B"))
META_CLUE_SIGN = "!@"  # before a clue that is about other clues


def read_crosshare(data: bytes, file_name: str) -> Document:
    """Read the data of a puzzle's page, or the puzzle alone.

    The grid is the solution, one flat list with `.` for blocks; bars are to the right of squares and below them. Clues
    have numbers, a direction 0 or 1, and Markdown; `clueHasts` has the clues as elements, in the order of entries.
    """
    with texts.parse_json_file(data, file_name, "size, grid, clues") as file:
        for key in ("props", "pageProps", "puzzle"):
            file = file.get(key, file)
        width, height = squares.read_size(file["size"]["cols"], file["size"]["rows"], file_name)
        rows = squares.split_rows(file["grid"], width, height, file_name)
        styles = file.get("cellStyles") or {file.get("highlight", "circle"): file.get("highlighted") or ()}
        circles, shades = ([divmod(int(i), width) for i in styles.get(key, ())] for key in ("circle", "shade"))
        sides = ((divmod(int(i), width), side) for key, side in CROSSHARE_BARS for i in file.get(key) or ())
        return build_document(
            [[None if x == BLOCK_SIGN else x for x in row] for row in rows],
            _crosshare_clues(file),
            file_name,
            bars=geometry.bars_at_sides(sides),
            circles=circles,
            shades=dict.fromkeys(shades, DEFAULT_SHADE),
            is_html=True,
            title=file.get("title"),
            author=file.get("guestConstructor") or file.get("authorName"),
            copyright=file.get("copyright"),
            notes=_write_html(file.get("constructorNotes")),
            metadata={"date": texts.date_of_milliseconds(file.get("publishTime"))},
        )


def _crosshare_clues(file: Any) -> Iterator[ListedClue]:
    clues = sorted(file["clues"], key=lambda clue: (int(clue["num"]), int(clue["dir"])))
    elements = file.get("clueHasts") or ()
    typed = elements if len(elements) == len(clues) else [clue["clue"] for clue in clues]
    for clue, raw in zip(clues, typed, strict=True):
        direction = tuple(Direction)[int(clue["dir"])]
        yield ListedClue(direction.name, str(int(clue["num"])), _write_html(raw).removeprefix(META_CLUE_SIGN))


def _write_html(element: Any) -> str:
    """Write a text, or an element of a page with its content, as HTML."""
    if not isinstance(element, dict):
        return text.text_to_html(element if isinstance(element, str) else texts.clean_text(element))
    inner = "".join(map(_write_html, element.get("children") or ()))
    tag = str(element.get("tagName", ""))
    return f"<{tag}>{inner}</{tag}>" if tag.isalnum() else inner or _write_html(element.get("value", ""))


# xwordinfo.com, used by the archive of New York Times puzzles github.com/doshea/nyt_crosswords

XWORDINFO_BARS = (("rbars", "R"), ("bbars", "B"))
_XWORDINFO_CLUE = re.compile(r"\s*(\d{1,5})\.(.*)$", re.DOTALL)


def read_xwordinfo(data: bytes, file_name: str) -> Document:
    """Read a file with the solution as its grid: one flat list by rows, `.` for blocks, longer strings for rebus
    squares.

    Clues are '12. Text'; `gridnums` has the squares of the numbers, since some puzzles have unusual numbers. `jnotes`
    aren't read, because they reveal answers.
    """
    with texts.parse_json_file(data, file_name, "size, grid, clues") as file:
        width, height = squares.read_size(file["size"]["cols"], file["size"]["rows"], file_name)
        rows = squares.split_rows([str(x) for x in file["grid"]], width, height, file_name)
        clues = list(_xwordinfo_clues(file["clues"]))
        sides = ((divmod(i, width), side) for key, side in XWORDINFO_BARS for i in _marked_places(file.get(key)))
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
    return [i for i, x in enumerate(marks if isinstance(marks, list) else ()) if x == 1]


def _xwordinfo_clues(groups: Any) -> Iterator[ListedClue]:
    for direction in Direction:
        group = groups.get(direction.name.lower()) if isinstance(groups, dict) else None
        for raw in map(str, group if isinstance(group, list) else ()):
            if found := _XWORDINFO_CLUE.match(raw):
                yield ListedClue(direction.name, str(int(found[1])), found[2])
            else:
                yield ListedClue(direction.name, "?", raw)


# nytimes.com, version 6 of its service

CIRCLED_TYPES = (2, 4)
SHADED_TYPE = 3


def read_nyt_v6(data: bytes, file_name: str) -> Document:
    """Read a file with one flat list of squares; a block is an object without a type. A type also marks circles and
    shades.

    Clues list their squares; `clueLists` say which go across. Bars are only in a picture, but they follow from entries
    that end next to white squares. Texts with two forms are HTML.
    """
    with texts.parse_json_file(data, file_name, "body, cells, clues") as file:
        body = file["body"][0]
        width, height = squares.read_size(body["dimensions"]["width"], body["dimensions"]["height"], file_name)
        rows = squares.split_rows(body["cells"], width, height, file_name)
        cells = {cell: x for cell, x in squares.by_cell(rows).items() if x.get("type")}
        year = texts.clean_line(file.get("copyright"))
        notes = (x.get("text") for x in file.get("notes") or () if x.get("platforms", {}).get("web", True))
        clues = list(_nyt_v6_clues(body, width))
        return build_document(
            [[_read_answer(x) if x.get("type") else None for x in row] for row in rows],
            clues,
            file_name,
            starts={texts.clean_line(x["label"]): cell for cell, x in cells.items() if x.get("label")},
            bars=geometry.bars_between_runs({clue.cells for clue in clues}),
            circles=[cell for cell, x in cells.items() if x["type"] in CIRCLED_TYPES],
            shades={cell: DEFAULT_SHADE for cell, x in cells.items() if x["type"] == SHADED_TYPE},
            is_html=True,
            title=file.get("title"),
            author=texts.join_names([texts.clean_line(x) for x in file.get("constructors") or ()]),
            copyright=f"© {year} The New York Times" if year else "",
            notes=texts.join_texts(notes),
            metadata={"editor": file.get("editor"), "date": file.get("publicationDate")},
        )


def _read_answer(square: Any) -> object:
    """Return a square's content; if several are right, the first."""
    return square.get("answer") or next(iter(square.get("moreAnswers", {}).get("valid", ())), "")


def _nyt_v6_clues(body: Any, width: int) -> Iterator[ListedClue]:
    """Read the clues of all lists, each clue once."""
    for group in body["clueLists"]:
        for i in dict.fromkeys(group["clues"]):
            clue = body["clues"][i]
            typed = clue["text"][0]
            shown = typed.get("formatted") or text.text_to_html(texts.clean_text(typed.get("plain")))
            cells = tuple(divmod(int(n), width) for n in clue["cells"])
            yield ListedClue(str(group["name"]), texts.clean_line(clue["label"]), shown, cells)


# PuzzleMe, by AmuseLabs, used by many newspapers

PUZZLEME_BLOCKS = ("\0", None)
WALL_SIDES = {"topWall": "T", "leftWall": "L", "rightWall": "R", "bottomWall": "B"}


def read_puzzleme(data: bytes, file_name: str) -> Document:
    """Read a file that was unwrapped (`rawc`). Lists of squares go column by column; words have a start, a length, and
    squares."""
    with texts.parse_json_file(data, file_name, "box, placedWords") as file:
        infos = {(x["y"], x["x"]): x for x in file.get("cellInfos") or ()}
        voids = frozenset(cell for cell, x in infos.items() if x.get("isVoid") is True)
        boxes = _read_columns(file["box"])
        contents = {cell: x for cell, x in boxes.items() if x not in PUZZLEME_BLOCKS and cell not in voids}
        height, width = max(map(len, file["box"]), default=0), len(file["box"])
        circles = [cell for cell, x in infos.items() if x.get("isCircled") is True]
        numbers = _read_columns(file.get("clueNums") or ())
        revealed = {cell for cell, x in _read_columns(file.get("preRevealIdxs") or ()).items() if x is True}
        blocks = (x for cell, x in infos.items() if cell not in contents and cell not in voids)
        has_colors = any(squares.is_block_color(x.get("bgColor")) for x in blocks)
        document = build_document(
            squares.draw_rows(contents, width, height, file_name),
            _puzzleme_clues(file),
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
            notes=next((file[key] for key in ("description", "help") if texts.clean_text(file.get(key))), ""),
            metadata={"date": texts.date_of_milliseconds(file.get("publishTime"))},
            voids=voids,
        )
        return replace(document, given={cell: x for cell, x in document.solution.items() if cell in revealed})


def _read_columns(columns: Any) -> dict[Cell, Any]:
    return {(r, c): x for c, column in enumerate(columns) for r, x in enumerate(column or ())}


def _puzzleme_clues(file: Any) -> Iterator[ListedClue]:
    for word in file["placedWords"]:
        number = texts.clean_line(word["clueNum"])
        if number in ("", "0"):  # a word without a clue
            continue
        direction = Direction.ACROSS if word["acrossNotDown"] else Direction.DOWN
        boxes = tuple((int(x["y"]), int(x["x"])) for x in word.get("boxesForWord") or ())
        run = boxes or geometry.straight_run((int(word["y"]), int(word["x"])), direction, int(word["nBoxes"]))
        lengths = ",".join(map(str, word.get("wordLens") or ())) if file.get("wordLengthsEnabled") else ""
        yield ListedClue(direction.name, number, (word.get("clue") or {}).get("clue", ""), run, lengths)


# the Guardian, adopted by other players of British crosswords


def read_guardian(data: bytes, file_name: str) -> Document:
    """Read a file without a grid: entries state their starts and lengths, and squares in no entry are blocks.

    A clue for several entries lists them as its group; the other entries say 'See 1'. Clues include the lengths of
    words.
    """
    with texts.parse_json_file(data, file_name, "dimensions, entries") as file:
        file = file.get("crossword", file.get("data", file))
        width, height = squares.read_size(file["dimensions"]["cols"], file["dimensions"]["rows"], file_name)
        entries = [(entry, _guardian_run(entry)) for entry in file["entries"]]
        contents: dict[Cell, str] = {}
        for entry, run in entries:
            letters = texts.clean_text(entry.get("solution"))
            for i, cell in enumerate(run):
                contents[cell] = contents.get(cell) or letters[i : i + 1].strip()
        return build_document(
            squares.draw_rows(contents, width, height, file_name),
            _guardian_clues(entries),
            file_name,
            starts={str(entry["number"]): run[0] for entry, run in entries if run},
            is_html=True,
            title=file.get("name"),
            author=(file.get("creator") or {}).get("name"),
            notes=file.get("instructions"),
            metadata={"date": texts.date_of_milliseconds(file.get("date"))},
        )


def _guardian_direction(entry: Any) -> Direction:
    return geometry.parse_direction(str(entry["direction"])) or Direction.ACROSS


def _guardian_run(entry: Any) -> CellRun:
    start = (int(entry["position"]["y"]), int(entry["position"]["x"]))
    return geometry.straight_run(start, _guardian_direction(entry), int(entry["length"]))


def _guardian_clues(entries: list[tuple[Any, CellRun]]) -> Iterator[ListedClue]:
    """Read the clues; a clue for several entries has all their names: '1a,5d'."""
    for entry, run in entries:
        group = [str(name).split("-") for name in entry.get("group") or ()]
        is_first = group and group[0] == [str(entry["number"]), str(entry["direction"])]
        label = ",".join(f"{number}{way[0]}" for number, way in group) if is_first else str(entry["number"])
        yield ListedClue(_guardian_direction(entry).name, label, entry["clue"], run)


# the Wall Street Journal


def read_wsj(data: bytes, file_name: str) -> Document:
    with texts.parse_json_file(data, file_name, "copy, grid") as file:
        file = file.get("data", file)
        copy, rows = file["copy"], file["grid"]
        cells = squares.by_cell(rows)
        styles = {cell: style for cell, x in cells.items() if isinstance(style := x.get("style"), dict)}
        return build_document(
            [[None if x.get("Blank") else x.get("Letter", "") for x in row] for row in rows],
            (
                ListedClue(text.html_to_text(group["title"]), texts.clean_line(clue["number"]), clue["clue"])
                for group in copy["clues"]
                for clue in group["clues"]
            ),
            file_name,
            circles=[cell for cell, style in styles.items() if style.get("shapebg") == "circle"],
            shades={cell: DEFAULT_SHADE for cell, style in styles.items() if style.get("highlight") is True},
            is_html=True,
            title=copy.get("title"),
            author=copy.get("byline"),
            notes=texts.join_texts(copy.get(key) for key in ("description", "crosswordadditionalcopy")),
            metadata={"publisher": copy.get("publisher"), "date": copy.get("date-publish")},
        )
