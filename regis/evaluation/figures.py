"""A benchmark's figures for programs: what the tables say, and more, as what JSON can hold.

All shares are 0 to 1. Of each puzzle its wrong entries are named with their rank and cause; the claims about every
single cell are only summed up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from regis.evaluation import reliability, tally
from regis.evaluation.losses import Losses
from regis.evaluation.reliability import Claim
from regis.evaluation.tally import Record


def of(records: Sequence[Record]) -> dict[str, Any]:
    """The summary by weekday, losses by weekday, reliability over all plain puzzles, and the puzzles."""
    cells, entries = tally.claims(records)
    return {
        "percentages": "letters and words are shares of all together; mean_* are means of the puzzles' shares",
        "summary": [vars(row) for row in tally.rows(records)],
        "losses": {
            label: _losses(tally.lost(group))
            for label, group in tally.groups(records).items()
            if label != tally.IRREGULAR
        },
        "irregular_wrong": tally.irregular_wrong(records),
        "reliability": {"cells": _reliability(cells), "entries": _reliability(entries)},
        "puzzles": [_record(r) for r in records],
    }


def _losses(lost: Losses) -> dict[str, Any]:
    return {
        "ranks": [{"rank": label, "entries": n, "wrong": wrong} for label, n, wrong in lost.by_band],
        "causes": {cause.value: n for cause, n in lost.causes.items()},
    }


def _reliability(claims: Sequence[Claim]) -> dict[str, Any]:
    return {
        "bins": [one._asdict() for one in reliability.bins(claims)],
        "calibration_error": reliability.calibration_error(claims),
        "trusted_at": reliability.TRUST,
        "trusted": reliability.trusted(claims)._asdict(),
    }


def _record(record: Record) -> dict[str, Any]:
    value = {f.name: getattr(record, f.name) for f in fields(record) if f.name not in ("cells", "entries")}
    value["date"] = record.date.isoformat() if record.date else None
    value["weekday"] = record.weekday
    value["score"] = record.score._asdict() if record.score else None
    value["losses"] = [loss._asdict() for loss in record.losses.wrong] if record.losses else None
    return value
