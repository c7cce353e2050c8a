"""A benchmark's result for people (tables and notes, a page) and for programs (JSON with every puzzle in it)."""

from __future__ import annotations

import json
import statistics
from dataclasses import dataclass

from regis.evaluation import figures, page, tables, tally
from regis.evaluation.tally import Record
from regis.system.terminal import Screen, plain, wrapped
from regis.system.version import __version__

SEEN = "SEEN: the index holds these puzzles"
WORST = 5


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
        """Weekdays, losses, reliability, and at the end what went wrong; no wider than the screen where possible."""
        rows = tally.rows(self.records)
        table = tables.weekdays(rows, screen.width) if rows else "No puzzle could be graded.\n"
        title, known, troubles = (_paragraph(x, screen) for x in (self._title(), self._notes(), self._troubles()))
        parts = [title, table, known, *self._losses(screen), *self._reliability(screen), troubles]
        return "\n".join(part for part in parts if part)

    def json(self) -> str:
        """One object: what was measured, what the tables say, every puzzle."""
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
            **figures.of(self.records),
        }
        return json.dumps(value, indent=1, allow_nan=False) + "\n"

    def html(self) -> str:
        """A page with plots, and the text below them."""
        return page.render(f"Benchmark: {', '.join(self._title())}", self.records, self.text(Screen()))

    def _title(self) -> list[str]:
        known = f"to {self.latest_year}" if self.latest_year else "undated"
        title = f"{plain(self.archive)}, filler {self.filler}, index {self.index} ({known})"
        return [SEEN, title] if any(r.seen for r in self.records) else [title]

    def _notes(self) -> list[str]:
        """What the table does not say: means, and how well the puzzles are known already."""
        notes = []
        if regular := tally.groups(self.records).get(tally.ALL):
            whole = tally.row(tally.ALL, regular)
            letters, words = tables.percent(whole.mean_letters), tables.percent(whole.mean_words)
            notes.append(f"Mean of the plain puzzles' own percentages: letters {letters}, words {words}.")
        if (held := self._held()) is not None:
            notes.append(
                f"The index holds {held:.0%} of a puzzle's own clue-answer pairs on average "
                f"(above {self.seen_share:.0%} a puzzle counts as seen)."
            )
        return notes

    def _losses(self, screen: Screen) -> list[str]:
        lost = tally.lost(self.records)
        if not lost.wrong:
            return []
        irregular = tally.irregular_wrong(self.records)
        title = "Entries of plain puzzles, by the rank of the right answer before the fill:"
        return [_paragraph([title], screen), tables.bands(lost), tables.causes(lost, irregular)]

    def _reliability(self, screen: Screen) -> list[str]:
        cells, entries = tally.claims(self.records)
        if not cells:
            return []
        title = "Letters and entries of plain puzzles, by how sure the filler was:"
        trust = _paragraph(tables.trust(cells, entries), screen)
        return [_paragraph([title], screen), tables.calibration(cells, entries), trust]

    def _troubles(self) -> list[str]:
        """What was left out and why, the worst, and whether it ran to the end."""
        notes = []
        if ungraded := [r for r in self.records if not r.score and not r.failure]:
            notes.append(f"Ungraded, for want of a usable solution: {len(ungraded)}.")
        notes += [f"Not solved: {plain(r.file)}: {plain(r.failure)}" for r in self.records if r.failure]
        if worst := tally.worst(self.records, WORST):
            notes.append("Worst, by letters % and words %:")
            for r in worst:
                shares = f"{tables.percent(r.letters):>5} {tables.percent(r.words):>5}"
                notes.append(f"  {shares}  {plain(r.file)}{' (irregular)' * r.irregular}")
        if self.stopped:
            notes.append(f"{self.stopped} after {len(self.records)} of {self.chosen} puzzles.")
        return notes

    def _held(self) -> float | None:
        shares = [r.held for r in self.records if r.held is not None]
        return statistics.fmean(shares) if shares else None


def _paragraph(lines: list[str], screen: Screen) -> str:
    """Each line on a line of its own, or on several if the screen is narrow; nothing for none."""
    return "".join(f"{part}\n" for line in lines for part in wrapped(line, screen.width) or [""])
