"""The plain puzzles of an archive, solved in this process while something of Regis is changed, and added up."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Sequence
from unittest import mock

import installed  # noqa: F401
from tqdm import tqdm

from regis.candidates.unlisted_prior import UnlistedPrior
from regis.errors import UsageError
from regis.evaluation import archive, records, score
from regis.evaluation.records import ALL, Record, Row
from regis.evaluation.runner import solved
from regis.index import Index
from regis.models.unlisted import StringModel
from regis.system.progress import silent


def puzzles(arguments: argparse.Namespace) -> list[archive.Item]:
    """Those that were asked for and have a letter in each square. Raises UsageError where there is none."""
    items, _ = archive.read(arguments.archive, silent)
    truths = [score.truth(item.file) for item in items]
    plain = [item for item, truth in zip(items, truths, strict=True) if truth and not score.irregular(truth)]
    if not plain:
        raise UsageError(f"{arguments.archive} has no plain puzzle with its solution; name an archive that has some")
    return archive.sample(plain, None, arguments.per_weekday)


def with_strings(index: Index, strings: StringModel) -> mock._patch_dict:
    """The index with another model of answers in no list, and nothing left of what was worked out with its own."""
    return mock.patch.dict(vars(index), strings=strings, _derived={UnlistedPrior: UnlistedPrior(index, strings)})


def solve(items: Sequence[archive.Item], index: Index, label: str) -> tuple[Row, list[Record]]:
    """What became of all `items`, added up and each. Raises SystemExit where one could not be solved."""
    found = [solved(item, index) for item in tqdm(items, desc=label, leave=False, disable=None)]
    if failed := [record for record in found if record.failure]:
        raise SystemExit(f"{failed[0].file}: {failed[0].failure}")
    return dataclasses.replace(records.rows(found)[ALL], label=label), found


def shares(row: Row) -> str:
    """Letters, words and whole grids, in per cent, under `HEADS`."""
    return f"{100 * row.letters:8.2f} {100 * row.words:7.2f} {100 * row.whole / row.puzzles:7.1f}"


HEADS = f"{'letters':>8} {'words':>7} {'whole':>7}"
