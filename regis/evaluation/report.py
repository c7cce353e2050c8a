"""The result of a benchmark for people (tables, notes, a page) and for programs (JSON with every puzzle).

For people, shares are percentages with one digit; for programs, 0 to 1. Each puzzle lists its wrong entries; claims
about cells are only counted.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from regis.evaluation import calibration, records
from regis.evaluation.calibration import Claim
from regis.evaluation.losses import Losses
from regis.evaluation.records import IRREGULAR_LABEL, PLAIN_LABEL, PuzzleRecord, SummaryRow
from regis.render import drawing
from regis.render.tables import RULE_ROW, format_table
from regis.system.terminal import Screen, plain_text, wrap_text
from regis.system.version import __version__

SEEN_HEADING = "SEEN: the index contains these puzzles"


@dataclass(frozen=True)
class BenchmarkReport:
    """A benchmark's result, with everything that must be printed with it."""

    archive: str
    filler: str
    seconds_per_puzzle: float | None  # time limit
    index_fingerprint: str
    latest_year: int | None  # of the index
    seen_threshold: float  # share of pairs above which a puzzle counts as seen
    chosen_count: int  # puzzles to solve
    records: tuple[PuzzleRecord, ...]  # all that were solved or failed before the end
    stop_reason: str = ""  # why it stopped before the end; '' if it didn't

    def render_text(self, screen: Screen) -> str:
        """Render weekdays, losses, calibration, and problems, no wider than the screen if possible."""
        rows = records.summarize_records(self.records)
        shown = weekday_table(rows.values()) if rows else "No puzzle could be graded.\n"
        parts = [_wrap_lines(self._title(), screen), shown, _wrap_lines(self._notes(rows.get(PLAIN_LABEL)), screen)]
        losses, (cells, entries) = records.collect_losses(self.records), records.collect_claims(self.records)
        if losses.wrong_entries:
            title = "Entries of plain puzzles, by the rank of the right answer before the fill:"
            irregular = records.count_irregular_wrong(self.records)
            parts += [_wrap_lines([title], screen), band_table(losses), cause_table(losses, irregular)]
        if cells:
            title = "Letters and entries of plain puzzles, by how sure the filler was:"
            parts += [_wrap_lines([title], screen), calibration_table(cells, entries)]
            parts.append(_wrap_lines([calibration_sentence(cells, entries)], screen))
        return "\n".join(part for part in (*parts, _wrap_lines(self._troubles(), screen)) if part)

    def render_json(self) -> str:
        """Render one object: the run, sums by weekday, losses and calibration of plain puzzles, every puzzle."""
        cells, entries = records.collect_claims(self.records)
        groups = records.group_records(self.records)
        value = {
            "regis": __version__,
            "archive": self.archive,
            "filler": self.filler,
            "seconds_per_puzzle": self.seconds_per_puzzle,
            "index": self.index_fingerprint,
            "latest_year": self.latest_year,
            "seen_count": sum(bool(r.seen_reason) for r in self.records),
            "seen_threshold": self.seen_threshold,
            "mean_share_in_index": self._mean_share_in_index(),
            "chosen_count": self.chosen_count,
            "stop_reason": self.stop_reason,
            "note": "letter_share and word_share are of all together; mean_* are means of the puzzles' shares",
            "summary": [vars(row) for row in records.summarize_records(self.records).values()],
            "losses": {
                label: _losses_json(records.collect_losses(group))
                for label, group in groups.items()
                if label != IRREGULAR_LABEL
            },
            "irregular_wrong_count": records.count_irregular_wrong(self.records),
            "calibration": {"cells": _calibration_json(cells), "entries": _calibration_json(entries)},
            "puzzles": [_record_json(r) for r in self.records],
        }
        return json.dumps(value, indent=1, allow_nan=False) + "\n"

    def render_html(self) -> str:
        plots = list(_make_plots(self.records))
        return drawing.fill_template(
            "benchmark.html", title=self._title()[-1], plots=plots, report=self.render_text(Screen()), bar_columns=200
        )

    def _title(self) -> list[str]:
        years = f"to {self.latest_year}" if self.latest_year else "undated"
        title = f"{plain_text(self.archive)}, filler {self.filler}, index {self.index_fingerprint} ({years})"
        return [SEEN_HEADING, title] if any(r.seen_reason for r in self.records) else [title]

    def _notes(self, regular: SummaryRow | None) -> list[str]:
        """Return means, and how much of the puzzles is already known."""
        notes = []
        if regular:
            letters, words = format_percent(regular.mean_letter_share), format_percent(regular.mean_word_share)
            notes.append(f"Mean of the plain puzzles' own percentages: letters {letters}, words {words}.")
        if (share := self._mean_share_in_index()) is not None:
            notes.append(
                f"The index has {share:.0%} of a puzzle's own clue-answer pairs on average "
                f"(above {self.seen_threshold:.0%} a puzzle counts as seen)."
            )
        return notes

    def _troubles(self) -> list[str]:
        """Return what was left out and why, and whether it ran to the end."""
        notes = []
        if ungraded := [r for r in self.records if not r.score and not r.failure_reason]:
            notes.append(f"Not graded, because there's no usable solution: {len(ungraded)}.")
        notes += [
            f"Not solved: {plain_text(r.file_name)}: {plain_text(r.failure_reason)}"
            for r in self.records
            if r.failure_reason
        ]
        if self.stop_reason:
            notes.append(f"{self.stop_reason} after {len(self.records)} of {self.chosen_count} puzzles.")
        return notes

    def _mean_share_in_index(self) -> float | None:
        shares = [r.share_in_index for r in self.records if r.share_in_index is not None]
        return statistics.fmean(shares) if shares else None


def weekday_table(rows: Iterable[SummaryRow]) -> str:
    lines: list[Sequence[str]] = []
    for row in rows:
        shares = format_percent(row.letter_share), format_percent(row.word_share)
        whole = str(row.whole_count), _format_share(row.whole_count, row.puzzle_count)
        seconds = f"{row.median_seconds:.2f}", f"{row.max_seconds:.2f}"
        lines += [RULE_ROW] if row.label == PLAIN_LABEL else []
        lines.append((row.label, str(row.puzzle_count), *shares, *whole, *seconds))
    return format_table(("", "puzzles", "letters %", "words %", "whole", "whole %", "median s", "max s"), lines)


def band_table(losses: Losses) -> str:
    """Tabulate entries and wrong entries by the right answer's rank."""
    entries, wrong = sum(losses.entries_by_band), len(losses.wrong_entries)
    lines: list[Sequence[str]] = [
        (label, str(n), _format_share(n, entries), str(lost), _format_share(lost, n), _format_share(lost, wrong))
        for label, n, lost in losses.by_band
    ]
    all_share, wrong_share = _format_share(entries, entries), _format_share(wrong, entries)
    lines += [RULE_ROW, ("all", str(entries), all_share, str(wrong), wrong_share, "")]
    return format_table(("rank", "entries", "% of all", "wrong", "% wrong", "% of wrong"), lines)


def cause_table(losses: Losses, irregular_wrong_count: int) -> str:
    """Tabulate wrong entries by cause; irregular grids are in no sum."""
    wrong = len(losses.wrong_entries)
    lines: list[Sequence[str]] = [(cause, str(n), _format_share(n, wrong)) for cause, n in losses.cause_counts.items()]
    lines += [RULE_ROW, ("all", str(wrong), "")]
    if irregular_wrong_count:
        lines.append(("in irregular grids", str(irregular_wrong_count), ""))
    return format_table(("cause", "wrong", "% of wrong"), lines)


def calibration_table(cell_claims: Sequence[Claim], entry_claims: Sequence[Claim]) -> str:
    """Tabulate mean confidence and share right by confidence."""
    lines = [
        (
            one.label,
            *(
                x
                for part in (one, other)
                for x in (str(part.claim_count), format_percent(part.mean_confidence), format_percent(part.right_share))
            ),
        )
        for one, other in zip(calibration.bin_claims(cell_claims), calibration.bin_claims(entry_claims), strict=True)
    ]
    return format_table(("sure %", "cells", "said %", "right %", "entries", "said %", "right %"), lines)


def calibration_sentence(cell_claims: Sequence[Claim], entry_claims: Sequence[Claim]) -> str:
    errors = f"cells {format_percent(calibration.calibration_error(cell_claims))}"
    if entry_claims:
        errors += f", entries {format_percent(calibration.calibration_error(entry_claims))}"
    return f"Expected calibration error, in percentage points: {errors}."


def format_percent(share: float | None) -> str:
    """Format a share in percent with one digit; '' for None."""
    return "" if share is None else f"{100 * share:.1f}"


def _format_share(part: int, total: int) -> str:
    return format_percent(part / total) if total else ""


def _wrap_lines(lines: list[str], screen: Screen) -> str:
    return "".join(f"{part}\n" for line in lines for part in wrap_text(line, screen.width) or [""])


def _losses_json(losses: Losses) -> dict[str, Any]:
    return {
        "ranks": [{"rank": label, "entry_count": n, "wrong_count": wrong} for label, n, wrong in losses.by_band],
        "causes": {cause.value: n for cause, n in losses.cause_counts.items()},
    }


def _calibration_json(claims: Sequence[Claim]) -> dict[str, Any]:
    return {
        "bins": [one._asdict() for one in calibration.bin_claims(claims)],
        "calibration_error": calibration.calibration_error(claims),
    }


def _record_json(record: PuzzleRecord) -> dict[str, Any]:
    return {
        "file": record.file_name,
        "date": record.date.isoformat() if record.date else None,
        "weekday": record.weekday,
        "is_irregular": record.is_irregular,
        "seconds": record.seconds,
        "share_in_index": record.share_in_index,
        "seen_reason": record.seen_reason,
        "failure_reason": record.failure_reason,
        "score": record.score._asdict() if record.score else None,
        "losses": [loss._asdict() for loss in record.losses.wrong_entries] if record.losses else None,
    }


class PlotBar(NamedTuple):
    label: str
    share: float  # 0 to 1
    figure: str
    mark: float | None = None  # 0 to 1


def _make_plots(puzzle_records: Sequence[PuzzleRecord]) -> Iterator[tuple[str, list[PlotBar]]]:
    rows = records.summarize_records(puzzle_records).values()
    letters = [PlotBar(row.label, row.letter_share, f"{100 * row.letter_share:.1f}") for row in rows]
    yield "Letters that are right, %", letters
    yield "Words that are right, %", [PlotBar(row.label, row.word_share, f"{100 * row.word_share:.1f}") for row in rows]
    yield "Perfect grids, %", [_share_bar(row.label, row.whole_count, row.puzzle_count) for row in rows]
    cells, entries = records.collect_claims(puzzle_records)
    yield "How sure letters are said to be (mark) and how many are right (bar), %", _calibration_bars(cells)
    yield "The same for entries", _calibration_bars(entries)
    lost = records.collect_losses(puzzle_records)
    if wrong := len(lost.wrong_entries):
        causes = [
            PlotBar(cause.value, n / wrong, f"{100 * n / wrong:.1f} ({n})") for cause, n in lost.cause_counts.items()
        ]
        yield "Why entries are wrong, % of the wrong ones", causes
        by_rank = [_share_bar(band, n_wrong, n) for band, n, n_wrong in lost.by_band if n]
        yield "Wrong entries by the rank of the right answer before the fill, %", by_rank


def _share_bar(label: str, part: int, total: int) -> PlotBar:
    share = records.share_of(part, total)
    return PlotBar(label, share, f"{100 * share:.1f} ({part} of {total})")


def _calibration_bars(claims: Sequence[Claim]) -> list[PlotBar]:
    return [
        PlotBar(one.label, one.right_share, f"{100 * one.right_share:.1f} of {one.claim_count}", one.mean_confidence)
        for one in calibration.bin_claims(claims)
        if one.right_share is not None
    ]
