"""A benchmark's result for people (tables and notes, a page) and for programs (JSON with every puzzle in it).

For people shares are per cent with one digit, in tables at most 60 columns wide where the screen is; an empty place
means that there is nothing to share. For programs they are 0 to 1. Of each puzzle its wrong entries are named with
their rank and cause; the claims about every single cell are only summed up.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any

from regis.evaluation import calibration, plots, records
from regis.evaluation.calibration import Claim
from regis.evaluation.losses import Losses
from regis.evaluation.records import ALL, IRREGULAR, Record, Row
from regis.render.table import RULE, table
from regis.system.terminal import Screen, plain, wrapped
from regis.system.version import __version__

SEEN = "SEEN: the index holds these puzzles"
WORST = 5

HEADINGS = ("", "puzzles", "letters %", "words %", "whole", "whole %", "median s", "max s")
WIDE = 72  # columns of the table of weekdays; on a narrower screen it goes without those in DISPENSABLE
DISPENSABLE = ("whole %", "max s")


@dataclass(frozen=True)
class Report:
    """Everything that a figure must be printed with."""

    archive: str
    filler: str
    seconds: float | None  # for each puzzle
    index: str  # fingerprint
    latest_year: int | None  # of the index
    seen_share: float  # above this share of its pairs a puzzle counts as seen
    chosen: int  # puzzles that were to be solved
    records: tuple[Record, ...]  # as many as were solved or failed before it stopped
    stopped: str = ""  # why before the end; '' if it ran through

    def text(self, screen: Screen) -> str:
        """Weekdays, losses, calibration, and at the end what went wrong; no wider than the screen where possible."""
        rows = records.rows(self.records)
        shown = weekdays(rows.values(), screen.width) if rows else "No puzzle could be graded.\n"
        parts = [_paragraph(self._title(), screen), shown, _paragraph(self._notes(rows.get(ALL)), screen)]
        lost, (cells, entries) = records.lost(self.records), records.claims(self.records)
        if lost.wrong:
            title = "Entries of plain puzzles, by the rank of the right answer before the fill:"
            irregular = records.irregular_wrong(self.records)
            parts += [_paragraph([title], screen), bands(lost), causes(lost, irregular)]
        if cells:
            title = "Letters and entries of plain puzzles, by how sure the filler was:"
            parts += [_paragraph([title], screen), reliability(cells, entries)]
            parts.append(_paragraph(trust(cells, entries), screen))
        return "\n".join(part for part in (*parts, _paragraph(self._troubles(), screen)) if part)

    def json(self) -> str:
        """One object: what was measured, sums by weekday, losses and calibration of plain puzzles, every puzzle."""
        cells, entries = records.claims(self.records)
        groups = records.groups(self.records)
        value = {
            "regis": __version__,
            **{name: getattr(self, name) for name in ("archive", "filler", "seconds", "index", "latest_year")},
            "seen": sum(bool(r.seen) for r in self.records),
            "seen_share": self.seen_share,
            "mean_held": self._held(),
            "chosen": self.chosen,
            "stopped": self.stopped,
            "percentages": "letters and words are shares of all together; mean_* are means of the puzzles' shares",
            "summary": [vars(row) for row in records.rows(self.records).values()],
            "losses": {label: _losses(records.lost(group)) for label, group in groups.items() if label != IRREGULAR},
            "irregular_wrong": records.irregular_wrong(self.records),
            "reliability": {"cells": _calibration(cells), "entries": _calibration(entries)},
            "puzzles": [_record(r) for r in self.records],
        }
        return json.dumps(value, indent=1, allow_nan=False) + "\n"

    def html(self) -> str:
        """A page with plots, and the text below them."""
        return plots.page(self._sentence(), self.records, self.text(Screen()))

    def _sentence(self) -> str:
        """The title of the page, which a person may not have made."""
        regular, words = records.rows(self.records).get(ALL), ""
        if regular:
            words = f", with {percent(regular.letters)} % of the letters of plain ones right"
        solved = sum(r.seconds is not None for r in self.records)
        return f"Regis solved {solved} puzzle{'s' * (solved != 1)} of {plain(self.archive)}{words}"

    def _title(self) -> list[str]:
        known = f"to {self.latest_year}" if self.latest_year else "undated"
        title = f"{plain(self.archive)}, filler {self.filler}, index {self.index} ({known})"
        return [SEEN, title] if any(r.seen for r in self.records) else [title]

    def _notes(self, regular: Row | None) -> list[str]:
        """What the table does not say: means, and how well the puzzles are known already."""
        notes = []
        if regular:
            letters, words = percent(regular.mean_letters), percent(regular.mean_words)
            notes.append(f"Mean of the plain puzzles' own percentages: letters {letters}, words {words}.")
        if (held := self._held()) is not None:
            notes.append(
                f"The index holds {held:.0%} of a puzzle's own clue-answer pairs on average "
                f"(above {self.seen_share:.0%} a puzzle counts as seen)."
            )
        return notes

    def _troubles(self) -> list[str]:
        """What was left out and why, the worst, and whether it ran to the end."""
        notes = []
        if ungraded := [r for r in self.records if not r.score and not r.failure]:
            notes.append(f"Ungraded, for want of a usable solution: {len(ungraded)}.")
        notes += [f"Not solved: {plain(r.file)}: {plain(r.failure)}" for r in self.records if r.failure]
        if worst := records.worst(self.records, WORST):
            notes.append("Worst, by letters % and words %:")
            for r in worst:
                shares = f"{percent(r.letters):>5} {percent(r.words):>5}"
                notes.append(f"  {shares}  {plain(r.file)}{' (irregular)' * r.irregular}")
        if self.stopped:
            notes.append(f"{self.stopped} after {len(self.records)} of {self.chosen} puzzles.")
        return notes

    def _held(self) -> float | None:
        shares = [r.held for r in self.records if r.held is not None]
        return statistics.fmean(shares) if shares else None


def weekdays(rows: Iterable[Row], width: int) -> str:
    """What was right, one line for each of `rows`."""
    left_out = DISPENSABLE if width < WIDE else ()
    shown = [i for i, heading in enumerate(HEADINGS) if heading not in left_out]
    lines: list[Sequence[str]] = []
    for row in rows:
        whole = (str(row.whole), _part(row.whole, row.puzzles))
        seconds = (f"{row.median_seconds:.2f}", f"{row.max_seconds:.2f}")
        cells = (row.label, str(row.puzzles), percent(row.letters), percent(row.words), *whole, *seconds)
        lines += [RULE] if row.label == ALL else []
        lines.append([cells[i] for i in shown])
    return table([HEADINGS[i] for i in shown], lines)


def bands(losses: Losses) -> str:
    """Entries and wrong entries by the rank of the right answer."""
    entries, wrong = sum(losses.entries), len(losses.wrong)
    lines: list[Sequence[str]] = [
        (label, str(n), _part(n, entries), str(lost), _part(lost, n), _part(lost, wrong))
        for label, n, lost in losses.by_band
    ]
    lines += [RULE, ("all", str(entries), _part(entries, entries), str(wrong), _part(wrong, entries), "")]
    return table(("rank", "entries", "% of all", "wrong", "% wrong", "% of wrong"), lines)


def causes(losses: Losses, irregular: int) -> str:
    """Wrong entries by cause; those of irregular grids, whose cause is the grid, below and in no sum."""
    wrong = len(losses.wrong)
    lines: list[Sequence[str]] = [(cause, str(n), _part(n, wrong)) for cause, n in losses.causes.items()]
    lines += [RULE, ("all", str(wrong), "")]
    if irregular:
        lines.append(("besides, in irregular grids", str(irregular), ""))
    return table(("cause", "wrong", "% of wrong"), lines)


def reliability(cells: Sequence[Claim], entries: Sequence[Claim]) -> str:
    """Mean confidence and share right, by how sure the filler was."""
    lines = [
        (one.label, *(x for part in (one, other) for x in (str(part.claims), percent(part.said), percent(part.right))))
        for one, other in zip(calibration.bins(cells), calibration.bins(entries), strict=True)
    ]
    return table(("sure %", "cells", "said %", "right %", "entries", "said %", "right %"), lines)


def trust(cells: Sequence[Claim], entries: Sequence[Claim]) -> list[str]:
    """The same in two sentences."""
    errors = f"cells {percent(calibration.calibration_error(cells))}"
    if entries:
        errors += f", entries {percent(calibration.calibration_error(entries))}"
    best = calibration.trusted(cells)
    which = "" if best.least is None else f" (those at least {100 * best.least:.2f}% sure)"
    return [
        f"Expected calibration error, in percentage points: {errors}.",
        f"{percent(best.share)}% of the letters can be trusted at {calibration.TRUST:.0%}{which}.",
    ]


def percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f}"


def _part(part: int, of: int) -> str:
    return percent(part / of) if of else ""


def _paragraph(lines: list[str], screen: Screen) -> str:
    """Each line on a line of its own, or on several if the screen is narrow; nothing for none."""
    return "".join(f"{part}\n" for line in lines for part in wrapped(line, screen.width) or [""])


def _losses(lost: Losses) -> dict[str, Any]:
    return {
        "ranks": [{"rank": label, "entries": n, "wrong": wrong} for label, n, wrong in lost.by_band],
        "causes": {cause.value: n for cause, n in lost.causes.items()},
    }


def _calibration(claims: Sequence[Claim]) -> dict[str, Any]:
    return {
        "bins": [one._asdict() for one in calibration.bins(claims)],
        "calibration_error": calibration.calibration_error(claims),
        "trusted_at": calibration.TRUST,
        "trusted": calibration.trusted(claims)._asdict(),
    }


def _record(record: Record) -> dict[str, Any]:
    value = {f.name: getattr(record, f.name) for f in fields(record) if f.name not in ("cells", "entries")}
    value["date"] = record.date.isoformat() if record.date else None
    value["weekday"] = record.weekday
    value["score"] = record.score._asdict() if record.score else None
    value["losses"] = [loss._asdict() for loss in record.losses.wrong] if record.losses else None
    return value
