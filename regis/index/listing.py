"""Which files of a folder are an index's, as its manifest lists them: nothing else is deleted or replaced."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

from regis.index.manifest import NAME, Manifest
from regis.system.checksum import checksum


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
