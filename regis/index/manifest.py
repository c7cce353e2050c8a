"""The birth certificate of an index: which sources, what was kept, what was turned away and why, up to which date.

`manifest.json` is written last and read first. It also lists every file of the index with its size and checksum, and
has a checksum of its own, so that an index that was half copied, or damaged later, gives no wrong answers.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from regis.corpora.entry import PUZZLES, sha256
from regis.system import paths
from regis.system.held import Listed

FORMAT_VERSION = 7  # raised with every change of the tables; an index of another version is not opened but built again

NAME = paths.MANIFEST
LAYERS = "layers"  # folder of an index that a person added something to (schema.layer_file)
REPEATS = "repeats"  # folder that only a distilled index has (schema.repeats_file): the one sign by which it is told

HIDDEN = "hidden"  # how many rows of answers no clue and no list has; left out where there are none

LATER = "added", "newest", "begun", "begun_to", "starter", "layers", "checksums"
"""What came later, and is left out where there is none, so that an index without has the fingerprint it always had."""


@dataclass(frozen=True)
class SourceRecord:
    """One source as it was read."""

    reader: str
    file: str  # the file's name without its folder
    sha256: str  # '' for a folder
    bytes: int
    read: int  # rows
    kept: int  # entries that went into the index
    rejected: Mapping[str, int]  # rows by reason
    earliest: int | None  # year of publication
    latest: int | None

    @classmethod
    def of(cls, reader: str, path: Path, kept: int, rejected: Counter[str], years: Collection[int]) -> SourceRecord:
        """The record of the file or folder `path`; `years` are those that its entries have."""
        sha, size = (sha256(path), path.stat().st_size) if path.is_file() else ("", 0)
        reasons, span = dict(rejected.most_common()), (min(years, default=None), max(years, default=None))
        return cls(reader, paths.shown(path.name), sha, size, kept + rejected.total(), kept, reasons, *span)


def newest(records: Iterable[SourceRecord]) -> int | None:
    """The newest year of any of their clues."""
    return max((record.latest for record in records if record.latest), default=None)


@dataclass(frozen=True)
class Layer:
    """What a person added under a name (regis.index.layers)."""

    name: str
    changed: str  # ISO date and time, UTC
    sources: tuple[SourceRecord, ...]
    publishers: tuple[str, ...]
    clues: int  # uses of clues
    words: int  # entries of lists
    answers: int  # of both that what lies below did not list

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> Layer:
        """What `asdict` made of one. Raises TypeError, ValueError or KeyError."""
        sources = tuple(SourceRecord(**record) for record in raw["sources"])
        counts = {name: int(raw[name]) for name in ("clues", "words", "answers")}
        return cls(**{**raw, **counts, "sources": sources, "publishers": tuple(raw["publishers"])})

    @property
    def grows(self) -> bool:
        """Whether it is of puzzles: more come to it. Another is replaced by what is added under its name."""
        return all(record.reader == PUZZLES for record in self.sources)

    @property
    def latest(self) -> int | None:
        """The newest year of its clues."""
        return newest(self.sources)


@dataclass(frozen=True)
class Manifest:
    """What an index holds and where it came from."""

    format_version: int
    regis: str  # the version of the program that built it
    created: str  # ISO date and time, UTC
    sources: tuple[SourceRecord, ...]
    publishers: tuple[str, ...]  # of entries and relations; these have them by their places
    latest_year: int | None  # of any clue in it
    held_out: Mapping[str, Any]  # {"after": year or None, "archives": [names], "pairs": how many clue-answer pairs}
    lengths: Mapping[str, Mapping[str, int]]  # answer length -> {"clues": rows, "answers": rows}, and HIDDEN
    files: Mapping[str, int] = field(repr=False)  # path in the index -> bytes
    added: tuple[SourceRecord, ...] = ()  # of layers that are part of it for good
    newest: int = 0  # the year to hide for fitting, where the newest has too few clues; 0 where it has enough
    begun: str = ""  # fingerprint of the starter with which it began when it was built; '' for nothing
    begun_to: int = 0  # the last year that this starter knew; 0 for nothing, or where an older Regis built it
    starter: str = ""  # fingerprint of the starter that it lies on; '' for one that was built
    layers: tuple[Layer, ...] = ()  # what a person added, by name
    checksums: Mapping[str, str] = field(default_factory=dict, repr=False)  # of the same files; older indexes have none

    @classmethod
    def of(cls, raw: dict[str, Any], text: bytes) -> Manifest:
        """What `to_json` wrote: its `text`, and `raw`, what JSON makes of that.

        Raises TypeError, KeyError, ValueError, AttributeError or OverflowError if it is not.
        """
        if "checksums" in raw:
            _check(text, raw["checksums"].pop(NAME))
        raw.setdefault("added", [])
        raw["layers"] = tuple(map(Layer.of, raw.get("layers", ())))
        for name in ("sources", "added"):
            raw[name] = tuple(SourceRecord(**record) for record in raw[name])
        raw["publishers"] = tuple(raw["publishers"])
        manifest = cls(**raw)
        _check_values(manifest)
        return manifest

    @cached_property
    def distilled(self) -> bool:
        """Whether it holds no clues, only what was learned from them (regis.building.distil)."""
        return self.has(REPEATS)

    def has(self, folder: str) -> bool:
        """Whether it lists a file in its `folder`."""
        return any(name.startswith(f"{folder}/") for name in self.files)

    @property
    def clues(self) -> int:
        """How many past clues it holds, each with an answer."""
        return sum(rows["clues"] for rows in self.lengths.values())

    @property
    def answers(self) -> int:
        """How many answers it lists."""
        return sum(self.answers_of(length) for length in self.lengths)

    def answers_of(self, length: str) -> int:
        """How many answers of a length it lists."""
        rows = self.lengths[length]
        return rows["answers"] - rows.get(HIDDEN, 0)

    @property
    def listed(self) -> dict[str, Listed]:
        """What each file of the index should be."""
        return {name: Listed(size, self.checksums.get(name)) for name, size in self.files.items()}

    def settled(self) -> Manifest:
        """The same without layers: what they held is part of the index for good."""
        records = [record for layer in self.layers for record in layer.sources]
        return replace(self, starter="", layers=(), added=(*self.added, *records))

    @property
    def newest_year(self) -> int | None:
        """The newest year of what it was built from, if it has enough clues; what is fitted is fitted on these, and on
        any later ones."""
        return self.newest or newest(self.sources)

    def to_json(self) -> str:
        values = asdict(self)
        for name in LATER:
            if not values[name]:
                del values[name]
        if self.checksums:
            values["checksums"][NAME] = _checksum(_json(values).encode())
        return _json(values)

    @cached_property
    def fingerprint(self) -> str:
        """Twelve hexadecimal digits that name the index in results; the same sources and program give the same."""
        undated = replace(
            self, created="", checksums={}, layers=tuple(replace(layer, changed="") for layer in self.layers)
        )
        return hashlib.sha256(undated.to_json().encode()).hexdigest()[:12]

    @property
    def clue_uses(self) -> int:
        """How many uses of clues it was made from."""
        return sum(one.kept for one in (*self.sources, *self.added) if one.latest) + sum(x.clues for x in self.layers)


def _json(values: Mapping[str, Any]) -> str:
    return json.dumps(values, indent=1, ensure_ascii=False) + "\n"


def _checksum(text: bytes) -> str:
    """The checksum of a manifest's `text`, as it is without one."""
    return f"{zlib.crc32(text):08x}"


def _check(text: bytes, checksum: str) -> None:
    """Raises ValueError where the `text` of a manifest is not what was written with this `checksum` in it."""
    own = f',\n  "{NAME}": "{checksum}"'.encode()
    if _checksum(text.replace(own, b"", 1)) != checksum:
        raise ValueError("not what was written")


def _check_values(read: Manifest) -> None:
    """Raises an error of its own kind if what is counted with is no number, or what is asked by name has no names."""
    for length, rows in read.lengths.items():
        hidden = int(rows.get(HIDDEN, 0))
        if int(length) < 1 or int(rows["clues"]) < 0 or not 0 <= hidden <= int(rows["answers"]):
            raise ValueError("a length or a number of rows that cannot be")
    if not isinstance(read.latest_year, int | None) or not hasattr(read.held_out, "get"):
        raise TypeError("a year that is no number, or a hold-out without names")
