"""A folder for what is made of many puzzles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
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
    name_counts: Counter[str] = field(default_factory=Counter)  # how often each name came

    def reserve_path(self, file: PuzzleFile, format: str) -> Path:
        """Choose where what is made of `file` goes; of puzzles of one name each later one is numbered.

        Names that differ in capitals alone are one: on the disks of most Macs and of Windows they name one file.
        The folder is made for the first. Raises UsageError and OutputError where nothing can go there.
        """
        is_first = not self.used_names
        if is_first:
            atomic.make_folder(self.path, self.index_folder)
        suffix = "txt" if format == "text" else format
        while True:
            self.name_counts[file.stem.casefold()] += 1
            number = self.name_counts[file.stem.casefold()]
            name = f"{file.stem}{f'-{number}' if number > 1 else ''}.{suffix}"
            if name.casefold() not in self.used_names:
                break
        self.used_names.add(name.casefold())
        atomic.check_writable(self.path / name, self.protected_paths, self.index_folder, tidies=is_first)
        return self.path / name
