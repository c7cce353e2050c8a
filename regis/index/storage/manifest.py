"""The manifest of an index: its sources, with what was kept, what was rejected and why, and up to which date.

`manifest.json` is written last and read first. It lists every file with size and checksum, and has its own checksum. So
an index that is damaged, or was copied in part, gives no wrong answers.
"""

from __future__ import annotations

import hashlib
import json
import re
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from regis.corpora.entry import PUZZLE_READER, hash_file
from regis.system import paths
from regis.system.files.array_file import ARRAY_SUFFIX

FORMAT_VERSION = 9  # raise it with every change of the tables; an index of another version must be built again

MANIFEST_NAME = paths.MANIFEST_NAME
WORKSHOP_PREFIX = "building-"  # begins the name of a folder that is unfinished, or being deleted
LAYERS_FOLDER = "layers"  # in an index to which a person has added something (schema.layer_file)
HIDDEN_ANSWERS = "hidden"  # count of answer rows that no clue and no list has; left out if it is 0

FILE_NAME_PATTERN = re.compile(r"(?:[\w=-]+(?:\.[\w=-]+)*/)*[\w=-]+(?:\.[\w=-]+)*")
"""The path of a listed file: relative, and inside the folder on any system."""

LAYER_NAME_PATTERN = re.compile(r"[\w-]+")  # names that `layer_files.make_layer_name` makes

MAX_YEAR = 9999
MAX_COUNT = 2**53  # of rows, clues, bytes; no real count is larger

OPTIONAL_FIELDS = (
    *("added", "newest", "begun", "begun_to", "starter", "base", "layers", "without_clues", "unpacked_from"),
    "checksums",
)
"""Fields that are left out if empty."""


@dataclass(frozen=True)
class SourceRecord:
    reader: str
    file: str  # file name without folder
    sha256: str  # '' for a folder
    bytes: int
    read: int  # rows
    kept: int  # entries that went into the index
    rejected: Mapping[str, int]  # rows by reason
    earliest: int | None  # year of publication
    latest: int | None

    @classmethod
    def from_file(
        cls, reader: str, path: Path, kept_count: int, reject_counts: Counter[str], years: Collection[int]
    ) -> SourceRecord:
        """Return the record of the file or folder `path` with entries of these `years`."""
        sha, size = (hash_file(path), path.stat().st_size) if path.is_file() else ("", 0)
        reasons, span = dict(reject_counts.most_common()), (min(years, default=None), max(years, default=None))
        name, read_count = paths.printable_path(path.name), kept_count + reject_counts.total()
        return cls(reader, name, sha, size, read_count, kept_count, reasons, *span)

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> SourceRecord:
        """Restore a record from its dictionary; raises TypeError, ValueError, or AttributeError."""
        record = cls(**values)
        _check_texts(record.reader, record.file, record.sha256)
        _check_numbers(MAX_COUNT, record.bytes, record.read, record.kept, *record.rejected.values())
        _check_numbers(MAX_YEAR, record.earliest or 0, record.latest or 0)
        return record

    def reject_entries(self, reason: str, count: int) -> SourceRecord:
        """Return the record with `count` fewer entries, which are rejected for `reason`."""
        if not count:
            return self
        reasons = Counter(self.rejected) + Counter({reason: count})
        return replace(self, kept=self.kept - count, rejected=dict(reasons.most_common()))


def find_newest_year(records: Iterable[SourceRecord]) -> int | None:
    return max((record.latest for record in records if record.latest), default=None)


@dataclass(frozen=True)
class LayerRecord:
    """A layer without its entries (regis.index.layers)."""

    name: str
    changed: str  # ISO date and time, UTC
    sources: tuple[SourceRecord, ...]
    publishers: tuple[str, ...]
    clues: int  # uses of clues
    words: int  # entries of lists
    answers: int  # answers of both that are new to the index below

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> LayerRecord:
        """Restore a record from its dictionary; raises TypeError, ValueError, or KeyError."""
        sources = tuple(map(SourceRecord.from_json, values["sources"]))
        _check_numbers(MAX_COUNT, values["clues"], values["words"], values["answers"])
        _check_texts(values["changed"], *values["publishers"])
        if not LAYER_NAME_PATTERN.fullmatch(values["name"]):
            raise ValueError("an invalid layer name")
        return cls(**{**values, "sources": sources, "publishers": tuple(values["publishers"])})

    @property
    def holds_puzzles(self) -> bool:
        """Return whether all sources are puzzles, which accumulate; other layers are replaced by name."""
        return all(record.reader == PUZZLE_READER for record in self.sources)

    @property
    def latest_year(self) -> int | None:
        return find_newest_year(self.sources)


@dataclass(frozen=True)
class Manifest:
    """What an index contains and where it comes from."""

    format_version: int
    regis: str  # version of the program that built it
    created: str  # ISO date and time, UTC
    sources: tuple[SourceRecord, ...]
    publishers: tuple[str, ...]  # of entries and relations, which store positions in this tuple
    latest_year: int | None  # of any clue
    held_out: Mapping[str, Any]  # {"after": year or None, "archives": [names], "pairs": how many clue-answer pairs}
    lengths: Mapping[str, Mapping[str, int]]  # answer length -> {"clues": rows, "answers": rows}, and HIDDEN_ANSWERS
    files: Mapping[str, int] = field(repr=False)  # path in the index -> bytes
    added: tuple[SourceRecord, ...] = ()  # of layers that have become part of it
    newest: int = 0  # the year to hide for fitting, if the newest has too few clues; else 0
    begun: str = ""  # fingerprint of the starter from which it was built; '' for none
    begun_to: int = 0  # the last year that this starter knew; 0 for no starter, or if an older Regis built it
    starter: str = ""  # fingerprint of the starter below its layers; '' for a built index
    base: str = ""  # name of the neighboring folder with the index below the layers; '' for the starter or no layers
    layers: tuple[LayerRecord, ...] = ()  # what a person added, by name
    without_clues: bool = False  # whether it stores only hashes of past clues (regis.building.distil)
    unpacked_from: str = ""  # fingerprint of the packed index that it is a copy of; '' for none
    checksums: Mapping[str, str] = field(default_factory=dict, repr=False)  # of the same files

    @classmethod
    def from_json(cls, values: dict[str, Any], text: bytes) -> Manifest:
        """Restore a manifest from the `text` that `to_json` wrote, parsed as `values`.

        Raises TypeError, KeyError, ValueError, AttributeError, or OverflowError.
        """
        if "checksums" in values:
            _check_text(text, values["checksums"].pop(MANIFEST_NAME))
        values.setdefault("added", [])
        values["layers"] = tuple(map(LayerRecord.from_json, values.get("layers", ())))
        for name in ("sources", "added"):
            values[name] = tuple(map(SourceRecord.from_json, values[name]))
        values["publishers"] = tuple(values["publishers"])
        manifest = cls(**values)
        _check_values(manifest)
        return manifest

    @property
    def is_packed(self) -> bool:
        return not any(name.endswith(ARRAY_SUFFIX) for name in self.files)

    def has_part(self, part: str) -> bool:
        return any(name.startswith((f"{part}.", f"{part}/")) for name in self.files)

    @property
    def clue_count(self) -> int:
        """Return the number of pairs of past clue and answer."""
        return sum(rows["clues"] for rows in self.lengths.values())

    @property
    def answer_count(self) -> int:
        return sum(self.answer_count_of_length(length) for length in self.lengths)

    def answer_count_of_length(self, answer_length: str) -> int:
        rows = self.lengths[answer_length]
        return rows["answers"] - rows.get(HIDDEN_ANSWERS, 0)

    def settle_layers(self) -> Manifest:
        records = [record for layer in self.layers for record in layer.sources]
        return replace(self, starter="", base="", layers=(), added=(*self.added, *records))

    @property
    def newest_year(self) -> int | None:
        """Return the newest year with enough clues, which is used for fitting weights."""
        return self.newest or find_newest_year(self.sources)

    def to_json(self) -> str:
        """Serialize the manifest; include its own checksum if its files have checksums."""
        values = asdict(self)
        for name in OPTIONAL_FIELDS:
            if not values[name]:
                del values[name]
        if self.checksums:
            values["checksums"][MANIFEST_NAME] = _checksum(_json(values).encode())
        return _json(values)

    @cached_property
    def fingerprint(self) -> str:
        """Return twelve hexadecimal digits, the same for the same sources and program."""
        layers = tuple(replace(layer, changed="") for layer in self.layers)
        if self.unpacked_from:
            return self.unpacked_from
        undated = replace(self, created="", checksums={}, layers=layers, base=self.base[:12])
        return hashlib.sha256(undated.to_json().encode()).hexdigest()[:12]

    @property
    def clue_use_count(self) -> int:
        """Return the number of clue uses that the index was made from."""
        sources = (*self.sources, *self.added)
        return sum(source.kept for source in sources if source.latest) + sum(layer.clues for layer in self.layers)


def _json(values: Mapping[str, Any]) -> str:
    return json.dumps(values, indent=1, ensure_ascii=False) + "\n"


def _checksum(text: bytes) -> str:
    return f"{zlib.crc32(text):08x}"


def _check_text(text: bytes, checksum: str) -> None:
    """Raise ValueError if `text` isn't what was written with this `checksum` in it."""
    own_line = f',\n  "{MANIFEST_NAME}": "{checksum}"'.encode()
    if _checksum(text.replace(own_line, b"", 1)) != checksum:
        raise ValueError("not what was written")


def _check_values(manifest: Manifest) -> None:
    """Raise an error if a number, a text, or a path is invalid."""
    if not manifest.lengths:
        raise ValueError("no answers")
    for length, rows in manifest.lengths.items():
        hidden = rows.get(HIDDEN_ANSWERS, 0)
        _check_numbers(MAX_COUNT, int(length), rows["clues"], hidden, rows["answers"])
        if int(length) < 1 or hidden > rows["answers"]:
            raise ValueError("an impossible length or number of rows")
    for name in manifest.files:
        if not FILE_NAME_PATTERN.fullmatch(name):
            raise ValueError("a file outside the index")
    _check_numbers(MAX_COUNT, *manifest.files.values())
    _check_numbers(MAX_YEAR, manifest.latest_year or 0, manifest.newest, manifest.begun_to)
    archives, checksums = manifest.held_out.get("archives", ()), manifest.checksums.values()
    _check_numbers(MAX_YEAR, manifest.held_out.get("after") or 0)
    _check_numbers(MAX_COUNT, manifest.held_out.get("pairs") or 0)
    if manifest.base and not paths.STATE_NAME.fullmatch(manifest.base):
        raise ValueError("a folder that isn't next to the index")
    _check_texts(manifest.regis, manifest.created, manifest.begun, manifest.starter, manifest.unpacked_from)
    _check_texts(*manifest.publishers, *archives, *checksums)


def _check_texts(*texts: object) -> None:
    if not all(isinstance(text, str) for text in texts):
        raise TypeError("a value that isn't text")


def _check_numbers(largest: int, *numbers: object) -> None:
    if not all(type(number) is int and 0 <= number <= largest for number in numbers):
        raise ValueError("an impossible number")
