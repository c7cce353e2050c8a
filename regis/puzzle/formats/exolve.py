"""Exolve's text, which setters of British crosswords write into pages: sections `exolve-...:` from begin to end.

Squares of the grid are letters, `0` or `?` where none is known, `.` a block, each with signs behind it: a bar at its
right or below it, a circle, a letter to begin with. Clues end with the lengths of their answers; what stands behind
these explains the answer, and is not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from regis.errors import PuzzleError
from regis.puzzle import Bar, Cell, Direction
from regis.puzzle.formats.shared import dimensions, geometry, listed_clues, texts
from regis.puzzle.formats.shared.document import DIAGRAMLESS_WARNING, Document
from regis.puzzle.formats.shared.listed_clues import ListedClue
from regis.puzzle.formats.shared.square_content import parse_shade

BLOCK_SIGN = "."
UNKNOWN_SIGNS = "0?"
BAR_SIDES = {"|": "R", "_": "B", "+": "RB"}  # signs behind a square
CIRCLE_SIGN = "@"
DIAGRAMLESS_SIGN = "*"
GIVEN_SIGN = "!"
SKIPPED_NUMBER_SIGN = "~"

_BEGIN = re.compile(r"^[ \t]*exolve-begin[ \t]*$", re.MULTILINE)
_END = re.compile(r"^[ \t]*exolve-end[ \t]*$", re.MULTILINE)
_SECTION = re.compile(r"^[ \t]*exolve-([a-z0-9-]+):[ \t]*", re.MULTILINE)
_REMARK = re.compile(r"#(?: .*)?$", re.MULTILINE)
_SIGNS = r"\s*((?:[|_+@*!~]\s*)*)"
_SQUARE = re.compile(rf"(&.|[^\s|_+@*!~]){_SIGNS}")
_LONG_SQUARE = re.compile(rf"((?:&.|[^\s|_+@*!~])+){_SIGNS}")
_CELL_NAME = re.compile(r"(?:(?P<letter>[a-z])|c(?P<column>[0-9]{1,3})r)(?P<row>[0-9]{1,3})$")
_LABEL = r"\d{1,3}[a-dbu]?|\[[^\]]*\]"
_CLUE = re.compile(rf"(?:#\w+\s+)*((?:{_LABEL})(?:\s*[,&]\s*(?:{_LABEL}))*)\s*(?:\.(?!\.))?\s+(.*)$")
_SIDE = re.compile("[0-9]{1,9}")
_NUMBERS = r"\d[\d\s,.'’-]*"
_LENGTHS = re.compile(rf"\({_NUMBERS}\)")
_WORDED_LENGTHS = re.compile(r"\([^()]*(?:\?|\b(?:wo?rds?|le?tte?rs?))\)", re.IGNORECASE)
_MARKED_LENGTHS = re.compile(rf"(?:{_LENGTHS.pattern}|{_WORDED_LENGTHS.pattern})(?=\*?\s*\[)", re.IGNORECASE)
_UNDERLINED = re.compile(r"~\{(?:\{[^{}]*\})?(.*?)\}~")


class _Square(NamedTuple):
    """A square of the grid, and the signs behind it."""

    content: str
    signs: str


def detect(data: bytes) -> bool:
    """Return whether a line of `data` begins such a puzzle; what stands around it, as in a page, does not matter."""
    return b"exolve-grid:" in data and bool(_BEGIN.search(texts.decode_text(data)))


def read(data: bytes, file_name: str) -> Document:
    """Read all that such a text says. Raises PuzzleError."""
    sections = _split_sections(raw := texts.decode_text(data))
    if "3d" in sections:
        raise PuzzleError(f"{file_name} is a crossword in three dimensions, which Regis cannot solve; name another")
    rows = _read_rows(sections)
    squares = {(r, c): x for r, row in enumerate(rows) for c, x in enumerate(row)}
    if any(x.content in UNKNOWN_SIGNS and DIAGRAMLESS_SIGN in x.signs for x in squares.values()):
        raise PuzzleError(f"{file_name} is diagramless, and does not show its diagram; name a file that does")
    barred = ((cell, BAR_SIDES.get(sign, "")) for cell, x in squares.items() for sign in x.signs)
    bars = list(geometry.bars_at_sides(barred))
    contents = [[None if x.content == BLOCK_SIGN else _read_content(x) for x in row] for row in rows]
    document = listed_clues.build_document(
        contents,
        _read_clues(sections),
        file_name,
        starts=_number_squares(contents, squares, bars, file_name),
        bars=bars,
        circles=[cell for cell, x in squares.items() if CIRCLE_SIGN in x.signs],
        shades=_read_shades(sections.get("colour", "") + "\n" + sections.get("color", ""), len(rows)),
    )
    stated = (sections.get(key, "").strip() for key in ("width", "height"))
    sides = [int(x) if _SIDE.fullmatch(x) else None for x in stated]
    warnings = dimensions.compare_size(sides, document.grid, file_name)
    warnings += [f"{file_name} holds several puzzles; the first is read"] * (len(_BEGIN.findall(raw)) > 1)
    is_diagramless = any(DIAGRAMLESS_SIGN in x.signs for x in squares.values())
    preamble = sections.get("preamble") or sections.get("prelude", "")
    return replace(
        document,
        title=texts.line_from_html(sections.get("title")),
        author=texts.line_from_html(sections.get("setter")),
        copyright=texts.line_from_html(sections.get("copyright")),
        notes=texts.text_from_html("\n".join(map(str.strip, preamble.split("\n")))),
        given={cell: x for cell, x in document.solution.items() if GIVEN_SIGN in squares[cell].signs},
        is_diagramless=is_diagramless,
        warnings=(*document.warnings, *warnings, *(f"{file_name} {DIAGRAMLESS_WARNING}",) * is_diagramless),
    )


def _split_sections(raw: str) -> dict[str, str]:
    """Split a puzzle into its sections by name; those that stand there several times are one."""
    begin = _BEGIN.search(raw)
    inside = _REMARK.sub("", _END.split(raw[begin.end() if begin else 0 :])[0])
    _, *parts = _SECTION.split(inside)
    sections: dict[str, str] = {}
    for name, part in zip(parts[::2], parts[1::2], strict=True):
        sections[name] = f"{sections[name]}\n{part}" if name in sections else part
    return sections


def _read_rows(sections: Mapping[str, str]) -> list[list[_Square]]:
    """Read the rows of squares, which hold several characters only in puzzles that say so."""
    is_long = "rebus-cells" in sections.get("option", "") or "language" in sections
    pattern = _LONG_SQUARE if is_long else _SQUARE
    return [
        [_Square(*found.groups()) for found in pattern.finditer(row)]
        for row in texts.nonblank_lines(sections.get("grid", ""))
    ]


def _read_content(square: _Square) -> str:
    return "" if square.content in UNKNOWN_SIGNS else re.sub("&(.)", r"\1", square.content)


def _number_squares(
    contents: Sequence[Sequence[object]], squares: Mapping[Cell, _Square], bars: Iterable[Bar], file_name: str
) -> dict[str, Cell]:
    """Number the squares where entries begin but for those that say to be skipped; {} where none does."""
    if not any(SKIPPED_NUMBER_SIGN in x.signs for x in squares.values()):
        return {}
    grid = dimensions.build_grid([[x is not None for x in row] for row in contents], file_name)
    starts = dict.fromkeys(slot.cells[0] for slot in geometry.add_bars(grid, bars).slots)
    numbered = [cell for cell in starts if SKIPPED_NUMBER_SIGN not in squares[cell].signs]
    return {str(number): cell for number, cell in enumerate(numbered, 1)}


def _read_shades(section: str, height: int) -> dict[Cell, str]:
    """Read the colours of squares, which are named as on a chessboard: 'a1' is at the bottom left."""
    lines = [line.split() for line in texts.nonblank_lines(section)]
    named = [(_CELL_NAME.match(name), colour) for colour, *names in lines for name in names]
    return {
        (height - int(found["row"]), int(found["column"] or ord(found["letter"]) - 96) - 1): parse_shade(colour)
        for found, colour in named
        if found
    }


def _read_clues(sections: Mapping[str, str]) -> Iterator[ListedClue]:
    for direction in Direction:
        for line in texts.nonblank_lines(sections.get(direction.name.lower(), "")):
            if found := _CLUE.match(line):
                label = re.sub(r"\s", "", found[1]).strip("[]")
                yield ListedClue(direction.name, label, texts.clue_from_html(_cut_explanation(found[2])))
    for line in texts.nonblank_lines(sections.get("nodir", "")):
        yield ListedClue("", "", texts.clue_from_html(_cut_explanation(line)))


def _cut_explanation(typed: str) -> str:
    """Cut off what explains the answer, behind the lengths of its words, which a star says not to show."""
    typed = _UNDERLINED.sub(r"\1", typed)
    marked, numbered, worded = (
        list(pattern.finditer(typed)) for pattern in (_MARKED_LENGTHS, _LENGTHS, _WORDED_LENGTHS)
    )
    if not (found := [*marked[:1], *numbered[-1:], *worded[-1:]]):
        return typed.partition("[]")[0]
    is_hidden = typed[found[0].end() :].startswith("*")
    return typed[: found[0].start() if is_hidden else found[0].end()]
