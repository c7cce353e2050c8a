"""A benchmark's result as a page: plots of what the tables say, and the tables below them.

Each plot is horizontal bars with their figures, so that nothing has to be guessed from lengths or colours; a mark on a
bar is what was claimed where the bar is what came true.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from regis.evaluation import reliability, tally
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
    yield "Whole grids without an error, %", [_part(row.label, row.whole, row.puzzles) for row in rows]
    cells, entries = tally.claims(records)
    yield "How sure letters are said to be (mark), and how many of them are right (bar), %", _calibration(cells)
    yield "The same of entries", _calibration(entries)
    lost = tally.lost(records)
    if wrong := len(lost.wrong):
        causes = [Bar(cause.value, n / wrong, f"{percent(n / wrong)} ({n})") for cause, n in lost.causes.items()]
        yield "Why entries are wrong, % of the wrong ones", causes
        by_rank = [_part(band, bad, n) for band, n, bad in lost.by_band if n]
        yield "Wrong entries by the rank of the right answer before the fill, %", by_rank


def _part(label: str, part: int, of: int) -> Bar:
    share = tally.share(part, of)
    return Bar(label, share, f"{percent(share)} ({part} of {of})")


def _calibration(claims: Sequence[Claim]) -> list[Bar]:
    return [
        Bar(one.label, one.right, f"{percent(one.right)} of {one.claims}", one.said)
        for one in reliability.bins(claims)
        if one.right is not None
    ]
