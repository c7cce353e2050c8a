"""What is made once for all tests, however many workers run them: in a folder that they share, under a lock."""

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import corpus
import filelock
import pytest

from regis.index import Index

_home: Path
_open: dict[str, Index] = {}


def at_home(factory: pytest.TempPathFactory) -> None:
    """Says where: beside what the workers of this run have for themselves."""
    base = factory.getbasetemp()
    at(base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base)


def at(folder: Path) -> None:
    """Says that it lies in `folder`."""
    global _home
    _home = folder


def once(name: str, make: Callable[[Path], object]) -> Path:
    """The folder `name`, which the first who asks for it fills by `make`. Nobody may change its files."""
    folder = _home / f"shared-{name}"
    with filelock.FileLock(f"{folder}.lock"):
        if not (folder / "made").exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            make(folder)
            (folder / "made").touch()
    return folder


def index(rows: Sequence[corpus.Row]) -> Index:
    """The index of `rows`; for who patches what builds, or changes files, `corpus.index` makes another."""
    name = hashlib.sha256(json.dumps(rows).encode()).hexdigest()[:16]
    if name not in _open:
        _open[name] = Index.open(once(name, lambda folder: corpus.index(folder, rows)) / "index")
    return _open[name]


def copied(rows: Sequence[corpus.Row], folder: Path) -> Index:
    """A copy of that index in `folder`, whose files are the test's own."""
    return Index.open(Path(shutil.copytree(index(rows).folder, folder / "index")))


def files(folder: Path) -> dict[str, bytes]:
    """All that is under `folder`, by path."""
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}
