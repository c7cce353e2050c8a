"""Which files of a folder are an index's, as its manifest lists them: nothing else is deleted or replaced."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

from regis.index.storage.manifest import MANIFEST_NAME, Manifest
from regis.system.files.checksum import compute_checksum


def find_owned_files(index_folder: Path) -> set[str]:
    """Return the files that the manifest in `index_folder` lists, and itself; none where it is not of Regis."""
    try:
        if not (index_folder / MANIFEST_NAME).is_file():  # a pipe would be waited for
            return set()
        raw = json.loads((index_folder / MANIFEST_NAME).read_text(encoding="utf-8"))
        return {MANIFEST_NAME, *raw["files"]} if {"format_version", "regis"} <= raw.keys() else set()
    except (OSError, ValueError, RecursionError, KeyError, TypeError, AttributeError):
        return set()


def find_foreign_files(index_folder: Path) -> list[str]:
    """Return the files in `index_folder` that are no index's, as paths in it; all where no manifest is of Regis.

    Whoever replaces an index deletes what its manifest lists, and nothing else.
    """
    if not index_folder.is_dir():
        return [index_folder.name] if os.path.lexists(index_folder) else []
    if not (index_folder / MANIFEST_NAME).is_file():
        return sorted(path.name for path in index_folder.iterdir())
    owned = find_owned_files(index_folder)
    files = (path for path in index_folder.rglob("*") if not path.is_dir() or path.is_symlink())
    return sorted(name for path in files if (name := path.relative_to(index_folder).as_posix()) not in owned)


def list_files(manifest: Manifest, index_folder: Path) -> Manifest:
    """Return `manifest` with the files of the finished `index_folder`, their sizes and checksums."""
    files, checksums = {}, {}
    for path in sorted(index_folder.rglob("*")):
        if path.is_file() and path.name != MANIFEST_NAME:
            name = path.relative_to(index_folder).as_posix()
            with path.open("rb") as file:
                files[name], checksums[name] = path.stat().st_size, compute_checksum(file)
    return replace(manifest, files=files, checksums=checksums)
