"""Exolve's text, which setters of British crosswords put on web pages: sections `exolve-...:` from begin to end.

A square is a letter, `0` or `?` if unknown, or `.` for a block. Signs follow it: a bar to its right or below, a circle,
a given letter, and its style in braces. Clues end with the lengths of their answers; the rest explains the answer and
isn't read.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from regis.errors import PuzzleError
from regis.puzzle import Bar, Cell, Direction
from regis.puzzle.formats.shared import geometry, squares, texts
from regis.puzzle.formats.shared.clues import ListedClue
from regis.puzzle.formats.shared.document import Document, build_document
from regis.puzzle.formats.shared.squares import BLOCK_SIGN

UNKNOWN_SIGNS = "0?"
BAR_SIDES = {"|": "R", "_": "B", "+": "RB"}  # signs after a square
CIRCLE_SIGN = "@"
DIAGRAMLESS_SIGN = "*"
GIVEN_SIGN = "!"
SKIPPED_NUMBER_SIGN = "~"
MULTILINE_SECTIONS = ("grid", "across", "down", "nodir", "preamble", "prelude")
UNPORTABLE_SECTIONS = {
    "alternatives": "further right letters of squares", "reversals": "entries that are read backwards",
    "cell-decorator": squares.OTHER_STYLES, "explanations": "explanations", "question": "questions",
    "nina": "ninas", "credits": "credits",
}  # fmt: skip
"""Sections that are dropped -> what they hold."""

_BEGIN = re.compile(r"^[ \t]*exolve-begin[ \t]*$", re.MULTILINE)
_END = re.compile(r"^[ \t]*exolve-end[ \t]*$", re.MULTILINE)
_SECTION = re.compile(r"^[ \t]*exolve-([a-z0-9-]+)(?:[ \t]*$|:[ \t]*)", re.MULTILINE)
_REMARK = re.compile(r"#(?: .*)?$", re.MULTILINE)
_DECORATOR = re.compile(r"\{[^{}]*\}")
_SIGNS = r"((?:[|_+@*!~]|\{[^{}]*\}|\s)*)"
_SQUARE = re.compile(rf"(&.|[^\s|_+@*!~{{}}]){_SIGNS}")
_LONG_SQUARE = re.compile(rf"((?:&.|[^\s|_+@*!~{{}}])+){_SIGNS}")
_CELL_NAME = re.compile(r"#?(?:([a-z])|c([0-9]{1,3})r|r(?P<row>[0-9]{1,3})c)(?P<number>[0-9]{1,3})$")
_LABEL = r"\d{1,3}[a-dbu]?|\[[^\]\n]{0,99}\]"
_CLUE = re.compile(rf"((?:#\w+\s+)*)((?:{_LABEL})(?:\s*[,&]\s*(?:{_LABEL}))*)(?:\s*\.(?!\.)\s*|\s+)(\S.*)$")
_LENGTHS = re.compile(r"\(\d[\d\s,.'’-]*\)")
_WORDED_LENGTHS = re.compile(r"\([^()]*(?:\?|\b(?:wo?rds?|le?tte?rs?))\)", re.IGNORECASE)
_SOLUTION = re.compile(r"\*?\s*\[")  # follows the lengths at a clue's end
_UNDERLINE_END = "}~"
_UNDERLINE_START = re.compile(r"~\{(?:\{[^{}]*\})?")


class _Square(NamedTuple):
    content: str
    signs: str


def read(data: bytes, file_name: str) -> Document:
    raw = texts.decode_text(data)
    sections = _split_sections(raw)
    if "3d" in sections:
        raise PuzzleError(f"{file_name} is a three-dimensional crossword, which Regis can't solve; choose another")
    rows = _read_rows(sections)
    cells = squares.by_cell(rows)
    if any(x.content in UNKNOWN_SIGNS and DIAGRAMLESS_SIGN in x.signs for x in cells.values()):
        raise PuzzleError(f"{file_name} is diagramless and doesn't include its diagram; choose a file that does")
    barred = ((cell, BAR_SIDES.get(sign, "")) for cell, x in cells.items() for sign in x.signs)
    bars = list(geometry.bars_at_sides(barred))
    contents = [[None if x.content == BLOCK_SIGN else _read_content(x) for x in row] for row in rows]
    colors = [line.split() for key in ("colour", "color") for line in texts.nonblank_lines(sections.get(key, ""))]
    document = build_document(
        contents,
        _read_clues(sections, len(rows)),
        file_name,
        starts=_number_squares(contents, cells, bars, file_name),
        bars=bars,
        circles=[cell for cell, x in cells.items() if CIRCLE_SIGN in x.signs],
        shades={cell: color for color, *names in colors for cell in _name_cells(names, len(rows))},
        unportable=dict.fromkeys(what for key, what in UNPORTABLE_SECTIONS.items() if key in sections),
        is_html=True,
        is_diagramless=any(DIAGRAMLESS_SIGN in x.signs for x in cells.values()),
        title=sections.get("title"),
        author=sections.get("setter"),
        copyright=sections.get("copyright"),
        notes="\n".join(map(str.strip, (sections.get("preamble") or sections.get("prelude", "")).split("\n"))),
    )
    warnings = [f"{file_name} contains several puzzles; Regis reads the first"] * (len(_BEGIN.findall(raw)) > 1)
    given = {cell: x for cell, x in document.solution.items() if GIVEN_SIGN in cells[cell].signs}
    return replace(document, given=given, warnings=(*document.warnings, *warnings))


def _split_sections(raw: str) -> dict[str, str]:
    """Split a puzzle into its sections by name; join repeated ones."""
    begin = _BEGIN.search(raw)
    inside = _REMARK.sub("", _END.split(raw[begin.end() if begin else 0 :], maxsplit=1)[0])
    _, *parts = _SECTION.split(inside)
    sections = defaultdict(list)
    for name, part in zip(parts[::2], parts[1::2], strict=True):
        sections[name].append(part if name in MULTILINE_SECTIONS else part.partition("\n")[0])
    return {name: "\n".join(part) for name, part in sections.items()}


def _read_rows(sections: Mapping[str, str]) -> list[list[_Square]]:
    """Read the rows of squares; a square has several characters if the puzzle says so.

    With one character per letter, as in most languages, rows may lack spaces.
    """
    lines = texts.nonblank_lines(sections.get("grid", ""))
    rows, long_rows = (
        [[_Square(found[1], _DECORATOR.sub("", found[2])) for found in pattern.finditer(line)] for line in lines]
        for pattern in (_SQUARE, _LONG_SQUARE)
    )
    may_be_long = "rebus-cells" in sections.get("option", "") or "language" in sections
    width = sections.get("width", "").strip()
    are_short = len({len(row) for row in rows}) == 1 and str(len(rows[0])) == width
    return long_rows if may_be_long and not are_short else rows


def _read_content(square: _Square) -> str:
    return "" if square.content in UNKNOWN_SIGNS else re.sub("&(.)", r"\1", square.content)


def _number_squares(
    contents: Sequence[Sequence[object]], cells: Mapping[Cell, _Square], bars: Iterable[Bar], file_name: str
) -> dict[str, Cell]:
    """Number the starts of entries except skipped ones; {} if none is skipped."""
    if not any(SKIPPED_NUMBER_SIGN in x.signs for x in cells.values()):
        return {}
    grid = squares.build_grid(contents, file_name)
    starts = dict.fromkeys(slot.cells[0] for slot in geometry.add_bars(grid, bars).slots)
    numbered = [cell for cell in starts if SKIPPED_NUMBER_SIGN not in cells[cell].signs]
    return {str(number): cell for number, cell in enumerate(numbered, 1)}


def _name_cells(names: Iterable[str], height: int) -> Iterator[Cell]:
    """Parse names of squares as on a chessboard, 'a1' at the bottom left, or as 'c1r1' or 'r1c1'."""
    for found in filter(None, map(_CELL_NAME.match, names)):
        letter, column, row, number = found.groups()
        column, row = (number, row) if row else (column or ord(letter) - 96, number)
        yield height - int(row), int(column) - 1


def _read_clues(sections: Mapping[str, str], height: int) -> Iterator[ListedClue]:
    """Read the clues, each with the squares it names: the first, or all if it has no direction."""
    for heading in (*(direction.name for direction in Direction), ""):
        for line in texts.nonblank_lines(sections.get(heading.lower() or "nodir", "")):
            if found := _CLUE.match(line):
                run = tuple(_name_cells(found[1].split(), height))
                label = re.sub(r"\s", "", found[2]).strip("[]")
                yield ListedClue(heading, label, _cut_explanation(found[3]), run)


def _cut_explanation(typed: str) -> str:
    """Cut off the explanation after the lengths of the answer's words. A star hides these lengths."""
    typed = _UNDERLINE_START.sub("", typed).replace(_UNDERLINE_END, "")
    numbered, worded = (list(pattern.finditer(typed)) for pattern in (_LENGTHS, _WORDED_LENGTHS))
    in_order = sorted([*numbered, *worded], key=lambda found: found.start())
    marked = [found for found in in_order if _SOLUTION.match(typed, found.end())]
    if not (found := [*marked[:1], *numbered[-1:], *worded[-1:]]):
        return typed.partition("[]")[0]
    is_hidden = typed[found[0].end() :].startswith("*")
    return typed[: found[0].start() if is_hidden else found[0].end()]
