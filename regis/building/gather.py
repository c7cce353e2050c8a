"""What files hold that a person adds, as layers: puzzles one after the other, lists and clue tables each as a whole."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

from regis import text
from regis.corpora.entry import Entry, Reject, Relation, Source
from regis.corpora.readers import READERS, puzzle_archive
from regis.errors import SourceError
from regis.index import Index, SourceRecord, layers
from regis.index.layers import Row, Stacked
from regis.index.manifest import Layer
from regis.system.progress import Progress

KNOWN = "in the index already"
RELATION = "what words have to do with each other, which only `regis build` takes in"


@dataclass
class Added:
    """What became of what was to be added."""

    puzzles: int = 0  # that are new to the index
    clues: int = 0  # of theirs
    layers: list[Layer] = field(default_factory=list)  # of lists and clue tables, that are new or not as they were
    answers: int = 0  # how many more the index lists; fewer than 0 where a list took the place of a longer one
    known: list[str] = field(default_factory=list)  # files of puzzles that it had already,
    same: list[str] = field(default_factory=list)  # and the layers of lists that it had just so, or knew without them
    useless: list[tuple[str, str]] = field(default_factory=list)  # files that hold no clue with an answer, and why
    began: bool = False  # whether this is the first that the person has of an index of their own
    renewed: bool = False  # whether it lay on another starter before


class Puzzles:
    """Puzzles that are gathered for one layer: what they bring, and what became of each."""

    def __init__(self, index: Index, added: Added) -> None:
        self.index = index
        self.added = added
        self.records: list[SourceRecord] = []
        self.publishers: dict[str, None] = {}
        self.rows: list[Row] = []
        self._years: dict[tuple[str, str], int] = {}  # of each clue key and answer that was gathered

    def read(self, path: Path, progress: Progress) -> None:
        """Takes in the puzzles of one file, folder or zip. Raises SourceError."""
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
        if kept:
            self.records.append(_record(Source(layers.PUZZLES, path), kept, rejected))

    def on(self, old: Stacked | None, name: str) -> Stacked | None:
        """The layer `name` with them, over what it held; None if nothing is new and there was none."""
        if not self.rows:
            return old
        entries = layers.entries(self.rows)
        sources, publishers = tuple(self.records), tuple(self.publishers)
        if old is None:
            return _stacked(name, sources, publishers, entries)
        entries = layers.sorted_entries(pa.concat_tables([old.entries, entries]))
        publishers = tuple(dict.fromkeys([*old.about.publishers, *publishers]))
        return _stacked(name, (*old.about.sources, *sources), publishers, entries)

    def _has(self, entry: Entry) -> bool:
        gathered = self._years.get((text.clue_key(entry.clue), entry.answer), -1)
        last = self.index.last(entry.clue, entry.answer)
        return max(gathered, -1 if last is None else last) >= (entry.year or 0)

    def _take(self, entries: Sequence[Entry]) -> None:
        for entry in entries:
            self.publishers[entry.source] = None
            pair = text.clue_key(entry.clue), entry.answer
            self._years[pair] = max(entry.year or 0, self._years.get(pair, 0))
            self.rows.append(_used(entry))


def lists(name: str, sources: Sequence[Source], below: Index, progress: Progress) -> Stacked | None:
    """The layer `name` of lists and clue tables; None where `below` holds all of it.

    Uses of clues that `below` has with that year or a later one are left out. Raises SourceError.
    """
    words: list[Entry] = []
    rows: list[Row] = []
    records = []
    publishers: dict[str, None] = {}
    for source in sources:
        rejected: Counter[str] = Counter()
        kept: list[Entry] = []
        with progress(f"reading {source.path.name}", None) as bar:
            for entry in _entries(source, below, rejected):
                kept.append(entry)
                publishers[entry.source] = None
                bar.update(1)
        if not kept and not rejected[KNOWN]:
            why = "; ".join(f"{reason}: {count:,} rows" for reason, count in rejected.most_common(3)) or "no row at all"
            raise SourceError(f"{source.path} holds nothing to add ({why}); `regis add --help` says what can be")
        records.append(_record(source, kept, rejected))
        words += [entry for entry in kept if not entry.clue]
        rows += [_used(entry) for entry in kept if entry.clue]
    listed = dict.fromkeys((one.answer, one.text or None, one.weight) for one in words)
    rows += [("", "", answer, 0, written, score) for answer, written, score in listed]
    if not rows:
        return None
    return _stacked(name, tuple(records), tuple(publishers), layers.entries(rows))


def _entries(source: Source, below: Index, rejected: Counter[str]) -> Iterator[Entry]:
    """What `source` holds that `below` does not; all else is counted."""
    for row in READERS[source.reader](source.path):
        if isinstance(row, Relation):
            rejected[RELATION] += 1
        elif isinstance(row, Reject):
            rejected[row.reason] += 1
        elif row.clue and (last := below.last(row.clue, row.answer)) is not None and last >= (row.year or 0):
            rejected[KNOWN] += 1
        else:
            yield row


def _used(entry: Entry) -> Row:
    """One use of a clue, as a row of tables.LAYER."""
    return text.clue_key(entry.clue), entry.clue, entry.answer, entry.year or 0, None, 0.0


def _record(source: Source, kept: Sequence[Entry], rejected: Counter[str]) -> SourceRecord:
    years = {entry.year for entry in kept if entry.year}
    return SourceRecord.of(source.reader, source.path, len(kept), rejected, years)


def _stacked(name: str, sources: tuple[SourceRecord, ...], publishers: tuple[str, ...], entries: pa.Table) -> Stacked:
    """The layer `name` of today; what it brings is counted once it lies on something (layers.stack)."""
    now = dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
    return Stacked(Layer(name, now, sources, publishers, *layers.sizes(entries), 0), entries)
