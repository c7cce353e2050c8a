"""From corpora to an index: read, clean, hold out, merge, write, learn; whole or not at all.

Two passes. The first streams every source once and deals its entries out by answer length (`index.spill`); the second
sorts and writes one length at a time (`index.writing`). Memory is that of the largest length, and of the words and word
pairs of the clues. The new index grows in a folder beside the old one and takes its place at the very end.
"""

from __future__ import annotations

import datetime as dt
import itertools
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

import regis
from regis import learn, text
from regis.corpus import Entry, Reject, Relation, Source
from regis.errors import SourceError, UsageError, unknown
from regis.index import Index, Manifest, SourceRecord, manifest, tables, writing
from regis.index.relating import Relating
from regis.index.spill import ASKED, LISTED, Spill
from regis.progress import Progress, silent
from regis.readers import READERS

AFTER = "later than the year asked for"
UNDATED = "no year, and a last year was asked for"
HELD_OUT = "in a puzzle that is held out"


CLUE_WORDS = "clue words"
"""The name under which the words of the clues stand in the index as possible answers: the clues are a corpus too. Of
the answers of 2014 that no clue up to 2013 had, LIBRARIAN, CAPTURES and BEYONCE stood in the clues all the same."""

SAID_OFTEN = 2
"""How often a word must stand in clues to count as a word: once may be a misprint."""

CLUE_PAIRS = "clue pairs"
"""The name of the pairs of neighbouring words in clues, set together as one answer (RIDDLER): STARSTUDDED."""

PAIRED_OFTEN, COMMON = 3, 40
"""How often a pair must stand in clues, and how many of the commonest words are in no pair. Of 63,000 such pairs up to
2013 that were in no list, 80 were an answer of 2014. Pairs seen once or twice, or with one of the commonest words, are
ten times as many and right half as often."""

PAIR = 0.4
"""The score of a pair: half as often an answer as a word of WordNet."""

ENDINGS = "endings"
"""The name under which answers stand in the index that are known ones with an ending."""

INFLECTED = 0.5
"""Their score: in 2014 they were as often an answer as a word of WordNet that no clue had had, 2 in 1,000."""

HeldOut = dict[tuple[str, str], int]
"""(clue key, answer) -> the first year from which rows of this pair are turned away."""


def build(
    sources: Sequence[Source],
    out: Path,
    *,
    until: int | None = None,
    hold_out: Sequence[Path] = (),
    progress: Progress = silent,
) -> Manifest:
    """Builds the index of `sources` at `out`, in the place of any that is there.

    `until`: rows of later years, and clues without a year, are left out. `hold_out`: archives whose clue-answer pairs
    are left out wherever they stand with that year or a later one; earlier uses of the same pair stay, as they would
    have been known. Raises SourceError, UsageError or OutputError; whatever happens, the old index stays as it was.
    """
    if not sources:
        raise UsageError("nothing to build from; `regis fetch` brings corpora, or name a --source READER=FILE")
    for source in sources:
        if source.reader not in READERS:
            raise unknown("reader", source.reader, READERS)
        if not _there(source.path):
            raise SourceError(f"there is no file {source.path}; data/README.md says where to get each corpus")
    out = Path(os.path.realpath(out))  # a link stays a link; what it points to is replaced
    with writing.workshop(out) as folder:
        built = folder / "index"
        record = _Build(folder, built, until, _pairs(hold_out), progress).run(sources, hold_out)
        (built / manifest.NAME).write_text(record.to_json(), encoding="utf-8")
        writing.publish(built, out)
    return record


class _Build:
    """One build at work: the spills, the publishers met so far, and the years seen."""

    def __init__(self, folder: Path, built: Path, until: int | None, held_out: HeldOut, progress: Progress) -> None:
        self.built = built
        self.until = until
        self.held_out = held_out
        self.progress = progress
        self.publishers: dict[str, int] = {}
        self.words: Counter[str] = Counter()
        self.pairs: Counter[str] = Counter()
        self.used: set[str] = set()
        self.relating = Relating()
        self.asked = Spill(folder, "asked", ASKED)
        self.listed = Spill(folder, "listed", LISTED)

    def run(self, sources: Sequence[Source], hold_out: Sequence[Path]) -> Manifest:
        records = tuple(self.read(source) for source in sources)
        self.list_clue_words()
        self.list_inflections()
        self.asked.close()
        self.listed.close()
        newest = max((r.latest for r in records if r.latest), default=None)
        lengths = self.write(newest or 0)
        if not lengths:
            raise SourceError(
                "no source holds a single usable answer; `regis build --help` shows the readers there are"
            )
        written = Manifest(
            format_version=manifest.FORMAT_VERSION,
            regis=regis.__version__,
            created=dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
            sources=records,
            publishers=tuple(self.publishers),
            latest_year=newest,
            held_out={"after": self.until, "archives": [p.name for p in hold_out], "pairs": len(self.held_out)},
            lengths=lengths,
            files={},
        )
        if len(self.relating):
            index = Index(self.built, written)
            self.relating.write(self.built, {n: part.names for n in index.lengths if (part := index[n]) is not None})
        with self.progress("learning", None):
            learn.learn(Index(self.built, written), self.built)
        return manifest.with_files(written, self.built)

    def read(self, source: Source) -> SourceRecord:
        """Streams one source into the spills."""
        rejected: Counter[str] = Counter()
        years: set[int] = set()
        kept = rows = 0
        with self.progress(f"reading {source.path.name}", None) as bar:
            for row in READERS[source.reader](source.path):
                if isinstance(row, Relation):
                    self.publishers.setdefault(row.source, len(self.publishers))
                    self.relating.add(row, list(self.publishers).index(row.source))
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
        if self.held_out:
            since = self.held_out.get((text.clue_key(entry.clue), entry.answer))
            if since is not None and (entry.year is None or entry.year >= since):
                return HELD_OUT
        return ""

    def put(self, entry: Entry) -> None:
        bit = self.place(entry.source)
        if entry.clue:
            key = text.clue_key(entry.clue)
            said = key.split()
            self.words.update(said)
            self.pairs.update(map(" ".join, itertools.pairwise(said)))
            self.used.add(entry.answer)
            self.asked.add(len(entry.answer), (key, entry.clue, entry.answer, entry.year or 0, bit))
        else:
            self.listed.add(len(entry.answer), (entry.answer, entry.text, entry.weight, bit))

    def place(self, publisher: str) -> int:
        """The publisher's bit in a `sources` mask; those beyond the last bit share it."""
        return min(self.publishers.setdefault(publisher, len(self.publishers)), writing.PUBLISHERS - 1)

    def list_clue_words(self) -> None:
        """Lists the words of the clues as possible answers, scored by how common they are among them, and so the pairs
        of neighbouring words, set together (RIDDLER)."""
        common = {word for word, _ in self.words.most_common(COMMON)}
        often = [
            (count, word)
            for word, count in self.words.items()
            if count >= SAID_OFTEN and 3 <= len(word) <= text.MAX_LENGTH and word.isascii() and word.isalpha()
        ]
        at_most = np.cumsum(np.bincount([count for count, _ in often], minlength=1))
        for count, word in often:
            self.put_answer(word.upper(), "", float(at_most[count]) / len(often), CLUE_WORDS)
        for pair, count in self.pairs.items():
            if count >= PAIRED_OFTEN and common.isdisjoint(pair.split()):
                self.put_answer(text.answer(pair), pair, PAIR, CLUE_PAIRS)

    def list_inflections(self) -> None:
        """Lists what known answers become with an ending: OPEN -> OPENED; ASHTREE -> ASHTREES and back, as TREE."""
        plural: dict[str, str] = {}
        for base, kind, form in self.relating.forms():
            if base in self.used:
                self.put_answer(form, "", INFLECTED, ENDINGS)
            if kind == "s" and len(base) > 2:
                plural.setdefault(base, form)  # nouns come first: MEN, not MANS
        for other in (plural, {form: base for base, form in plural.items()}):
            for answer in sorted(self.used):
                for i in range(2, len(answer) - 2):
                    if answer[i:] in other and answer[:i] in self.used:
                        self.put_answer(answer[:i] + other[answer[i:]], "", INFLECTED, ENDINGS)
                        break

    def put_answer(self, answer: str, written: str, score: float, source: str) -> None:
        if 2 <= len(answer) <= text.MAX_LENGTH:
            self.listed.add(len(answer), (answer, written, score, self.place(source)))

    def write(self, newest: int) -> dict[str, dict[str, int]]:
        """Writes every length; returns how much each holds."""
        lengths = sorted(self.asked.lengths() | self.listed.lengths())
        sizes: dict[str, dict[str, int]] = {}
        trigrams = np.zeros((27, 27, 27))
        with self.progress("sorting and writing", len(lengths)) as bar:
            for length in lengths:
                asked, listed = self.asked.read(length), self.listed.read(length)
                done = writing.write_length(self.built, length, asked, listed, newest)
                self.asked.remove(length)
                self.listed.remove(length)
                sizes[str(length)] = {"clues": done.clues, "answers": done.answers}
                trigrams += done.trigrams
                bar.update(1)
        if lengths:
            np.save(self.built / tables.LETTERS, trigrams)
        return sizes


def _pairs(archives: Iterable[Path]) -> HeldOut:
    """The clue-answer pairs of the puzzles to hold out, each with the year of the earliest puzzle that has it.

    Raises SourceError for an archive without any: an index built all the same would pass for one that has not seen it.
    """
    pairs: HeldOut = {}
    for archive in archives:
        entries = [row for row in READERS["puzzle-archive"](archive) if isinstance(row, Entry)]
        if not entries:
            raise SourceError(f"no puzzle in {archive} has a solution to hold out; name an archive of solved puzzles")
        for row in entries:
            key = (text.clue_key(row.clue), row.answer)
            pairs[key] = min(pairs.get(key, 9999), row.year or 0)
    return pairs


def _there(path: Path) -> bool:
    """Whether `path` can be reached; a name that no system takes cannot."""
    try:
        return path.exists()
    except OSError:
        return False
