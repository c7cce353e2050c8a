"""What lies in a folder that a person named and is not taken: it is told, since nobody would see that it is missing.

A folder is looked through for puzzles. Archives in it are not opened, which may hold the same puzzles once more; lists
are not added, since any .txt beside puzzles looks like one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from regis.cli.output.printing import print_note
from regis.puzzle import formats
from regis.system import paths

MAX_NAMED_FILES = 3  # files that a note names


def report_skipped_archives(places: Iterable[Path]) -> None:
    """Note that archives in folders among `places` were not looked into."""
    if files := _find_files(places, formats.is_archive):
        print_note(f"note: archives inside a folder are skipped; unpack or name {_name_files(files)}")


def report_skipped_lists(places: Iterable[Path]) -> None:
    """Note that lists and clue tables in folders among `places` are not added."""
    if files := _find_files(places, _is_list):
        print_note(f"note: only the puzzles in a folder are added; name lists themselves: {_name_files(files)}")


def _find_files(places: Iterable[Path], is_wanted: Callable[[Path], bool]) -> list[Path]:
    """Find files in folders among `places`, by name; without hidden folders."""
    folders = [path for path in places if path != paths.STDIN_PATH and path.is_dir()]
    return sorted({path for folder in folders for path in formats.walk_files(folder) if is_wanted(path)})


def _is_list(path: Path) -> bool:
    """Return whether it is called as a list or a clue table is, and holds no puzzle."""
    from regis.corpora.readers import guess_reader  # which who solves need not wait for

    with suppress(OSError):
        return guess_reader(path) is not None and path.is_file() and not formats.is_puzzle_file(path)
    return False


def _name_files(files: Sequence[Path]) -> str:
    more = f" and {len(files) - MAX_NAMED_FILES:,} more" if len(files) > MAX_NAMED_FILES else ""
    return ", ".join(paths.printable_path(path) for path in files[:MAX_NAMED_FILES]) + more
