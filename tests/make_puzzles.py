"""Puzzle files for tests, written by puzpy from grids drawn as rows of letters and `#`."""

import struct
from collections.abc import Collection, Mapping, Sequence

import puz

from regis.puzzle import Cell, Grid

MAGIC = b"ACROSS&DOWN"
HEADER = 52  # bytes from two before the magic to the solution


def shape(rows: Sequence[str]) -> Grid:
    """Return the grid of `rows`, with a white cell for every letter."""
    return Grid(tuple("".join("#" if x == "#" else "." for x in row) for row in rows))


def puz_bytes(
    rows: Sequence[str],
    clues: Sequence[str] | None = None,
    *,
    title: str = "",
    author: str = "",
    copyright: str = "",
    notes: str = "",
    fill: Sequence[str] | None = None,
    rebus: Mapping[Cell, str] | None = None,
    written: Mapping[Cell, str] | None = None,
    circles: Collection[Cell] = (),
    version: str = "1.3",
    diagramless: bool = False,
    state: int = puz.SolutionState.Unlocked,
    preamble: bytes = b"",
    checksums_ok: bool = True,
) -> bytes:
    """Return a .puz file whose solution is `rows`; clues are 'Clue 1A', ... in number order unless given.

    `fill` is the player's grid ('-' for empty; the default), `rebus` has the longer contents of the solution, and
    `written` those that the person wrote. Unless `checksums_ok`, the first checksum in the file is wrong.
    """
    file = puz.Puzzle(version)
    file.height, file.width = len(rows), len(rows[0])
    block = ":" if diagramless else "."
    if diagramless:
        file.puzzletype = puz.PuzzleType.Diagramless
    file.solution = "".join(rows).replace("#", block)
    player = fill or ["".join("#" if x == "#" else "-" for x in row) for row in rows]
    file.fill = "".join(player).replace("#", block)
    file.clues = [f"Clue {slot}" for slot in shape(rows).slots] if clues is None else list(clues)
    file.title, file.author, file.copyright, file.notes = title, author, copyright, notes
    file.solution_state = state
    file.preamble = preamble
    for (r, c), content in (rebus or {}).items():
        file.rebus().add_rebus_squares(r * file.width + c, content)
    file.markup().set_markup_squares([r * file.width + c for r, c in circles], puz.GridMarkup.Circled)
    if written:
        cells = [written.get((i // file.width, i % file.width), "") for i in range(len(file.fill))]
        file.extensions[b"RUSR"] = b"".join(file.encode(content) + b"\0" for content in cells)
    data = bytearray(file.tobytes())
    if not checksums_ok:
        data[len(preamble)] ^= 0xFF
    return bytes(data)


def with_section(data: bytes, name: bytes, content: bytes) -> bytes:
    """Return `data` with one more section after its texts."""
    return data + name + struct.pack("<HH", len(content), puz.data_cksum(content)) + content + b"\0"


def with_solution(data: bytes, junk: bytes) -> bytes:
    """Return `data` with its solution overwritten by repeated `junk`, and nothing else changed."""
    start = data.index(MAGIC) - 2
    size = data[start + 44] * data[start + 45]
    begin = start + HEADER
    return data[:begin] + (junk * size)[:size] + data[begin + size :]
