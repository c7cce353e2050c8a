"""All that a puzzle file says, the same for every format: what the formats read and what they write.

A `Document` keeps texts as they were typed, so that nothing is lost on the way from one format to another, and it holds
the solution. It therefore never leaves this folder: `puzzle` gives what a solver may see, with its texts mended, and
`answers` what scoring may.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from regis import text
from regis.errors import PuzzleError
from regis.puzzle import BLOCK, WHITE, Cell, Direction, Grid, Puzzle, Slot, listed

MAX_SIDE = 100  # rows or columns beyond this are damage: published puzzles have at most a few dozen
MAX_CLUES = 2 * MAX_SIDE**2  # clues that are read: no grid has as many entries
MAX_CONTENT = 40
"""Characters in one square beyond this are no rebus. A guess; the longest that was ever seen here has 7."""

FEW = 5
"""From how many clues on that begin with their own numbers is most of them enough to be how a file is written? A guess.
"""

GREY = "#dcdcdc"
"""The shade of a square where the file does not say which."""

WHITES = ("", "white", "#fff", "#ffffff", "fff", "ffffff", "transparent", "none")  # shades that are none

DIAGRAMLESS = "is diagramless; the diagram was taken from the file"
UNSOLVABLE = "has nothing to solve: no two white squares stand next to each other"
CLUELESS = "has no clues; what fits the grid is all there is to go by"
HIDDEN = "the blocks are shown in the solution only; they were taken from there, and nothing else"

PUBLISHERS = ("publisher", "publication")  # what names them in `more`

UNTOLD = "X"  # what programs write into the cells of a solution that they do not know
EMPTY = "-? \0._"  # what stands in a cell of which nothing is known
_COLOUR = re.compile("#?(?:([0-9a-f]{6})|([0-9a-f]{3}))$")
_CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f\ud800-\udfff]")
_NUMBER = re.compile(  # of an entry, before its clue; 'a' and 'd' behind a space need a full stop or the like
    r"(?i)[(\[]?#?(?:(?P<ahead>across|down|[ad])[ -]?)?(?P<number>[0-9]{1,3})"
    r"(?P<behind> ?-?(?:across|down)\b|-?[ad]\b| [ad](?=[.):]))?"
    r"(?:[.):\]]{1,2} ?(?:- )?| (?:[-\u2013\u2014]{1,2} )?)(?=\S)"
)
_LINE = re.compile("\r\n?|[\v\f\u2028\u2029]")
_LAST_COMMA = re.compile(r'"(?:[^"\\]|\\.?)*"?|,(?=\s*[]}])', re.DOTALL)
"""Of a list or an object; or a string, to pass over."""


Placed = tuple[Cell | None, Direction, str]
"""A clue with its direction and the first cell of its slot, None if there is no such slot."""


@dataclass(frozen=True)
class Document:
    """One puzzle as written in a file. All mappings by cell hold white cells only, but for `voids`."""

    grid: Grid
    clues: Mapping[Slot, str]  # one for each slot, "" where the file has none
    title: str = ""
    author: str = ""
    copyright: str = ""
    notes: str = ""
    more: Mapping[str, str] = field(default_factory=dict)  # 'editor', 'date', ...: what only some formats have
    given: Mapping[Cell, str] = field(default_factory=dict)  # what the person wrote
    solution: Mapping[Cell, str] = field(default_factory=dict, repr=False)  # upper case; several letters in a rebus
    circles: frozenset[Cell] = frozenset()
    shades: Mapping[Cell, str] = field(default_factory=dict)  # '#rrggbb'
    voids: frozenset[Cell] = frozenset()  # blocks that are not drawn
    diagramless: bool = False  # the person is to find the blocks
    own: tuple[str, ...] = ()  # what no other format has a place for
    locked: bool = False  # the file has a solution that cannot be read without its key
    warnings: tuple[str, ...] = ()

    def puzzle(self) -> Puzzle:
        """What a solver may see; what a person wrote into a cell only if it is letters or digits."""
        return Puzzle(
            self.grid,
            unnumbered({slot: text.clue(typed) for slot, typed in self.clues.items()}),
            {cell: content for cell, raw in self.given.items() if (content := _readable(raw))},
            text.clue(self.title),
            text.clue(self.author),
            text.clue(self.notes),
            copyright=text.clue(self.copyright),
            publisher=text.clue(" ".join(self.more.get(key, "") for key in PUBLISHERS)),
            circles=self.circles,
            shaded=frozenset(self.shades),
        )

    @property
    def partial(self) -> bool:
        """Whether it has a solution with holes, for which but one format has a place."""
        return bool(self.solution) and self.solution.keys() != set(self.grid.cells)

    def kept(self, letters: Mapping[Cell, str]) -> Mapping[Cell, str]:
        """`letters`, each as the person wrote it where it is theirs (É for E), and what a solver does not see."""
        own = {cell: raw for cell, raw in self.given.items() if _readable(raw) == letters.get(cell)}
        return {**letters, **own, **self.unread}

    @property
    def unread(self) -> Mapping[Cell, str]:
        """What a person wrote that a solver does not see: 'C/D', '&', letters of other alphabets."""
        return {cell: raw for cell, raw in self.given.items() if not _readable(raw)}

    def answers(self) -> Mapping[Cell, str] | None:
        """What each white cell holds; None if that cannot be told: left out, with holes, the same letter everywhere.

        Nor can it where half of it or more are signs, or the X of programs that were not told.
        """
        if self.solution.keys() != set(self.grid.cells) or len(set(self.solution.values())) < 2:
            return None
        contents = self.solution.values()
        if not all(x.isprintable() and x.strip(EMPTY) for x in contents):
            return None
        return self.solution if sum(x.isalnum() and x != UNTOLD for x in contents) > len(contents) / 2 else None


def _readable(raw: str) -> str:
    """What a solver sees of what a person wrote into a square; '' where it is not letters or digits."""
    content = text.fold(raw).upper()
    return content if content.isascii() and content.isalnum() else ""


def homeless(grid: Grid, placed: Iterable[Placed]) -> int:
    """How many of some clues belong to no entry."""
    return sum((start, direction) not in grid.by_start for start, direction, _ in placed)


def shape(rows: Sequence[Sequence[bool]], name: str) -> Grid:
    """The grid of rows that say of each cell whether it is white. Raises PuzzleError."""
    check_size(len(rows[0]) if rows else 0, len(rows), name)
    if len({len(row) for row in rows}) > 1:
        raise PuzzleError(f"{name} has a grid whose rows are not equally long; mend it or fetch it again")
    return Grid(tuple("".join(WHITE if white else BLOCK for white in row) for row in rows))


def check_plain(grid: Grid, name: str, target: str) -> None:
    """Raises PuzzleError if `grid` has entries that do not follow from its blocks."""
    if grid.bars or grid.words:
        what = "bars" if grid.bars else "entries that bend or leap"
        raise PuzzleError(f"{name} has {what}, for which a .{target} has no place; write .ipuz instead")


def check_size(width: int, height: int, name: str) -> None:
    """Raises PuzzleError if no puzzle has this size."""
    if not (0 < width <= MAX_SIDE and 0 < height <= MAX_SIDE):
        raise PuzzleError(f"{name} says that its grid is {size(width, height)}, so it is damaged; fetch it again")


def size(width: object, height: object) -> str:
    """'15 by 15'; a number that somebody made long ends in dots."""
    return " by ".join(shown if len(shown) <= 6 else f"{shown:.6}..." for shown in (str(width), str(height)))


def decoded(data: bytes) -> str:
    """The text of a file: UTF-8, or UTF-16 with its mark, else cp1252. Lines end in a line feed.

    NULs and the end mark of DOS, which some programs leave behind a text, are none of it.
    """
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        found = data.decode("utf-16", "replace")
    else:
        try:
            found = data.decode("utf-8-sig")
        except UnicodeError:
            found = text.cp1252(data)
    return found.replace("\r\n", "\n").replace("\r", "\n").rstrip("\0\x1a")


def loaded(raw: str) -> Any:
    """What the JSON `raw` says, also where line feeds and tabs stand in its strings as they are, or commas at an end.

    Raises ValueError and RecursionError.
    """
    try:
        return json.loads(raw, strict=False)
    except ValueError:
        return json.loads(_LAST_COMMA.sub(lambda found: found[0].removeprefix(","), raw), strict=False)


def lines(section: str) -> list[str]:
    """The lines of a text that are not blank, without space at their ends."""
    return [row.strip() for row in section.split("\n") if row.strip()]


def written(raw: object) -> str:
    """A text as it was typed, without what is no text: control characters, half characters, space at the ends."""
    if not isinstance(raw, str):
        return str(raw) if isinstance(raw, int) and not isinstance(raw, bool) else ""
    if not raw.isprintable():
        raw = _CONTROL.sub(" ", _LINE.sub("\n", raw.translate(text.TWIN)))
    return raw.strip()


def line(raw: object) -> str:
    """The same on one line."""
    return " ".join(part.strip(" ") for part in written(raw).split("\n"))


def clue(raw: object) -> str:
    """The same for a clue, whose line breaks have no spaces around them."""
    return "\n".join(part.strip(" ") for part in written(raw).split("\n"))


def from_html(raw: object) -> str:
    """What a browser shows of a text in HTML."""
    return written(text.from_html(raw) if isinstance(raw, str) else raw)


def clue_from_html(raw: object) -> str:
    """The same of a clue, with quotation marks for italics."""
    return written(text.clue_from_html(raw) if isinstance(raw, str) else raw)


def line_from_html(raw: object) -> str:
    """The same on one line."""
    return line(from_html(raw))


def content(raw: object) -> str:
    """What a cell holds; '' for nothing, or for what no cell can hold."""
    found = "".join(written(raw).split())
    return found if found.strip(EMPTY) and found.isprintable() and len(found) <= MAX_CONTENT else ""


def shade(colour: object) -> str:
    """'#rrggbb', also for '#rgb'; grey where a file names a colour otherwise; '' for white, and where it names none."""
    named = str(colour or "").strip().lower()
    if named in WHITES:
        return ""
    found = _COLOUR.match(named)
    return f"#{found[1] or ''.join(2 * x for x in found[2])}" if found else GREY


def solved(cells: Mapping[Cell, object]) -> dict[Cell, str]:
    """The solution, cell by cell, as far as it is there."""
    found = {cell: content(raw).upper() for cell, raw in cells.items()}
    return {cell: x for cell, x in found.items() if x}


def clued(grid: Grid, clues: Iterable[Placed], name: str) -> tuple[dict[Slot, str], tuple[str, ...]]:
    """Clues, each in its slot; and what is wrong with them, as warnings."""
    found = dict.fromkeys(grid.slots, "")
    homeless = 0
    for start, direction, raw in islice(clues, MAX_CLUES):
        if start is not None and (slot := grid.by_start.get((start, direction))):
            found[slot] = found[slot] or clue(raw)
        else:
            homeless += 1
    warnings = []
    if not grid.slots:
        warnings.append(f"{name} {UNSOLVABLE}")
    elif not any(found.values()):
        warnings.append(f"{name} {CLUELESS}")
    elif bare := [slot for slot, typed in found.items() if not typed]:
        warnings.append(f"{name} has no clue for {listed(bare)}")
    if homeless and grid.slots:
        of = "a clue that belongs" if homeless == 1 else f"{homeless} clues that belong"
        warnings.append(f"{name} has {of} to no entry of its grid; left out")
    return found, tuple(warnings)


def unnumbered(clues: Mapping[Slot, str]) -> Mapping[Slot, str]:
    """`clues` without the names of their own entries before them, if most have one: '17. ', '17 ', 'A17: '.

    Where most have none, '76 trombones' is what a clue asks for, also at 76. Of few clues, but not of one, all must.
    """
    without = dict(clues)
    for slot, clue in clues.items():
        if (found := _NUMBER.match(clue)) and int(found["number"]) == slot.number:
            direction = (found["ahead"] or found["behind"] or slot.direction).strip(" -").upper()[:1]
            without[slot] = clue[found.end() :] if direction == slot.direction else clue
    many = sum(clue != clues[slot] for slot, clue in without.items())
    whole = 1 < many == sum(map(bool, clues.values()))
    return without if whole or FEW <= many > len(clues) / 2 else clues


def number(clue: str) -> str:
    """The number of an entry that stands before its clue, as in '17. ' or '17A. '; '' for none."""
    return str(int(found["number"])) if (found := _NUMBER.match(clue)) else ""


def starts(grid: Grid) -> dict[str, Cell]:
    """Number, as it is printed in a cell -> the cell."""
    return {str(number): cell for cell, number in grid.numbers.items()}
