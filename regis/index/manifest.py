"""The birth certificate of an index: which sources, what was kept, what was turned away and why, up to which date.

`manifest.json` is written last and read first. It also lists every file of the index with its size and checksum, and
has a checksum of its own, so that an index that was half copied, or damaged later, gives no wrong answers.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from regis.corpora.entry import PUZZLES, sha256
from regis.errors import IndexDamaged, IndexMissing, IndexOutdated, IndexUnreadable
from regis.system import paths
from regis.system.checksum import checksum
from regis.system.held import Listed, Place
from regis.system.lack import unreadable

FORMAT_VERSION = 7  # raised with every change of the tables; an index of another version is not opened but built again

NAME = paths.MANIFEST
REBUILD = "build it again with `regis build`"
RENEW = "install Regis again, or make it again with `regis distil`"
RESTACK = "the next `regis add` makes it anew, with all that you had added"
ADD_AGAIN = "`regis add` again what you had added"
LAYERS = "layers"  # folder of an index that a person added something to (schema.layer_file)
REPEATS = "repeats"  # folder that only a distilled index has (schema.repeats_file): the one sign by which it is told

LATER = "added", "begun", "begun_to", "starter", "layers", "checksums"
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
    lengths: Mapping[str, Mapping[str, int]]  # answer length -> {"clues": rows, "answers": rows}
    files: Mapping[str, int] = field(repr=False)  # path in the index -> bytes
    added: tuple[SourceRecord, ...] = ()  # of layers that are part of it for good
    begun: str = ""  # fingerprint of the starter with which it began when it was built; '' for nothing
    begun_to: int = 0  # the last year that this starter knew; 0 for nothing, or where an older Regis built it
    starter: str = ""  # fingerprint of the starter that it lies on; '' for one that was built
    layers: tuple[Layer, ...] = ()  # what a person added, by name
    checksums: Mapping[str, str] = field(default_factory=dict, repr=False)  # of the same files; older indexes have none

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
        return sum(rows["answers"] for rows in self.lengths.values())

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
        """The newest year of what it was built from. What is fitted is fitted on clues from then on."""
        return newest(self.sources)

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


def damaged(folder: Place, name: str) -> IndexDamaged:
    """What to raise where the index at `folder` is not what was written; `name` says what of it."""
    layer = re.match(rf"{LAYERS}/([\w-]+)", name)
    again = f"`regis remove {layer[1]}`, then add it again" if layer else mend(folder)
    return IndexDamaged(f"the index at {folder} is damaged ({name}); {again}")


def mend(folder: Place) -> str:
    """What makes the index at `folder` anew; a distilled one, such as the starter, nobody can build from sources."""
    if not (folder / REPEATS).is_dir():
        return REBUILD
    if not (folder / LAYERS).is_dir():
        return RENEW
    return RESTACK if on_starter(folder) else f"delete the folder, and {ADD_AGAIN}"


@contextmanager
def opening(folder: Place) -> Iterator[None]:
    """Whatever the disk refuses inside is an IndexMissing or IndexUnreadable."""
    try:
        yield
    except (FileNotFoundError, NotADirectoryError):
        raise IndexMissing(
            f"there is no index at {folder}; name one with --index, or make one: `regis fetch xd-clues wordnet`, then "
            "`regis build`"
        ) from None
    except (OSError, MemoryError) as cause:
        why = unreadable(cause) or f"{cause.args[-1]}; name another"
        raise IndexUnreadable(f"the index at {folder} cannot be read: {why}") from cause


def read(folder: Place) -> Manifest:
    """The manifest of the index in `folder`, once every file it lists is there in its full size.

    Raises IndexMissing, IndexOutdated, IndexDamaged or IndexUnreadable, each with what mends it.
    """
    with opening(folder):
        if not (folder / NAME).is_file() and any(Path(str(folder)).iterdir()):
            anew = RENEW if (folder / REPEATS).is_dir() else "`regis build` one into a new folder"
            raise IndexDamaged(
                f"the folder {folder} holds no complete index ({NAME} is not there); name another with --index, "
                f"or {anew}"
            )
        text = (folder / NAME).read_bytes()
    found = parsed(text, folder)
    with _written(folder):
        _check_files(folder, found)
    return found


def parsed(text: bytes, folder: Place) -> Manifest:
    """The manifest `text` of the index at `folder`. Raises IndexOutdated or IndexDamaged."""
    try:
        raw = json.loads(text)
    except (ValueError, RecursionError) as cause:
        again = ADD_AGAIN if (folder / LAYERS).is_dir() else mend(folder)
        raise IndexDamaged(f"the index at {folder} is damaged ({NAME} is not JSON); delete it and {again}") from cause
    version = raw.get("format_version") if isinstance(raw, dict) else None
    if version != FORMAT_VERSION:
        raise IndexOutdated(
            f"the index at {folder} has format {version!r:.20}, this version of Regis reads format {FORMAT_VERSION}; "
            f"{mend(folder)}"
        )
    with _written(folder):
        if "checksums" in raw:
            _check(text, raw["checksums"].pop(NAME))
        raw.setdefault("added", [])
        raw["layers"] = tuple(map(Layer.of, raw.get("layers", ())))
        for name in ("sources", "added"):
            raw[name] = tuple(SourceRecord(**record) for record in raw[name])
        raw["publishers"] = tuple(raw["publishers"])
        manifest = Manifest(**raw)
        _check_values(manifest)
    return manifest


def layers(folder: Place) -> tuple[Layer, ...]:
    """What the manifest in `folder` says of layers, whatever became of all else there, of whichever version it is.

    Raises IndexMissing, IndexDamaged or IndexUnreadable.
    """
    with opening(folder):
        text = (folder / NAME).read_bytes()
    with _written(folder):
        return tuple(map(Layer.of, json.loads(text).get("layers", ())))


def on_starter(folder: Place) -> bool:
    """Whether the index at `folder` lies on the starter, and its manifest tells of its layers, of whichever version."""
    with suppress(OSError, ValueError, RecursionError, AttributeError, TypeError, KeyError):
        raw = json.loads((folder / NAME).read_bytes())
        return bool(raw.get("starter")) and all(map(Layer.of, raw.get("layers", ())))
    return False


@contextmanager
def _written(folder: Place) -> Iterator[None]:
    """What a manifest that was written stumbles over nowhere inside is an IndexDamaged."""
    try:
        yield
    except (TypeError, KeyError, ValueError, AttributeError, OverflowError) as cause:
        raise damaged(folder, f"{NAME} lacks something, or was changed") from cause


def _check_values(read: Manifest) -> None:
    """Raises an error of its own kind if what is counted with is no number, or what is asked by name has no names."""
    for length, rows in read.lengths.items():
        if int(length) < 1 or int(rows["clues"]) < 0 or int(rows["answers"]) < 0:
            raise ValueError("a length or a number of rows that cannot be")
    if not isinstance(read.latest_year, int | None) or not hasattr(read.held_out, "get"):
        raise TypeError("a year that is no number, or a hold-out without names")


def _check_files(folder: Place, read: Manifest) -> None:
    if read.distilled != (folder / REPEATS).is_dir():
        raise ValueError("distilled, or not, and the folder says otherwise")
    if read.checksums and read.checksums.keys() != read.files.keys():
        raise ValueError("checksums of other files")
    for name, size in read.files.items():
        if name.startswith(f"{LAYERS}/"):
            continue  # which nobody needs for solving; whoever does is told which layer it is
        try:
            found = (folder / name).stat().st_size
        except (FileNotFoundError, NotADirectoryError):
            raise IndexDamaged(f"the index at {folder} is incomplete ({name} is not there); {mend(folder)}") from None
        except OSError as cause:
            raise IndexUnreadable(f"the index at {folder} cannot be read ({name}): {unreadable(cause)}") from cause
        if found != size:
            raise damaged(folder, f"{name} has {found} bytes, not {size}")


def own(folder: Path) -> set[str]:
    """The files in `folder` that are an index's, as its manifest lists them; none where that is not of Regis."""
    try:
        raw = json.loads((folder / NAME).read_text(encoding="utf-8"))
        return {NAME, *raw["files"]} if {"format_version", "regis"} <= raw.keys() else set()
    except (OSError, ValueError, RecursionError, KeyError, TypeError, AttributeError):
        return set()


def strangers(folder: Path) -> list[str]:
    """The files in `folder` that are no index's, as paths in it: without a manifest of Regis's all that there are.

    Whoever replaces an index deletes what its manifest lists, and nothing else.
    """
    if not folder.is_dir():
        return [folder.name] if os.path.lexists(folder) else []
    if not (folder / NAME).is_file():
        return sorted(path.name for path in folder.iterdir())
    known = own(folder)
    there = (path for path in folder.rglob("*") if not path.is_dir() or path.is_symlink())
    return sorted(name for path in there if (name := path.relative_to(folder).as_posix()) not in known)


def with_files(manifest: Manifest, folder: Path) -> Manifest:
    """The manifest of a finished `folder`, with its files listed."""
    files, checksums = {}, {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name != NAME:
            name = path.relative_to(folder).as_posix()
            with path.open("rb") as file:
                files[name], checksums[name] = path.stat().st_size, checksum(file)
    return replace(manifest, files=files, checksums=checksums)
