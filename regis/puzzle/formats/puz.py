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

import re
import struct
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

import puz

from regis import text
from regis.errors import PuzzleError
from regis.puzzle import Cell, Grid
from regis.puzzle.formats.shared import clue_placement, dimensions, square_content, texts
from regis.puzzle.formats.shared.comparison import list_differences
from regis.puzzle.formats.shared.document import DIAGRAMLESS_WARNING, HIDDEN_BLOCKS_WARNING, Document

MAGIC_BYTES = b"ACROSS&DOWN"
HEADER_BYTES = 52  # bytes before the solution
VERSION_BYTES = slice(24, 28)  # bytes of the version
VERSION = re.compile(rb"\d\.\d")  # what programs that have one write
CLUE_COUNT_OFFSET = 46  # bytes before the number of clues
DIAGRAMLESS_TYPE = 0x0401
BLOCK_SIGN = "."
VOID_SIGN = ":"  # a square that is not drawn; in a diagramless puzzle, of which all blocks are that, a block
BLOCK_SIGNS = BLOCK_SIGN + VOID_SIGN
KEY_COUNT = 10_000  # a key has four digits
NO_LETTER = "X"  # what stands in a square whose letter is not known or is none; a solution that is all X was left out
_FORMAT_ERRORS = (puz.PuzzleFormatError, struct.error, ValueError, LookupError)
"""What puzpy raises about files that are not as they should be; UnicodeError is a ValueError."""


class _Layout(NamedTuple):
    """The size of a file's grid, in cells, and where its solution and the player's grid begin, in bytes."""

    width: int
    height: int
    solution: int
    fill: int


def detect(data: bytes) -> bool:
    """Return whether `data` has the mark of a .puz, which may stand behind something else, but not within a zip."""
    return data.find(MAGIC_BYTES + b"\0") >= 2 and not data.startswith(b"PK\3\4")


def read(data: bytes, file_name: str) -> Document:
    """Read all that a .puz says. Raises PuzzleError."""
    data, was_swapped = _swap_clue_count(data)
    layout = _find_layout(data, file_name)
    blank = b"-" * (layout.fill - layout.solution)
    file = _load_or_raise(data[: layout.solution] + blank + data[layout.fill :], file_name)
    if len(file.fill) != len(blank):
        raise PuzzleError(
            f"{file_name} has a player's grid that is not {layout.width} by {layout.height}; fetch it again"
        )
    unblanked_file, is_sound = _try_load(data)
    warnings = [f"{file_name} has wrong checksums and may be damaged; read all the same"]
    warnings *= not (is_sound or was_swapped)
    warnings += [f"{file_name} has the two bytes of its number of clues swapped; read all the same"] * was_swapped
    fill = str(file.fill)
    grid = _build_grid(fill, layout, file_name)
    if not any(c in BLOCK_SIGNS for c in fill) and len(file.clues) != len(grid.slots):
        solution_grid = _build_grid(data[layout.solution : layout.fill].decode("latin-1"), layout, file_name)
        if len(file.clues) == len(solution_grid.slots):
            grid = solution_grid
            warnings.append(f"{file_name}: {HIDDEN_BLOCKS_WARNING}")
    if is_diagramless := file.puzzletype == DIAGRAMLESS_TYPE:
        warnings.append(f"{file_name} {DIAGRAMLESS_WARNING}")
    if not grid.slots:
        warnings.append(f"{file_name} {clue_placement.UNSOLVABLE_WARNING}")
    elif len(file.clues) != len(grid.slots):
        which = "the last entries have none" if len(file.clues) < len(grid.slots) else "the last ones were dropped"
        warnings.append(f"{file_name} has {len(file.clues)} clues for {len(grid.slots)} entries; {which}")
    reread, marks = _text_reader(file), file.extensions.get(b"GEXT", b"").ljust(len(blank), b"\0")
    unportable = ["the timer"] * (puz.Extensions.Timer in file.extensions)
    unportable += ["what was revealed or found wrong"] * any(mark & ~puz.GridMarkup.Circled for mark in marks)
    clues = [texts.clean_clue(reread(c)) for c in file.clues[: len(grid.slots)]]
    return Document(
        grid,
        dict.fromkeys(grid.slots, "") | dict(zip(grid.slots, clues, strict=False)),
        title=texts.clean_line(reread(file.title)),
        author=texts.clean_line(reread(file.author)),
        copyright=texts.clean_line(reread(file.copyright)),
        notes=texts.clean_text(reread(file.notes)),
        given=_read_given(file, grid),
        solution=_read_solution(unblanked_file, grid),
        circles=frozenset((r, c) for r, c in grid.cells if marks[r * grid.width + c] & puz.GridMarkup.Circled),
        voids=frozenset(divmod(i, grid.width) for i, x in enumerate(fill) if x == VOID_SIGN and not is_diagramless),
        is_diagramless=is_diagramless,
        unportable=tuple(unportable),
        is_locked=bool(file.solution_state & puz.SolutionState.Locked),
        warnings=tuple(warnings),
    )


def write(document: Document, file_name: str) -> tuple[bytes, list[str]]:
    """Write a document as a new .puz, and list what it has no place for. Raises PuzzleError."""
    data = _write_file(document.with_usual_numbers(), file_name)
    return data, list_differences(document, read(data, file_name))


def _write_file(document: Document, file_name: str) -> bytes:
    dimensions.check_blocks_only(document.grid, file_name, "puz")
    clues = [texts.show_italics(document.clues.get(slot, "")) for slot in document.grid.slots]
    typed_texts = (document.title, document.author, document.copyright, document.notes, *clues)
    contents = (*document.solution.values(), *document.given.values())
    is_old = all(map(_is_cp1252, typed_texts)) and all(x.isascii() for x in contents)
    is_old = is_old and not _is_utf8("\n".join(typed_texts).encode("cp1252"))
    file = puz.Puzzle("1.3" if is_old else "2.0")

    def encoded(raw: str) -> str:
        return raw.encode("cp1252").decode("latin-1") if is_old else raw

    grid = document.grid
    file.width, file.height = grid.width, grid.height
    file.title, file.author, file.copyright = map(encoded, (document.title, document.author, document.copyright))
    file.notes = encoded(document.notes.replace("\n", "\r\n"))
    file.clues = [encoded(clue) for clue in clues]
    if document.is_diagramless:
        file.puzzletype = puz.PuzzleType.Diagramless
    letters = {cell: _one_character(document.solution.get(cell, NO_LETTER)) for cell in grid.cells}
    file.fill, file.solution = (_draw_squares(document, squares) for squares in (dict.fromkeys(letters, "-"), letters))
    if not document.solution:
        file.solution_state = puz.SolutionState.NotProvided
    for (r, c), content in document.solution.items():
        if content != letters[r, c] and ";" not in content:  # which ends a content in the file
            file.rebus().add_rebus_squares(r * grid.width + c, content)
    if document.circles:
        marked = [r * grid.width + c for r, c in sorted(document.circles)]
        file.markup().set_markup_squares(marked, puz.GridMarkup.Circled)
    return _serialize(file, grid, document.given, file_name)


def _draw_squares(document: Document, squares: Mapping[Cell, str]) -> str:
    places = [(r, c) for r in range(document.grid.height) for c in range(document.grid.width)]
    hidden = places if document.is_diagramless else document.voids
    return "".join(squares.get(cell, VOID_SIGN if cell in hidden else BLOCK_SIGN) for cell in places)


def fill(data: bytes, file_name: str, letters: Mapping[Cell, str]) -> bytes:
    """Write `letters` into the file in `data` as what the person wrote, with right checksums. Raises PuzzleError."""
    grid = read(data, file_name).grid
    data, _ = _swap_clue_count(data)
    return _serialize(_load_or_raise(data, file_name), grid, letters, file_name)


def unlock(data: bytes, file_name: str, on_key: Callable[[], object]) -> bytes:
    """Unlock the solution of the file in `data` by trying all keys, each told to `on_key`.

    The checksum has 16 bits, so that a wrong key may fit too: of several solutions the one with the most vowels is it.

    Raises
    ------
    PuzzleError : no key fits.
    """
    data, _ = _swap_clue_count(data)
    file, unlocked = _load_or_raise(data, file_name), []
    for key in range(KEY_COUNT):
        on_key()
        if file.unlock_solution(key):
            unlocked.append(file)
            file = _load_or_raise(data, file_name)
    if not unlocked:
        raise PuzzleError(f"{file_name} has a locked solution that none of the {KEY_COUNT:,} keys fits; fetch it again")
    best = max(unlocked, key=lambda file: sum(file.solution.count(vowel) for vowel in "AEIOU"))
    return bytes(best.tobytes())


def fits_scrambled_solution(data: bytes, file_name: str, letters: Mapping[Cell, str]) -> bool:
    """Return whether `letters` have the checksum of the solution that the file scrambles. Raises PuzzleError."""
    file = _load_or_raise(_swap_clue_count(data)[0], file_name)
    first = {r * file.width + c: _one_character(content) for (r, c), content in letters.items()}
    squares = [sign if sign in BLOCK_SIGNS else first.get(i, NO_LETTER) for i, sign in enumerate(file.solution)]
    return bool(file.check_answers("".join(squares)))


def _serialize(file: Any, grid: Grid, letters: Mapping[Cell, str], file_name: str) -> bytes:
    """Write `letters` into the player's grid, those of rebus squares into the RUSR section, one string a cell."""
    squares = list(file.fill)
    longer = [""] * len(squares)
    for r, c in grid.cells:
        i, content = r * grid.width + c, letters.get((r, c), "")
        squares[i] = _one_character(content) if content else "-"
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
    except _FORMAT_ERRORS as cause:
        raise PuzzleError(f"{file_name} has more in its squares than a .puz can hold; write .ipuz instead") from cause


def _one_character(content: str) -> str:
    """Return the character that stands for `content` where there is room for one only."""
    if len(content) == 1 and content.isascii() and content not in BLOCK_SIGNS:
        return content
    return next((x for x in text.fold_accents(content).upper() if x.isascii() and x.isalnum()), NO_LETTER)


def _text_reader(file: Any) -> Callable[[str], str]:
    """Return how to read texts that puzpy decoded: as they are, or again, if a file before version 2.0 holds UTF-8."""
    typed_texts = "\n".join((file.title, file.author, file.copyright, file.notes, *file.clues))
    if file.encoding != puz.ENCODING or not _is_utf8(typed_texts.encode("latin-1")):
        return str
    return lambda raw: raw.encode("latin-1").decode("utf-8")


def _is_utf8(raw: bytes) -> bool:
    """Return whether there is more than ASCII and all of it is UTF-8, which cp1252 hardly ever is by chance."""
    try:
        return not raw.isascii() and bool(raw.decode("utf-8"))
    except UnicodeError:
        return False


def _is_cp1252(typed: str) -> bool:
    try:
        return text.decode_cp1252(typed.encode("cp1252")) == typed
    except UnicodeError:
        return False


def _read_solution(file: Any, grid: Grid) -> dict[Cell, str]:
    """Read what each white cell holds, as far as it can be told: nothing of a scrambled solution.

    Of a rebus square whose content is in no table, nothing: what stands there is its first letter.
    """
    if file is None or file.solution_state or len(file.solution) != grid.width * grid.height:
        return {}
    numbers = file.extensions.get(puz.Extensions.Rebus, b"").ljust(len(file.solution), b"\0")  # 1 for content 0
    contents = {}
    with suppress(*_FORMAT_ERRORS):
        contents = file.rebus().solutions
    places = {(r, c): r * grid.width + c for r, c in grid.cells}
    return square_content.clean_solution(
        {cell: contents.get(numbers[i] - 1, "") if numbers[i] else file.solution[i] for cell, i in places.items()}
    )


def _read_given(file: Any, grid: Grid) -> dict[Cell, str]:
    """Read what the person wrote: letters in the player's grid, and longer ones in the RUSR section."""
    rebus = file.extensions.get(b"RUSR", b"").split(b"\0")
    given = {}
    for r, c in grid.cells:
        i = r * grid.width + c
        longer = rebus[i].decode(file.encoding, "replace") if i < len(rebus) else ""
        given[r, c] = square_content.clean_content(longer) or square_content.clean_content(file.fill[i])
    return {cell: content for cell, content in given.items() if content}


def _swap_clue_count(data: bytes) -> tuple[bytes, bool]:
    """Swap the two bytes of the number of clues where only so all clues are there, and say whether they were."""
    at = data.find(MAGIC_BYTES) - 2 + CLUE_COUNT_OFFSET
    if not detect(data) or len(data) < at + 2 or _has_all_texts(data, *struct.unpack_from("<BBH", data, at - 2)):
        return data, False
    swapped = data[:at] + data[at : at + 2][::-1] + data[at + 2 :]
    is_whole = _has_all_texts(swapped, *struct.unpack_from("<BBH", swapped, at - 2))
    return (swapped, True) if is_whole else (data, False)


def _has_all_texts(data: bytes, width: int, height: int, n_clues: int) -> bool:
    """Return whether so many clues fit behind the grids, where the title, the author and the copyright come first."""
    return data.count(b"\0", data.find(MAGIC_BYTES) - 2 + HEADER_BYTES + 2 * width * height) >= 3 + n_clues


def _find_layout(data: bytes, file_name: str) -> _Layout:
    """Find the two grids. Raises PuzzleError if `data` is not a .puz file or ends before its last clue does."""
    if not detect(data):
        raise PuzzleError(f"{file_name} is not a .puz file (it has no mark {MAGIC_BYTES.decode()}); name one that is")
    solution = data.index(MAGIC_BYTES) - 2 + HEADER_BYTES
    if len(data) >= solution:
        width, height, n_clues = struct.unpack_from("<BBH", data, solution - 8)
        dimensions.check_size(width, height, file_name)
        fill = solution + width * height
        if _has_all_texts(data, width, height, n_clues):
            return _Layout(width, height, solution, fill)
    raise PuzzleError(f"{file_name} is cut short: it ends before its last clue; fetch it again")


def _load_or_raise(data: bytes, file_name: str) -> Any:
    file, _ = _try_load(data)
    if file is None:
        raise PuzzleError(f"{file_name} is damaged and cannot be read as a .puz file; fetch it again")
    return file


def _try_load(data: bytes) -> tuple[Any, bool]:
    """Load `data` by puzpy, None if it cannot; and say whether the checksums, which it verifies last, are right."""
    file = puz.Puzzle()
    try:
        file.load(data)
    except UnicodeDecodeError:
        return _load_as_cp1252(data)
    except ValueError:
        return _load_as_cp1252(data) if not VERSION.match(_version(data)) else (None, False)
    except _FORMAT_ERRORS as cause:
        return file if isinstance(cause, puz.PuzzleFormatError) and "checksum" in cause.message else None, False
    return file, True


def _version(data: bytes) -> bytes:
    start = data.find(MAGIC_BYTES) - 2
    return data[start + VERSION_BYTES.start : start + VERSION_BYTES.stop]


def _load_as_cp1252(data: bytes) -> tuple[Any, bool]:
    """Load, as one of before, a file whose version is odd, which it keeps, or that wrongly says it holds UTF-8."""
    start = data.find(MAGIC_BYTES) - 2
    first, last = start + VERSION_BYTES.start, start + VERSION_BYTES.stop
    file, is_sound = _try_load(data[:first] + b"1.3\0" + data[last:])
    if file is not None:
        file.fileversion = data[first:last]
    return file, is_sound


def _build_grid(squares: str, layout: _Layout, file_name: str) -> Grid:
    white = [x not in BLOCK_SIGNS for x in squares]
    return dimensions.build_grid([white[i : i + layout.width] for i in range(0, len(white), layout.width)], file_name)
