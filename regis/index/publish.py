"""How an index comes into being: in a folder of another name first, then in its place, whole or not at all.

`workshop` is that folder, `publish` the renaming. Between its two renames the old index has a third name, where
`Index.open` looks for it too (regis.system.paths).
"""

from __future__ import annotations

import errno
import glob
import os
import shutil
import tempfile
from collections.abc import Iterator, Set
from contextlib import contextmanager, suppress
from pathlib import Path

from regis.errors import OutputError
from regis.index import listing, manifest
from regis.index.opening import reading
from regis.system import atomic, disk, held, paths
from regis.system.held import Held
from regis.system.lack import no_room

ELSEWHERE = (
    f"choose another with --index, or --out when you build or distil, or another data folder in ${paths.DATA_VARIABLE}"
)
BUILDING = "building-"  # begins the name of a workshop, beside the index

MARK = ".regis"
"""File that says of a workshop that Regis made it: only such are cleared away when a build was killed."""

OLD, OLDER = "old", "older"
"""In a workshop: the index whose place was taken, and one that a killed build left. One that is open stays."""


@contextmanager
def workshop(out: Path) -> Iterator[Path]:
    """A folder beside `out` to build in, removed at the end whatever happens; only one build at a time has it.

    In it lies an empty folder `index`. Raises OutputError, also where files that are not an index's would have to go,
    or a folder that is write-protected.
    """

    def refused(cause: OSError | None) -> str:
        said = cause and (os.strerror(cause.errno or errno.ENOSPC) if no_room(cause) else cause.strerror or cause)
        why = f" ({said})" if said else ""
        full = cause is not None and no_room(cause) and cause.errno != errno.EROFS
        return f"the index cannot be written to {out}{why}; {'make room, or ' if full else ''}{ELSEWHERE}"

    out = Path(os.path.realpath(out))  # a link stays a link; what it points to is replaced
    try:
        _refuse_strangers(out)
        _refuse_protected(out)
    except OSError as cause:
        raise OutputError(refused(cause)) from cause
    busy = f"another command is changing {out}; wait for it, or {ELSEWHERE}"
    with disk.locked(paths.beside(out, "lock"), busy, refused):
        for left in _workshops(out):
            _clear(left)
        folder = Path(tempfile.mkdtemp(prefix=paths.beside(out, BUILDING).name, dir=out.parent))
        try:
            (folder / MARK).touch()
            (folder / "index").mkdir()
            yield folder
        finally:
            _clear(folder)


def publish(built: Path, out: Path, record: manifest.Manifest) -> manifest.Manifest:
    """Puts the finished folder `built` of a workshop in the place of `out`, which stays whole until it is there.

    Its manifest is `record` with all files listed, which is returned. What stood there before is deleted with the
    workshop, unless somebody has it open. Raises OutputError where there are files by now that are no index's, OSError.
    """
    out = Path(os.path.realpath(out))
    record = listing.with_files(record, built)
    (built / manifest.NAME).write_bytes(record.to_json().encode())
    for path in [p for p in built.rglob("*") if p.is_file()]:
        atomic.flush(path)
    _refuse_strangers(out)
    before = paths.previous(out)
    if out.exists():
        if before.exists():
            before.rename(built.parent / OLDER)
        out.rename(before)
    built.rename(out)
    if before.exists():
        before.rename(built.parent / OLD)
    return record


def replaced(out: Path) -> list[Path]:
    """Where an index may lie that somebody opened at `out`, and whose place another took."""
    out = Path(os.path.realpath(out))
    return [paths.previous(out), *(folder / old for folder in _workshops(out) for old in (OLD, OLDER))]


def _refuse_strangers(out: Path) -> None:
    """Raises OutputError where the new index, or the old one while they change places, would stand on others' files.

    So it does inside of another index, which would then hold files that are not its own.
    """
    if around := next((folder for folder in out.parents if listing.own(folder)), None):
        raise OutputError(f"{out} lies in the index at {around}; choose another place")
    for place in (out, paths.previous(out)):
        if others := listing.strangers(place):
            why = f"holds {others[0]}, which is no file of an index"
            if manifest.NAME in others:
                why = f"has a {manifest.NAME} that is not of Regis, or damaged (if it was an index, delete it yourself)"
            elif not (place / manifest.NAME).is_file():
                why = "is no index"
            raise OutputError(f"{place} is there and {why}; {ELSEWHERE}")


def _refuse_protected(out: Path) -> None:
    """Raises OutputError where a folder may not be written that would change its place: it could not be moved away.

    That would show only once the new index stands, and then nothing could take the place of that one any more.
    """
    for place in (out, paths.previous(out)):
        if place.exists() and not os.access(place, os.W_OK):
            raise OutputError(f"the index cannot be written to {out} ({place} is write-protected); {ELSEWHERE}")


def _workshops(out: Path) -> list[Path]:
    """The folders that builds of `out` worked in and that are there still; an empty one lacks its mark."""
    found = out.parent.glob(f"{glob.escape(paths.beside(out, BUILDING).name)}*")
    return [one for one in found if one.is_dir() and ((one / MARK).is_file() or not any(one.iterdir()))]


def _clear(workshop: Path) -> None:
    """Deletes a workshop, its mark last, so that another build can go on if this one is killed."""
    with suppress(OSError):
        for path in workshop.iterdir():
            if path.name in (OLD, OLDER):
                _delete(path)
            elif path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            elif path.name != MARK:
                path.unlink()
        if [path.name for path in workshop.iterdir()] == [MARK]:
            (workshop / MARK).unlink()
        workshop.rmdir()


def _delete(old: Path) -> None:
    """Deletes an index, unless somebody has it open or put a file there; half of one has no manifest any more."""
    with held.alone(old) as free:
        if free and not ((old / manifest.NAME).is_file() and listing.strangers(old)):
            shutil.rmtree(old, ignore_errors=True)


def copy(index: Held, to: Path, without: Set[str]) -> None:
    """The files of `index` under another name, `without` what will be written again: links are written through.

    `without` is as in `among`. Raises IndexDamaged or IndexUnreadable.
    """
    for name in index.listed:
        if not among(name, without):
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            with reading(index, name):
                (index / name).copy(to / name)


def among(name: str, some: Set[str]) -> bool:
    """Whether a file of an index is one of `some`: files by their names in it, or folders, wherever they lie.

    What a person names is the name of a file alone, in a folder of its own (a layer called `phrases`).
    """
    *folders, _ = name.split("/")
    return name in some or not some.isdisjoint(folders)
