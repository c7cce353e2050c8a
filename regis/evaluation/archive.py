"""The puzzles of a benchmark: which are taken from an archive, and whether the index has seen them before.

A puzzle is seen by date when it is no later than the newest clue in the index, by content when the index holds most of
its clues with their answers. Figures over seen puzzles measure memory and not solving.
"""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from regis.errors import RegisError, SeenPuzzles, UsageError
from regis.evaluation import score
from regis.evaluation.records import Record
from regis.index import Index
from regis.puzzle import formats
from regis.puzzle.formats import PuzzleFile
from regis.system import paths
from regis.system.progress import Progress

SEEN_SHARE = 0.8
"""A puzzle counts as seen when the index holds more than this share of its clue-answer pairs, clue and answer both the
same: about the middle between new puzzles and known ones (docs/measured.md), since a corpus may spell clues its way."""

UNDATED = 7  # comes after Sunday, 6


class Item(NamedTuple):
    """A puzzle file with what must be known of it before it is solved."""

    file: PuzzleFile
    date: dt.date | None
    held: float | None = None  # share of its clue-answer pairs that the index holds; None without a solution
    seen: str = ""  # how it is known to be in the index; '' if it is not
    cells: int = 0  # white ones: how much work it is


def read(archive: Path, progress: Progress) -> tuple[list[Item], list[Record]]:
    """The puzzles of `archive` in the order of their dates, and the files that cannot be read."""
    items, broken = [], []
    with progress("reading puzzles", None) as bar:
        for file in formats.open_files(archive):
            file = file._replace(name=file.name.removeprefix(f"{paths.shown(archive)}{os.sep}"))
            try:
                puzzle = formats.read(file)[0]
                items.append(Item(file, puzzle.date, cells=len(puzzle.grid.cells)))
            except (RegisError, OSError, MemoryError) as cause:
                broken.append(Record(file.name, failure=str(cause) or type(cause).__name__))
            bar.update(1)
    if not items and not broken:
        raise UsageError(f"there is no puzzle file in {archive}; name a folder or a zip that holds some")
    return sorted(items, key=lambda p: (p.date or dt.date.max, p.file.name)), broken


def sample(items: Sequence[Item], limit: int | None, per_weekday: int | None) -> list[Item]:
    """`limit` puzzles spread over the weekdays, or `per_weekday` of each, evenly spaced in time; the same each time."""
    groups: dict[int, list[Item]] = {}
    for item in items:
        groups.setdefault(item.date.weekday() if item.date else UNDATED, []).append(item)
    most = {day: min(len(group), per_weekday or len(group)) for day, group in sorted(groups.items())}
    quota = dict.fromkeys(most, 0)
    wanted = sum(most.values()) if limit is None else min(limit, sum(most.values()))
    while (missing := wanted - sum(quota.values())) > 0:
        for day in [day for day in quota if quota[day] < most[day]][:missing]:
            quota[day] += 1
    taken = {id(groups[day][i * len(groups[day]) // n]) for day, n in quota.items() for i in range(n)}
    return [item for item in items if id(item) in taken]


def looked_up(item: Item, index: Index, archive: str) -> Item:
    """`item` with how much of it the index holds, and why it counts as seen, if it does.

    Its date says nothing when the index was built with this very archive held out; its content always does.
    """
    truth = score.truth(item.file)
    held = None
    if truth is not None:
        pairs = score.pairs(formats.read(item.file)[0], truth)
        held = sum(index.holds(clue, answer) for clue, answer in pairs) / max(len(pairs), 1)
    if held is not None and held > SEEN_SHARE:
        return item._replace(held=held, seen=f"the index holds {held:.0%} of its clues with their answers")
    latest = index.manifest.latest_year
    held_out = archive in index.manifest.held_out.get("archives", ())
    if item.date and latest is not None and item.date.year <= latest and not held_out:
        return item._replace(held=held, seen=f"it is of {item.date.year} and the index reaches to {latest}")
    return item._replace(held=held)


def refuse_seen(items: Sequence[Item], archive: Path, layers: bool) -> None:
    """Raises SeenPuzzles if any of `items` is seen, by an index that has `layers` or none."""
    seen = [item for item in items if item.seen]
    if seen:
        off = "take layers off that are later (`regis index` lists them, `regis remove`), " if layers else ""
        raise SeenPuzzles(
            f"{len(seen)} of {len(items)} puzzles are in the index already, or may be, first {seen[0].file.name} "
            f"({seen[0].seen}); measure them all the same with --seen, {off}or build an index without them "
            f"(`regis build --until YEAR` or `--hold-out {archive}`)"
        )
