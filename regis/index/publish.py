"""How an index comes into being: in a folder of another name first, then in its place, whole or not at all.

`workshop` is that folder, `publish` the renaming. Between its two renames the old index has a third name, where
`Index.open` looks for it too (regis.system.paths).
"""

from __future__ import annotations

import glob
import os
import shutil
import tempfile
from collections.abc import Iterator, Set
from contextlib import contextmanager
from pathlib import Path

from regis.errors import OutputError
from regis.index import manifest
from regis.system import atomic, disk, paths

ELSEWHERE = "choose another with --out or --index"


MARK = ".regis"
"""File that says of a workshop that Regis made it: only such are cleared away when a build was killed."""


@contextmanager
def workshop(out: Path) -> Iterator[Path]:
    """A folder beside `out` to build in, removed at the end whatever happens; only one build at a time has it.

    In it lies an empty folder `index`. Raises OutputError, also where files that are not an index's would have to go.
    """

    def refused(cause: OSError | None) -> str:
        why = f" ({cause.strerror or cause})" if cause else ""
        return f"the index cannot be written to {out}{why}; {ELSEWHERE}"

    out = Path(os.path.realpath(out))  # a link stays a link; what it points to is replaced
    try:
        _refuse_strangers(out)
    except OSError as cause:
        raise OutputError(refused(cause)) from cause
    busy = f"another build is writing {out}; wait for it, or choose another place with --out"
    building = paths.beside(out, "building-").name
    with disk.locked(paths.beside(out, "lock"), busy, refused):
        for left in out.parent.glob(f"{glob.escape(building)}*"):  # by a build that was killed
            if (left / MARK).is_file():
                shutil.rmtree(left, ignore_errors=True)
        folder = Path(tempfile.mkdtemp(prefix=building, dir=out.parent))
        try:
            (folder / MARK).touch()
            (folder / "index").mkdir()
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def publish(built: Path, out: Path, record: manifest.Manifest) -> manifest.Manifest:
    """Puts the finished folder `built` in the place of `out`, which stays whole until the new one is there.

    Its manifest is `record` with all files listed, which is returned. Of what was there before only the files that its
    own manifest lists are deleted. Raises OutputError where there are others by now, OSError.
    """
    out = Path(os.path.realpath(out))
    record = manifest.with_files(record, built)
    (built / manifest.NAME).write_text(record.to_json(), encoding="utf-8")
    for path in [p for p in built.rglob("*") if p.is_file()]:
        atomic.flush(path)
    _refuse_strangers(out)
    before = paths.previous(out)
    if out.exists():
        _remove(before)
        out.rename(before)
    built.rename(out)
    _remove(before)
    return record


def _refuse_strangers(out: Path) -> None:
    """Raises OutputError where the new index, or the old one while they change places, would stand on others' files."""
    for place in (out, paths.previous(out)):
        if others := manifest.strangers(place):
            why = f"holds {others[0]}, which is no file of an index"
            if manifest.NAME in others:
                why = f"has a {manifest.NAME} that is not of Regis, or damaged (if it was an index, delete it yourself)"
            elif not (place / manifest.NAME).is_file():
                why = "is no index"
            raise OutputError(f"{place} is there and {why}; choose another place with --out")


def _remove(folder: Path) -> None:
    """Deletes the index in `folder`, and no other file."""
    if folder.is_dir() and not manifest.strangers(folder):
        shutil.rmtree(folder, ignore_errors=True)


def copy(index: Path, to: Path, without: Set[str]) -> None:
    """The tables of `index` under another name, `without` what will be written again: links are written through.

    `without` names files, or folders with all that is in them.
    """
    for path in index.rglob("*"):
        inside = path.relative_to(index)
        if path.is_dir() or not without.isdisjoint(inside.parts):
            continue
        (to / inside).parent.mkdir(parents=True, exist_ok=True)
        try:
            os.link(path, to / inside)
        except OSError:
            shutil.copyfile(path, to / inside)
