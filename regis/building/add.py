"""A person's own puzzles, added to an index that is there, without reading its corpora again.

Only the answer lengths that the puzzles have are written anew (`index.merge`); all other tables are taken over. A
puzzle is in the index already when each of its clues is, with its answer, no earlier than the puzzle; so adding one
twice, in whatever format, changes nothing. The index is replaced whole or not at all. Its manifest tells what was
added, and its dates count those puzzles, so that a benchmark takes none of them for unseen.
"""

from __future__ import annotations

import datetime as dt
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pyarrow as pa

from regis import text
from regis.corpora.entry import Entry, Reject
from regis.corpora.readers import puzzle_archive
from regis.index import Index, Manifest, SourceRecord, arrays, manifest, merge, publish, schema
from regis.system.progress import Progress, silent

READER = "puzzle-archive"
KNOWN = "in the index already"


@dataclass
class Added:
    """What became of the puzzles."""

    puzzles: int = 0  # that are new to the index
    clues: int = 0  # of theirs
    answers: int = 0  # that the index did not list
    known: list[str] = field(default_factory=list)  # files of puzzles that it had already
    useless: list[tuple[str, str]] = field(default_factory=list)  # files that hold no clue with an answer, and why


def add(paths: Sequence[Path], folder: Path, *, progress: Progress = silent) -> Added:
    """Adds the puzzles in `paths` (files, folders, zips) to the index at `folder`.

    Raises IndexMissing, IndexOutdated, IndexDamaged, SourceError or OutputError; whatever happens, the index stays
    usable, and without a new puzzle it stays as it was.
    """
    folder = Path(os.path.realpath(folder))  # a link stays a link; what it points to is replaced
    Index.with_clues(folder)  # before anything is made beside it
    with publish.workshop(folder) as place:
        index = Index.with_clues(folder)
        gathered = _Gathered(index)
        records = [record for path in paths if (record := gathered.read(path, progress)).kept]
        if records:
            built = place / "index"
            changed = publish.publish(built, folder, _write(index, built, gathered, records, progress))
            index.home.close()  # or it would be kept for a reader
            gathered.added.answers = _answers(changed) - _answers(index.manifest)
    return gathered.added


class _Gathered:
    """What new puzzles bring: their clues by answer length, and what became of each."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.added = Added()
        self.publishers = list(index.manifest.publishers)
        self.rows: dict[int, list[tuple[object, ...]]] = {}  # by length, as in schema.USED
        self._years: dict[tuple[str, str], int] = {}  # of each clue key and answer that was gathered

    def read(self, path: Path, progress: Progress) -> SourceRecord:
        """Takes in the puzzles of one file, folder or zip."""
        kept: list[Entry] = []
        rejected: Counter[str] = Counter()
        with progress(f"reading {path.name}", None) as bar:
            for name, rows in puzzle_archive.puzzles(path):
                entries = [row for row in rows if isinstance(row, Entry)]
                rejects = Counter(row.reason for row in rows if isinstance(row, Reject))
                rejected.update(rejects)
                if not entries:
                    self.added.useless.append((name, next(iter(rejects), "puzzle without a clue")))
                elif all(self._has(entry) for entry in entries):
                    self.added.known.append(name)
                    rejected[KNOWN] += len(entries)
                else:
                    self.added.puzzles += 1
                    kept += entries
                    self._take(entries)
                bar.update(1)
        self.added.clues += len(kept)
        return SourceRecord.of(READER, path, len(kept), rejected, {entry.year for entry in kept if entry.year})

    def _has(self, entry: Entry) -> bool:
        gathered = self._years.get((text.clue_key(entry.clue), entry.answer), -1)
        last = self.index.last(entry.clue, entry.answer)
        return max(gathered, -1 if last is None else last) >= (entry.year or 0)

    def _take(self, entries: Sequence[Entry]) -> None:
        for entry in entries:
            if entry.source not in self.publishers:
                self.publishers.append(entry.source)
            key = text.clue_key(entry.clue)
            self._years[key, entry.answer] = max(entry.year or 0, self._years.get((key, entry.answer), 0))
            row = (key, entry.clue, entry.answer, entry.year or 0)
            self.rows.setdefault(len(entry.answer), []).append(row)


def _write(
    index: Index, built: Path, gathered: _Gathered, records: Sequence[SourceRecord], progress: Progress
) -> Manifest:
    """Writes the index with what was gathered into the folder `built`; returns its manifest, files not yet listed."""
    of_length = {f"length={length}" for length in gathered.rows}
    publish.copy(index.home, built, of_length | {schema.LETTERS, manifest.NAME})
    lengths = {int(length): held for length, held in index.manifest.lengths.items()}
    trigrams = index.trigrams.copy()
    with progress("merging", len(gathered.rows)) as bar:
        for length, rows in sorted(gathered.rows.items()):
            used = pa.table(list(map(pa.array, zip(*rows, strict=True))), schema.USED.names)
            merged = merge.merge(index, built, length, used.cast(schema.USED))
            lengths[length] = {"clues": merged.clues, "answers": merged.answers}
            trigrams += merged.trigrams
            bar.update(1)
    arrays.save(built / schema.LETTERS, trigrams)
    years = [year for year in (index.manifest.latest_year, *(record.latest for record in records)) if year]
    return replace(
        index.manifest,
        created=dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        publishers=tuple(gathered.publishers),
        latest_year=max(years, default=None),
        lengths={str(length): lengths[length] for length in sorted(lengths)},
        added=(*index.manifest.added, *records),
    )


def _answers(of: Manifest) -> int:
    return sum(held["answers"] for held in of.lengths.values())
