"""The puzzles opened since the server started: their files, and what the page may know of them.

A puzzle's name is a hash of its file, so the browser finds its letters again under any file name and after any restart.
The page gets what is on paper: shape, clues, and the letters saved in the file.

Opened files are kept in the data folder, so that a puzzle opens again after a restart, even if its file has moved. Each
kept file is named by its id: a line of JSON with the puzzle's name, then its bytes. If one can't be kept, as on a full
disk, the page asks for it again.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path, PurePath
from typing import Any, NamedTuple

from regis.errors import OutputError, PuzzleError, UsageError
from regis.models.text.clue_form import find_references
from regis.puzzle import Cell, Direction, Puzzle, formats
from regis.puzzle.formats import PuzzleFile
from regis.puzzle.formats.files import MAX_FILE_BYTES
from regis.puzzle.formats.shared.document import ReadingConfidence
from regis.system import paths
from regis.system.files.atomic import write_file
from regis.system.terminal import plain_text

MAX_KEPT_FILES = 500  # kept puzzle files; one more deletes the one opened first
FOLDER_NAME = "played"  # in the data folder
ID_PATTERN = re.compile("[0-9a-f]{16}")


class KeptFiles:
    """The puzzle files kept in one folder, which may not exist yet."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def list_ids(self) -> list[str]:
        return sorted(path.name for path in self._list_paths())

    def keep(self, puzzle_id: str, puzzle_file: PuzzleFile) -> None:
        """Keep a file if possible; beyond `MAX_KEPT_FILES`, delete the oldest."""
        path = self.folder / puzzle_id
        if len(puzzle_file.data) > MAX_FILE_BYTES:  # a page
            return
        with suppress(OSError, OutputError):
            if path.exists():
                path.touch()
                return
            self.folder.mkdir(parents=True, exist_ok=True)
            head = puzzle_file.name, puzzle_file.page_number, puzzle_file.grid_number
            write_file(path, json.dumps(head).encode() + b"\n" + puzzle_file.data)
            by_age = sorted(self._list_paths(), key=lambda one: one.stat().st_mtime)
            for old in by_age[: max(len(by_age) - MAX_KEPT_FILES, 0)]:
                old.unlink()

    def find(self, puzzle_id: str) -> PuzzleFile | None:
        """Return a kept file; None if it isn't kept or can't be read."""
        if not ID_PATTERN.fullmatch(puzzle_id):
            return None
        try:
            head, _, data = (self.folder / puzzle_id).read_bytes().partition(b"\n")
            name, *place = json.loads(head)
            return PuzzleFile(str(name), data, "", *place)
        except (OSError, ValueError, TypeError, RecursionError):
            return None

    def _list_paths(self) -> list[Path]:
        try:
            return [path for path in self.folder.iterdir() if ID_PATTERN.fullmatch(path.name)]
        except OSError:
            return []


MAX_OPEN_PUZZLES = 64  # open puzzles; one more closes the least recently used
MAX_LISTED_PUZZLES = 5000  # puzzles of a folder on the first page


class PaperReading(NamedTuple):
    """How a puzzle was read from a page: the page's own puzzle, the confidence, and the clues typed."""

    page_id: str
    confidence: ReadingConfidence
    typed_clues: Mapping[str, str]  # by their entries' names
    added: tuple[int, int] = (0, 0)  # rows above and columns left that the reading lacks; negative for removed ones


class OpenPuzzle(NamedTuple):
    puzzle_id: str
    puzzle_file: PuzzleFile
    puzzle: Puzzle
    warnings: tuple[str, ...]
    unread_contents: Mapping[Cell, str]  # given contents that Regis can't read
    paper: PaperReading | None = None


class OpenPuzzles:
    """The open puzzles, and the puzzles that can be opened by name: the command line's files and the examples."""

    def __init__(
        self,
        named_files: Sequence[PuzzleFile] = (),
        kept_files: KeptFiles | None = None,
        read: Callable[..., Any] = lambda function, *arguments: function(*arguments),
    ) -> None:
        """Start without open files; `read` calls a function that reads a file, as `FileReader.call` does."""
        self._kept_files = kept_files
        self.read = read
        self._descriptions: dict[str, dict[str, Any]] = {}
        self._opened: OrderedDict[str, OpenPuzzle] = OrderedDict()
        self.named_files = {_file_id(file): file for file in named_files[:MAX_LISTED_PUZZLES]}
        self.example_files = {
            _file_id(file): file for path in paths.example_puzzles() for file in formats.open_files(path)
        }

    @property
    def available_ids(self) -> list[str]:
        """List the puzzles that can be opened without their files."""
        kept_ids = self._kept_files.list_ids() if self._kept_files else []
        return list(dict.fromkeys([*self._opened, *self.named_files, *self.example_files, *kept_ids]))

    def open_file(self, puzzle_file: PuzzleFile) -> OpenPuzzle:
        """Read a file, and keep it open. Raises PuzzleError."""
        opened, confidence = self.read(_read_file, puzzle_file)
        paper = PaperReading(opened.puzzle_id, confidence, {}) if confidence else None
        return self.hold_open(opened._replace(puzzle_file=puzzle_file, paper=paper))

    def mend_puzzle(
        self, page_id: str, rows: tuple[str, ...], added: tuple[int, int], clues: Mapping[str, str]
    ) -> OpenPuzzle:
        """Read a page again with corrected blocks and clues. Raises PuzzleError or UsageError."""
        page = self[page_id]
        if page.paper is None or page.paper.page_id != page_id:
            raise UsageError("this puzzle wasn't read from a page; open the page's file")
        mended, confidence = self.read(formats.mend_page, page.puzzle_file, rows, added, clues)
        opened: OpenPuzzle = self.read(_read_file, mended)[0]
        return opened._replace(puzzle_file=mended, paper=PaperReading(page_id, confidence, clues, added))

    def hold_open(self, puzzle: OpenPuzzle) -> OpenPuzzle:
        self._opened[puzzle.puzzle_id] = puzzle
        if self._kept_files and puzzle.puzzle_id not in self.example_files:
            self._kept_files.keep(puzzle.puzzle_id, puzzle.puzzle_file)
        while len(self._opened) > MAX_OPEN_PUZZLES:
            self._opened.popitem(last=False)
        return puzzle

    def find_open(self, puzzle_id: str) -> OpenPuzzle | None:
        if puzzle_id in self._opened:
            self._opened.move_to_end(puzzle_id)
        return self._opened.get(puzzle_id)

    def __getitem__(self, puzzle_id: str) -> OpenPuzzle:
        """Return a puzzle. Raises PuzzleError if it isn't open and can't be opened by name."""
        if opened := self.find_open(puzzle_id):
            return opened
        puzzle_file = self.named_files.get(puzzle_id) or self.example_files.get(puzzle_id)
        if puzzle_file is None and self._kept_files:
            puzzle_file = self._kept_files.find(puzzle_id)
        if puzzle_file is None:
            raise PuzzleError("this puzzle is no longer open; choose its file again to get your letters back")
        return self.open_file(puzzle_file)

    def describe_files(self, puzzle_files: Mapping[str, PuzzleFile]) -> list[dict[str, Any]]:
        """Describe each puzzle for a list, reading each file once."""
        for puzzle_id, file in puzzle_files.items():
            if puzzle_id not in self._descriptions:
                self._descriptions[puzzle_id] = self.read(_describe_file, puzzle_id, file)
        return [self._descriptions[puzzle_id] for puzzle_id in puzzle_files]


def _read_file(file: PuzzleFile) -> tuple[OpenPuzzle, ReadingConfidence | None]:
    """Read a puzzle, without its file, and its confidence. Raises PuzzleError."""
    unread = formats.read_unusable_letters(file)
    opened = OpenPuzzle(_file_id(file), file._replace(data=b""), *formats.read_puzzle(file), unread)
    return opened, formats.read_confidence(file)


def _file_id(file: PuzzleFile) -> str:
    place = (file.page_number, file.grid_number)
    return hashlib.sha256(
        (file.data or file.name.encode()) + repr(place).encode() * (place != (None, None))
    ).hexdigest()[:16]


def _describe_file(puzzle_id: str, file: PuzzleFile) -> dict[str, Any]:
    """Describe a puzzle for a list by its name and card, or say what is wrong with it."""
    about: dict[str, Any] = {"id": puzzle_id, "file": plain_text(PurePath(file.name).name)}
    try:
        puzzle, _ = formats.read_puzzle(file)
    except PuzzleError as error:
        return about | {"problem": plain_text(str(error))}
    return about | describe_card(puzzle)


def describe_card(puzzle: Puzzle) -> dict[str, Any]:
    """Describe a puzzle in a list: title, author, date, size, and shape."""
    return {
        "title": plain_text(puzzle.title),
        "author": plain_text(puzzle.author),
        "size": f"{puzzle.grid.width} by {puzzle.grid.height}",
        "date": puzzle.date.isoformat() if puzzle.date else "",
        "rows": puzzle.grid.rows,
        "squares": len(puzzle.grid.cells),
    }


def describe_puzzle(open_puzzle: OpenPuzzle) -> dict[str, Any]:
    """Describe a puzzle as on paper, for JSON; squares are [row, column]."""
    puzzle, grid, file, paper = open_puzzle.puzzle, open_puzzle.puzzle.grid, open_puzzle.puzzle_file, open_puzzle.paper
    date = puzzle.date.isoformat() if puzzle.date else ""
    slots_by_number = {
        (grid.cell_numbers[slot.cells[0]], slot.direction is Direction.ACROSS): slot for slot in grid.slots
    }
    return {
        "id": open_puzzle.puzzle_id,
        "file": plain_text(PurePath(file.name).name),
        "stem": plain_text(file.stem),
        "title": plain_text(puzzle.title) or plain_text(file.stem),
        "about": [shown for text in (puzzle.author, date, puzzle.copyright) if (shown := plain_text(text))],
        "notes": plain_text(puzzle.notes),
        "warnings": [plain_text(warning) for warning in open_puzzle.warnings],
        "rows": grid.rows,
        "numbers": [[*cell, number] for cell, number in grid.cell_numbers.items()],
        "bars": [[*cell, "right" if cell[0] == other[0] else "below"] for cell, other in sorted(grid.bars)],
        "circles": sorted(puzzle.circles),
        "shaded": sorted(puzzle.shaded),
        "given": [[*cell, letter] for cell, letter in sorted({**puzzle.given, **open_puzzle.unread_contents}.items())],
        "paper": paper
        and {
            "page": paper.page_id,
            "pages": paper.confidence.n_pages,
            "squares": paper.confidence.doubtful_squares,
            "entries": list(map(str, paper.confidence.doubtful_clues)),
            "typed": paper.typed_clues,
            "added": paper.added,
        },
        "entries": [
            {
                "name": str(slot),
                "across": slot.direction is Direction.ACROSS,
                "clue": plain_text(puzzle.clues.get(slot, "")),
                "cells": slot.cells,
                "refers": [
                    str(slots_by_number[reference])
                    for reference in find_references(puzzle.clues.get(slot, ""))
                    if slots_by_number.get(reference, slot) != slot
                ],
            }
            for slot in grid.slots
        ],
    }
