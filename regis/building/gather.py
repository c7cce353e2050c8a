"""What files hold that a person adds, as layers: puzzles one after the other, lists and clue tables each as a whole."""

from __future__ import annotations

import datetime as dt
import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from regis import text
from regis.corpora.entry import PUZZLES, Entry, Reject, Relation, Source
from regis.corpora.readers import READERS, puzzle_archive
from regis.errors import SourceError
from regis.index import Index, SourceRecord, layers, tables
from regis.index.layers import Row, Stacked
from regis.index.manifest import Layer
from regis.models import features
from regis.system.progress import Progress

KNOWN = "in the index already"
PUZZLE = tables.LAYER.get_field_index("text")  # where a row has of which puzzle it is
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
    again: dict[str, int] = field(default_factory=dict)  # of the other layers, how many clues were known without them
    before: dict[str, Layer] = field(default_factory=dict)  # what had their names before
    useless: list[str] = field(default_factory=list)  # a sentence for each file that holds no clue with an answer
    began: bool = False  # whether this is the first that the person has of an index of their own
    renewed: bool = False  # whether it lay on another starter before
    mended: bool = False  # whether it could not be read before


class Puzzles:
    """Puzzles that are gathered for one layer, over what it held: what they bring, and what became of each."""

    def __init__(self, name: str, old: Stacked | None, below: Index, added: Added) -> None:
        self.name = name
        self.old = old
        self.below = below
        self.added = added
        self.records: list[SourceRecord] = []
        self.publishers: dict[str, None] = {}
        self.rows: list[Row] = []
        self._years: dict[tuple[str, str], Counter[int]] = defaultdict(Counter)  # of each clue key and answer in it
        self._puzzles: set[str] = set()  # that are in it,
        self._dated: set[str] = set()  # and those of no year in whose place the same came with one
        for use in old.entries.select(["key", "answer", "year", "text"]).to_pylist() if old else ():
            self._gathered(use["key"], use["answer"], use["year"], use["text"] or "")

    def read(self, path: Path, progress: Progress) -> None:
        """Takes in the puzzles of one file, folder or zip. Raises SourceError."""
        kept: Counter[int] = Counter()  # by year, 0 where there is none
        rejected: Counter[str] = Counter()
        with progress(f"reading {path.name}", None) as bar:
            for name, rows, problem in puzzle_archive.puzzles(path):
                entries = [row for row in rows if isinstance(row, Entry)]
                rejects = Counter(row.reason for row in rows if isinstance(row, Reject))
                rejected.update(rejects)
                if not entries:
                    self.added.useless.append(problem or f"{name}: {next(iter(rejects), 'puzzle without a clue')}")
                elif not self._redated(entries) and all(self._has(entry) for entry in entries):
                    self.added.known.append(name)
                    rejected[KNOWN] += len(entries)
                else:
                    self.added.puzzles += 1
                    kept.update(entry.year or 0 for entry in entries)
                    self._take(entries)
                bar.update(1)
        self.added.clues += kept.total()
        if kept:
            self.records.append(_record(Source(PUZZLES, path), kept, rejected))

    @property
    def layer(self) -> Stacked | None:
        """The layer with them; None if nothing is new and there was none."""
        old = self.old
        if not self.rows:
            return old
        entries = layers.entries([row for row in self.rows if row[PUZZLE] not in self._dated])
        sources, publishers = tuple(self.records), tuple(self.publishers)
        if old is None:
            return _stacked(self.name, sources, publishers, entries)
        stays = pc.invert(pc.is_in(old.entries["text"], value_set=pa.array(sorted(self._dated), pa.string())))
        entries = layers.sorted_entries(pa.concat_tables([old.entries.filter(stays), entries]))
        publishers = tuple(dict.fromkeys([*old.about.publishers, *publishers]))
        return _stacked(self.name, (*old.about.sources, *sources), publishers, entries)

    def _has(self, entry: Entry) -> bool:
        """Whether the layer or what lies below has this use; other layers do not count, as they may be removed.

        One of which nobody knows the year may be this one. What lies below tells its last year only.
        """
        year = entry.year or 0
        gathered = +self._years.get((text.clue_key(entry.clue), entry.answer), Counter())
        last = self.below.last(entry.clue, entry.answer)
        below = last is not None and (last == 0 or last >= year)
        return below or 0 in gathered or year in gathered or (not year and bool(gathered))

    def _redated(self, entries: Sequence[Entry]) -> bool:
        """Whether the layer had this puzzle without its year; then that gives way, so that it is as if never added."""
        undated = [entry._replace(year=None) for entry in entries]
        copy = _puzzle(undated)
        if undated == list(entries) or copy not in self._puzzles or copy in self._dated:
            return False
        self._dated.add(copy)
        for entry in entries:
            self._years[text.clue_key(entry.clue), entry.answer][0] -= 1
        return True

    def _take(self, entries: Sequence[Entry]) -> None:
        puzzle = _puzzle(entries)
        for entry in entries:
            self.publishers[entry.source] = None
            self._gathered(text.clue_key(entry.clue), entry.answer, entry.year or 0, puzzle)
            self.rows.append(_used(entry, puzzle))

    def _gathered(self, key: str, answer: str, year: int, puzzle: str) -> None:
        self._years[key, answer][year] += 1
        self._puzzles.add(puzzle)


def distinct(sources: Iterable[Source]) -> list[Source]:
    """`sources`, each file once with each reader, however it is spelled; the first spelling counts."""
    found: dict[tuple[str, str], Source] = {}
    for source in sources:
        found.setdefault((source.reader, os.path.realpath(source.path)), source)
    return list(found.values())


def lists(name: str, sources: Sequence[Source], progress: Progress) -> Stacked:
    """The layer `name` of lists and clue tables: all that they hold. Raises SourceError."""
    used: list[Row] = []
    listed: dict[Row, None] = {}
    records = []
    publishers: dict[str, None] = {}
    for source in sources:
        rejected: Counter[str] = Counter()
        kept: Counter[int] = Counter()  # by year, 0 where there is none
        with progress(f"reading {source.path.name}", None) as bar:
            for row in READERS[source.reader](source.path):
                bar.update(1)
                if not isinstance(row, Entry):
                    rejected[RELATION if isinstance(row, Relation) else row.reason] += 1
                    continue
                kept[row.year or 0] += 1
                publishers[row.source] = None
                if row.clue:
                    used.append(_used(row))
                else:
                    listed["", "", row.answer, 0, row.text or None, row.weight] = None
        if not kept:
            why = "; ".join(f"{reason}: {count:,} rows" for reason, count in rejected.most_common(3)) or "no row at all"
            raise SourceError(f"{source.path} holds nothing to add ({why}); `regis add --help` says what can be")
        records.append(_record(source, kept, rejected))
    return _stacked(name, tuple(records), tuple(publishers), layers.entries([*used, *listed]))


def _used(entry: Entry, puzzle: str | None = None) -> Row:
    """One use of a clue, in a `puzzle` if that is known, as a row of tables.LAYER."""
    return text.clue_key(entry.clue), entry.clue, entry.answer, entry.year or 0, puzzle, 0.0


def _puzzle(entries: Sequence[Entry]) -> str:
    """What a puzzle is called by its clues, answers and year, in whatever format it came."""
    uses = sorted((text.clue_key(entry.clue), entry.answer, entry.year or 0) for entry in entries)
    return f"{features.code(repr(uses)):016x}"


def _record(source: Source, kept: Counter[int], rejected: Counter[str]) -> SourceRecord:
    """The record of a source of which so many entries of each year were `kept`, year 0 where there is none."""
    return SourceRecord.of(source.reader, source.path, kept.total(), rejected, kept.keys() - {0})


def _stacked(name: str, sources: tuple[SourceRecord, ...], publishers: tuple[str, ...], entries: pa.Table) -> Stacked:
    """The layer `name` of today; what it brings is counted once it lies on something (stacking.stack)."""
    now = dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
    return Stacked(Layer(name, now, sources, publishers, *layers.sizes(entries), 0), entries)
