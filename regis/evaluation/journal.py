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
from regis.evaluation.archive import Item
from regis.evaluation.calibration import Claim
from regis.evaluation.losses import BANDS, Cause, Loss, Losses
from regis.evaluation.records import Record
from regis.evaluation.score import Score
from regis.system import held

Run = Mapping[str, str | float | None]

NOT_OURS = (ValueError, KeyError, TypeError, AttributeError, RecursionError)
"""What a line stumbles over that was changed, or is of something else."""

MOST = 1e15  # letters, entries or seconds: what is larger counts nothing, and cannot be reckoned with


class Journal:
    """The file at `path` of the run `run`; None is a journal that nobody keeps. To be entered before it is used."""

    def __init__(self, path: Path | None, run: Run) -> None:
        self._path = path
        self._run = run
        self._records: dict[tuple[str, str], Record] = {}
        self._open = ExitStack()

    def __enter__(self) -> Journal:
        """Reads what is there. Raises UsageError if that is something else, OutputError if it cannot be written."""
        if self._path is None:
            return self
        with ExitStack() as opened:
            try:
                self._path.touch()
                if not opened.enter_context(held.alone(self._path)):
                    raise UsageError(f"{self._path} is being written by another run; name another file")
                whole = self._read(self._path.read_bytes())
                self._file = opened.enter_context(self._path.open("r+b", buffering=0))
                self._file.truncate(whole)
                self._file.seek(whole)
            except OSError as cause:
                raise OutputError(f"{self._path} cannot be written ({cause.strerror}); name another file") from cause
            if not whole:
                self._write(self._run)
            self._open = opened.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def known(self, item: Item) -> Record | None:
        """The record of a puzzle that was solved before, or is kept since."""
        return self._records.get(_key(item))

    def add(self, item: Item, record: Record) -> None:
        """Keeps a record. Raises OutputError; what was kept before stays."""
        if self._path is not None:
            self._write(_values(item, record))
            self._records[_key(item)] = record

    def _read(self, data: bytes) -> int:
        """Takes in the whole lines of `data`; how many bytes they are."""
        whole = data.rfind(b"\n") + 1
        if not whole:
            if not _line(self._run).startswith(data):
                raise self._foreign()
            return 0
        first, *lines = data[:whole].splitlines()
        try:
            run = json.loads(first)
            different = [name for name in self._run if run[name] != self._run[name]]
        except NOT_OURS:
            raise self._foreign() from None
        if different:
            there = ", ".join(f"{name} {_said(run[name])} and not {_said(self._run[name])}" for name in different)
            raise UsageError(f"{self._path} is of another run ({there}); name another file, which need not exist")
        for number, line in enumerate(lines, 2):
            try:
                value = json.loads(line)
                record = _record(value)
                if not record.failure:
                    self._records[value["file"], value["sha256"]] = record
            except NOT_OURS:
                raise UsageError(f"line {number} of {self._path} is damaged; take it out, or name another") from None
        return whole

    def _foreign(self) -> UsageError:
        return UsageError(f"{self._path} is not of `regis bench --resume`; name another file, which need not exist")

    def _write(self, value: Mapping[str, Any]) -> None:
        data = memoryview(_line(value))
        try:
            while data:
                data = data[self._file.write(data) :]
        except OSError as cause:
            raise OutputError(f"{self._path} cannot be written ({cause.strerror}); what it holds is whole") from cause


def _line(value: Mapping[str, Any]) -> bytes:
    return json.dumps(value, allow_nan=False).encode() + b"\n"


def _key(item: Item) -> tuple[str, str]:
    return item.file.name, hashlib.sha256(item.file.data).hexdigest()[:16]


def _values(item: Item, record: Record) -> dict[str, Any]:
    lost = record.losses
    return vars(record) | {
        "sha256": _key(item)[1],
        "date": record.date and record.date.isoformat(),
        "losses": lost and {"entries": lost.entries, "wrong": lost.wrong},
    }


def _said(value: object) -> str:
    """What a run was asked, for a message."""
    return "without limit" if value is None else f"{value!s:.60}"


def _record(value: Mapping[str, Any]) -> Record:
    """Raises one of NOT_OURS where `value` is not what `_values` made."""
    lost = value["losses"]
    numbers, shares = [*(value["score"] or ())], [*chain(*value["cells"], *value["entries"])]
    numbers += [value["seconds"]] if value["seconds"] is not None else []
    shares += [value["held"]] if value["held"] is not None else []
    if lost:
        numbers += [*lost["entries"], *(rank for _, rank, _ in lost["wrong"] if rank is not None)]
    if not all(isinstance(number, int | float) and 0 <= number <= MOST for number in (*numbers, *shares)):
        raise ValueError("what counts or measures nothing")
    if value["score"] and value["seconds"] is None:
        raise ValueError("graded and not solved")
    if any(share > 1 for share in shares) or (lost and len(lost["entries"]) != len(BANDS)):
        raise ValueError("more than all, or other bands")
    return Record(
        **{name: value[name] for name in ("file", "irregular", "seconds", "held", "seen", "failure")},
        date=value["date"] and dt.date.fromisoformat(value["date"]),
        score=value["score"] and Score(*value["score"]),
        losses=lost
        and Losses(tuple(lost["entries"]), tuple(Loss(slot, rank, Cause(why)) for slot, rank, why in lost["wrong"])),
        cells=tuple(Claim(*claim) for claim in value["cells"]),
        entries=tuple(Claim(*claim) for claim in value["entries"]),
    )
