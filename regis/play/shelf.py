"""The puzzles that were opened since the server began: their files, and what the page may know of them.

A puzzle is named by a hash of its file, so that the letters that a browser keeps are found again when the file is
opened again, by whatever name and after whatever happened to the server. The page is told what stands on paper: shape,
clues, and the letters that the person saved in the file.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any, NamedTuple

from regis.errors import PuzzleError
from regis.puzzle import Cell, Direction, Puzzle, formats
from regis.puzzle.formats import PuzzleFile
from regis.system import paths
from regis.system.terminal import plain

MOST = 64  # puzzles that are kept open; one more closes the one that nobody asked for longest
LISTED = 200  # puzzles of a folder that the first page lists

GONE = "this puzzle is no longer open; choose its file again, and your letters are there"


class Opened(NamedTuple):
    """A puzzle file as it was opened."""

    name: str
    file: PuzzleFile
    puzzle: Puzzle
    warnings: tuple[str, ...]
    unread: Mapping[Cell, str]  # what the person wrote of which Regis makes nothing


class Shelf:
    """What was opened, and what may be opened by name: the files of the command line, and the examples."""

    def __init__(self, named: Sequence[PuzzleFile] = ()) -> None:
        self._opened: OrderedDict[str, Opened] = OrderedDict()
        self.named = {_name(file): file for file in named[:LISTED]}
        self.examples = {_name(file): file for path in paths.examples() for file in formats.open_files(path)}

    @property
    def names(self) -> list[str]:
        """The puzzles that can be had without their files."""
        return [*self._opened, *self.named, *self.examples]

    def open(self, file: PuzzleFile) -> Opened:
        """Reads a file. Raises PuzzleError."""
        opened = Opened(_name(file), file, *formats.read(file), formats.unread(file))
        self._opened[opened.name] = opened
        while len(self._opened) > MOST:
            self._opened.popitem(last=False)
        return opened

    def __getitem__(self, name: str) -> Opened:
        """Raises PuzzleError if it is neither open nor can be opened by name."""
        if name in self._opened:
            self._opened.move_to_end(name)
            return self._opened[name]
        file = self.named.get(name) or self.examples.get(name)
        if file is None:
            raise PuzzleError(GONE)
        return self.open(file)


def _name(file: PuzzleFile) -> str:
    return hashlib.sha256(file.data or file.name.encode()).hexdigest()[:16]


def listed(files: dict[str, PuzzleFile]) -> list[dict[str, Any]]:
    """What a list of puzzles shows of each: name, title and size, or what is wrong with it."""
    found = []
    for name, file in files.items():
        about: dict[str, Any] = {"id": name, "file": plain(PurePath(file.name).name)}
        try:
            puzzle, _ = formats.read(file)
            about |= {"title": plain(puzzle.title), "size": f"{puzzle.grid.width} by {puzzle.grid.height}"}
        except PuzzleError as error:
            about |= {"problem": plain(str(error))}
        found.append(about)
    return found


def on_paper(opened: Opened) -> dict[str, Any]:
    """What the page shows of a puzzle, as JSON has it. Squares are row and column."""
    puzzle, grid = opened.puzzle, opened.puzzle.grid
    date = puzzle.date.isoformat() if puzzle.date else ""
    return {
        "id": opened.name,
        "file": plain(PurePath(opened.file.name).name),
        "stem": plain(opened.file.stem),
        "title": plain(puzzle.title) or plain(opened.file.stem),
        "about": [shown for text in (puzzle.author, date, puzzle.copyright) if (shown := plain(text))],
        "notes": plain(puzzle.notes),
        "warnings": [plain(warning) for warning in opened.warnings],
        "rows": grid.rows,
        "numbers": [[*cell, number] for cell, number in grid.numbers.items()],
        "bars": [[*cell, "right" if cell[0] == other[0] else "below"] for cell, other in sorted(grid.bars)],
        "circles": sorted(puzzle.circles),
        "shaded": sorted(puzzle.shaded),
        "given": [[*cell, letter] for cell, letter in sorted({**puzzle.given, **opened.unread}.items())],
        "entries": [
            {
                "name": str(slot),
                "across": slot.direction is Direction.ACROSS,
                "clue": plain(puzzle.clues.get(slot, "")),
                "cells": slot.cells,
            }
            for slot in grid.slots
        ],
    }
