"""Across Lite's .puz, the format in which most American crosswords are passed around; puzpy does the parsing.

The file holds two grids, the solution and the player's. `read` lays blanks over the solution before the file is parsed
and takes the blocks from the player's grid, so that the puzzle cannot depend on the answers; the solution is read from
the file as it is, afterwards. (Some diagramless files show no block to the player. Only then, and only if the clues fit
no open grid, the blocks, and nothing else, are taken from the solution.) Checksums that do not match are a reason to
warn, not to stop.

Files before version 2.0 hold cp1252, or UTF-8 where a program did not know better, and some of version 2.0 hold cp1252.
Those before are what older programs read, so `write` makes one, in cp1252, where the texts allow.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from contextlib import suppress
from itertools import chain
from typing import Any, NamedTuple

import puz

from regis import text
from regis.errors import PuzzleError
from regis.puzzle import Cell, Grid
from regis.puzzle.formats import document
from regis.puzzle.formats.document import Document

MAGIC = b"ACROSS&DOWN"
HEADER = 52  # bytes before the solution
VERSION = slice(24, 28)  # bytes of the version
CLUES = 46  # bytes before the number of clues
DIAGRAMLESS = 0x0401
BLOCKS = ".:"
KEYS = 10_000  # a key has four digits
NO_LETTER = "X"  # what stands in a square whose letter is not known or is none; a solution that is all X was left out
_BROKEN = (puz.PuzzleFormatError, struct.error, ValueError, LookupError)
"""What puzpy raises about files that are not as they should be; UnicodeError is a ValueError."""


class _Layout(NamedTuple):
    """The size of a file's grid, in cells, and where its solution and the player's grid begin, in bytes."""

    width: int
    height: int
    solution: int
    fill: int


def detect(data: bytes) -> bool:
    """Whether `data` has the mark of a .puz file, which may stand behind something else, but not within a zip."""
    return data.find(MAGIC + b"\0") >= 2 and not data.startswith(b"PK\3\4")


def read(data: bytes, name: str) -> Document:
    data, swapped = _upright(data)
    layout = _layout(data, name)
    blank = b"-" * (layout.fill - layout.solution)
    file = _load(data[: layout.solution] + blank + data[layout.fill :], name)
    if len(file.fill) != len(blank):
        raise PuzzleError(f"{name} has a player's grid that is not {layout.width} by {layout.height}; fetch it again")
    whole, sound = _parsed(data)
    warnings = [] if sound or swapped else [f"{name} has wrong checksums and may be damaged; read all the same"]
    warnings += [f"{name} has the two bytes of its number of clues swapped; read all the same"] * swapped
    fill = str(file.fill)
    grid = _grid(fill, layout, name)
    if not any(c in BLOCKS for c in fill) and len(file.clues) != len(grid.slots):
        hidden = _grid(data[layout.solution : layout.fill].decode("latin-1"), layout, name)
        if len(file.clues) == len(hidden.slots):
            grid = hidden
            warnings.append(f"{name}: {document.HIDDEN}")
    if diagramless := file.puzzletype == DIAGRAMLESS or ":" in fill:
        warnings.append(f"{name} {document.DIAGRAMLESS}")
    if not grid.slots:
        warnings.append(f"{name} {document.UNSOLVABLE}")
    elif len(file.clues) != len(grid.slots):
        which = "the last entries have none" if len(file.clues) < len(grid.slots) else "the last ones were dropped"
        warnings.append(f"{name} has {len(file.clues)} clues for {len(grid.slots)} entries; {which}")
    typed, marks = _typed(file), file.extensions.get(b"GEXT", b"").ljust(len(blank), b"\0")
    own = ["the timer"] * (puz.Extensions.Timer in file.extensions)
    own += ["what was revealed or found wrong"] * any(mark & ~puz.GridMarkup.Circled for mark in marks)
    clues = [document.clue(typed(c)) for c in file.clues[: len(grid.slots)]]
    return Document(
        grid,
        dict.fromkeys(grid.slots, "") | dict(zip(grid.slots, clues, strict=False)),
        title=document.line(typed(file.title)),
        author=document.line(typed(file.author)),
        copyright=document.line(typed(file.copyright)),
        notes=document.written(typed(file.notes)),
        given=_given(file, grid),
        solution=_solution(whole, grid),
        circles=frozenset((r, c) for r, c in grid.cells if marks[r * grid.width + c] & puz.GridMarkup.Circled),
        diagramless=diagramless,
        own=tuple(own),
        locked=bool(file.solution_state & puz.SolutionState.Locked),
        warnings=tuple(warnings),
    )


def write(paper: Document, name: str) -> tuple[bytes, list[str]]:
    document.check_plain(paper.grid, name, "puz")
    texts = (paper.title, paper.author, paper.copyright, paper.notes, *paper.clues.values())
    contents = (*paper.solution.values(), *paper.given.values())
    old = all(map(_is_cp1252, texts)) and all(x.isascii() for x in contents)
    old = old and not _is_utf8("\n".join(texts).encode("cp1252"))
    file = puz.Puzzle("1.3" if old else "2.0")

    def typed(raw: str) -> str:
        return raw.encode("cp1252").decode("latin-1") if old else raw

    grid = paper.grid
    file.width, file.height = grid.width, grid.height
    file.title, file.author, file.copyright = typed(paper.title), typed(paper.author), typed(paper.copyright)
    file.notes = typed(paper.notes.replace("\n", "\r\n"))
    file.clues = [typed(paper.clues.get(slot, "")) for slot in grid.slots]
    block = BLOCKS[paper.diagramless]
    if paper.diagramless:
        file.puzzletype = puz.PuzzleType.Diagramless
    file.fill = "".join(chain(*grid.drawn(lambda cell: "-", block)))
    file.solution = "".join(chain(*grid.drawn(lambda cell: _square(paper.solution.get(cell, NO_LETTER)), block)))
    if not paper.solution:
        file.solution_state = puz.SolutionState.NotProvided
    lost = []
    for (r, c), content in paper.solution.items():
        if content == _square(content):
            continue
        if ";" in content:
            lost.append(f"{content!r} as the content of a square")
        else:
            file.rebus().add_rebus_squares(r * grid.width + c, content)
    if paper.circles:
        marked = [r * grid.width + c for r, c in sorted(paper.circles)]
        file.markup().set_markup_squares(marked, puz.GridMarkup.Circled)
    lost += ["shaded squares"] * bool(paper.shades) + ["squares outside the drawing"] * bool(paper.voids)
    return _bytes(file, grid, paper.given, name), [*lost, *paper.more]


def fill(data: bytes, name: str, letters: Mapping[Cell, str]) -> bytes:
    """The file in `data` with `letters` as what the person wrote, and right checksums. Raises PuzzleError."""
    grid = read(data, name).grid
    data, _ = _upright(data)
    return _bytes(_load(data, name), grid, letters, name)


def unlock(data: bytes, name: str, tried: Callable[[], object]) -> bytes:
    """The file in `data` with its solution unlocked. Raises PuzzleError if no key fits.

    The checksum has 16 bits, so that a wrong key may fit too: of several solutions the one with the most vowels is it.
    """
    data, _ = _upright(data)
    file, found = _load(data, name), []
    for key in range(KEYS):
        tried()
        if file.unlock_solution(key):
            found.append(file)
            file = _load(data, name)
    if not found:
        raise PuzzleError(f"{name} has a locked solution that none of the {KEYS:,} keys fits; fetch it again")
    best = max(found, key=lambda file: sum(file.solution.count(vowel) for vowel in "AEIOU"))
    return bytes(best.tobytes())


def _bytes(file: Any, grid: Grid, letters: Mapping[Cell, str], name: str) -> bytes:
    """`file` with `letters` in the player's grid, and in the RUSR section those of rebus squares, one string a cell."""
    squares = list(file.fill)
    longer = [""] * len(squares)
    for r, c in grid.cells:
        i, content = r * grid.width + c, letters.get((r, c), "")
        squares[i] = _square(content) if content else "-"
        longer[i] = content if content != squares[i] else ""
    file.fill = "".join(squares)
    try:
        for helper in file.helpers.values():
            helper.save()
        file.helpers.clear()  # or they would save once more and take the person's squares away
        file.extensions.pop(puz.Extensions.RebusFill, None)
        if any(longer):
            file.extensions[puz.Extensions.RebusFill] = b"".join(file.encode_zstring(x) for x in longer)
        return bytes(file.tobytes())
    except _BROKEN as cause:
        raise PuzzleError(f"{name} has more in its squares than a .puz can hold; write .ipuz instead") from cause


def _square(content: str) -> str:
    """The one character that stands for `content` where there is room for one only."""
    if len(content) == 1 and content.isascii() and content not in BLOCKS:
        return content
    return next((x for x in text.fold(content).upper() if x.isascii() and x.isalnum()), NO_LETTER)


def _typed(file: Any) -> Callable[[str], str]:
    """How to read a text that puzpy has decoded: as it is, or again, if a file before version 2.0 holds UTF-8."""
    texts = "\n".join((file.title, file.author, file.copyright, file.notes, *file.clues))
    if file.encoding != puz.ENCODING or not _is_utf8(texts.encode("latin-1")):
        return str
    return lambda raw: raw.encode("latin-1").decode("utf-8")


def _is_utf8(raw: bytes) -> bool:
    """Whether there is more than ASCII and all of it is UTF-8, which cp1252 hardly ever is by chance."""
    try:
        return not raw.isascii() and bool(raw.decode("utf-8"))
    except UnicodeError:
        return False


def _is_cp1252(typed: str) -> bool:
    try:
        return text.cp1252(typed.encode("cp1252")) == typed
    except UnicodeError:
        return False


def _solution(file: Any, grid: Grid) -> dict[Cell, str]:
    """What each white cell holds, as far as it can be told: nothing of a scrambled solution.

    Of a rebus square whose content is in no table, nothing: what stands there is its first letter.
    """
    if file is None or file.solution_state or len(file.solution) != grid.width * grid.height:
        return {}
    numbers = file.extensions.get(puz.Extensions.Rebus, b"").ljust(len(file.solution), b"\0")  # 1 for content 0
    contents = {}
    with suppress(*_BROKEN):
        contents = file.rebus().solutions
    return document.solved({(r, c): contents.get(numbers[i] - 1, "") if numbers[i] else file.solution[i]
                            for r, c in grid.cells for i in [r * grid.width + c]})  # fmt: skip


def _given(file: Any, grid: Grid) -> dict[Cell, str]:
    """What the person wrote: letters in the player's grid, and longer ones in the RUSR section."""
    rebus = file.extensions.get(b"RUSR", b"").split(b"\0")
    given = {}
    for r, c in grid.cells:
        i = r * grid.width + c
        longer = rebus[i].decode(file.encoding, "replace") if i < len(rebus) else ""
        given[r, c] = document.content(longer) or document.content(file.fill[i])
    return {cell: content for cell, content in given.items() if content}


def _upright(data: bytes) -> tuple[bytes, bool]:
    """`data` with its number of clues as it should be, and whether its bytes are swapped: then they are all there."""
    count = data.find(MAGIC) - 2 + CLUES
    if not detect(data) or len(data) < count + 2 or _has_all(data, *struct.unpack_from("<BBH", data, count - 2)):
        return data, False
    swapped = data[:count] + data[count : count + 2][::-1] + data[count + 2 :]
    good = _has_all(swapped, *struct.unpack_from("<BBH", swapped, count - 2))
    return (swapped, True) if good else (data, False)


def _has_all(data: bytes, width: int, height: int, clues: int) -> bool:
    """Whether so many clues fit behind the grids, where the title, the author and the copyright come first."""
    return data.count(b"\0", data.find(MAGIC) - 2 + HEADER + 2 * width * height) >= 3 + clues


def _layout(data: bytes, name: str) -> _Layout:
    """Raises PuzzleError if `data` is not a .puz file or ends before its last clue does."""
    if not detect(data):
        raise PuzzleError(f"{name} is not a .puz file (it has no mark {MAGIC.decode()}); name one that is")
    solution = data.index(MAGIC) - 2 + HEADER
    if len(data) >= solution:
        width, height, clues = struct.unpack_from("<BBH", data, solution - 8)
        document.check_size(width, height, name)
        fill = solution + width * height
        if _has_all(data, width, height, clues):
            return _Layout(width, height, solution, fill)
    raise PuzzleError(f"{name} is cut short: it ends before its last clue; fetch it again")


def _load(data: bytes, name: str) -> Any:
    file, _ = _parsed(data)
    if file is None:
        raise PuzzleError(f"{name} is damaged and cannot be read as a .puz file; fetch it again")
    return file


def _parsed(data: bytes) -> tuple[Any, bool]:
    """What puzpy makes of `data`, None if nothing; and whether the checksums, which it verifies last, are right."""
    file = puz.Puzzle()
    try:
        file.load(data)
    except UnicodeDecodeError:
        return _of_bytes(data)
    except _BROKEN as cause:
        return file if isinstance(cause, puz.PuzzleFormatError) and "checksum" in cause.message else None, False
    return file, True


def _of_bytes(data: bytes) -> tuple[Any, bool]:
    """The same of a file that says it holds UTF-8 and does not: read as one of before, with the version that it has."""
    start = data.find(MAGIC) - 2
    first, last = start + VERSION.start, start + VERSION.stop
    file, sound = _parsed(data[:first] + b"1.3\0" + data[last:])
    if file is not None:
        file.fileversion = data[first:last]
    return file, sound


def _grid(squares: str, layout: _Layout, name: str) -> Grid:
    white = [x not in BLOCKS for x in squares]
    return document.shape([white[i : i + layout.width] for i in range(0, len(white), layout.width)], name)
