"""Files and folders that the user names: where results go, and what is skipped.

Archives in a folder or zip aren't opened, since they may have the same puzzles again. Lists in a folder aren't added,
since any .txt next to puzzles looks like a list. Both are reported.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from regis.cli.printing import print_note
from regis.puzzle import formats
from regis.puzzle.formats import PuzzleFile
from regis.system import paths
from regis.system.files import atomic


@dataclass
class OutputFolder:
    """A folder in which each puzzle gets a file with its name; inputs are never overwritten."""

    path: Path
    protected_paths: Sequence[Path]
    index_folder: Path | None = None
    used_names: set[str] = field(default_factory=set)

    def reserve_path(self, file: PuzzleFile, format: str) -> Path:
        """Choose the path of the result of `file`, before the work; puzzles with the same name are numbered.

        Names that differ only in capitals count as the same, as on most disks of Macs and Windows. The folder is
        created for the first puzzle. Raises UsageError or OutputError if nothing can be written there.
        """
        if not self.used_names:
            atomic.make_folder(self.path, self.index_folder)
        suffix = "txt" if format == "text" else format
        names = (f"{file.stem}{f'-{number}' if number > 1 else ''}.{suffix}" for number in itertools.count(1))
        name = next(name for name in names if name.casefold() not in self.used_names)
        self.used_names.add(name.casefold())
        atomic.check_writable(self.path / name, self.protected_paths, self.index_folder)
        return self.path / name


def report_skipped_archives(places: Iterable[Path]) -> None:
    """Note that archives in folders and zips among `places` weren't opened."""
    if files := sorted({file for path in places for file in formats.list_inner_archives(path)}):
        print_note(f"note: skipped archives inside a folder or zip; unpack or name {_name_files(files)}")


def report_skipped_lists(places: Iterable[Path]) -> None:
    """Note that lists and clue tables in folders among `places` weren't added."""
    folders = [path for path in places if path != paths.STDIN_PATH and path.is_dir()]
    if files := sorted({file for folder in folders for file in formats.walk_files(folder) if _is_list(file)}):
        print_note(f"note: only puzzles are added from a folder; name lists separately: {_name_files(files)}")


def _is_list(path: Path) -> bool:
    """Return whether a file has the name of a list or a clue table, and isn't a puzzle."""
    from regis.corpora.readers import guess_reader

    with suppress(OSError):
        return guess_reader(path) is not None and path.is_file() and not formats.is_puzzle_file(path)
    return False


def _name_files(files: Sequence[Path]) -> str:
    more = f" and {len(files) - 3:,} more" if len(files) > 3 else ""
    return ", ".join(paths.printable_path(path) for path in files[:3]) + more
