"""What a benchmark counts: one record a puzzle, and their sums, one row a weekday.

Percentages are of all letters (words) of a row together, so that a Sunday grid weighs more than a Monday grid; the
mean of the puzzles' own percentages, which other solvers report, stands beside it. Irregular grids (rebus and the
like) are counted in a row of their own and in no other.
"""

from __future__ import annotations

import datetime as dt
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from regis.evaluation.calibration import Claim
from regis.evaluation.losses import Losses, together
from regis.evaluation.score import Score

WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
UNDATED, ALL, IRREGULAR = "undated", "all plain", "irregular"


@dataclass(frozen=True)
class Record:
    """What became of one puzzle. `letters` and `words` are shares that are right; 0 where there is nothing to share."""

    file: str
    date: dt.date | None = None
    irregular: bool = False
    score: Score | None = None  # None where nothing could be graded or solved
    seconds: float | None = None  # None where nothing was solved
    held: float | None = None  # share of its clue-answer pairs that the index holds, 0 to 1; None without a solution
    seen: str = ""  # how the puzzle is known to be in the index; '' if it is not
    failure: str = ""  # why it was not solved
    losses: Losses | None = None  # of a plain puzzle with a score, like the two below
    cells: tuple[Claim, ...] = field(default=(), repr=False)  # about each white cell
    entries: tuple[Claim, ...] = field(default=(), repr=False)  # and about each entry

    @property
    def weekday(self) -> str:
        return WEEKDAYS[self.date.weekday()] if self.date else UNDATED

    @property
    def letters(self) -> float:
        return share(self.score.letters_right, self.score.letters) if self.score else 0.0

    @property
    def words(self) -> float:
        return share(self.score.words_right, self.score.words) if self.score else 0.0


@dataclass(frozen=True)
class Row:
    """The graded puzzles of one kind. Shares are 0 to 1."""

    label: str
    puzzles: int
    letters: float
    words: float
    whole: int
    mean_letters: float
    mean_words: float
    median_seconds: float
    max_seconds: float


def groups(records: Iterable[Record]) -> dict[str, list[Record]]:
    """The graded puzzles of each weekday that occurs, all of these together, and the irregular grids."""
    graded = [r for r in records if r.score]
    regular = [r for r in graded if not r.irregular]
    found = {day: [r for r in regular if r.weekday == day] for day in (*WEEKDAYS, UNDATED)}
    found |= {ALL: regular, IRREGULAR: [r for r in graded if r.irregular]}
    return {label: group for label, group in found.items() if group}


def rows(records: Iterable[Record]) -> dict[str, Row]:
    """A row for each of the `groups`, by its label."""
    return {label: _row(label, group) for label, group in groups(records).items()}


def _row(label: str, records: Sequence[Record]) -> Row:
    """The sums and means of `records`, at least one, all graded."""
    scores = [r.score for r in records if r.score]
    seconds = [r.seconds for r in records if r.seconds is not None]
    return Row(
        label=label,
        puzzles=len(scores),
        letters=share(sum(s.letters_right for s in scores), sum(s.letters for s in scores)),
        words=share(sum(s.words_right for s in scores), sum(s.words for s in scores)),
        whole=sum(s.whole for s in scores),
        mean_letters=statistics.fmean(r.letters for r in records),
        mean_words=statistics.fmean(r.words for r in records),
        median_seconds=statistics.median(seconds),
        max_seconds=max(seconds),
    )


def claims(records: Sequence[Record]) -> tuple[list[Claim], list[Claim]]:
    """The claims about cells and about entries of all plain puzzles."""
    return [claim for r in records for claim in r.cells], [claim for r in records for claim in r.entries]


def lost(records: Iterable[Record]) -> Losses:
    """The losses of all plain puzzles as one."""
    return together(r.losses for r in records if r.losses)


def irregular_wrong(records: Iterable[Record]) -> int:
    """How many entries of irregular grids are wrong."""
    return sum(r.score.words - r.score.words_right for r in records if r.score and r.irregular)


def worst(records: Iterable[Record], count: int) -> list[Record]:
    """The graded puzzles with the fewest letters right, worst first; none that is all right."""
    flawed = [r for r in records if r.score and not r.score.whole]
    return sorted(flawed, key=lambda r: (r.letters, r.words, r.file))[:count]


def share(part: int, of: int) -> float:
    """part / of; 0 where there is nothing to share."""
    return part / of if of else 0.0
