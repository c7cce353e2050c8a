""".xd, plain text for people and programs (doc/xd-format.md of century-arcade/xd, up to version 4).

Metadata, grid, clues, and notes are separated by two or more blank lines (by one if no two are together), or follow
headings such as `## Grid`. A full grid is the solution. If some squares are empty (`.`), the letters are given ones,
and the solution is unknown. Many files also write blocks as `.`; their clues show it. `## Design` has circles, shades,
and bars.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from regis.errors import PuzzleError
from regis.puzzle import BLOCK, Cell, Direction, Grid, Slot
from regis.puzzle.formats import xd_markup
from regis.puzzle.formats.shared import clues as clue_lists
from regis.puzzle.formats.shared import geometry, squares, texts
from regis.puzzle.formats.shared.clues import ListedClue
from regis.puzzle.formats.shared.document import LINE_FIELDS, Document, Squares, build_document
from regis.puzzle.formats.shared.squares import DEFAULT_SHADE

VOID_SIGN = "_"
EMPTY_SIGN = "."
SECTION_NAMES = ("metadata", "grid", "clues", "notes")
GRID_HEADERS = ("rebus", "special")  # these say how to read the grid
NOTES_HEADER = "notes"  # replaces the last section in many files
OWN_HEADERS = (*LINE_FIELDS, *GRID_HEADERS, NOTES_HEADER)
_HEADER_LINE = re.compile(r"\s*([A-Za-z][\w -]*):(.*)")
_SECTION_HEADING = re.compile(r"##\s+(\w+)\s*$")  # without the space, it's a row of the grid: '##DEMO'
_ANY_HEADING = re.compile(r"^ *##", re.MULTILINE)  # a space before it marks other text
_SECTION_GAP = re.compile(r"\n(?:[ \t]*\n){2,}")
_BLANK_LINES = re.compile(r"\n(?:[ \t]*\n)+")
_CLUE_LINE = re.compile(r"\s*([AD])(\d{1,9})\.(.*)$")
_STRAY_CLUE_LINE = re.compile(r"\s*[A-Za-z]?\d+\.")  # for no entry across or down
_REBUS_KEY = re.compile(r"(?:^|[\s,])([^\s,])[ \t]*=[ \t]*(\S+?)(?=,?\s|,?$|,\S=)")  # separated by commas in version 1
_LINE_BREAK = " \\ "
"""A line break in a clue; a plain backslash is doubled."""

REBUS_SIGNS = (*"0123456789!$%&*+<>?@^", *map(chr, range(0x4E00, 0x4E00 + squares.MAX_SIDE**2)))
SPECIAL_SIGNS = (*string.ascii_lowercase, *filter(str.islower, map(chr, range(0x100, 0x590))))
"""Signs that `write` uses for rebus squares, and for special ones, in this order."""


def detect(data: bytes) -> bool:
    """Return whether the text begins with a header or section and has a clue, or a grid."""
    raw = texts.decode_text(data)
    first = next((line for line in raw.split("\n") if line.strip()), "")
    is_section = bool(_SECTION_HEADING.match(first))
    if not is_section and (not _HEADER_LINE.match(first) or first.lstrip().startswith(("<", "{"))):
        return False
    if any(map(_CLUE_LINE.match, raw.split("\n"))):
        return True
    rows = texts.nonblank_lines(_split_sections(raw)["grid"])
    is_plain = all(x.isalnum() or x in BLOCK + VOID_SIGN + EMPTY_SIGN for row in rows for x in row)
    is_grid = len({len(row) for row in rows}) == 1 and " " not in rows[0]
    return is_grid and (is_section or (is_plain and len(rows) > 1 and len(rows[0]) > 1))


def read(data: bytes, file_name: str) -> Document:
    sections = _split_sections(texts.decode_text(data))
    headers: dict[str, str] = {}
    for line in sections["metadata"].split("\n"):
        if found := _HEADER_LINE.match(line):
            key = found[1].rstrip().lower()
            headers.setdefault(key, found[2] if key in GRID_HEADERS else xd_markup.line_from_markup(found[2]))
    rows = texts.nonblank_lines(sections["grid"])
    if not rows:
        why = "it needs two blank lines before and after it"
        raise PuzzleError(f"{file_name} has no grid and can't be read as .xd ({why}); fix it or download it again")
    if any(" " in row for row in rows):
        signs = f"write {BLOCK} for a block and {EMPTY_SIGN} for an empty square"
        raise PuzzleError(f"{file_name} has spaces between the squares of its grid; remove them, and {signs}")
    shown, grid, clues = _find_blocks(rows, sections, file_name)
    drawn = xd_markup.read_design(sections.get("design", ""), grid)
    if headers.get("form", "").strip().lower() == "barred" and not drawn.bars:
        where = "it has none under `## Design`"
        raise PuzzleError(f"{file_name} is barred but doesn't say where its bars are ({where}); use its .ipuz or .jpz")
    rebus: dict[str, list[str]] = {}
    for key, content in _REBUS_KEY.findall(headers.get("rebus", "")):
        rebus.setdefault(key, []).append(content)
    contents = {key: squares.clean_content("/".join(each)) for key, each in rebus.items()}  # alternatives in one square
    special = [cell for cell in grid.cells if rows[cell[0]][cell[1]].islower()] if "special" in headers else []
    are_shaded = headers.get("special", "").strip().lower().startswith("shade")
    letters = squares.clean_contents({(r, c): contents.get(x := rows[r][c], x.upper()) for r, c in grid.cells})
    is_full = len(letters) == len(grid.cells)
    solution = letters if is_full else {}
    return build_document(
        [[x if x is None else solution.get((r, c), "") for c, x in enumerate(row)] for r, row in enumerate(shown)],
        clues,
        file_name,
        bars=drawn.bars,
        circles=drawn.circles if are_shaded else drawn.circles.union(special),
        shades=(dict.fromkeys(special, DEFAULT_SHADE) if are_shaded else {}) | drawn.shades,
        given={} if is_full else letters,
        voids=frozenset(cell for cell, x in squares.by_cell(rows).items() if x == VOID_SIGN),
        unportable=("further sections",) * bool(sections.keys() - {*SECTION_NAMES, "design"}),
        title=headers.get("title", ""),
        author=headers.get("author", ""),
        copyright=headers.get("copyright", ""),
        notes="\n".join((headers.get(NOTES_HEADER, ""), sections["notes"])),
        metadata={key: x for key, x in headers.items() if key not in OWN_HEADERS},
    )


def write(document: Document, file_name: str) -> bytes:
    """Write a document as a new .xd; its grid is the solution, or else the given letters. Raises PuzzleError."""
    document = document.with_usual_numbers()
    grid = document.grid
    if grid.given_slots != Grid(grid.rows).slots:  # the bars aren't decoration
        squares.check_blocks_only(replace(grid, bars=frozenset()), file_name, "xd")
    contents = document.solution or {cell: x.upper() for cell, x in document.given.items()}
    letters = {cell: _writable_content(x) for cell, x in contents.items()}
    has_both = document.circles and document.shades
    needs_design = bool(grid.bars or has_both or set(document.shades.values()) - {DEFAULT_SHADE})
    special = frozenset() if needs_design else document.circles or frozenset(document.shades)
    cells = {cell: (letters.get(cell, EMPTY_SIGN), cell in special) for cell in grid.cells}
    signs = _choose_signs(cells.values(), file_name)
    headers = {key.title(): _write_header(getattr(document, key)) for key in LINE_FIELDS}
    headers |= {key.title(): _write_header(x) for key, x in document.metadata.items()}
    if special:
        headers["Special"] = xd_markup.CIRCLE_VALUE if document.circles else xd_markup.SHADED_VALUE
    if rebus := " ".join(f"{sign}={x}" for (x, _), sign in signs.items() if sign.upper() != x):
        headers["Rebus"] = rebus
    drawn = dict.fromkeys(document.voids, VOID_SIGN) | {cell: signs[square] for cell, square in cells.items()}
    rows = ["".join(drawn.get((r, c), BLOCK) for c in range(grid.width)) for r in range(grid.height)]
    across, down = ([_write_clue(slot, x, letters) for slot, x in document.clues.items() if slot.direction is d]
                    for d in Direction)  # fmt: skip
    parts = {
        "Metadata": [f"{key}: {x}" for key, x in headers.items()],
        "Grid": rows,
        "Clues": [*across, "", *down],
        "Notes": [document.notes],
    }
    data = _join_parts(parts)
    is_clear = grid.slots and _split_sections(data)["notes"].strip("\n") == document.notes
    if needs_design or not is_clear:  # without headings the file would be misread
        parts["Notes"] = [_ANY_HEADING.sub(r" \g<0>", document.notes)]
        if needs_design:
            parts["Design"] = xd_markup.draw_design(document)
        data = _join_parts({key: [f"## {key}", "", *part] for key, part in parts.items()})
    return data.encode()


def _join_parts(parts: Mapping[str, Sequence[str]]) -> str:
    return "\n\n\n".join("\n".join(part).strip("\n") for part in parts.values()).rstrip("\n") + "\n"


def _writable_content(content: str) -> str:
    """Return a square's content, or its first letter if a rebus header would misread it."""
    keys = _REBUS_KEY.findall(f"0={content} 1={content}")
    return content if keys == [("0", content), ("1", content)] else next(filter(str.isalnum, content), EMPTY_SIGN)


def _find_blocks(
    rows: Sequence[str], sections: Mapping[str, str], file_name: str
) -> tuple[Squares, Grid, list[ListedClue]]:
    """Find blocks and clues. Without `#`, `.` is a block if more clues have a place then."""
    has_blocks = any(BLOCK in row for row in rows)
    ways = []
    for block_signs in (BLOCK + VOID_SIGN, *([BLOCK + VOID_SIGN + EMPTY_SIGN] * (not has_blocks))):
        drawn = [[None if x in block_signs else x for x in row] for row in rows]
        grid = squares.build_grid(drawn, file_name)
        barred = geometry.add_bars(grid, xd_markup.read_design(sections.get("design", ""), grid).bars)
        clues = list(_read_clues(sections["clues"]))
        ways.append((clue_lists.count_placed(clues, barred, geometry.number_cells(barred)), drawn, grid, clues))
    return max(ways, key=lambda way: way[0])[1:]


def _choose_signs(kinds_of_squares: Iterable[tuple[str, bool]], file_name: str) -> dict[tuple[str, bool], str]:
    """Choose a character for each (content of a square, whether it is special)."""
    kinds = dict.fromkeys(kinds_of_squares)
    usual = {(x, False): x for x in (*string.ascii_uppercase, *string.digits, EMPTY_SIGN)}
    usual |= {(x, True): x.lower() for x in string.ascii_uppercase}
    signs = {kind: usual[kind] for kind in kinds if kind in usual}
    special, rebus = (iter([x for x in free if x not in signs.values()]) for free in (SPECIAL_SIGNS, REBUS_SIGNS))
    try:
        return signs | {kind: next(special if kind[1] else rebus) for kind in kinds if kind not in signs}
    except StopIteration as cause:
        raise PuzzleError(f"{file_name} has too many kinds of squares for an .xd; write .ipuz instead") from cause


def _write_clue(slot: Slot, typed: str, letters: Mapping[Cell, str]) -> str:
    """Write a clue with its answer, protected as needed from being read as markup or as another answer."""
    answer = "".join(letters.get(cell, EMPTY_SIGN) for cell in slot.cells)
    plain = typed.replace("\\", "\\\\").replace("\n", _LINE_BREAK)
    for signs in ("", "~", "~{"):
        protected = "".join(rf"{{\{x}\}}" if x in signs else x for x in plain)
        clue = texts.replace_italics(protected, "{/", "/}")
        if xd_markup.clue_from_markup(_strip_answers(f" {clue} ~ {answer}")).strip() == typed:
            break
    return f"{slot.direction.value}{slot.number}. {clue} ~ {answer}"


def _write_header(typed: str) -> str:
    """Write a header's text, protected from being read as markup."""
    return typed if xd_markup.line_from_markup(typed) == typed else typed.replace("{", r"{\{\}")


def _read_clues(section: str) -> Iterator[ListedClue]:
    lines = section.split("\n")
    for found in islice(filter(None, map(_CLUE_LINE.match, lines)), clue_lists.MAX_CLUES):
        typed = xd_markup.clue_from_markup(_strip_answers(found[3]))
        yield ListedClue(Direction(found[1]).name, str(int(found[2])), typed)
    strays = (line for line in lines if _STRAY_CLUE_LINE.match(line) and not _CLUE_LINE.match(line))
    yield from (ListedClue("", "", line) for line in strays)


def _strip_answers(typed: str) -> str:
    """Remove a clue's answer, or several of equal length."""
    *clue, answer = f"{typed} ".rsplit(" ~ ")
    length = len(answer.split(" ")[0])
    while len(clue) > 1 and len(clue[-1]) == length and clue[-1].isupper() and " " not in clue[-1]:
        clue.pop()
    return " ~ ".join(clue) if clue else typed


def _split_sections(raw: str) -> dict[str, str]:
    """Split a text into its sections by name; the four usual ones may be ''."""
    lines = raw.strip("\n").split("\n")
    if not _SECTION_HEADING.match(lines[0]):
        return dict(zip(SECTION_NAMES, _split_parts(raw.strip("\n")), strict=True))
    sections: dict[str, list[str]] = {name: [] for name in SECTION_NAMES}
    section = sections["metadata"]
    for line in lines:
        if heading := _SECTION_HEADING.match(line):
            section = sections.setdefault(heading[1].lower(), [])
        else:
            section.append(line.removeprefix(" ") if _ANY_HEADING.match(line) else line)
    return {name: "\n".join(part) for name, part in sections.items()}


def _split_parts(raw: str) -> tuple[str, str, str, str]:
    """Split a text without headings into metadata, grid, clues, and notes."""
    metadata, *rest = _SECTION_GAP.split(raw)
    gap = "\n\n\n"
    if any(map(_CLUE_LINE.match, (rest[0] if rest else raw).split("\n"))):
        gap = "\n\n"  # one blank line separates the grid from the rest
        blocks = _BLANK_LINES.split(raw)
        are_headers = [all(map(_HEADER_LINE.match, block.split("\n"))) for block in blocks]
        n_headers = [*are_headers, False].index(False)
        metadata, rest = "\n".join(blocks[:n_headers]), blocks[n_headers:]
    grid, rest = "".join(rest[:1]), rest[1:]
    has_clues = [any(map(_CLUE_LINE.match, part.split("\n"))) for part in rest]
    n_clues = [*has_clues, False].index(False) or 1
    return metadata, grid, "\n".join(rest[:n_clues]), gap.join(rest[n_clues:])
