"""The tables of a report for people, at most 60 columns wide where the screen is.

Shares are printed in per cent with one digit; an empty place means that there is nothing to share.
"""

from __future__ import annotations

from collections.abc import Sequence

from regis.evaluation import reliability, tally
from regis.evaluation.losses import Losses
from regis.evaluation.reliability import Bin, Claim
from regis.evaluation.tally import Row
from regis.render.table import RULE, table

HEADINGS = ("", "puzzles", "letters %", "words %", "whole", "whole %", "median s", "max s")
WIDE = 72
"""Columns of the table of weekdays; on a narrower screen it goes without those in DISPENSABLE."""
DISPENSABLE = ("whole %", "max s")

Line = Sequence[str]


def percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f}"


def weekdays(rows: Sequence[Row], width: int) -> str:
    """What was right, one line for each of `rows`."""
    left_out = DISPENSABLE if width < WIDE else ()
    shown = [i for i, heading in enumerate(HEADINGS) if heading not in left_out]
    lines: list[Line] = []
    for row in rows:
        whole = (str(row.whole), percent(tally.share(row.whole, row.puzzles)))
        seconds = (f"{row.median_seconds:.2f}", f"{row.max_seconds:.2f}")
        cells = (row.label, str(row.puzzles), percent(row.letters), percent(row.words), *whole, *seconds)
        lines += [RULE] if row.label == tally.ALL else []
        lines.append([cells[i] for i in shown])
    return table([HEADINGS[i] for i in shown], lines)


def bands(losses: Losses) -> str:
    """Entries and wrong entries by the rank of the right answer."""
    entries, wrong = sum(losses.entries), len(losses.wrong)
    lines: list[Line] = []
    for label, n, lost in losses.by_band:
        lines.append((label, str(n), _part(n, entries), str(lost), _part(lost, n), _part(lost, wrong)))
    lines += [RULE, ("all", str(entries), _part(entries, entries), str(wrong), _part(wrong, entries), "")]
    return table(("rank", "entries", "% of all", "wrong", "% wrong", "% of wrong"), lines)


def causes(losses: Losses, irregular: int) -> str:
    """Wrong entries by cause; those of irregular grids, whose cause is the grid, below and in no sum."""
    wrong = len(losses.wrong)
    lines: list[Line] = [(cause, str(n), _part(n, wrong)) for cause, n in losses.causes.items()]
    lines += [RULE, ("all", str(wrong), "")]
    if irregular:
        lines.append(("besides, in irregular grids", str(irregular), ""))
    return table(("cause", "wrong", "% of wrong"), lines)


def calibration(cells: Sequence[Claim], entries: Sequence[Claim]) -> str:
    """Mean confidence and share right, by how sure the filler was."""
    lines = [
        (one.label, *_columns(one), *_columns(other))
        for one, other in zip(reliability.bins(cells), reliability.bins(entries), strict=True)
    ]
    return table(("sure %", "cells", "said %", "right %", "entries", "said %", "right %"), lines)


def trust(cells: Sequence[Claim], entries: Sequence[Claim]) -> list[str]:
    """The same in two sentences."""
    sentences = []
    errors = f"cells {percent(reliability.calibration_error(cells))}"
    if entries:
        errors += f", entries {percent(reliability.calibration_error(entries))}"
    sentences.append(f"Expected calibration error, in percentage points: {errors}.")
    best = reliability.trusted(cells)
    which = "" if best.least is None else f" (those at least {100 * best.least:.2f}% sure)"
    sentences.append(f"{percent(best.share)}% of the letters can be trusted at {reliability.TRUST:.0%}{which}.")
    return sentences


def _columns(one: Bin) -> Line:
    return (str(one.claims), percent(one.said), percent(one.right))


def _part(part: int, of: int) -> str:
    return percent(part / of) if of else ""
