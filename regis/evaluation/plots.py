"""The result of a benchmark as a page: bars with figures, and the tables below.

A mark on a bar is what was claimed; the bar is what came true.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from regis.evaluation import calibration, records
from regis.evaluation.calibration import Claim
from regis.evaluation.records import PuzzleRecord
from regis.render import drawing

BAR_COLUMNS = 200  # columns of a whole bar, in the units of the drawing


class PlotBar(NamedTuple):
    label: str
    share: float  # 0 to 1
    figure: str
    mark: float | None = None  # 0 to 1


def render_page(title: str, puzzle_records: Sequence[PuzzleRecord], report_text: str) -> str:
    """Render the page with `report_text` below."""
    plots = list(_make_plots(puzzle_records))
    return drawing.fill_template(
        "benchmark.html", title=title, plots=plots, report=report_text, bar_columns=BAR_COLUMNS
    )


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
