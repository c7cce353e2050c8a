"""A benchmark's result as a page: plots of what the tables say, and the tables below them.

Each plot is horizontal bars with their figures, so that nothing has to be guessed from lengths or colours; a mark on a
bar is what was claimed where the bar is what came true.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import NamedTuple

from regis.evaluation import losses, reliability, tally
from regis.evaluation.losses import BANDS
from regis.evaluation.reliability import Claim
from regis.evaluation.tables import percent
from regis.evaluation.tally import Record
from regis.render.html import page

STYLE = """
figure{margin:1rem 0;break-inside:avoid}
figcaption{font-weight:bold}
pre{overflow-x:auto}
"""

BARS, TOLD, ROW = 200, 150, 36
"""Columns for bars and figures, and the height of a row, in the units of the drawing. Labels stand above their bars, so
that a plot fits a phone."""


class Bar(NamedTuple):
    label: str
    share: float  # 0 to 1
    told: str
    mark: float | None = None  # 0 to 1


def render(title: str, records: Sequence[Record], text: str) -> str:
    """The page; `text` is the report with its tables."""
    figures = "".join(
        f"<figure>\n<figcaption>{escape(caption)}</figcaption>\n{plot(bars)}</figure>\n"
        for caption, bars in _plots(records)
        if bars
    )
    tables = f"<section>\n<h2>In figures</h2>\n<pre>{escape(text)}</pre>\n</section>\n"
    return page(escape(title), STYLE, f"<h1>{escape(title)}</h1>\n<main>\n{figures}</main>\n{tables}")


def plot(bars: Sequence[Bar]) -> str:
    """An <svg> in the colours of the text around it."""
    width, height = BARS + TOLD, ROW * len(bars)
    rows = "".join(f'<g transform="translate(0 {ROW * i})">{_bar(bar)}</g>\n' for i, bar in enumerate(bars))
    told = escape("; ".join(f"{bar.label}: {bar.told}" for bar in bars), quote=True)
    return (
        f'<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" aria-label="{told}" '
        f'fill="currentColor" font-size="13" style="max-width:100%;height:auto">\n{rows}</svg>\n'
    )


def _bar(bar: Bar) -> str:
    mark = "" if bar.mark is None else f'<path d="M{BARS * bar.mark:.1f} 16v18" stroke="#d55e00" '
    return (
        f'<text y="15">{escape(bar.label)}</text>'
        f'<rect y="19" width="{BARS}" height="12" fill-opacity=".12"/>'
        f'<rect y="19" width="{BARS * bar.share:.1f}" height="12" fill-opacity=".6"/>'
        + (mark and mark + 'stroke-width="3"/>')
        + f'<text x="{BARS + 6}" y="30">{escape(bar.told)}</text>'
    )


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
