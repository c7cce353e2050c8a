"""Data made once for all tests, for any number of workers: in a folder that they share, under a lock."""

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import corpus
import filelock
import pytest

from regis.index import Index
from regis.index.tables import schema
from regis.system.files import array_file
from regis.system.files.array_file import ArrayFile

_home: Path
_open: dict[str, Index] = {}


def at_home(factory: pytest.TempPathFactory) -> None:
    """Use a folder next to the folders of this run's workers."""
    base = factory.getbasetemp()
    at(base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base)


def at(folder: Path) -> None:
    """Use `folder`."""
    global _home
    _home = folder


def once(name: str, make: Callable[[Path], object]) -> Path:
    """Return the folder `name`, which the first caller fills with `make`. Don't change its files."""
    folder = _home / f"shared-{name}"
    with filelock.FileLock(f"{folder}.lock"):
        if not (folder / "made").exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            make(folder)
            (folder / "made").touch()
    return folder


def index(rows: Sequence[corpus.Row]) -> Index:
    """Return the index of `rows`; a test that patches the build or changes files uses `corpus.index`."""
    name = hashlib.sha256(json.dumps(rows).encode()).hexdigest()[:16]
    if name not in _open:
        _open[name] = Index.open(once(name, lambda folder: corpus.index(folder, rows)) / "index")
    return _open[name]


def copied(rows: Sequence[corpus.Row], folder: Path) -> Index:
    """Return a copy of that index in `folder`, whose files belong to the test."""
    return copy_index(index(rows), folder / "index")


def copy_index(of: Index, folder: Path) -> Index:
    """Return a copy of an index directly in `folder`, whose files belong to the test."""
    return Index.open(Path(shutil.copytree(of.files.path, folder, ignore=shutil.ignore_patterns("derived"))))


def list_files(of: Index) -> Index:
    """Return the index again, with a manifest that lists the files that are there."""
    return Index.open_finished(of.files.path, of.manifest)


def change_arrays(folder: Path, part: str, change: Callable[[dict[str, Any]], object]) -> None:
    """Change the arrays of a part of the index in `folder` in place; its manifest stays."""
    path = schema.part_path(folder, part)
    arrays = {name: values.copy() for name, values in ArrayFile(path).items()}
    change(arrays)
    array_file.write_arrays(path, arrays)


def files(folder: Path) -> dict[str, bytes]:
    """Read all files under `folder`, by path, except arrays derived from the index."""
    found = (path for path in sorted(folder.rglob("*")) if path.is_file() and path.parent.name != "derived")
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}
