"""A benchmark's result as a page: plots of what the tables say, and the tables below them.

Each plot is horizontal bars with their figures, so that nothing has to be guessed from lengths or colours; a mark on a
bar is what was claimed where the bar is what came true.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from regis.evaluation import losses, reliability, tally
from regis.evaluation.losses import BANDS
from regis.evaluation.reliability import Claim
from regis.evaluation.tables import percent
from regis.evaluation.tally import Record
from regis.render import template

BARS = 200
"""Columns of a whole bar, in the units of the drawing."""


class Bar(NamedTuple):
    label: str
    share: float  # 0 to 1
    figure: str
    mark: float | None = None  # 0 to 1


def render(title: str, records: Sequence[Record], text: str) -> str:
    """The page; `text` is the report with its tables."""
    return template.filled("benchmark.html", title=title, plots=list(_plots(records)), report=text, across=BARS)


def _plots(records: Sequence[Record]) -> Iterator[tuple[str, list[Bar]]]:
    rows = tally.rows(records)
    yield "Letters that are right, %", [Bar(row.label, row.letters, percent(row.letters)) for row in rows]
    yield "Words that are right, %", [Bar(row.label, row.words, percent(row.words)) for row in rows]
    wholes = [(row, tally.share(row.whole, row.puzzles)) for row in rows]
    yield (
        "Whole grids without an error, %",
        [Bar(row.label, whole, f"{percent(whole)} ({row.whole} of {row.puzzles})") for row, whole in wholes],
    )
    cells, entries = tally.claims(records)
    yield "How sure letters are said to be (mark), and how many of them are right (bar), %", _calibration(cells)
    yield "The same of entries", _calibration(entries)
    lost = losses.together(r.losses for r in records if r.losses)
    wrong = len(lost.wrong)
    yield (
        "Why entries are wrong, % of the wrong ones",
        [Bar(cause.value, n / wrong, f"{percent(n / wrong)} ({n})") for cause, n in lost.causes.items() if wrong],
    )
    by_band = zip(BANDS, lost.wrong_by_band, lost.entries, strict=True)
    yield (
        "Wrong entries by the rank of the right answer before the fill, %",
        [
            Bar(band, tally.share(bad, n), f"{percent(tally.share(bad, n))} ({bad} of {n})")
            for band, bad, n in by_band
            if n and wrong
        ],
    )


def _calibration(claims: Sequence[Claim]) -> list[Bar]:
    return [
        Bar(f"{100 * one.low:g}-{100 * one.high:g}", one.right, f"{percent(one.right)} of {one.claims}", one.said)
        for one in reliability.bins(claims)
        if one.right is not None
    ]
