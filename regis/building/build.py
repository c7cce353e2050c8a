"""From corpora to an index: read, clean, hold out, merge, write, learn; all or nothing.

The first pass streams every source once, and distributes entries by answer length (`storage.spill`); the second sorts
and writes one length at a time (`tables.writer`). So memory holds only the largest length, and the words, word pairs,
and triples of clues. The new index is built next to the old one, and replaces it at the end.
"""

from __future__ import annotations

import datetime as dt
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from regis import text
from regis.building import inheritance, list_prior, personal_layers
from regis.building.list_prior import ListPrior
from regis.building.settings import LISTS
from regis.building.synthesis import AnswerCoiner
from regis.building.training import ranking_weights, train
from regis.corpora.entry import PUZZLE_READER, Entry, Reject, Relation, Source
from regis.corpora.readers import READERS
from regis.errors import SourceError, SourceMissing, UsageError
from regis.index import Index, Manifest, SourceRecord, relation_arrays
from regis.index.layers import layer_files
from regis.index.relation_arrays import RelationBuilder
from regis.index.storage import manifest, publish
from regis.index.storage.spill import Spill
from regis.index.tables import schema, writer
from regis.system import paths
from regis.system.files import array_file
from regis.system.progress import Progress, show_nothing
from regis.system.version import __version__

AFTER_LAST_YEAR = "after --until"
AFTER_TODAY = "from a future year"
WITHOUT_YEAR = "no year, with --until"
HELD_OUT_PAIR = "in a held-out puzzle"
UNLIKELY_ANSWER = "too unlikely to become an answer"

HeldOutPairs = dict[tuple[str, str], int]
"""(clue key, answer) -> the first year in which this pair is rejected."""


def build_index(
    sources: Sequence[Source],
    out_folder: Path,
    *,
    last_year: int | None = None,
    held_out_archives: Sequence[Path] = (),
    without_layers: bool = False,
    starter_folder: Path | None = None,
    max_listed: int = LISTS.max_listed,
    progress: Progress = show_nothing,
) -> Manifest:
    """Build the index of `sources` at `out_folder`, with the layers of an index there; return its manifest.

    `last_year` leaves out later rows, and clues without a year. `held_out_archives` leave out their puzzles'
    clue-answer pairs from that year on. Both leave out layers. The index begins with the starter in `starter_folder`,
    unless the starter knows what is left out. `max_listed` limits strings that only lists have to the likeliest, if
    enough is known to tell. Raises SourceError, UsageError, or OutputError; the old index then stays as it was.
    """
    if not sources:
        raise UsageError("nothing to build from; download corpora with `regis fetch`, or give --source READER=FILE")
    for source in sources:
        if not os.path.exists(source.path):  # noqa: PTH110 (Path.exists raises over a name too long)
            raise SourceMissing(f"{source.path} doesn't exist; data/README.md says where to get each corpus")
    with publish.open_workshop(out_folder) as workshop:
        bare = without_layers or last_year is not None or held_out_archives
        saved_layers = {} if bare else layer_files.recover_layers(out_folder)
        built_folder = workshop / "index"
        held_out_pairs = _held_out_pairs(held_out_archives)
        starter = None if starter_folder is None else Index.open(starter_folder)
        years_after = [] if last_year is None else [last_year + 1]
        first_year_out = min([*years_after, *held_out_pairs.values()], default=None)
        if starter is not None and first_year_out is not None:
            starter = None if (starter.manifest.latest_year or manifest.MAX_YEAR) >= first_year_out else starter
        work = _IndexBuild(workshop, built_folder, last_year, held_out_pairs, starter, progress)
        record = work.build_tables(list(dict.fromkeys(sources)), held_out_archives, max_listed)
        return personal_layers.publish_under_layers(saved_layers, built_folder, out_folder, record, progress)


@dataclass(eq=False)
class _IndexBuild:
    """One build in progress: the spills, the publishers so far, and the years."""

    workshop: Path
    built_folder: Path
    last_year: int | None
    held_out_pairs: HeldOutPairs
    starter: Index | None
    progress: Progress

    def __post_init__(self) -> None:
        self.current_year = dt.datetime.now(dt.UTC).year
        starter = self.starter
        starter_publishers = [] if starter is None else inheritance.relation_publishers(starter)
        self.relation_sources = {name: place for place, name in enumerate(starter_publishers)}  # publishers
        self.publishers: dict[str, None] = dict.fromkeys(starter.manifest.publishers if starter is not None else ())
        self.uses_by_year: Counter[int] = Counter()  # uses of clues by year
        self.answer_coiner = AnswerCoiner()
        self.relation_collector = RelationBuilder()
        self.used_spill = Spill(self.workshop, "used", writer.USE_SCHEMA)
        self.listed_spill = Spill(self.workshop, "listed", list_prior.LISTED_SCHEMA)

    def build_tables(self, sources: Sequence[Source], held_out_archives: Sequence[Path], max_listed: int) -> Manifest:
        """Read all sources, write all tables, fit or inherit the rest, and return the manifest; raises SourceError."""
        records = tuple(self.read_source(source, number) for number, source in enumerate(sources))
        self.list_coined()
        del self.answer_coiner  # the words, pairs, and triples of all clues
        self.used_spill.close()
        self.listed_spill.close()
        newest_year = manifest.find_newest_year(records)
        hidden_year = _hidden_year(self.uses_by_year, with_starter=self.starter is not None)
        if not self.used_spill.answer_lengths() | self.listed_spill.answer_lengths():
            reasons = sum((Counter(record.rejected) for record in records), Counter[str]())
            why = "; ".join(f"{reason}: {count:,} rows" for reason, count in reasons.most_common(3))
            help = "`regis build --help` lists the readers"
            if held_out_archives or self.last_year:
                help = f"--until and --hold-out exclude rows; {help}"
            raise SourceError(f"no source has a usable answer ({why or 'no rows'}); {help}")
        starter_year = self.starter.manifest.latest_year if self.starter is not None else None
        prior = self.fit_prior(starter_year, max_listed)
        lengths, rejected = self.write_lengths(hidden_year or newest_year or 0, prior)
        records = tuple(one.reject_entries(UNLIKELY_ANSWER, rejected[number]) for number, one in enumerate(records))
        record = Manifest(
            format_version=manifest.FORMAT_VERSION,
            regis=__version__,
            created=dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
            sources=records,
            publishers=tuple(dict.fromkeys([*self.relation_sources, *self.publishers])),
            latest_year=max((year for year in (newest_year, starter_year) if year), default=None),
            held_out={
                "after": self.last_year,
                "archives": [paths.printable_path(p.name) for p in held_out_archives],
                "pairs": len(self.held_out_pairs),
            },
            lengths=lengths,
            files={},
            newest=hidden_year if hidden_year != newest_year else 0,
            begun=self.starter.fingerprint if self.starter is not None else "",
            begun_to=0 if self.starter is None else starter_year or manifest.MAX_YEAR,
        )
        answer_names = {part.length: part.answers for part in Index(self.built_folder, record).partitions()}
        relations = self.relation_collector.build_arrays(answer_names)
        if self.starter is not None:
            relations = inheritance.inherit_relations(self.starter, relations, answer_names, record.publishers)
        if relations.has_relations:
            relation_arrays.write_relations(self.built_folder, relations)
        with self.progress("learning", None):
            if self.starter is None:
                train.fit_index(Index(self.built_folder, record), self.built_folder)
            else:
                inheritance.inherit_encoders(self.starter, Index(self.built_folder, record), self.built_folder)
                inheritance.inherit_weights(self.starter, self.built_folder)
        return record

    def read_source(self, source: Source, number: int) -> SourceRecord:
        rejected: Counter[str] = Counter()
        years: set[int] = set()
        kept_rows = rows = 0
        with self.progress(f"reading {source.path.name}", None) as bar:
            for row in READERS[source.reader](source.path):
                if isinstance(row, Relation):
                    number = self.relation_sources.setdefault(row.source, len(self.relation_sources))
                    self.relation_collector.add_relation(row, number)
                    continue
                rows += 1
                if rows % 20_000 == 0:
                    bar.update(20_000)
                reason = row.reason if isinstance(row, Reject) else self.refusal_reason(row)
                if reason or isinstance(row, Reject):
                    rejected[reason or ""] += 1
                    continue
                kept_rows += 1
                years.add(row.year or 0)
                self.spill_entry(row, number)
            bar.update(rows % 20_000)
        years.discard(0)
        return SourceRecord.from_file(source.reader, source.path, kept_rows, rejected, years)

    def refusal_reason(self, entry: Entry) -> str:
        """Return why this entry is rejected; '' if it isn't."""
        if not entry.clue:
            return ""
        if entry.year is not None and entry.year > self.current_year:
            return AFTER_TODAY
        if self.last_year is not None and (entry.year is None or entry.year > self.last_year):
            return WITHOUT_YEAR if entry.year is None else AFTER_LAST_YEAR
        first_year = self.held_out_pairs.get((text.clue_key(entry.clue), entry.answer)) if self.held_out_pairs else None
        return HELD_OUT_PAIR if first_year is not None and (entry.year is None or entry.year >= first_year) else ""

    def spill_entry(self, entry: Entry, source_number: int) -> None:
        self.publishers[entry.source] = None
        if entry.clue:
            if entry.year:
                self.uses_by_year[entry.year] += 1
            clue_key = text.clue_key(entry.clue)
            self.answer_coiner.count_clue(clue_key, entry.answer)
            self.used_spill.add_row(len(entry.answer), (clue_key, entry.clue, entry.answer, entry.year or 0))
        else:
            row = (entry.answer, entry.text or None, entry.weight, source_number)
            self.listed_spill.add_row(len(entry.answer), row)

    def list_coined(self) -> None:
        for coined in self.answer_coiner.coin_answers(list(self.relation_collector.inflected_forms())):
            if text.fits_grid(coined.answer):
                self.publishers[coined.source] = None
                row = (coined.answer, coined.display_text or None, coined.score, None)
                self.listed_spill.add_row(len(coined.answer), row)

    def fit_prior(self, starter_year: int | None, max_listed: int) -> ListPrior | None:
        """Learn which listed strings become answers; None if too little is known."""
        label_year = list_prior.first_label_year(self.uses_by_year, starter_year, ranking_weights.MIN_CLUES)
        if label_year is None:
            return None
        with self.progress("weighing lists", None):
            spills = (self.used_spill, self.listed_spill)
            return list_prior.fit_list_prior(*spills, label_year, self.starter, max_listed)

    def write_lengths(
        self, newest_year: int, prior: ListPrior | None
    ) -> tuple[dict[str, dict[str, int]], Counter[int]]:
        """Write the tables of every length; return row counts by length and rejected rows by source."""
        starter_parts = () if self.starter is None else self.starter.partitions()
        starter_lengths = {part.length for part in starter_parts if len(part.answers)}
        lengths = sorted(self.used_spill.answer_lengths() | self.listed_spill.answer_lengths() | starter_lengths)
        sizes: dict[str, dict[str, int]] = {}
        rejected: Counter[int] = Counter()  # by source number
        trigrams = np.zeros((27, 27, 27))
        with self.progress("sorting and writing", len(lengths)) as bar:
            for length in lengths:
                used, listed = self.used_spill.read_rows(length), self.listed_spill.read_rows(length)
                if prior is None:
                    listed = listed.drop_columns(["list"])
                else:
                    listed, rejected_lists = prior.score_rows(length, listed)
                    rejected.update(rejected_lists.tolist())
                if self.starter is not None:
                    listed = inheritance.add_starter_answers(self.starter, length, used, listed, newest_year)
                pairs = writer.make_pair_rows(used, newest_year)
                tables = writer.write_tables(self.built_folder, length, pairs, listed)
                del used, pairs, listed  # mapped into memory; Windows can't delete mapped files
                self.used_spill.remove_rows(length)
                self.listed_spill.remove_rows(length)
                sizes[str(length)] = tables.row_counts
                trigrams += tables.trigram_counts
                bar.update(1)
        if self.starter is not None and self.starter.trigram_counts.sum() > trigrams.sum():
            trigrams = self.starter.trigram_counts
        array_file.write_arrays(schema.part_path(self.built_folder, schema.LETTERS), {"trigrams": trigrams})
        return sizes, rejected


def _hidden_year(uses_by_year: Mapping[int, int], *, with_starter: bool) -> int:
    """Find the newest whole year with enough uses of clues for fitting, and enough before it; 0 if there is none.

    Mistyped years have too few. A year that has just begun has other kinds of puzzles than a whole one. With a starter,
    earlier years may be empty.
    """
    years = sorted(year for year, uses in uses_by_year.items() if uses >= ranking_weights.MIN_CLUES)
    whole_years = [
        year
        for year, year_before in zip(years, [None, *years], strict=False)
        if year_before is None or uses_by_year[year] >= 0.5 * uses_by_year[year_before]
    ]
    year = max(whole_years, default=0)
    earlier_uses = sum(uses for other, uses in uses_by_year.items() if other < year)
    return year if with_starter or earlier_uses >= ranking_weights.MIN_CLUES else 0


def _held_out_pairs(archives: Iterable[Path]) -> HeldOutPairs:
    """Read the clue-answer pairs to hold out, each with the year of its earliest puzzle.

    Raises SourceError for an archive without pairs: the index would wrongly claim not to know it.
    """
    pairs: HeldOutPairs = {}
    for archive in archives:
        entries = [row for row in READERS[PUZZLE_READER](archive) if isinstance(row, Entry)]
        if not entries:
            raise SourceError(f"no puzzle in {archive} has a solution to hold out; choose an archive of solved puzzles")
        for row in entries:
            key = (text.clue_key(row.clue), row.answer)
            pairs[key] = min(pairs.get(key, manifest.MAX_YEAR), row.year or 0)
    return pairs
