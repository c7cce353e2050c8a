"""Temporary files for entries, one per answer length, so that memory holds only one length at a time.

An index is sorted only within each length, so each file is sorted alone.
"""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pyarrow as pa


class Spill:
    """Rows of one schema, distributed by length: add all, close, then read each length."""

    def __init__(self, folder: Path, name: str, schema: pa.Schema) -> None:
        self._folder = folder
        self._name = name
        self._schema = schema
        self._waiting: dict[int, list[tuple[object, ...]]] = {}
        self._rows = 0
        self._writers: dict[int, pa.RecordBatchStreamWriter] = {}
        self._open_files = ExitStack()  # writers, and files, which writers leave open; Windows can't delete open ones

    def add_row(self, answer_length: int, row: tuple[object, ...]) -> None:
        self._waiting.setdefault(answer_length, []).append(row)
        self._rows += 1
        if self._rows >= 200_000:
            self.flush()

    def flush(self) -> None:
        for length, rows in self._waiting.items():
            if not rows:
                continue
            if length not in self._writers:
                file = self._open_files.enter_context(pa.OSFile(str(self._path(length)), "wb"))
                self._writers[length] = self._open_files.enter_context(pa.ipc.new_stream(file, self._schema))
            columns = zip(zip(*rows, strict=True), self._schema.types, strict=True)
            arrays = [pa.array(column, type=kind) for column, kind in columns]
            self._writers[length].write_batch(pa.record_batch(arrays, schema=self._schema))
            rows.clear()
        self._rows = 0

    def close(self) -> None:
        self.flush()
        self._open_files.close()

    def answer_lengths(self) -> set[int]:
        return set(self._writers)

    def read_rows(self, answer_length: int) -> pa.Table:
        """Return all rows of one length, in order of arrival."""
        if answer_length not in self._writers:
            return self._schema.empty_table()
        with pa.memory_map(str(self._path(answer_length))) as file:
            return pa.ipc.open_stream(file).read_all()

    def remove_rows(self, answer_length: int) -> None:
        self._path(answer_length).unlink(missing_ok=True)

    def _path(self, answer_length: int) -> Path:
        return self._folder / f"{self._name}-{answer_length}.arrow"
