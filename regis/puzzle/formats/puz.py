"""Across Lite's .puz, the most common format of American crosswords, parsed by puzpy.

The file has two grids, the solution and the player's. `read` blanks the solution before parsing and takes blocks from
the player's grid, so that the puzzle can't depend on answers. (If a diagramless file shows no block there, and the
clues fit no open grid, only the blocks come from the solution.) Wrong checksums are a warning. Files before version 2.0
are in cp1252, or wrongly in UTF-8; some of version 2.0 are in cp1252. `write` writes an older version, for older
programs, if the texts allow it. Some texts have HTML entities.
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
from regis.puzzle.formats.shared import squares, texts
from regis.puzzle.formats.shared.clues import ListedClue
from regis.puzzle.formats.shared.document import TEXT_FIELDS, Document, Squares, build_document, show_hidden_blocks
from regis.puzzle.formats.shared.squares import BLOCK_SIGN, VOID_SIGN

MAGIC_BYTES = b"ACROSS&DOWN"
HEADER_BYTES = 52  # bytes before the solution
VERSION_BYTES = slice(24, 28)  # bytes of the version
VERSION = re.compile(rb"\d\.\d")  # as most programs write it
BLOCK_SIGNS = BLOCK_SIGN + VOID_SIGN

NO_LETTER = "X"  # an unknown letter; a solution that is all X is missing
_FORMAT_ERRORS = (puz.PuzzleFormatError, struct.error, ValueError, LookupError)
"""What puzpy raises for faulty files; UnicodeError is a ValueError."""


class _Layout(NamedTuple):
    """The size of a file's grid in cells, and the byte offsets of the solution and the player's grid."""

    width: int
    height: int
    solution: int
    fill: int


def read(data: bytes, file_name: str) -> Document:
    layout = _find_layout(data, file_name)
    width = layout.width
    blank = b"-" * (layout.fill - layout.solution)
    file = _load_or_raise(data[: layout.solution] + blank + data[layout.fill :], file_name)
    if len(file.fill) != len(blank):
        raise PuzzleError(f"{file_name} has a player's grid that isn't {width} by {layout.height}; download it again")
    unblanked_file, is_sound = _try_load(data)
    warnings = [f"{file_name} has wrong checksums and may be damaged; read anyway"] * (not is_sound)
    n_clues, is_diagramless = len(file.clues), file.puzzletype == puz.PuzzleType.Diagramless
    hidden = _block_rows(data[layout.solution : layout.fill].decode("latin-1"), layout)
    rows, told = show_hidden_blocks(_block_rows(str(file.fill), layout), hidden, n_clues, file_name)
    grid = squares.build_grid(rows, file_name)
    if grid.slots and n_clues > len(grid.slots):
        told.append(f"{file_name} has {n_clues} clues for {len(grid.slots)} entries; the last ones were dropped")
    solution, n_lost = _read_solution(unblanked_file, grid)
    if n_lost:
        which = "a rebus square" if n_lost == 1 else f"{n_lost} rebus squares"
        told.append(f"{file_name} has {which} without a table of contents, so its solution is incomplete")
    reread, marks = _text_reader(file), file.extensions.get(b"GEXT", b"").ljust(len(blank), b"\0")
    unportable = ["the timer"] * (puz.Extensions.Timer in file.extensions)
    unportable += ["what was revealed or found wrong"] * any(mark & ~puz.GridMarkup.Circled for mark in marks)
    return build_document(
        [[x and solution.get((r, c), "") for c, x in enumerate(row)] for r, row in enumerate(rows)],
        [ListedClue(slot.direction.name, "", reread(clue)) for slot, clue in zip(grid.slots, file.clues, strict=False)],
        file_name,
        given=_read_given(file, grid),
        circles=[(r, c) for r, c in grid.cells if marks[r * width + c] & puz.GridMarkup.Circled],
        voids=frozenset(divmod(i, width) for i, x in enumerate(file.fill) if x == VOID_SIGN and not is_diagramless),
        is_diagramless=is_diagramless,
        is_locked=bool(file.solution_state & puz.SolutionState.Locked),
        unportable=unportable,
        warnings=[*warnings, *told],
        title=reread(file.title),
        author=reread(file.author),
        copyright=reread(file.copyright),
        notes=reread(file.notes),
    )


def write(document: Document, file_name: str) -> bytes:
    """Write a document as a new .puz; raises PuzzleError."""
    document = document.with_usual_numbers()
    squares.check_blocks_only(document.grid, file_name, "puz")
    clues = [texts.show_italics(document.clues.get(slot, "")) for slot in document.grid.slots]
    about = (document.title, document.author, document.copyright, document.notes.replace("\n", "\r\n"))
    typed_texts = [text.protect_entities(x) for x in (*about, *clues)]
    contents = (*document.solution.values(), *document.given.values())
    is_old = all(map(_is_cp1252, typed_texts)) and all(x.isascii() for x in contents)
    is_old = is_old and not _is_utf8("\n".join(typed_texts).encode("cp1252"))
    file = puz.Puzzle("1.3" if is_old else "2.0")
    grid = document.grid
    file.width, file.height = grid.width, grid.height
    encoded = [x.encode("cp1252").decode("latin-1") for x in typed_texts] if is_old else typed_texts
    file.title, file.author, file.copyright, file.notes, *file.clues = encoded
    if document.is_diagramless:
        file.puzzletype = puz.PuzzleType.Diagramless
    letters = {cell: _one_character(document.solution.get(cell, NO_LETTER)) for cell in grid.cells}
    file.fill, file.solution = (_draw_squares(document, signs) for signs in (dict.fromkeys(letters, "-"), letters))
    if not document.solution:
        file.solution_state = puz.SolutionState.NotProvided
    for (r, c), content in document.solution.items():
        if content != letters[r, c] and ";" not in content:  # a semicolon ends a content in the file
            file.rebus().add_rebus_squares(r * grid.width + c, content)
    if document.circles:
        marked = [r * grid.width + c for r, c in sorted(document.circles)]
        file.markup().set_markup_squares(marked, puz.GridMarkup.Circled)
    return _serialize(file, grid, document.given, file_name)


def _draw_squares(document: Document, signs: Mapping[Cell, str]) -> str:
    places = [(r, c) for r in range(document.grid.height) for c in range(document.grid.width)]
    hidden = places if document.is_diagramless else document.voids
    return "".join(signs.get(cell, VOID_SIGN if cell in hidden else BLOCK_SIGN) for cell in places)


def fill(data: bytes, file_name: str, letters: Mapping[Cell, str]) -> bytes:
    """Replace the given letters of the file in `data`, with correct checksums. Raises PuzzleError."""
    grid = read(data, file_name).grid
    return _serialize(_load_or_raise(data, file_name), grid, letters, file_name)


def unlock(data: bytes, file_name: str, n_keys: int, on_key: Callable[[], object]) -> bytes:
    """Unlock the solution of the file in `data` by trying all keys; call `on_key` for each.

    The checksum has 16 bits, so wrong keys may fit; the solution with the most vowels wins. Raises PuzzleError if no
    key fits, or the grid is too large.
    """
    file, unlocked = _load_or_raise(data, file_name), []
    if file.width * file.height > 32 * 32:  # trying all keys takes 20 s for that many squares
        size = squares.size_text(file.width, file.height)
        raise PuzzleError(f"{file_name} is {size}, too large for trying all keys; leave out --unlock")
    with suppress(*_FORMAT_ERRORS, RuntimeError):  # RuntimeError: squares are missing, and no key fits
        for key in range(n_keys):
            on_key()
            if file.unlock_solution(key):
                unlocked.append(file)
                file = _load_or_raise(data, file_name)
    if not unlocked:
        raise PuzzleError(
            f"{file_name} has a locked solution that none of the {n_keys:,} keys opens; download it again"
        )
    best = max(unlocked, key=lambda file: sum(file.solution.count(vowel) for vowel in "AEIOU"))
    return bytes(best.tobytes())


def fits_scrambled_solution(data: bytes, file_name: str, letters: Mapping[Cell, str]) -> bool:
    """Return whether `letters` match the checksum of the scrambled solution; raises PuzzleError."""
    file = _load_or_raise(data, file_name)
    first = {r * file.width + c: _one_character(content) for (r, c), content in letters.items()}
    signs = [sign if sign in BLOCK_SIGNS else first.get(i, NO_LETTER) for i, sign in enumerate(file.solution)]
    return bool(file.check_answers("".join(signs)))


def _serialize(file: Any, grid: Grid, letters: Mapping[Cell, str], file_name: str) -> bytes:
    """Write `letters` into the player's grid, and rebus squares into the RUSR section, one string per cell."""
    signs = list(file.fill)
    longer = [""] * len(signs)
    for r, c in grid.cells:
        i, content = r * grid.width + c, letters.get((r, c), "")
        signs[i] = _one_character(content) if content else "-"
        longer[i] = content if content != signs[i] else ""
    file.fill = "".join(signs)
    try:
        for helper in file.helpers.values():
            helper.save()
        file.helpers.clear()  # otherwise they would save again and drop the given letters
        file.extensions.pop(puz.Extensions.RebusFill, None)
        if any(longer):
            file.extensions[puz.Extensions.RebusFill] = b"".join(file.encode_zstring(x) for x in longer)
        return bytes(file.tobytes())
    except _FORMAT_ERRORS as cause:
        raise PuzzleError(f"{file_name} has more in its squares than a .puz can hold; write .ipuz instead") from cause


def _one_character(content: str) -> str:
    """Return one character for `content`, for places that hold only one."""
    if len(content) == 1 and content.isascii() and content not in BLOCK_SIGNS:
        return content
    return next((x for x in text.fold_accents(content).upper() if x.isascii() and x.isalnum()), NO_LETTER)


def _text_reader(file: Any) -> Callable[[str], str]:
    """Return a function for the texts from puzpy: it decodes them again if an older file holds UTF-8."""
    typed_texts = "\n".join((file.title, file.author, file.copyright, file.notes, *file.clues))
    if file.encoding != puz.ENCODING or not _is_utf8(typed_texts.encode("latin-1")):
        return text.decode_entities
    return lambda raw: text.decode_entities(raw.encode("latin-1").decode("utf-8"))


def _is_utf8(raw: bytes) -> bool:
    """Return whether `raw` has more than ASCII and is valid UTF-8; cp1252 hardly ever is by chance."""
    try:
        return not raw.isascii() and bool(raw.decode("utf-8"))
    except UnicodeError:
        return False


def _is_cp1252(typed: str) -> bool:
    try:
        return text.decode_cp1252(typed.encode("cp1252")) == typed
    except UnicodeError:
        return False


def _read_solution(file: Any, grid: Grid) -> tuple[dict[Cell, str], int]:
    """Read each white cell's content if known, nothing if scrambled, and count unknown rebus squares.

    A rebus square without a table has only its first letter, which is dropped.
    """
    if file is None or file.solution_state or len(file.solution) != grid.width * grid.height:
        return {}, 0
    numbers = file.extensions.get(puz.Extensions.Rebus, b"").ljust(len(file.solution), b"\0")  # 1 for content 0
    contents = {}
    with suppress(*_FORMAT_ERRORS):
        contents = {key: squares.clean_content(raw) for key, raw in file.rebus().solutions.items()}
    places = {(r, c): r * grid.width + c for r, c in grid.cells}
    solution = {
        cell: contents.get(numbers[i] - 1, "") if numbers[i] else file.solution[i] for cell, i in places.items()
    }
    return solution, sum(not solution[cell] for cell, i in places.items() if numbers[i])


def _read_given(file: Any, grid: Grid) -> dict[Cell, str]:
    """Read the given contents: letters in the player's grid, and longer ones in the RUSR section."""
    rebus = file.extensions.get(b"RUSR", b"").split(b"\0")
    given = {}
    for r, c in grid.cells:
        i = r * grid.width + c
        longer = rebus[i].decode(file.encoding, "replace") if i < len(rebus) else ""
        given[r, c] = squares.clean_content(longer) or file.fill[i]
    return given


def _has_all_texts(data: bytes, width: int, height: int, n_clues: int) -> bool:
    """Return whether `n_clues` clues fit after the grids, title, author, and copyright."""
    return data.count(b"\0", data.find(MAGIC_BYTES) - 2 + HEADER_BYTES + 2 * width * height) >= 3 + n_clues


def _find_layout(data: bytes, file_name: str) -> _Layout:
    """Find the two grids; raises PuzzleError if `data` ends before its last clue."""
    solution = data.index(MAGIC_BYTES) - 2 + HEADER_BYTES
    if len(data) >= solution:
        width, height, n_clues = struct.unpack_from("<BBH", data, solution - 8)
        squares.check_size(width, height, file_name)
        fill = solution + width * height
        if _has_all_texts(data, width, height, n_clues):
            return _Layout(width, height, solution, fill)
    raise PuzzleError(f"{file_name} is incomplete: it ends before its last clue; download it again")


_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")  # no line ends


def _load_or_raise(data: bytes, file_name: str) -> Any:
    file, _ = _try_load(data)
    if file is None:
        raise PuzzleError(f"{file_name} is damaged and can't be read as a .puz file; download it again")
    for name in TEXT_FIELDS:  # otherwise every copy of the file would keep the control characters
        setattr(file, name, _replace_controls(getattr(file, name), file.encoding))
    file.clues = [_replace_controls(clue, file.encoding) for clue in file.clues]
    return file


def _replace_controls(raw: str, encoding: str) -> str:
    """Replace the control characters in a text from puzpy; those above ASCII only in UTF-8, since cp1252 has letters
    there."""
    raw = _CONTROL.sub(" ", raw)
    if encoding != puz.ENCODING:
        return raw.translate(text.CP1252_TWINS)
    if _is_utf8(raw.encode("latin-1")):
        return raw.encode("latin-1").decode().translate(text.CP1252_TWINS).encode().decode("latin-1")
    return raw


def _try_load(data: bytes) -> tuple[Any, bool]:
    """Load `data` with puzpy, None if it fails; return whether the checksums, checked last, are right, too."""
    file = puz.Puzzle()
    try:
        file.load(data)
    except UnicodeDecodeError:
        return _load_as_cp1252(data)
    except ValueError:
        start = data.find(MAGIC_BYTES) - 2
        version = data[start + VERSION_BYTES.start : start + VERSION_BYTES.stop]
        return _load_as_cp1252(data) if not VERSION.match(version) else (None, False)
    except _FORMAT_ERRORS as cause:
        return file if isinstance(cause, puz.PuzzleFormatError) and "checksum" in cause.message else None, False
    return file, True


def _load_as_cp1252(data: bytes) -> tuple[Any, bool]:
    """Load a file as an older version if its version is odd (and stays so) or it is wrongly marked as UTF-8."""
    start = data.find(MAGIC_BYTES) - 2
    first, last = start + VERSION_BYTES.start, start + VERSION_BYTES.stop
    file, is_sound = _try_load(data[:first] + b"1.3\0" + data[last:])
    if file is not None:
        file.fileversion = data[first:last]
    return file, is_sound


def _block_rows(signs: str, layout: _Layout) -> Squares:
    shown = [None if x in BLOCK_SIGNS else "-" for x in signs]
    return [shown[i : i + layout.width] for i in range(0, len(shown), layout.width)]
