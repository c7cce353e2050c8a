"""A benchmark's result for people (a table) and for programs (JSON with every puzzle in it)."""

from __future__ import annotations

import json
import statistics
import textwrap
from dataclasses import asdict, dataclass
from typing import Any

from regis import __version__
from regis.bench import tally
from regis.bench.tally import Record, Row
from regis.screen import Screen, plain
from regis.render.table import RULE, table

SEEN = "SEEN: the index holds these puzzles"
WORST = 5
HEADINGS = ("", "puzzles", "letters %", "words %", "whole", "whole %", "median s", "max s")


@dataclass(frozen=True)
class Report:
    """Everything that a figure must be printed with."""

    archive: str
    filler: str
    seconds: float | None  # the budget for each puzzle
    index: str  # fingerprint
    latest_year: int | None  # of the index
    seen_share: float  # above this share of its pairs a puzzle counts as seen
    chosen: int  # puzzles that were to be solved
    records: tuple[Record, ...]  # as many as were solved or failed before it stopped
    stopped: str = ""  # why before the end; '' if it ran through

    def text(self, screen: Screen) -> str:
        """The table and what belongs to it, no wider than the screen where possible."""
        rows = [_cells(row) for row in tally.rows(self.records)]
        full = [x for cells in rows for x in ((RULE, cells) if cells[0] == tally.ALL else (cells,))]
        parts = [self._title(screen), table(HEADINGS, full) if rows else "No puzzle could be graded.\n"]
        notes = [textwrap.fill(note, screen.width) for note in self._notes()]
        return "\n".join([*parts, "\n".join(notes) + "\n"] if notes else parts)

    def json(self) -> str:
        """One object: what was measured, the rows of the table, every puzzle."""
        value = {
            "regis": __version__,
            "archive": self.archive,
            "filler": self.filler,
            "seconds": self.seconds,
            "index": self.index,
            "latest_year": self.latest_year,
            "seen": sum(bool(r.seen) for r in self.records),
            "seen_share": self.seen_share,
            "mean_held": self._held(),
            "chosen": self.chosen,
            "stopped": self.stopped,
            "percentages": "letters and words are shares of all together; mean_* are means of the puzzles' shares",
            "summary": [asdict(row) for row in tally.rows(self.records)],
            "puzzles": [_record(r) for r in self.records],
        }
        return json.dumps(value, indent=1, allow_nan=False) + "\n"

    def _title(self, screen: Screen) -> str:
        seen = any(r.seen for r in self.records)
        known = f"to {self.latest_year}" if self.latest_year else "undated"
        lines = [SEEN] if seen else []
        lines.append(f"{plain(self.archive)}, filler {self.filler}, index {self.index} ({known})")
        return "\n".join(textwrap.fill(line, screen.width) for line in lines) + "\n"

    def _notes(self) -> list[str]:
        """What a table does not say: means, what was left out and why, the worst."""
        notes = []
        regular = [r for r in self.records if r.score and not r.irregular]
        if regular:
            whole = tally.row(tally.ALL, regular)
            letters, words = percent(whole.mean_letters), percent(whole.mean_words)
            notes.append(f"Mean of the plain puzzles' own percentages: letters {letters}, words {words}.")
        if (held := self._held()) is not None:
            notes.append(
                f"The index holds {held:.0%} of a puzzle's own clue-answer pairs on average "
                f"(above {self.seen_share:.0%} a puzzle counts as seen)."
            )
        ungraded = [r for r in self.records if not r.score and not r.failure]
        if ungraded:
            notes.append(f"Ungraded, for want of a usable solution: {len(ungraded)}.")
        notes += [f"Not solved: {plain(r.file)}: {plain(r.failure)}" for r in self.records if r.failure]
        if worst := tally.worst(self.records, WORST):
            notes.append("Worst, by letters % and words %:")
            notes += [
                f"  {percent(r.letters):>5} {percent(r.words):>5}  {plain(r.file)}{' (irregular)' * r.irregular}"
                for r in worst
            ]
        if self.stopped:
            notes.append(f"{self.stopped} after {len(self.records)} of {self.chosen} puzzles.")
        return notes

    def _held(self) -> float | None:
        shares = [r.held for r in self.records if r.held is not None]
        return statistics.fmean(shares) if shares else None


def percent(share: float) -> str:
    return f"{100 * share:.1f}"


def _cells(row: Row) -> tuple[str, ...]:
    shares = (percent(row.letters), percent(row.words), str(row.whole), percent(row.whole / row.puzzles))
    return (row.label, str(row.puzzles), *shares, f"{row.median_seconds:.2f}", f"{row.max_seconds:.2f}")


def _record(record: Record) -> dict[str, Any]:
    value = asdict(record)
    value["date"] = record.date.isoformat() if record.date else None
    value["weekday"] = record.weekday
    value["score"] = record.score._asdict() if record.score else None
    return value
