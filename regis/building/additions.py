"""Files to add as layers: puzzles one by one, lists and clue tables as a whole."""

from __future__ import annotations

import datetime as dt
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from regis import text
from regis.corpora.entry import PUZZLE_READER, Entry, Reject, Relation, Source
from regis.corpora.readers import READERS, puzzle_archive
from regis.errors import SourceError
from regis.index import Index, SourceRecord
from regis.index.layers import layer_files
from regis.index.layers.layer_files import EntryRow, Layer
from regis.index.storage.manifest import LayerRecord
from regis.index.tables import writer
from regis.models.text import clue_features
from regis.system.progress import Progress

KNOWN_PUZZLE = "already in the index"
PUZZLE_COLUMN = writer.LAYER_SCHEMA.get_field_index("text")  # the column that identifies a row's puzzle
RELATION_REFUSED = "relations between words; only `regis build` uses them"


@dataclass
class AddOutcome:
    new_puzzles: int = 0  # puzzles that are new to the index
    new_clues: int = 0  # clues of the new puzzles
    # of lists and clue tables that are new or have changed
    changed_layers: list[LayerRecord] = field(default_factory=list)
    new_answers: int = 0  # how many more answers the index lists; negative if a shorter list replaced a longer one
    known_puzzles: list[str] = field(default_factory=list)  # files of puzzles that the index already had
    unchanged_layers: list[str] = field(default_factory=list)  # of lists that the index had, or knew without them
    useless_files: list[str] = field(default_factory=list)  # one sentence for each file without a clue and its answer
    is_first_index: bool = False  # whether the person had no index before
    on_new_starter: bool = False  # whether it was on another starter before
    was_mended: bool = False  # whether it couldn't be read before


class PuzzleLayerBuilder:
    def __init__(self, layer_name: str, old_layer: Layer | None, base_index: Index, outcome: AddOutcome) -> None:
        self.layer_name = layer_name
        self.old_layer = old_layer
        self.base_index = base_index
        self.outcome = outcome
        self.source_records: list[SourceRecord] = []
        self.publishers: dict[str, None] = {}
        self.new_rows: list[EntryRow] = []
        self._uses_by_year: dict[tuple[str, str], Counter[int]] = defaultdict(Counter)  # by clue key and answer
        self._puzzle_ids: set[str] = set()
        self._replaced_ids: set[str] = set()  # of undated puzzles that the same puzzle with a year replaced
        for use in old_layer.entries.select(["key", "answer", "year", "text"]).to_pylist() if old_layer else ():
            self._count_use(use["key"], use["answer"], use["year"], use["text"] or "")

    def read_puzzles(self, archive: Path, progress: Progress) -> None:
        """Read the puzzles of one file, folder, or zip, and count the outcomes; raises SourceError."""
        year_counts: Counter[int] = Counter()  # of entries; year 0 for none
        rejected: Counter[str] = Counter()
        with progress(f"reading {archive.name}", None) as bar:
            for name, rows, problem in puzzle_archive.read_puzzles(archive):
                entries = [row for row in rows if isinstance(row, Entry)]
                rejects = Counter(row.reason for row in rows if isinstance(row, Reject))
                rejected.update(rejects)
                if not entries:
                    why = problem or f"{name}: {next(iter(rejects), 'puzzle without a clue')}"
                    self.outcome.useless_files.append(why)
                elif not self._replace_undated(entries) and all(self._has_use(entry) for entry in entries):
                    self.outcome.known_puzzles.append(name)
                    rejected[KNOWN_PUZZLE] += len(entries)
                else:
                    self.outcome.new_puzzles += 1
                    year_counts.update(entry.year or 0 for entry in entries)
                    self._take_puzzle(entries)
                bar.update(1)
        self.outcome.new_clues += year_counts.total()
        if year_counts:
            self.source_records.append(_source_record(Source(PUZZLE_READER, archive), year_counts, rejected))

    @property
    def merged_layer(self) -> Layer | None:
        """Return the layer with the new puzzles; None if nothing is new and there was no layer."""
        old = self.old_layer
        if not self.new_rows:
            return old
        rows = [row for row in self.new_rows if row[PUZZLE_COLUMN] not in self._replaced_ids]
        entries = layer_files.make_entries(rows)
        sources, publishers = tuple(self.source_records), tuple(self.publishers)
        if old is None:
            return _new_layer(self.layer_name, sources, publishers, entries)
        stays = pc.invert(pc.is_in(old.entries["text"], value_set=pa.array(sorted(self._replaced_ids), pa.string())))
        entries = layer_files.sort_entries(pa.concat_tables([old.entries.filter(stays), entries]))
        publishers = tuple(dict.fromkeys([*old.record.publishers, *publishers]))
        return _new_layer(self.layer_name, (*old.record.sources, *sources), publishers, entries)

    def _has_use(self, entry: Entry) -> bool:
        """Return whether the layer or the index below has this use. Other layers may be removed, so they don't count.

        A use without a year may be the same one. The index below knows only the last year.
        """
        year = entry.year or 0
        gathered_years = +self._uses_by_year.get((text.clue_key(entry.clue), entry.answer), Counter())
        last_year = self.base_index.last_pair_year(entry.clue, entry.answer)
        in_base = last_year is not None and (last_year == 0 or last_year >= year)
        return in_base or 0 in gathered_years or year in gathered_years or (not year and bool(gathered_years))

    def _replace_undated(self, entries: Sequence[Entry]) -> bool:
        """Remove the copy of this puzzle without a year from the layer, and return whether there was one."""
        undated = [entry._replace(year=None) for entry in entries]
        undated_id = _puzzle_id(undated)
        if undated == list(entries) or undated_id not in self._puzzle_ids or undated_id in self._replaced_ids:
            return False
        self._replaced_ids.add(undated_id)
        for entry in entries:
            self._uses_by_year[text.clue_key(entry.clue), entry.answer][0] -= 1
        return True

    def _take_puzzle(self, entries: Sequence[Entry]) -> None:
        puzzle_id = _puzzle_id(entries)
        for entry in entries:
            self.publishers[entry.source] = None
            self._count_use(text.clue_key(entry.clue), entry.answer, entry.year or 0, puzzle_id)
            self.new_rows.append(_use_row(entry, puzzle_id))

    def _count_use(self, clue_key: str, answer: str, year: int, puzzle_id: str) -> None:
        self._uses_by_year[clue_key, answer][year] += 1
        self._puzzle_ids.add(puzzle_id)


def read_lists(layer_name: str, sources: Sequence[Source], progress: Progress) -> Layer:
    """Read lists and clue tables into a new layer; raises SourceError if one has nothing to add."""
    used_rows: list[EntryRow] = []
    listed_rows: dict[EntryRow, None] = {}
    records = []
    publishers: dict[str, None] = {}
    for source in sources:
        rejected: Counter[str] = Counter()
        year_counts: Counter[int] = Counter()  # of entries; year 0 for none
        with progress(f"reading {source.path.name}", None) as bar:
            for row in READERS[source.reader](source.path):
                bar.update(1)
                if not isinstance(row, Entry):
                    rejected[RELATION_REFUSED if isinstance(row, Relation) else row.reason] += 1
                    continue
                year_counts[row.year or 0] += 1
                publishers[row.source] = None
                if row.clue:
                    used_rows.append(_use_row(row))
                else:
                    listed_rows["", "", row.answer, 0, row.text or None, row.weight] = None
        if not year_counts:
            why = "; ".join(f"{reason}: {count:,} rows" for reason, count in rejected.most_common(3)) or "no rows"
            raise SourceError(f"{source.path} contains nothing to add ({why}); see `regis add --help`")
        records.append(_source_record(source, year_counts, rejected))
    entries = layer_files.make_entries([*used_rows, *listed_rows])
    return _new_layer(layer_name, tuple(records), tuple(publishers), entries)


def _use_row(entry: Entry, puzzle_id: str | None = None) -> EntryRow:
    """Return one use of a clue, with its puzzle if known, as a row of LAYER_SCHEMA."""
    return text.clue_key(entry.clue), entry.clue, entry.answer, entry.year or 0, puzzle_id, 0.0


def _puzzle_id(entries: Sequence[Entry]) -> str:
    """Hash the clues, answers, and year of a puzzle; the result doesn't depend on its format."""
    uses = sorted((text.clue_key(entry.clue), entry.answer, entry.year or 0) for entry in entries)
    return f"{clue_features.hash_word(repr(uses)):016x}"


def _source_record(source: Source, year_counts: Counter[int], rejected: Counter[str]) -> SourceRecord:
    """Record a source, given the number of entries that were kept for each year, 0 for no year."""
    return SourceRecord.from_file(source.reader, source.path, year_counts.total(), rejected, year_counts.keys() - {0})


def _new_layer(
    layer_name: str, sources: tuple[SourceRecord, ...], publishers: tuple[str, ...], entries: pa.Table
) -> Layer:
    """Make a layer with today's date; its new answers are counted in stacking (layers.stacking)."""
    now = dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
    uses, words = layer_files.split_uses_and_words(entries)
    return Layer(LayerRecord(layer_name, now, sources, publishers, len(uses), len(words), 0), entries)
