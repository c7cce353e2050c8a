"""The records of a benchmark in a file, so that a stopped benchmark can resume.

Each line is a JSON object with a checksum, flushed at once: first the run, then one puzzle per line. A half-written
last line is dropped. Name and bytes identify a puzzle; a failed puzzle is tried again.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import hashlib
import json
import zlib
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from regis.errors import OutputError, UsageError
from regis.evaluation.archive import ArchivePuzzle
from regis.evaluation.calibration import Claim
from regis.evaluation.losses import Cause, Loss, Losses
from regis.evaluation.records import PuzzleRecord
from regis.evaluation.score import Score
from regis.system.files import locks

RunIdentity = Mapping[str, str | float | None]

DAMAGE_ERRORS = (ValueError, KeyError, TypeError, AttributeError, RecursionError)
"""Errors of a changed line, or of another program's line."""


class Journal:
    """The records of one run in a file, a context manager; without a path they aren't kept."""

    def __init__(self, path: Path | None, run_identity: RunIdentity) -> None:
        self._path = path
        self._run_identity = run_identity
        self._records: dict[str, PuzzleRecord] = {}
        self._open = ExitStack()

    def __enter__(self) -> Journal:
        """Read the file; raises UsageError if it isn't a journal, OutputError if it can't be written."""
        if self._path is None:
            return self
        with ExitStack() as opened:
            try:
                self._path.touch()
                if not opened.enter_context(locks.try_lock(self._path)):
                    raise UsageError(f"{self._path} is being written by another run; choose another file")
                size = self._read_lines(self._path.read_bytes())
                self._file = opened.enter_context(self._path.open("r+b", buffering=0))
                self._file.truncate(size)
                self._file.seek(size)
            except OSError as cause:
                raise OutputError(f"{self._path} can't be written ({cause.strerror}); name another file") from cause
            if not size:
                self._write(self._run_identity)
            self._open = opened.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def find_record(self, puzzle: ArchivePuzzle) -> PuzzleRecord | None:
        """Return the record of a puzzle that was already solved, if any."""
        return self._records.get(_puzzle_key(puzzle))

    def add_record(self, puzzle: ArchivePuzzle, record: PuzzleRecord) -> None:
        """Write a record; raises OutputError, but earlier records stay."""
        if self._path is not None:
            self._write({"puzzle": _puzzle_key(puzzle), "record": dataclasses.asdict(record)})
            self._records[_puzzle_key(puzzle)] = record

    def _read_lines(self, data: bytes) -> int:
        """Read the whole lines of `data`, and return their size."""
        foreign = UsageError(
            f"{self._path} wasn't written by `regis bench --resume`; choose another file, or a new name"
        )
        size = data.rfind(b"\n") + 1
        if not size:
            if not _json_line(self._run_identity).startswith(data):
                raise foreign
            return 0
        first, *lines = data[:size].splitlines()
        try:
            run = _read_line(first)
            different = [name for name in self._run_identity if run[name] != self._run_identity[name]]
        except DAMAGE_ERRORS:
            raise foreign from None
        if different:
            there = ", ".join(_setting_text(name, run, self._run_identity) for name in different)
            raise UsageError(f"{self._path} is from a different run ({there}); choose another file, or a new name")
        for number, line in enumerate(lines, 2):
            try:
                value = _read_line(line)
                record = _make_record(value["record"])
                if not record.failure_reason:
                    self._records[value["puzzle"]] = record
            except DAMAGE_ERRORS:
                raise UsageError(
                    f"line {number} of {self._path} is damaged; remove that line, or choose another file"
                ) from None
        return size

    def _write(self, value: Mapping[str, Any]) -> None:
        data = memoryview(_json_line(value))
        try:
            while data:
                data = data[self._file.write(data) :]
        except OSError as cause:
            raise OutputError(f"{self._path} can't be written ({cause.strerror}); its content is complete") from cause


def _json_line(value: Mapping[str, Any]) -> bytes:
    text = json.dumps(value, allow_nan=False, default=str)
    return json.dumps({"checksum": zlib.crc32(text.encode()), **json.loads(text)}).encode() + b"\n"


def _read_line(line: bytes) -> dict[str, Any]:
    """Read the result of `_json_line`; raises one of DAMAGE_ERRORS if it was changed."""
    value: dict[str, Any] = json.loads(line)
    if value.pop("checksum") != zlib.crc32(json.dumps(value).encode()):
        raise ValueError("changed")
    return value


def _puzzle_key(puzzle: ArchivePuzzle) -> str:
    return f"{hashlib.sha256(puzzle.file.data).hexdigest()[:16]} {puzzle.file.name}"


def _setting_text(name: str, *runs: RunIdentity) -> str:
    """Write two runs' settings for a message: 'filler domains, not belief'."""
    settings = ("without limit" if run[name] is None else f"{run[name]!s:.60}" for run in runs)
    return f"{name} {', not '.join(settings)}"


def _make_record(value: dict[str, Any]) -> PuzzleRecord:
    lost = value["losses"]
    wrong = [Loss(entry, rank, Cause(cause)) for entry, rank, cause in lost["wrong_entries"]] if lost else ()
    value["date"] = value["date"] and dt.date.fromisoformat(value["date"])
    value["score"] = value["score"] and Score(*value["score"])
    value["losses"] = lost and Losses(tuple(lost["entries_by_band"]), tuple(wrong))
    value["cell_claims"] = tuple(Claim(*claim) for claim in value["cell_claims"])
    value["entry_claims"] = tuple(Claim(*claim) for claim in value["entry_claims"])
    return PuzzleRecord(**value)
