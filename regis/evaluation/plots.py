"""A benchmark's result as a page: plots of what the tables of the report say, and the tables below them.

Each plot is horizontal bars with their figures, so that nothing has to be guessed from lengths or colours; a mark on a
bar is what was claimed where the bar is what came true.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from regis.evaluation import calibration, records
from regis.evaluation.calibration import Claim
from regis.evaluation.records import Record
from regis.render import template

BARS = 200  # columns of a whole bar, in the units of the drawing


class Bar(NamedTuple):
    label: str
    share: float  # 0 to 1
    figure: str
    mark: float | None = None  # 0 to 1


def page(title: str, puzzles: Sequence[Record], text: str) -> str:
    """The page; `text` is the report with its tables."""
    return template.filled("benchmark.html", title=title, plots=list(_plots(puzzles)), report=text, across=BARS)


def _plots(puzzles: Sequence[Record]) -> Iterator[tuple[str, list[Bar]]]:
    rows = records.rows(puzzles).values()
    yield "Letters that are right, %", [Bar(row.label, row.letters, f"{100 * row.letters:.1f}") for row in rows]
    yield "Words that are right, %", [Bar(row.label, row.words, f"{100 * row.words:.1f}") for row in rows]
    yield "Whole grids without an error, %", [_part(row.label, row.whole, row.puzzles) for row in rows]
    cells, entries = records.claims(puzzles)
    yield "How sure letters are said to be (mark), and how many of them are right (bar), %", _calibration(cells)
    yield "The same of entries", _calibration(entries)
    lost = records.lost(puzzles)
    if wrong := len(lost.wrong):
        causes = [Bar(cause.value, n / wrong, f"{100 * n / wrong:.1f} ({n})") for cause, n in lost.causes.items()]
        yield "Why entries are wrong, % of the wrong ones", causes
        by_rank = [_part(band, bad, n) for band, n, bad in lost.by_band if n]
        yield "Wrong entries by the rank of the right answer before the fill, %", by_rank


def _part(label: str, part: int, of: int) -> Bar:
    share = records.share(part, of)
    return Bar(label, share, f"{100 * share:.1f} ({part} of {of})")


def _calibration(claims: Sequence[Claim]) -> list[Bar]:
    return [
        Bar(one.label, one.right, f"{100 * one.right:.1f} of {one.claims}", one.said)
        for one in calibration.bins(claims)
        if one.right is not None
    ]
