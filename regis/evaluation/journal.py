"""The records of a benchmark, kept in a file as they are done, so that one that was stopped goes on where it was.

One JSON object a line. The first says what run it is, each further one is a puzzle, written and flushed as soon as it
is solved. A last line that was only half written is dropped. A puzzle is known by its name and its bytes; one that
failed is tried again.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Mapping
from contextlib import ExitStack
from itertools import chain
from pathlib import Path
from typing import Any

from regis.errors import OutputError, UsageError
from regis.evaluation.archive import ArchivePuzzle
from regis.evaluation.calibration import Claim
from regis.evaluation.losses import RANK_BANDS, Cause, Loss, Losses
from regis.evaluation.records import PuzzleRecord
from regis.evaluation.score import Score
from regis.system.files import locked_folder

RunIdentity = Mapping[str, str | float | None]

DAMAGE_ERRORS = (ValueError, KeyError, TypeError, AttributeError, RecursionError)
"""What a line stumbles over that was changed, or is of something else."""

MAX_NUMBER = 1e15  # letters, entries or seconds: what is larger counts nothing, and cannot be reckoned with


class Journal:
    """The records of one run in a file, to be entered before it is used; without a path they are not kept."""

    def __init__(self, path: Path | None, run_identity: RunIdentity) -> None:
        self._path = path
        self._run_identity = run_identity
        self._records: dict[tuple[str, str], PuzzleRecord] = {}
        self._open = ExitStack()

    def __enter__(self) -> Journal:
        """Read what is there. Raises UsageError if that is something else, OutputError if it cannot be written."""
        if self._path is None:
            return self
        with ExitStack() as opened:
            try:
                self._path.touch()
                if not opened.enter_context(locked_folder.exclusive_access(self._path)):
                    raise UsageError(f"{self._path} is being written by another run; name another file")
                size = self._read_lines(self._path.read_bytes())
                self._file = opened.enter_context(self._path.open("r+b", buffering=0))
                self._file.truncate(size)
                self._file.seek(size)
            except OSError as cause:
                raise OutputError(f"{self._path} cannot be written ({cause.strerror}); name another file") from cause
            if not size:
                self._write(self._run_identity)
            self._open = opened.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def find_record(self, puzzle: ArchivePuzzle) -> PuzzleRecord | None:
        """Find the record of a puzzle that was solved before, or is kept since."""
        return self._records.get(_puzzle_key(puzzle))

    def add_record(self, puzzle: ArchivePuzzle, record: PuzzleRecord) -> None:
        """Keep a record. Raises OutputError; what was kept before stays."""
        if self._path is not None:
            self._write(_record_to_json(puzzle, record))
            self._records[_puzzle_key(puzzle)] = record

    def _read_lines(self, data: bytes) -> int:
        """Take in the whole lines of `data`, and return how many bytes they are."""
        size = data.rfind(b"\n") + 1
        if not size:
            if not _json_line(self._run_identity).startswith(data):
                raise self._foreign_error()
            return 0
        first, *lines = data[:size].splitlines()
        try:
            run = json.loads(first)
            different = [name for name in self._run_identity if run[name] != self._run_identity[name]]
        except DAMAGE_ERRORS:
            raise self._foreign_error() from None
        if different:
            settings = (_setting_text(name, run, self._run_identity) for name in different)
            there = ", ".join(settings)
            raise UsageError(f"{self._path} is of another run ({there}); name another file, which need not exist")
        for number, line in enumerate(lines, 2):
            try:
                value = json.loads(line)
                record = _record_from_json(value)
                if not record.failure_reason:
                    self._records[value["file"], value["sha256"]] = record
            except DAMAGE_ERRORS:
                raise UsageError(f"line {number} of {self._path} is damaged; take it out, or name another") from None
        return size

    def _foreign_error(self) -> UsageError:
        return UsageError(f"{self._path} is not of `regis bench --resume`; name another file, which need not exist")

    def _write(self, value: Mapping[str, Any]) -> None:
        data = memoryview(_json_line(value))
        try:
            while data:
                data = data[self._file.write(data) :]
        except OSError as cause:
            raise OutputError(f"{self._path} cannot be written ({cause.strerror}); what it holds is whole") from cause


def _json_line(value: Mapping[str, Any]) -> bytes:
    return json.dumps(value, allow_nan=False).encode() + b"\n"


def _puzzle_key(puzzle: ArchivePuzzle) -> tuple[str, str]:
    return puzzle.file.name, hashlib.sha256(puzzle.file.data).hexdigest()[:16]


def _record_to_json(puzzle: ArchivePuzzle, record: PuzzleRecord) -> dict[str, Any]:
    lost = record.losses
    return {
        "file": record.file_name,
        "sha256": _puzzle_key(puzzle)[1],
        "date": record.date and record.date.isoformat(),
        "irregular": record.is_irregular,
        "score": record.score,
        "seconds": record.seconds,
        "held": record.share_in_index,
        "seen": record.seen_reason,
        "failure": record.failure_reason,
        "losses": lost and {"entries": lost.entries_by_band, "wrong": lost.wrong_entries},
        "cells": record.cell_claims,
        "entries": record.entry_claims,
    }


def _setting_text(name: str, *runs: RunIdentity) -> str:
    """Write what two runs were asked, for a message: 'filler domains and not belief'."""
    settings = ("without limit" if run[name] is None else f"{run[name]!s:.60}" for run in runs)
    return f"{name} {' and not '.join(settings)}"


def _record_from_json(value: Mapping[str, Any]) -> PuzzleRecord:
    """Read a record. Raises one of DAMAGE_ERRORS where `value` is not what `_record_to_json` made."""
    lost = value["losses"]
    numbers, shares = [*(value["score"] or ())], [*chain(*value["cells"], *value["entries"])]
    numbers += [value["seconds"]] if value["seconds"] is not None else []
    shares += [value["held"]] if value["held"] is not None else []
    if lost:
        numbers += [*lost["entries"], *(rank for _, rank, _ in lost["wrong"] if rank is not None)]
    if not all(isinstance(number, int | float) and 0 <= number <= MAX_NUMBER for number in (*numbers, *shares)):
        raise ValueError("what counts or measures nothing")
    if value["score"] and value["seconds"] is None:
        raise ValueError("graded and not solved")
    if any(share > 1 for share in shares) or (lost and len(lost["entries"]) != len(RANK_BANDS)):
        raise ValueError("more than all, or other bands")
    return PuzzleRecord(
        file_name=value["file"],
        date=value["date"] and dt.date.fromisoformat(value["date"]),
        is_irregular=value["irregular"],
        score=value["score"] and Score(*value["score"]),
        seconds=value["seconds"],
        share_in_index=value["held"],
        seen_reason=value["seen"],
        failure_reason=value["failure"],
        losses=lost
        and Losses(
            tuple(lost["entries"]), tuple(Loss(entry, rank, Cause(cause)) for entry, rank, cause in lost["wrong"])
        ),
        cell_claims=tuple(Claim(*claim) for claim in value["cells"]),
        entry_claims=tuple(Claim(*claim) for claim in value["entries"]),
    )
