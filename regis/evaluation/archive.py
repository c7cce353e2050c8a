"""The puzzles of a benchmark: which are chosen, and whether the index has seen them.

A puzzle counts as seen by date if it isn't later than the index's newest clue, or by content if the index has most of
its clues with their answers. Figures on seen puzzles measure memory, not solving.
"""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from regis.errors import RegisError, SeenPuzzles, UsageError
from regis.evaluation import score
from regis.evaluation.records import PuzzleRecord
from regis.index import Index
from regis.puzzle import formats
from regis.puzzle.formats import PuzzleFile
from regis.system import paths
from regis.system.progress import Progress

SEEN_SHARE = 0.8
"""Share of a puzzle's clue-answer pairs in the index above which it counts as seen. It is about halfway between new and
known puzzles (docs/experiments/seen-puzzles.md), since corpora spell clues differently."""


class ArchivePuzzle(NamedTuple):
    """A puzzle file with everything that must be known before solving."""

    file: PuzzleFile
    date: dt.date | None
    share_in_index: float | None = None  # share of its clue-answer pairs in the index; None without a solution
    seen_reason: str = ""  # how it is known to be in the index; '' if it isn't


def read_archive(archive: Path, progress: Progress) -> tuple[list[ArchivePuzzle], list[PuzzleRecord]]:
    """Read the puzzles of `archive` by date, and make records of unreadable files.

    Raises PuzzleError or UsageError if the archive can't be read or has no puzzle file.
    """
    puzzles, unreadable = [], []
    with progress("reading puzzles", None) as bar:
        for file in formats.open_files(archive):
            file = file._replace(name=file.name.removeprefix(f"{paths.printable_path(archive)}{os.sep}"))
            try:
                puzzle = formats.read_puzzle(file)[0]
                puzzles.append(ArchivePuzzle(file, puzzle.date))
            except (RegisError, OSError, MemoryError) as cause:
                unreadable.append(PuzzleRecord(file.name, failure_reason=str(cause) or type(cause).__name__))
            bar.update(1)
    if not puzzles and not unreadable:
        raise UsageError(f"there are no puzzle files in {archive}; choose a folder or zip with some")
    return sorted(puzzles, key=lambda p: (p.date or dt.date.max, p.file.name)), unreadable


def sample_puzzles(puzzles: Sequence[ArchivePuzzle], limit: int | None, per_weekday: int | None) -> list[ArchivePuzzle]:
    """Choose `limit` puzzles spread over the weekdays, or `per_weekday` of each, evenly spaced in time."""
    groups: dict[int, list[ArchivePuzzle]] = {}
    for puzzle in puzzles:
        weekday = puzzle.date.weekday() if puzzle.date else 7  # after Sunday, 6
        groups.setdefault(weekday, []).append(puzzle)
    available = {day: min(len(group), per_weekday or len(group)) for day, group in sorted(groups.items())}
    quota = dict.fromkeys(available, 0)
    wanted = sum(available.values()) if limit is None else min(limit, sum(available.values()))
    while (missing := wanted - sum(quota.values())) > 0:
        for day in [day for day in quota if quota[day] < available[day]][:missing]:
            quota[day] += 1
    chosen = {id(groups[day][i * len(groups[day]) // n]) for day, n in quota.items() for i in range(n)}
    return [puzzle for puzzle in puzzles if id(puzzle) in chosen]


def look_up_in_index(puzzle: ArchivePuzzle, index: Index, archive_name: str) -> ArchivePuzzle:
    """Look up how much of a puzzle the index has, and why it counts as seen, if it does.

    Its date doesn't count if the index was built with this archive held out.
    """
    truth = score.read_truth(puzzle.file)
    share = None
    if truth is not None:
        pairs = score.clue_answer_pairs(formats.read_puzzle(puzzle.file)[0], truth)
        share = sum(index.has_pair(clue, answer) for clue, answer in pairs) / max(len(pairs), 1)
    puzzle = puzzle._replace(share_in_index=share)
    if share is not None and share > SEEN_SHARE:
        return puzzle._replace(seen_reason=f"the index has {share:.0%} of its clue-answer pairs")
    latest = index.manifest.latest_year
    is_held_out = archive_name in index.manifest.held_out.get("archives", ())
    if puzzle.date and latest is not None and puzzle.date.year <= latest and not is_held_out:
        return puzzle._replace(seen_reason=f"it's from {puzzle.date.year}, and the index has clues up to {latest}")
    return puzzle


def refuse_seen_puzzles(puzzles: Sequence[ArchivePuzzle], archive: Path, index: Index) -> None:
    """Raise SeenPuzzles if any of `puzzles` is seen; layers with clues are the likeliest cause."""
    seen = [puzzle for puzzle in puzzles if puzzle.seen_reason]
    layers = [layer.name for layer in index.manifest.layers if layer.clues]
    if seen:
        removal = f"remove --index {index.folder} {' '.join(layers)}"
        cure = f"`regis {removal if layers else f'build --hold-out {archive}'}`"
        raise SeenPuzzles(
            f"{len(seen)} of {len(puzzles)} puzzles may be in the index, first {seen[0].file.name} "
            f"({seen[0].seen_reason}); take them out with {cure}, or measure them with --seen"
        )
