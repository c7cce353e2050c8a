"""Why entries are wrong: the right answer's rank in the filler's list, 1 the best, and the cause.

A wrong entry has the first cause that holds: in no list; ranked below 100; right at first, but changed by the fill;
knocked out, because an entry that crosses it at a wrong cell has a right answer in no list or ranked below 100; other.
The first two are losses of knowledge, the third and last are losses of the fill.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from regis.evaluation.score import EntryMark
from regis.puzzle import Grid, Slot

RANK_BANDS = ("1", "2-10", "11-100", "101-1,000", "deeper", "in no list")
LAST_RANKS = (1, 10, 100, 1000)  # last rank of each band except the last two


class Cause(StrEnum):
    UNLISTED = "in no list"
    DEEP = "ranked below 100"
    LOST = "right at first, lost in the fill"
    KNOCKED_OUT = "knocked out by a wrong crossing"
    OTHER = "ranked 2-100, other"


class Loss(NamedTuple):
    entry: str  # '17A'
    rank: int | None  # None if in no list
    cause: Cause


@dataclass(frozen=True)
class Losses:
    """Wrong entries of some puzzles, and the number of all entries in each of RANK_BANDS."""

    entries_by_band: tuple[int, ...]
    wrong_entries: tuple[Loss, ...]

    @property
    def by_band(self) -> list[tuple[str, int, int]]:
        """Return each of RANK_BANDS with its numbers of entries and wrong entries."""
        wrong_by_band = _count_by_band(loss.rank for loss in self.wrong_entries)
        return list(zip(RANK_BANDS, self.entries_by_band, wrong_by_band, strict=True))

    @property
    def cause_counts(self) -> dict[Cause, int]:
        return {cause: sum(loss.cause is cause for loss in self.wrong_entries) for cause in Cause}


def find_losses(grid: Grid, marks: Sequence[EntryMark]) -> Losses:
    """Find the losses of one puzzle; `marks` has each slot of `grid` once."""
    by_slot = {mark.slot: mark for mark in marks}
    wrong = tuple(Loss(str(m.slot), m.rank, _find_cause(m, grid, by_slot)) for m in marks if m.wrong_cells)
    return Losses(_count_by_band(mark.rank for mark in marks), wrong)


def merge_losses(losses: Iterable[Losses]) -> Losses:
    several = list(losses)
    entries = tuple(map(sum, zip(*(one.entries_by_band for one in several), strict=True))) or (0,) * len(RANK_BANDS)
    return Losses(entries, tuple(loss for one in several for loss in one.wrong_entries))


def rank_band(rank: int | None) -> int:
    return len(RANK_BANDS) - 1 if rank is None else bisect_left(LAST_RANKS, rank)


def _find_cause(mark: EntryMark, grid: Grid, marks: Mapping[Slot, EntryMark]) -> Cause:
    if mark.rank is None:
        return Cause.UNLISTED
    if mark.rank > 100:
        return Cause.DEEP
    if mark.rank == 1:
        return Cause.LOST
    crossings = zip(mark.slot.cells, grid.crossings[mark.slot], strict=True)
    ranks = [marks[crossing.slot].rank for cell, crossing in crossings if crossing and cell in mark.wrong_cells]
    return Cause.KNOCKED_OUT if any(rank is None or rank > 100 for rank in ranks) else Cause.OTHER


def _count_by_band(ranks: Iterable[int | None]) -> tuple[int, ...]:
    counts = Counter(map(rank_band, ranks))
    return tuple(counts[i] for i in range(len(RANK_BANDS)))
