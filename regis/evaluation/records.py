"""The records of a benchmark, one per puzzle, and their sums by weekday.

Percentages are of all letters (words) of a row, next to the mean of the puzzles' own percentages, which other solvers
report. Irregular grids (rebus and the like) have their own row.
"""

from __future__ import annotations

import datetime as dt
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from regis.evaluation.calibration import Claim
from regis.evaluation.losses import Losses, merge_losses
from regis.evaluation.score import Score

WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
UNDATED_LABEL = "undated"
PLAIN_LABEL = "all plain"
IRREGULAR_LABEL = "irregular"


@dataclass(frozen=True)
class PuzzleRecord:
    """One puzzle with its score, or the reason why it has none."""

    file_name: str
    date: dt.date | None = None
    is_irregular: bool = False
    score: Score | None = None  # None if nothing could be graded or solved
    seconds: float | None = None  # None if nothing was solved
    share_in_index: float | None = None  # of its clue-answer pairs, 0 to 1; None without a solution
    seen_reason: str = ""  # how the puzzle is known to be in the index; '' if it isn't
    failure_reason: str = ""  # why it wasn't solved
    losses: Losses | None = None  # of a plain puzzle with a score, like the two below
    cell_claims: tuple[Claim, ...] = field(default=(), repr=False)  # about each white cell
    entry_claims: tuple[Claim, ...] = field(default=(), repr=False)  # about each entry

    @property
    def weekday(self) -> str:
        return WEEKDAYS[self.date.weekday()] if self.date else UNDATED_LABEL

    @property
    def letter_share(self) -> float:
        """Return the share of right letters; 0 without a score."""
        return share_of(self.score.letters_right, self.score.letter_count) if self.score else 0.0

    @property
    def word_share(self) -> float:
        """Return the share of right words; 0 without a score."""
        return share_of(self.score.words_right, self.score.word_count) if self.score else 0.0


@dataclass(frozen=True)
class SummaryRow:
    label: str
    puzzle_count: int
    letter_share: float
    word_share: float
    whole_count: int
    mean_letter_share: float
    mean_word_share: float
    median_seconds: float
    max_seconds: float


def group_records(records: Iterable[PuzzleRecord]) -> dict[str, list[PuzzleRecord]]:
    """Group the graded puzzles by weekday, all plain puzzles, and the irregular ones."""
    graded = [r for r in records if r.score]
    regular = [r for r in graded if not r.is_irregular]
    groups = {day: [r for r in regular if r.weekday == day] for day in (*WEEKDAYS, UNDATED_LABEL)}
    groups |= {PLAIN_LABEL: regular, IRREGULAR_LABEL: [r for r in graded if r.is_irregular]}
    return {label: group for label, group in groups.items() if group}


def summarize_records(records: Iterable[PuzzleRecord]) -> dict[str, SummaryRow]:
    return {label: _summarize_group(label, group) for label, group in group_records(records).items()}


def _summarize_group(label: str, records: Sequence[PuzzleRecord]) -> SummaryRow:
    scores = [r.score for r in records if r.score]
    seconds = [r.seconds for r in records if r.seconds is not None]
    return SummaryRow(
        label=label,
        puzzle_count=len(scores),
        letter_share=share_of(sum(s.letters_right for s in scores), sum(s.letter_count for s in scores)),
        word_share=share_of(sum(s.words_right for s in scores), sum(s.word_count for s in scores)),
        whole_count=sum(s.is_whole for s in scores),
        mean_letter_share=statistics.fmean(r.letter_share for r in records),
        mean_word_share=statistics.fmean(r.word_share for r in records),
        median_seconds=statistics.median(seconds),
        max_seconds=max(seconds),
    )


def collect_claims(records: Sequence[PuzzleRecord]) -> tuple[list[Claim], list[Claim]]:
    return [claim for r in records for claim in r.cell_claims], [claim for r in records for claim in r.entry_claims]


def collect_losses(records: Iterable[PuzzleRecord]) -> Losses:
    return merge_losses(r.losses for r in records if r.losses)


def count_irregular_wrong(records: Iterable[PuzzleRecord]) -> int:
    return sum(r.score.word_count - r.score.words_right for r in records if r.score and r.is_irregular)


def share_of(part: int, total: int) -> float:
    """Return part / total; 0 if the total is 0."""
    return part / total if total else 0.0
