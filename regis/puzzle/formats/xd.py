""".xd, plain text that people and programs read (doc/xd-format.md of century-arcade/xd, to version 4).

Metadata, grid, clues and notes, parted by two blank lines or more, or under `## Metadata`, `## Grid`, `## Clues`. There
is one grid. When it is full it is the solution; when some of its squares are empty (`.`) its letters are those that
somebody wrote, and the solution is not known. Many files write blocks as `.`, too; their clues tell. A second
grid, under `## Design`, has circles, shades and bars, and Puzzmo's files have one of letters to begin with: `## Start`.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from regis.errors import PuzzleError
from regis.puzzle import BLOCK, Bar, Cell, Direction, Grid, Slot
from regis.puzzle.formats import xd_design, xd_markup
from regis.puzzle.formats.shared import clue_placement, dimensions, geometry, square_content, texts
from regis.puzzle.formats.shared.comparison import list_differences
from regis.puzzle.formats.shared.document import Document
from regis.puzzle.formats.shared.square_content import DEFAULT_SHADE

VOID_SIGN = "_"
EMPTY_SIGN = "."
SECTION_NAMES = ("metadata", "grid", "clues", "notes")
EXTRA_SECTIONS = ("design", "start")
TEXT_HEADERS = ("title", "author", "copyright")
GRID_HEADERS = ("rebus", "special")  # headers that say how to read the grid
NOTES_HEADER = "notes"  # the header that many files have instead of the last section
OWN_HEADERS = (*TEXT_HEADERS, *GRID_HEADERS, NOTES_HEADER)
_HEADER_LINE = re.compile(r"\s*([A-Za-z][\w\s-]*):(.*)")
_SECTION_HEADING = re.compile(r"##\s+(\w+)\s*$")  # without space it is a row: '##DEMO'
_ANY_HEADING = re.compile(r"^ *##", re.MULTILINE)  # that is none has a space before it
_SECTION_GAP = re.compile(r"\n(?:[ \t]*\n){2,}")
_CLUE_LINE = re.compile(r"\s*([AD])(\d{1,9})\.(.*)$")
_STRAY_CLUE_LINE = re.compile(r"\s*[A-Za-z]?\d+\.")  # that is for no entry across or down
_UNICLUE_LINE = re.compile(r"\s*()(\d{1,9})\.(.*)$")  # for what begins at a number, across and down
_REBUS_KEY = re.compile(r"(?:^|[\s,])([^\s,])[ \t]*=[ \t]*(\S+?)(?=,?\s|,?$|,\S=)")  # parted by commas in version 1
_LINE_BREAK = " \\ "
"""How a line break within a clue is written; the specification has the backslash, a doubled one is a plain one."""

REBUS_SIGNS = (*"0123456789!$%&*+<>?@^", *map(chr, range(0x4E00, 0x4E00 + dimensions.MAX_SIDE**2)))
SPECIAL_SIGNS = (*string.ascii_lowercase, *filter(str.islower, map(chr, range(0x100, 0x590))))
"""What `write` takes for rebus squares, and for those that are special, in this order."""


def detect(data: bytes) -> bool:
    """Return whether the text begins with a header or a section and has a clue, or a grid."""
    raw = texts.decode_text(data)
    first = next((line for line in raw.split("\n") if line.strip()), "")
    has_head = _SECTION_HEADING.match(first) or (
        _HEADER_LINE.match(first) and not first.lstrip().startswith(("<", "{"))
    )
    has_clue = any(map(_CLUE_LINE.match, raw.split("\n")))
    rows = texts.nonblank_lines(_split_sections(raw)["grid"]) if has_head and not has_clue else []
    is_headed = bool(_SECTION_HEADING.match(first)) and len({len(row) for row in rows}) == 1 and " " not in rows[0]
    return bool(has_head) and (has_clue or is_headed or _is_grid(rows))


def read(data: bytes, file_name: str) -> Document:
    """Read all that an .xd says. Raises PuzzleError."""
    sections = _split_sections(texts.decode_text(data))
    headers: dict[str, str] = {}
    for line in sections["metadata"].split("\n"):
        if found := _HEADER_LINE.match(line):
            key = found[1].rstrip().lower()
            value = found[2] if key in GRID_HEADERS else xd_markup.line_from_markup(found[2])
            headers.setdefault(key, texts.clean_line(value))
    rows = texts.nonblank_lines(sections["grid"])
    if not rows:
        why = "two blank lines stand before it and behind it"
        raise PuzzleError(f"{file_name} has no grid, so it cannot be read as .xd ({why}); mend it or fetch it again")
    if any(" " in row for row in rows):
        signs = f"write {BLOCK} for a block and {EMPTY_SIGN} for a square that is empty"
        raise PuzzleError(f"{file_name} has spaces between the squares of its grid; take them out, and {signs}")
    grid, drawn = _build_grid(rows, sections, file_name)
    if headers.get("form", "").lower() == "barred" and not drawn.bars:
        where = "it has none under `## Design`"
        raise PuzzleError(
            f"{file_name} is barred, but does not say where its bars are ({where}); take its .ipuz or .jpz"
        )
    rebus: dict[str, str] = {}
    for key, content in _REBUS_KEY.findall(headers.get("rebus", "")):
        rebus[key] = f"{rebus[key]}/{content}" if key in rebus else content  # one or the other
    squares = {(r, c): rows[r][c] for r, c in grid.cells}
    special = frozenset(cell for cell, x in squares.items() if x.islower()) if "special" in headers else frozenset()
    are_shaded = headers.get("special", "").lower().startswith("shade")
    letters = {
        cell: x for cell, key in squares.items() if (x := square_content.clean_content(rebus.get(key, key.upper())))
    }
    is_full = len(letters) == len(squares)
    clues, warnings = clue_placement.assign_clues(grid, _place_clues(sections["clues"], grid), file_name)
    return Document(
        grid,
        clues,
        title=headers.get("title", ""),
        author=headers.get("author", ""),
        copyright=headers.get("copyright", ""),
        notes=texts.clean_text("\n".join((headers.get(NOTES_HEADER, ""), sections["notes"]))),
        metadata={key: x for key, x in headers.items() if key not in OWN_HEADERS and x},
        given=({} if is_full else letters) | _read_start(sections.get("start", ""), grid),
        solution=square_content.clean_solution(letters) if is_full else {},
        circles=drawn.circles if are_shaded else drawn.circles | special,
        shades=(dict.fromkeys(sorted(special), DEFAULT_SHADE) if are_shaded else {}) | drawn.shades,
        voids=frozenset((r, c) for r, row in enumerate(rows) for c, x in enumerate(row) if x == VOID_SIGN),
        unportable=("further sections",) * bool(sections.keys() - {*SECTION_NAMES, *EXTRA_SECTIONS}),
        warnings=warnings,
    )


def write(document: Document, file_name: str) -> tuple[bytes, list[str]]:
    """Write a document as a new .xd, and list what it has no place for. Raises PuzzleError.

    Its grid is the solution if there is one, else what somebody wrote.
    """
    data = _write_file(document.with_usual_numbers(), file_name)
    return data, list_differences(document, read(data, file_name))


def _write_file(document: Document, file_name: str) -> bytes:
    grid = document.grid
    if grid.given_slots != Grid(grid.rows).slots:  # which they are where bars only adorn the grid
        dimensions.check_blocks_only(replace(grid, bars=frozenset()), file_name, "xd")
    contents = document.solution or {cell: x.upper() for cell, x in document.given.items()}
    letters = {cell: _writable_content(x) for cell, x in contents.items()}
    has_both = document.circles and document.shades
    needs_design = bool(grid.bars or has_both or set(document.shades.values()) - {DEFAULT_SHADE})
    special = frozenset() if needs_design else document.circles or frozenset(document.shades)
    squares = {cell: (letters.get(cell, EMPTY_SIGN), cell in special) for cell in grid.cells}
    signs = _choose_signs(squares.values(), file_name)
    headers = {key.title(): getattr(document, key) for key in TEXT_HEADERS}
    headers |= {key.title(): x for key, x in document.metadata.items()}
    if special:
        headers["Special"] = xd_design.CIRCLE_VALUE if document.circles else xd_design.SHADED_VALUE
    if rebus := " ".join(f"{sign}={x}" for (x, _), sign in signs.items() if sign.upper() != x):
        headers["Rebus"] = rebus
    drawn = dict.fromkeys(document.voids, VOID_SIGN) | {cell: signs[square] for cell, square in squares.items()}
    rows = ["".join(drawn.get((r, c), BLOCK) for c in range(grid.width)) for r in range(grid.height)]
    across, down = ([_write_clue(slot, x, letters) for slot, x in document.clues.items() if slot.direction is d]
                    for d in Direction)  # fmt: skip
    clues = [*across, "", *down]
    parts = {
        "Metadata": [f"{key}: {x}" for key, x in headers.items()],
        "Grid": rows,
        "Clues": clues,
        "Notes": [document.notes],
    }
    data = _join_parts(parts)
    is_clear = grid.slots and _split_sections(data)["notes"].strip("\n") == document.notes
    if needs_design or not is_clear:  # without headings it would be taken for no puzzle, or notes for clues
        parts["Notes"] = [_ANY_HEADING.sub(r" \g<0>", document.notes)]
        if needs_design:
            parts["Design"] = xd_design.draw_design(document)
        data = _join_parts({key: [f"## {key}", "", *part] for key, part in parts.items()})
    return data.encode()


def _join_parts(parts: Mapping[str, Sequence[str]]) -> str:
    return "\n\n\n".join("\n".join(part).strip("\n") for part in parts.values()).rstrip("\n") + "\n"


def _writable_content(content: str) -> str:
    """Return what a square holds, or its first letter where a rebus would be read as having more keys."""
    keys = _REBUS_KEY.findall(f"0={content} 1={content}")
    return content if keys == [("0", content), ("1", content)] else next(filter(str.isalnum, content), EMPTY_SIGN)


def _is_grid(rows: Sequence[str]) -> bool:
    """Return whether this can be nothing but a grid: lines of the same length, without spaces or punctuation."""
    is_plain = all(x.isalnum() or x in BLOCK + VOID_SIGN + EMPTY_SIGN for row in rows for x in row)
    return is_plain and len(rows) > 1 and {len(row) for row in rows} <= {len(rows[0])} - {1}


def _build_grid(rows: Sequence[str], sections: Mapping[str, str], file_name: str) -> tuple[Grid, xd_design.Design]:
    """Build the grid, with what a design draws in it.

    `.` is a block, too, in a grid that has no others, if so more clues have a place.
    """
    signs = BLOCK + VOID_SIGN
    has_blocks = any(BLOCK in row for row in rows)
    ways = []
    for block_signs in (signs,) if has_blocks else (signs, signs + EMPTY_SIGN):
        grid = dimensions.build_grid([[x not in block_signs for x in row] for row in rows], file_name)
        drawn = xd_design.read_design(sections.get("design", ""), grid)
        ways.append((_add_bars(grid, drawn.bars, sections["clues"]), drawn))
    return min(ways, key=lambda way: clue_placement.count_misplaced(way[0], _place_clues(sections["clues"], way[0])))


def _add_bars(grid: Grid, bars: Sequence[Bar], clues: str) -> Grid:
    """Add `bars` to `grid`; they only adorn it where so the clues have a place and else they have not."""
    barred = geometry.add_bars(grid, bars)
    if bars and clue_placement.count_misplaced(barred, _place_clues(clues, barred)):
        barred = geometry.add_bars(
            grid, bars, {(start, direction) for start, direction, _ in _place_clues(clues, grid)}
        )
    return barred


def _read_start(section: str, grid: Grid) -> dict[Cell, str]:
    """Read the letters to begin with; none where their rows are not those of `grid`."""
    rows = texts.nonblank_lines(section)
    if [len(row) for row in rows] != [grid.width] * grid.height:
        return {}
    return {cell: x for cell in grid.cells if (x := square_content.clean_content(rows[cell[0]][cell[1]]))}


def _choose_signs(squares: Iterable[tuple[str, bool]], file_name: str) -> dict[tuple[str, bool], str]:
    """Choose the character that stands in the grid for (what a square holds, whether it is special)."""
    kinds = dict.fromkeys(squares)
    usual = {(x, False): x for x in (*string.ascii_uppercase, *string.digits, EMPTY_SIGN)}
    usual |= {(x, True): x.lower() for x in string.ascii_uppercase}
    signs = {kind: usual[kind] for kind in kinds if kind in usual}
    special, rebus = (iter([x for x in free if x not in signs.values()]) for free in (SPECIAL_SIGNS, REBUS_SIGNS))
    try:
        return signs | {kind: next(special if kind[1] else rebus) for kind in kinds if kind not in signs}
    except StopIteration as cause:
        raise PuzzleError(f"{file_name} has too many kinds of squares for an .xd; write .ipuz instead") from cause


def _write_clue(slot: Slot, typed: str, letters: Mapping[Cell, str]) -> str:
    answer = "".join(letters.get(cell, EMPTY_SIGN) for cell in slot.cells)
    clue = typed.replace("\\", "\\\\").replace("\n", _LINE_BREAK)
    if _strip_answers(f" {clue} ~ {answer}").strip() != clue:  # the end of the clue would be taken for an answer, too
        clue = clue.replace("~", r"{\~\}")
    return f"{slot.direction.value}{slot.number}. {texts.replace_italics(clue, '{/', '/}')} ~ {answer}"


def _place_clues(section: str, grid: Grid) -> Iterator[clue_placement.PlacedClue]:
    starts, lines = clue_placement.number_cells(grid), section.split("\n")
    pattern = _CLUE_LINE if any(map(_CLUE_LINE.match, lines)) else _UNICLUE_LINE
    for found in islice(filter(None, map(pattern.match, lines)), clue_placement.MAX_CLUES):
        start, typed = starts.get(str(int(found[2]))), xd_markup.clue_from_markup(_strip_answers(found[3]))
        directions = [Direction(found[1])] if found[1] else [d for d in Direction if (start, d) in grid.slots_by_start]
        for direction in directions or [Direction.ACROSS]:
            yield start, direction, typed
    strays = (line for line in lines if _STRAY_CLUE_LINE.match(line) and not pattern.match(line))
    yield from ((None, Direction.ACROSS, line) for line in strays)


def _strip_answers(typed: str) -> str:
    """Strip a clue of its answer, or its answers: some files give others that are right, too, all equally long."""
    *clue, answer = f"{typed} ".rsplit(" ~ ")
    length = len(answer.split(" ")[0])
    while len(clue) > 1 and len(clue[-1]) == length and clue[-1].isupper() and " " not in clue[-1]:
        clue.pop()
    return " ~ ".join(clue) if clue else typed


def _count_clue_parts(parts: Sequence[str]) -> int:
    """Count the parts behind the grid that are clues: the first, and those that go on with clues of other entries.

    A last one with a single clue, where others have several, is rather a note that looks like one.
    """
    seen: set[tuple[str, int]] = set()
    sizes: list[int] = []
    for part in parts:
        entries = {(found[1], int(found[2])) for found in map(_CLUE_LINE.match, part.split("\n")) if found}
        if sizes and (not entries or entries & seen):
            break
        seen |= entries
        sizes.append(len(entries))
    return len(sizes) - (len(sizes) > 1 and sizes[-1] == 1 < max(sizes))


def _split_sections(raw: str) -> dict[str, str]:
    """Split a text into its sections by name; of the four that all files may have, '' for one that is not there."""
    lines = raw.strip("\n").split("\n")
    if not _SECTION_HEADING.match(lines[0]):
        metadata, grid, *rest = *_SECTION_GAP.split(raw.strip("\n")), ""
        n_clues = _count_clue_parts(rest)
        parts = (metadata, grid, "\n".join(rest[:n_clues]), "\n\n\n".join(rest[n_clues:]))
        return dict(zip(SECTION_NAMES, parts, strict=True))
    sections: dict[str, list[str]] = {name: [] for name in SECTION_NAMES}
    section = sections["metadata"]
    for line in lines:
        if heading := _SECTION_HEADING.match(line):
            section = sections.setdefault(heading[1].lower(), [])
        else:
            section.append(line.removeprefix(" ") if _ANY_HEADING.match(line) else line)
    return {name: "\n".join(part) for name, part in sections.items()}
