"""The birth certificate of an index: which sources, what was kept, what was turned away and why, up to which date.

`manifest.json` is written last and read first. It also lists every file of the index with its size, so that a
half-copied index is noticed before it gives wrong answers.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from regis.corpora.entry import sha256
from regis.errors import IndexDamaged, IndexMissing, IndexOutdated

FORMAT_VERSION = 6  # raised with every change of the tables; an index of another version is not opened but built again

NAME = "manifest.json"
REBUILD = "build it again with `regis build`"
RENEW = "install Regis again, or make it again with `regis distil`"
REPEATS = "repeats"  # folder that only a distilled index has (schema.repeats_file): the one sign by which it is told


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
        return cls(reader, path.name, sha, size, kept + rejected.total(), kept, reasons, *span)


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
    added: tuple[SourceRecord, ...] = ()  # puzzles that came after it was built (regis.building.add)

    @property
    def distilled(self) -> bool:
        """Whether it holds no clues, only what was learned from them (regis.building.distil)."""
        return any(name.startswith(f"{REPEATS}/") for name in self.files)

    @property
    def newest_year(self) -> int | None:
        """The newest year of what it was built from. What is fitted is fitted on clues from then on."""
        return max((source.latest for source in self.sources if source.latest), default=None)

    def to_json(self) -> str:
        values = asdict(self)
        if not self.added:
            del values["added"]  # so that an index without is called what it was before there was such a thing
        return json.dumps(values, indent=1, ensure_ascii=False) + "\n"

    @property
    def fingerprint(self) -> str:
        """Twelve hexadecimal digits that name the index in results; the same sources and program give the same."""
        return hashlib.sha256(replace(self, created="").to_json().encode()).hexdigest()[:12]


def damaged(folder: Path, name: str) -> IndexDamaged:
    """What to raise where the index at `folder` is not what was written; `name` says what of it."""
    return IndexDamaged(f"the index at {folder} is damaged ({name}); {mend(folder)}")


def mend(folder: Path) -> str:
    """What makes the index at `folder` anew; a distilled one, such as the starter, nobody can build from sources."""
    return RENEW if (folder / REPEATS).is_dir() else REBUILD


def read(folder: Path) -> Manifest:
    """The manifest of the index in `folder`, once every file it lists is there in its full size.

    Raises IndexMissing, IndexOutdated or IndexDamaged, each with the command that mends it.
    """
    path = folder / NAME
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        if folder.is_dir() and any(folder.iterdir()):
            raise IndexDamaged(
                f"the folder {folder} holds no complete index ({NAME} is not there); name another with --index, or if "
                f"this was one, delete it and {mend(folder)}"
            ) from None
        raise IndexMissing(
            f"there is no index at {folder}; name one with --index, or make one: `regis fetch xd-clues wordnet`, then "
            "`regis build`"
        ) from None
    except OSError as cause:
        why = cause.strerror or cause
        raise IndexMissing(f"the index at {folder} cannot be read ({why}); choose another with --index") from cause
    except (ValueError, RecursionError) as cause:
        raise IndexDamaged(
            f"the index at {folder} is damaged ({NAME} is not JSON); delete it and {mend(folder)}"
        ) from cause
    version = raw.get("format_version") if isinstance(raw, dict) else None
    if version != FORMAT_VERSION:
        raise IndexOutdated(
            f"the index at {folder} has format {version!r:.20}, this version of Regis reads format {FORMAT_VERSION}; "
            f"{mend(folder)}"
        )
    try:
        raw.setdefault("added", [])
        for name in ("sources", "added"):
            raw[name] = tuple(SourceRecord(**record) for record in raw[name])
        raw["publishers"] = tuple(raw["publishers"])
        manifest = Manifest(**raw)
        _check_values(manifest)
        _check_files(folder, manifest)
    except (TypeError, KeyError, ValueError, AttributeError) as cause:
        raise damaged(folder, f"{NAME} lacks something") from cause
    return manifest


def file_sizes(folder: Path) -> dict[str, int]:
    """Every file under `folder` but the manifest, with its size in bytes."""
    files = (p for p in sorted(folder.rglob("*")) if p.is_file() and p.name != NAME)
    return {p.relative_to(folder).as_posix(): p.stat().st_size for p in files}


def _check_values(read: Manifest) -> None:
    """Raises an error of its own kind if what is counted with is no number, or what is asked by name has no names."""
    for length, rows in read.lengths.items():
        if int(length) < 1 or int(rows["clues"]) < 0 or int(rows["answers"]) < 0:
            raise ValueError("a length or a number of rows that cannot be")
    if not isinstance(read.latest_year, int | None) or not hasattr(read.held_out, "get"):
        raise TypeError("a year that is no number, or a hold-out without names")


def _check_files(folder: Path, read: Manifest) -> None:
    if read.distilled != (folder / REPEATS).is_dir():
        raise ValueError("distilled, or not, and the folder says otherwise")
    for name, size in read.files.items():
        try:
            found = (folder / name).stat().st_size
        except OSError:
            raise IndexDamaged(f"the index at {folder} is incomplete ({name} is not there); {mend(folder)}") from None
        if found != size:
            raise damaged(folder, f"{name} has {found} bytes, not {size}")


def strangers(folder: Path) -> list[str]:
    """The files in `folder` that are no index's, as paths in it: without a manifest of Regis's all that there are.

    Whoever replaces an index deletes what its manifest lists, and nothing else.
    """
    if not folder.is_dir():
        return [folder.name] if os.path.lexists(folder) else []
    if not (folder / NAME).is_file():
        return sorted(path.name for path in folder.iterdir())
    try:
        raw = json.loads((folder / NAME).read_text(encoding="utf-8"))
        known = {NAME, *raw["files"]} if {"format_version", "regis"} <= raw.keys() else set()
    except (OSError, ValueError, RecursionError, KeyError, TypeError, AttributeError):
        known = set()
    there = (path for path in folder.rglob("*") if not path.is_dir() or path.is_symlink())
    return sorted(name for path in there if (name := path.relative_to(folder).as_posix()) not in known)


def with_files(manifest: Manifest, folder: Path) -> Manifest:
    """The manifest of a finished `folder`, with its files listed."""
    return replace(manifest, files=file_sizes(folder))
