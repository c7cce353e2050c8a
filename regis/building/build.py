"""From corpora to an index: read, clean, hold out, merge, write, learn; whole or not at all.

Two passes. The first streams every source once and deals its entries out by answer length (`index.spill`); the second
sorts and writes one length at a time (`index.writer`). Memory is that of the largest length, and of the words, word
pairs and triples of the clues. The new index grows in a folder beside the old one and takes its place at the very end.
"""

from __future__ import annotations

import datetime as dt
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from regis import text
from regis.building import add, gather, inherit
from regis.building.synthesis import Coiner
from regis.building.training import train, weights
from regis.corpora.entry import PUZZLES, Entry, Reject, Relation, Source
from regis.corpora.readers import READERS
from regis.errors import SourceError, UsageError, unknown
from regis.index import (
    Index,
    Manifest,
    SourceRecord,
    arrays,
    layers,
    manifest,
    publish,
    related,
    schema,
    tables,
    writer,
)
from regis.index.relating import Relating
from regis.index.spill import Spill
from regis.system import paths
from regis.system.progress import Progress, silent
from regis.system.version import __version__

AFTER = "later than the year asked for"
UNDATED = "no year, and a last year was asked for"
HELD_OUT = "in a puzzle that is held out"

NEVER = 9999  # a year that does not come

HeldOut = dict[tuple[str, str], int]
"""(clue key, answer) -> the first year from which rows of this pair are turned away."""


def build(
    sources: Sequence[Source],
    out: Path,
    *,
    until: int | None = None,
    hold_out: Sequence[Path] = (),
    without_layers: bool = False,
    starter: Path | None = None,
    progress: Progress = silent,
) -> Manifest:
    """Builds the index of `sources` at `out`, in the place of any that is there, under its layers if it has some.

    Where anything is to be left out, so are the layers.

    `until`: rows of later years, and clues without a year, are left out. `hold_out`: archives whose clue-answer pairs
    are left out wherever they stand with that year or a later one; earlier uses of the same pair stay, as they would
    have been known. The index begins where the one at `starter` stands, if that knows nothing of what is left out so.
    Raises SourceError, UsageError or OutputError; whatever happens, the old index stays as it was.
    """
    if not sources:
        raise UsageError("nothing to build from; `regis fetch` brings corpora, or name a --source READER=FILE")
    for source in sources:
        if source.reader not in READERS:
            raise unknown("reader", source.reader, READERS)
        if not os.path.exists(source.path):  # noqa: PTH110 (Path.exists raises over a name too long)
            raise SourceError(f"there is no file {source.path}; data/README.md says where to get each corpus")
    for path in (*(source.path for source in sources), *hold_out):
        if os.path.exists(out / manifest.NAME) and paths.within(path, out):  # noqa: PTH110
            raise UsageError(f"{path} lies in {out}, where the index goes; choose another place with --out")
    with publish.workshop(out) as folder:
        kept = {} if without_layers or until is not None or hold_out else layers.saved(out)
        built = folder / "index"
        held_out = _pairs(hold_out)
        begin = None if starter is None else Index.open(starter)
        left_out = _first_left_out(until, held_out)
        if begin is not None and left_out is not None and (begin.manifest.latest_year or NEVER) >= left_out:
            begin = None
        record = _Build(folder, built, until, held_out, begin, progress).run(gather.distinct(sources), hold_out)
        return add.publish_under(kept, built, out, record, progress)


class _Build:
    """One build at work: the spills, the publishers met so far, and the years seen."""

    def __init__(
        self, folder: Path, built: Path, until: int | None, held_out: HeldOut, starter: Index | None, progress: Progress
    ) -> None:
        """Six things that a build is told."""
        self.built = built
        self.starter = starter
        self.until = until
        self.held_out = held_out
        self.progress = progress
        known = [] if starter is None else inherit.speakers(starter)
        self.related = {name: place for place, name in enumerate(known)}  # publishers of relations, by their places
        self.publishers: dict[str, None] = dict.fromkeys(starter.manifest.publishers if starter is not None else ())
        self.years: Counter[int] = Counter()  # uses of clues by year
        self.coiner = Coiner()
        self.relating = Relating()
        self.used = Spill(folder, "used", tables.USED)
        self.listed = Spill(folder, "listed", tables.LISTED)

    def run(self, sources: Sequence[Source], hold_out: Sequence[Path]) -> Manifest:
        records = tuple(self.read(source) for source in sources)
        self.list_coined()
        self.used.close()
        self.listed.close()
        newest, hides = manifest.newest(records), _hides(self.years, begun=self.starter is not None)
        if not self.used.lengths() | self.listed.lengths():
            reasons = sum((Counter(record.rejected) for record in records), Counter[str]())
            why = "; ".join(f"{reason}: {count:,} rows" for reason, count in reasons.most_common(3))
            help = "`regis build --help` shows the readers there are"
            if hold_out or self.until:
                help = f"--until and --hold-out leave rows out, and {help}"
            raise SourceError(f"no source holds a single usable answer ({why or 'no row at all'}); {help}")
        known = self.starter.manifest.latest_year if self.starter is not None else None
        lengths = self.write(hides or newest or 0)
        written = Manifest(
            format_version=manifest.FORMAT_VERSION,
            regis=__version__,
            created=dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
            sources=records,
            publishers=tuple(dict.fromkeys([*self.related, *self.publishers])),
            latest_year=max((year for year in (newest, known) if year), default=None),
            held_out={
                "after": self.until,
                "archives": [paths.shown(p.name) for p in hold_out],
                "pairs": len(self.held_out),
            },
            lengths=lengths,
            files={},
            newest=hides if hides != newest else 0,
            begun=self.starter.fingerprint if self.starter is not None else "",
            begun_to=0 if self.starter is None else known or NEVER,
        )
        names = {part.length: part.names for part in Index(self.built, written).parts()}
        said = self.relating.related(names)
        if self.starter is not None:
            said = inherit.relations(self.starter, said, names, written.publishers)
        if said.anything:
            related.write(self.built, said)
        with self.progress("learning", None):
            if self.starter is None:
                train.learn(Index(self.built, written), self.built)
            else:
                inherit.encoders(self.starter, Index(self.built, written), self.built)
                inherit.learn(self.starter, Index(self.built, written), self.built)
        return written

    def read(self, source: Source) -> SourceRecord:
        """Streams one source into the spills."""
        rejected: Counter[str] = Counter()
        years: set[int] = set()
        kept = rows = 0
        with self.progress(f"reading {source.path.name}", None) as bar:
            for row in READERS[source.reader](source.path):
                if isinstance(row, Relation):
                    self.relating.add(row, self.related.setdefault(row.source, len(self.related)))
                    continue
                rows += 1
                if rows % 20_000 == 0:
                    bar.update(20_000)
                reason = row.reason if isinstance(row, Reject) else self.refusal(row)
                if reason or isinstance(row, Reject):
                    rejected[reason or ""] += 1
                    continue
                kept += 1
                years.add(row.year or 0)
                self.put(row)
            bar.update(rows % 20_000)
        years.discard(0)
        return SourceRecord.of(source.reader, source.path, kept, rejected, years)

    def refusal(self, entry: Entry) -> str:
        """Why this entry stays out; '' if it comes in."""
        if not entry.clue:
            return ""
        if self.until is not None and (entry.year is None or entry.year > self.until):
            return UNDATED if entry.year is None else AFTER
        since = self.held_out.get((text.clue_key(entry.clue), entry.answer)) if self.held_out else None
        return HELD_OUT if since is not None and (entry.year is None or entry.year >= since) else ""

    def put(self, entry: Entry) -> None:
        self.publishers[entry.source] = None
        if entry.clue:
            if entry.year:
                self.years[entry.year] += 1
            key = text.clue_key(entry.clue)
            self.coiner.hear(key, entry.answer)
            self.used.add(len(entry.answer), (key, entry.clue, entry.answer, entry.year or 0))
        else:
            self.listed.add(len(entry.answer), (entry.answer, entry.text or None, entry.weight))

    def list_coined(self) -> None:
        """Lists what may be an answer though no source has it."""
        for coined in self.coiner.coin(list(self.relating.forms())):
            if text.fits_grid(coined.answer):
                self.publishers[coined.source] = None
                self.listed.add(len(coined.answer), (coined.answer, coined.written or None, coined.score))

    def write(self, newest: int) -> dict[str, dict[str, int]]:
        """Writes every length; returns how much each holds."""
        known = [] if self.starter is None else [part.length for part in self.starter.parts() if len(part.names)]
        lengths = sorted(self.used.lengths() | self.listed.lengths() | set(known))
        sizes: dict[str, dict[str, int]] = {}
        trigrams = np.zeros((27, 27, 27))
        with self.progress("sorting and writing", len(lengths)) as bar:
            for length in lengths:
                used, listed = self.used.read(length), self.listed.read(length)
                if self.starter is not None:
                    listed = inherit.with_answers(self.starter, length, used, listed)
                done = writer.write_tables(self.built, length, writer.seen(used, newest), listed)
                del used, listed  # mapped into memory, and Windows deletes nothing that is
                self.used.remove(length)
                self.listed.remove(length)
                sizes[str(length)] = done.sizes
                trigrams += done.trigrams
                bar.update(1)
        if self.starter is not None and self.starter.trigrams.sum() > trigrams.sum():
            trigrams = self.starter.trigrams
        arrays.save(self.built / schema.LETTERS, trigrams)
        return sizes


def _hides(years: Mapping[int, int], *, begun: bool) -> int:
    """The newest year with enough uses of clues to fit on, where there are enough before it, too; 0 for none.

    One that was mistyped, or has just begun, has too few. Where an index has `begun` with the starter, that is enough.
    """
    year = max((year for year, uses in years.items() if uses >= weights.ENOUGH), default=0)
    before = sum(uses for other, uses in years.items() if other < year)
    return year if begun or before >= weights.ENOUGH else 0


def _pairs(archives: Iterable[Path]) -> HeldOut:
    """The clue-answer pairs of the puzzles to hold out, each with the year of the earliest puzzle that has it.

    Raises SourceError for an archive without any: an index built all the same would pass for one that has not seen it.
    """
    pairs: HeldOut = {}
    for archive in archives:
        entries = [row for row in READERS[PUZZLES](archive) if isinstance(row, Entry)]
        if not entries:
            raise SourceError(f"no puzzle in {archive} has a solution to hold out; name an archive of solved puzzles")
        for row in entries:
            key = (text.clue_key(row.clue), row.answer)
            pairs[key] = min(pairs.get(key, NEVER), row.year or 0)
    return pairs


def _first_left_out(until: int | None, held_out: HeldOut) -> int | None:
    """The first year of which anything is left out; None where nothing is."""
    return min([*([] if until is None else [until + 1]), *held_out.values()], default=None)
