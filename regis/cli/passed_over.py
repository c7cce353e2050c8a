"""What lies in a folder that a person named and is not taken: it is told, since nobody would see that it is missing.

A folder is looked through for puzzles. Archives in it are not opened, which may hold the same puzzles once more; lists
are not added, since any .txt beside puzzles looks like one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from regis.cli.printing import report
from regis.puzzle import formats
from regis.system import paths

SHOWN = 3  # files that a note names


def tell_archives(places: Iterable[Path]) -> None:
    """Notes that archives in folders among `places` were not looked into."""
    if found := _inside(places, formats.is_archive):
        report(f"note: archives in a folder are not looked into; unpack, or name, {_some(found)}")


def tell_lists(places: Iterable[Path]) -> None:
    """Notes that lists and clue tables in folders among `places` are not added."""
    if found := _inside(places, _is_list):
        report(f"note: of what is in a folder only puzzles are added; name lists themselves: {_some(found)}")


def _inside(places: Iterable[Path], wanted: Callable[[Path], bool]) -> list[Path]:
    """The files that are `wanted` in folders among `places`, by name; without hidden folders."""
    folders = [path for path in places if path != paths.STDIN and path.is_dir()]
    return sorted({path for folder in folders for path in formats.inside(folder) if wanted(path)})


def _is_list(path: Path) -> bool:
    """Whether it is called as a list or a clue table is, and holds no puzzle."""
    from regis.corpora.readers import named  # which who solves need not wait for

    with suppress(OSError):
        return named(path) is not None and path.is_file() and not formats.holds(path)
    return False


def _some(found: Sequence[Path]) -> str:
    more = f" and {len(found) - SHOWN:,} more" if len(found) > SHOWN else ""
    return ", ".join(paths.shown(path) for path in found[:SHOWN]) + more
