"""Solve the plain puzzles of an archive in this process, with a part of Regis changed, and add up the results."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Mapping, Sequence
from unittest import mock

import installation  # noqa: F401
from tqdm import tqdm

from regis.candidates.unlisted_prior import UnlistedPrior
from regis.errors import UsageError
from regis.evaluation import archive, records, score
from regis.evaluation.records import PLAIN_LABEL, PuzzleRecord, SummaryRow
from regis.evaluation.runner import solve_and_score
from regis.index import Index
from regis.models.strings.string_model import StringModel
from regis.puzzle import Cell, Puzzle, formats
from regis.puzzle.formats import PuzzleFile
from regis.solving.moves import PLAN, Move
from regis.system.progress import show_nothing


def read_items(arguments: argparse.Namespace) -> list[archive.ArchivePuzzle]:
    """Read the chosen puzzles with a letter in each square. Raises UsageError if there are none."""
    items, _ = archive.read_archive(arguments.archive, show_nothing)
    truths = ((item, score.read_truth(item.file)) for item in items)
    plain_items = [item for item, truth in truths if truth and not score.has_irregular_content(truth)]
    if not plain_items:
        raise UsageError(f"{arguments.archive} has no plain puzzle with its solution; name an archive that has some")
    return archive.sample_puzzles(plain_items, None, arguments.per_weekday)


def read_solved(file: PuzzleFile) -> tuple[Puzzle, Mapping[Cell, str]]:
    """Read a plain puzzle, without letters that somebody wrote in, and its solution."""
    truth = score.read_truth(file)
    assert truth is not None, "it is plain"
    return dataclasses.replace(formats.read_puzzle(file)[0], given={}), truth


def with_string_model(index: Index, string_model: StringModel) -> mock._patch_dict:
    """Patch in another model of unlisted answers; clear everything computed with the index's own."""
    cached = {UnlistedPrior: UnlistedPrior(index, string_model)}
    return mock.patch.dict(vars(index), string_model=string_model, _cached=cached)


def solve_items(
    items: Sequence[archive.ArchivePuzzle], index: Index, label: str, plan: Mapping[str, Move] = PLAN
) -> tuple[SummaryRow, list[PuzzleRecord]]:
    """Solve all items with a plan; return their summary row and each record. Raises SystemExit if one failed."""
    bar = tqdm(items, desc=label, leave=False, disable=None)
    solved_records = [solve_and_score(item, index, plan=plan) for item in bar]
    if failed := [record for record in solved_records if record.failure_reason]:
        raise SystemExit(f"{failed[0].file_name}: {failed[0].failure_reason}")
    return dataclasses.replace(records.summarize_records(solved_records)[PLAIN_LABEL], label=label), solved_records


def format_shares(row: SummaryRow) -> str:
    """Format letters, words, and whole grids, in percent, under `SHARE_HEADINGS`."""
    return f"{100 * row.letter_share:8.2f} {100 * row.word_share:7.2f} {100 * row.whole_count / row.puzzle_count:7.1f}"


SHARE_HEADINGS = f"{'letters':>8} {'words':>7} {'whole':>7}"
