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
from regis.puzzle.formats import design, document, geometry, xdown
from regis.puzzle.formats.document import GREY, Document

VOID, EMPTY = "_", "."
SECTIONS = ("metadata", "grid", "clues", "notes")
HEADS = ("title", "author", "copyright")
MEANT = ("rebus", "special")  # headers that say how to read the grid
NOTES = "notes"  # the header that many files have instead of the last section
_HEADER = re.compile(r"\s*([A-Za-z][\w\s-]*):(.*)")
_SECTION = re.compile(r"##\s+(\w+)\s*$")  # without space it is a row: '##DEMO'
_HEADING = re.compile(r"^ *##", re.MULTILINE)  # that is none has a space before it
_GAP = re.compile(r"\n(?:[ \t]*\n){2,}")
_CLUE = re.compile(r"\s*([AD])(\d{1,9})\.(.*)$")
_UNICLUE = re.compile(r"\s*()(\d{1,9})\.(.*)$")  # for what begins at a number, across and down
_REBUS = re.compile(r"(?:^|[\s,])([^\s,])=(\S+?)(?=,?\s|,?$|,\S=)")  # parted by commas in version 1
_BREAK = " \\ "
"""How a line break within a clue is written; the specification has the backslash, a doubled one is a plain one."""

SIGNS = (*"0123456789!$%&*+<>?@^", *map(chr, range(0x4E00, 0x4E00 + document.MAX_SIDE**2)))
SPECIAL_SIGNS = (*string.ascii_lowercase, *filter(str.islower, map(chr, range(0x100, 0x590))))
"""What `write` takes for rebus squares, and for those that are special, in this order."""


def detect(data: bytes) -> bool:
    """Whether the text begins with a header or a section and has a clue, or a grid."""
    raw = document.decoded(data)
    first = next((line for line in raw.split("\n") if line.strip()), "")
    headed = _SECTION.match(first) or (_HEADER.match(first) and not first.lstrip().startswith(("<", "{")))
    return bool(headed) and (any(map(_CLUE.match, raw.split("\n"))) or _is_grid(document.lines(_sections(raw)["grid"])))


def read(data: bytes, name: str) -> Document:
    sections = _sections(document.decoded(data))
    heads: dict[str, str] = {}
    for line in sections["metadata"].split("\n"):
        if found := _HEADER.match(line):
            key = found[1].rstrip().lower()
            heads.setdefault(key, document.line(found[2] if key in MEANT else xdown.line(found[2])))
    drawn = document.lines(sections["grid"])
    if not drawn:
        why = "two blank lines stand before it and behind it"
        raise PuzzleError(f"{name} has no grid, so it cannot be read as .xd ({why}); mend it or fetch it again")
    grid = _grid(drawn, sections["clues"], name)
    circled, coloured, bars = design.read(sections.get("design", ""), grid)
    if heads.get("form", "").lower() == "barred" and not bars:
        where = "it has none under `## Design`"
        raise PuzzleError(f"{name} is barred, but does not say where its bars are ({where}); take its .ipuz or .jpz")
    grid = _parted(grid, bars, sections["clues"])
    rebus: dict[str, str] = {}
    for key, content in _REBUS.findall(heads.get("rebus", "")):
        rebus[key] = f"{rebus[key]}/{content}" if key in rebus else content  # one or the other
    squares = {(r, c): drawn[r][c] for r, c in grid.cells}
    special = frozenset(cell for cell, x in squares.items() if x.islower()) if "special" in heads else frozenset()
    shaded = heads.get("special", "").lower().startswith("shade")
    letters = {cell: x for cell, key in squares.items() if (x := document.content(rebus.get(key, key.upper())))}
    full = len(letters) == len(squares)
    clues, warnings = document.clued(grid, _clues(sections["clues"], grid), name)
    return Document(
        grid,
        clues,
        title=heads.get("title", ""),
        author=heads.get("author", ""),
        copyright=heads.get("copyright", ""),
        notes=document.written("\n".join((heads.get(NOTES, ""), sections["notes"]))),
        more={key: x for key, x in heads.items() if key not in (*HEADS, *MEANT, NOTES) and x},
        given=({} if full else letters) | _started(sections.get("start", ""), grid),
        solution=document.solved(letters) if full else {},
        circles=circled if shaded else circled | special,
        shades=(dict.fromkeys(sorted(special), GREY) if shaded else {}) | coloured,
        voids=frozenset((r, c) for r, row in enumerate(drawn) for c, x in enumerate(row) if x == VOID),
        warnings=warnings,
    )


def write(paper: Document, name: str) -> tuple[bytes, list[str]]:
    """Its grid is the solution if there is one, else what somebody wrote."""
    grid = paper.grid
    if grid.words != Grid(grid.rows).slots:  # which they are where bars only adorn the grid
        document.check_plain(replace(grid, bars=frozenset()), name, "xd")
    letters = paper.solution or {cell: x.upper() for cell, x in paper.given.items()}
    designed = bool(grid.bars or (paper.circles and paper.shades) or set(paper.shades.values()) - {GREY})
    special = frozenset() if designed else paper.circles or frozenset(paper.shades)
    squares = {cell: (letters.get(cell, EMPTY), cell in special) for cell in grid.cells}
    signs = _signs(squares.values(), name)
    heads = {key.title(): getattr(paper, key) for key in HEADS}
    heads |= {key.title(): x for key, x in paper.more.items()}
    if special:
        heads["Special"] = design.CIRCLE if paper.circles else design.SHADED
    if rebus := " ".join(f"{sign}={x}" for (x, _), sign in signs.items() if sign.upper() != x):
        heads["Rebus"] = rebus
    outside = {(r, c): VOID if (r, c) in paper.voids else BLOCK for r in range(grid.height) for c in range(grid.width)}
    drawn = outside | {cell: signs[square] for cell, square in squares.items()}
    rows = ["".join(drawn[r, c] for c in range(grid.width)) for r in range(grid.height)]
    across, down = ([_clue(slot, x, letters) for slot, x in paper.clues.items() if slot.direction is d]
                    for d in Direction)  # fmt: skip
    clues = [*across, "", *down]
    headers = [f"{key}: {x}" for key, x in heads.items()]
    parts = {"Metadata": headers, "Grid": rows, "Clues": clues, "Notes": [paper.notes]}
    if designed:
        drawing = {"Design": design.drawn(paper)}
        parts["Notes"] = [_HEADING.sub(r" \g<0>", paper.notes)]
        parts = {key: [f"## {key}", "", *part] for key, part in (parts | drawing).items()}
    lost = ["signs in its texts that it would take for its own"] * _misread(paper)
    lost += ["the mark that it is diagramless"] * paper.diagramless
    lost += ["the letters of a person beside the solution"] * bool(paper.solution and paper.given)
    return ("\n\n\n".join("\n".join(part).strip("\n") for part in parts.values()).rstrip("\n") + "\n").encode(), lost


def _misread(paper: Document) -> bool:
    """Whether a text of `paper` has what would be read as markup."""
    lines = [getattr(paper, key) for key in HEADS] + list(paper.more.values())
    return any(xdown.line(x) != x for x in lines) or any(xdown.clue(_escaped(x)) != x for x in paper.clues.values())


def _is_grid(rows: Sequence[str]) -> bool:
    """Whether this can be nothing but a grid: lines of the same length, without spaces or punctuation."""
    plain = all(x.isalnum() or x in BLOCK + VOID + EMPTY for row in rows for x in row)
    return plain and len(rows) > 1 and {len(row) for row in rows} <= {len(rows[0])} - {1}


def _grid(drawn: Sequence[str], clues: str, name: str) -> Grid:
    """The grid; `.` is a block, too, if so more clues have a place."""
    outside = (BLOCK + VOID, BLOCK + VOID + EMPTY)
    grids = [document.shape([[x not in signs for x in row] for row in drawn], name) for signs in outside]
    return min(grids, key=lambda grid: document.homeless(grid, _clues(clues, grid)))


def _parted(grid: Grid, bars: Sequence[Bar], clues: str) -> Grid:
    """`grid` with `bars`, which only adorn it where so the clues have a place and else they have not."""
    parted = geometry.barred(grid, bars)
    if bars and document.homeless(parted, _clues(clues, parted)):
        parted = geometry.barred(grid, bars, {(start, way) for start, way, _ in _clues(clues, grid)})
    return parted


def _started(section: str, grid: Grid) -> dict[Cell, str]:
    """The letters to begin with; none where their rows are not those of `grid`."""
    rows = document.lines(section)
    if [len(row) for row in rows] != [grid.width] * grid.height:
        return {}
    return {cell: x for cell in grid.cells if (x := document.content(rows[cell[0]][cell[1]]))}


def _signs(squares: Iterable[tuple[str, bool]], name: str) -> dict[tuple[str, bool], str]:
    """(what a square holds, whether it is special) -> the one character that stands for it in the grid."""
    kinds = dict.fromkeys(squares)
    own = {(x, False): x for x in (*string.ascii_uppercase, *string.digits, EMPTY)}
    own |= {(x, True): x.lower() for x in string.ascii_uppercase}
    plain = {kind: own[kind] for kind in kinds if kind in own}
    free, other = (iter([x for x in signs if x not in plain.values()]) for signs in (SPECIAL_SIGNS, SIGNS))
    try:
        return plain | {kind: next(free if kind[1] else other) for kind in kinds if kind not in plain}
    except StopIteration as cause:
        raise PuzzleError(f"{name} has too many kinds of squares for an .xd; write .ipuz instead") from cause


def _clue(slot: Slot, typed: str, letters: Mapping[Cell, str]) -> str:
    answer = "".join(letters.get(cell, EMPTY) for cell in slot.cells)
    return f"{slot.direction.value}{slot.number}. {_escaped(typed)} ~ {answer}"


def _escaped(typed: str) -> str:
    return typed.replace("\\", "\\\\").replace("\n", _BREAK)


def _clues(section: str, grid: Grid) -> Iterator[document.Placed]:
    starts, lines = document.starts(grid), section.split("\n")
    of = _CLUE if any(map(_CLUE.match, lines)) else _UNICLUE
    for found in islice(filter(None, map(of.match, lines)), document.MAX_CLUES):
        start, typed = starts.get(str(int(found[2]))), xdown.clue(_unanswered(found[3]))
        ways = [Direction(found[1])] if found[1] else [d for d in Direction if (start, d) in grid.by_start]
        for direction in ways or [Direction.ACROSS]:
            yield start, direction, typed


def _unanswered(typed: str) -> str:
    """A clue without its answer, or its answers: some files give others that are right, too, all equally long."""
    *clue, answer = f"{typed} ".rsplit(" ~ ")
    length = len(answer.split(" ")[0])
    while len(clue) > 1 and len(clue[-1]) == length and clue[-1].isupper() and " " not in clue[-1]:
        clue.pop()
    return " ~ ".join(clue) if clue else typed


def _clue_parts(parts: Sequence[str]) -> int:
    """How many of the parts behind the grid are clues: the first, and those that go on with clues of other entries.

    A last one with a single clue, where others have several, is rather a note that looks like one.
    """
    known: set[tuple[str, int]] = set()
    sizes: list[int] = []
    for part in parts:
        here = {(found[1], int(found[2])) for found in map(_CLUE.match, part.split("\n")) if found}
        if sizes and (not here or here & known):
            break
        known |= here
        sizes.append(len(here))
    return len(sizes) - (len(sizes) > 1 and sizes[-1] == 1 < max(sizes))


def _sections(raw: str) -> dict[str, str]:
    """The text of the sections by name; of the four that all files may have, '' for one that is not there."""
    lines = raw.strip("\n").split("\n")
    if not _SECTION.match(lines[0]):
        metadata, grid, *rest = *_GAP.split(raw.strip("\n")), ""
        clues = _clue_parts(rest)
        parts = (metadata, grid, "\n".join(rest[:clues]), "\n\n\n".join(rest[clues:]))
        return dict(zip(SECTIONS, parts, strict=True))
    found: dict[str, list[str]] = {name: [] for name in SECTIONS}
    into = found["metadata"]
    for line in lines:
        if heading := _SECTION.match(line):
            into = found.setdefault(heading[1].lower(), [])
        else:
            into.append(line.removeprefix(" ") if _HEADING.match(line) else line)
    return {name: "\n".join(part) for name, part in found.items()}
