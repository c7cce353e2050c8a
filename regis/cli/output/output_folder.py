"""A folder for what is made of many puzzles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain, count
from pathlib import Path

from regis.puzzle.formats import PuzzleFile
from regis.system.files import atomic


@dataclass
class OutputFolder:
    """A folder where each puzzle gets a file, named as its own; nothing that is read is written over.

    It gets its path before the work, which is lost where there is none.
    """

    path: Path
    protected_paths: Sequence[Path]
    index_folder: Path | None = None
    used_names: set[str] = field(default_factory=set)

    def reserve_path(self, file: PuzzleFile, format: str) -> Path:
        """Choose where what is made of `file` goes; of puzzles of one name each later one is numbered.

        Names that differ in capitals alone are one: on the disks of most Macs and of Windows they name one file.
        Raises UsageError and OutputError where nothing can go there.
        """
        names = (
            f"{file.stem}{n}.{'txt' if format == 'text' else format}" for n in chain([""], (f"-{i}" for i in count(2)))
        )
        name = next(name for name in names if name.casefold() not in self.used_names)
        self.used_names.add(name.casefold())
        atomic.check_writable(self.path / name, self.protected_paths, self.index_folder)
        return self.path / name
