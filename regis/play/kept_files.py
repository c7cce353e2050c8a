"""The puzzle files that were opened, kept in the data folder, so that what was begun opens again after any restart.

One file a puzzle, named by the puzzle's id: a line of JSON with the name that it had, and behind it its bytes as they
were. What cannot be kept, as on a disk that is full, is not: the page then asks for the file, as it did before.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from pathlib import Path

from regis.errors import OutputError
from regis.puzzle.formats import PuzzleFile
from regis.system.files.atomic import write_file

MAX_KEPT_FILES = 500  # puzzle files that are kept; one more and the one that was opened first goes
MAX_KEPT_BYTES = 1 << 20  # bytes of a file that is kept; puzzles have some thousands
FOLDER_NAME = "played"  # in the data folder
ID_PATTERN = re.compile("[0-9a-f]{16}")


class KeptFiles:
    """The puzzle files kept in one folder, which need not exist."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def list_ids(self) -> list[str]:
        """List the ids of the puzzles that are kept."""
        return sorted(path.name for path in self._list_paths())

    def keep(self, puzzle_id: str, puzzle_file: PuzzleFile) -> None:
        """Keep a file, if it is not kept and can be; beyond `MAX_KEPT_FILES` the oldest goes."""
        path = self.folder / puzzle_id
        if len(puzzle_file.data) > MAX_KEPT_BYTES:
            return
        with suppress(OSError, OutputError):
            if path.exists():
                path.touch()
                return
            self.folder.mkdir(parents=True, exist_ok=True)
            write_file(path, json.dumps(puzzle_file.name).encode() + b"\n" + puzzle_file.data)
            by_age = sorted(self._list_paths(), key=lambda one: one.stat().st_mtime)
            for old in by_age[: max(len(by_age) - MAX_KEPT_FILES, 0)]:
                old.unlink()

    def find(self, puzzle_id: str) -> PuzzleFile | None:
        """Return a file that is kept, None where it is not or cannot be read."""
        if not ID_PATTERN.fullmatch(puzzle_id):
            return None
        try:
            name, _, data = (self.folder / puzzle_id).read_bytes().partition(b"\n")
            return PuzzleFile(str(json.loads(name)), data)
        except (OSError, ValueError, RecursionError):
            return None

    def _list_paths(self) -> list[Path]:
        try:
            return [path for path in self.folder.iterdir() if ID_PATTERN.fullmatch(path.name)]
        except OSError:
            return []
