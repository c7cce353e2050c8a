"""How an index comes into being: in a folder of another name first, then in its place, whole or not at all.

`open_workshop` yields that folder, `publish_index` is the renaming. Between its two renames the old index has a third
name, where `Index.open` looks for it too (regis.system.paths).
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
from regis.index.storage import owned_files
from regis.index.storage.manifest import MANIFEST_NAME, Manifest
from regis.index.storage.validation import guard_reading
from regis.system import paths
from regis.system.files import access, atomic, folder_lock, locked_folder
from regis.system.files.locked_folder import LockedFolder
from regis.system.os_errors import is_disk_full

OTHER_PLACE_ADVICE = (
    f"choose another with --index, or --out when you build or distil, or another data folder in ${paths.DATA_VARIABLE}"
)
WORKSHOP_PREFIX = "building-"  # begins the name of a workshop, beside the index
WORKSHOP_MARK = ".regis"  # file that says that Regis made a workshop: only such are cleared away after a killed build
OLD_INDEX = "old"  # in a workshop: the index whose place was taken; one that is open stays
OLDER_INDEX = "older"  # and one that a killed build left


@contextmanager
def open_workshop(index_folder: Path) -> Iterator[Path]:
    """Yield a folder beside `index_folder` to build in, removed at the end in any case; one build at a time has it.

    In it lies an empty folder `index`.

    Raises
    ------
    OutputError
        Also where files that are not an index's would have to go, or a folder that is write-protected.
    """

    def describe_refusal(cause: OSError | None) -> str:
        told = cause and (os.strerror(cause.errno or errno.ENOSPC) if is_disk_full(cause) else cause.strerror or cause)
        why = f" ({told})" if told else ""
        is_full = cause is not None and is_disk_full(cause) and cause.errno != errno.EROFS
        advice = f"make room, or {OTHER_PLACE_ADVICE}" if is_full else OTHER_PLACE_ADVICE
        return f"the index cannot be written to {index_folder}{why}; {advice}"

    index_folder = Path(os.path.realpath(index_folder))  # a link stays a link; what it points to is replaced
    try:
        _refuse_foreign_files(index_folder)
        _refuse_protected(index_folder)
    except OSError as cause:
        raise OutputError(describe_refusal(cause)) from cause
    busy = f"another command is changing {index_folder}; wait for it, or {OTHER_PLACE_ADVICE}"
    with folder_lock.exclusive_lock(paths.sibling_path(index_folder, "lock"), busy, describe_refusal):
        for abandoned in _find_workshops(index_folder):
            _clear_workshop(abandoned)
        prefix = paths.sibling_path(index_folder, WORKSHOP_PREFIX).name
        folder = Path(tempfile.mkdtemp(prefix=prefix, dir=index_folder.parent))
        try:
            (folder / WORKSHOP_MARK).touch()
            (folder / "index").mkdir()
            yield folder
        finally:
            _clear_workshop(folder)


def publish_index(built_folder: Path, index_folder: Path, manifest_record: Manifest) -> Manifest:
    """Put the finished `built_folder` of a workshop in the place of `index_folder`, which stays whole until then.

    What stood there before is deleted with the workshop, unless somebody has it open.

    Returns
    -------
    `manifest_record` with all files listed, as it was written.

    Raises
    ------
    OutputError
        Where there are files by now that are no index's.
    OSError
    """
    index_folder = Path(os.path.realpath(index_folder))
    manifest_record = owned_files.list_files(manifest_record, built_folder)
    (built_folder / MANIFEST_NAME).write_bytes(manifest_record.to_json().encode())
    for path in [p for p in built_folder.rglob("*") if p.is_file()]:
        atomic.flush_file(path)
    _refuse_foreign_files(index_folder)
    if (replaced := paths.existing_index_folder(index_folder)).is_dir():
        access.inherit_access_in_folder(replaced, built_folder)
    before = paths.previous_index_folder(index_folder)
    if index_folder.exists():
        if before.exists():
            before.rename(built_folder.parent / OLDER_INDEX)
        index_folder.rename(before)
    built_folder.rename(index_folder)
    if before.exists():
        before.rename(built_folder.parent / OLD_INDEX)
    return manifest_record


def find_displaced_indexes(index_folder: Path) -> list[Path]:
    """Return where an index may lie that somebody opened at `index_folder`, and whose place another took."""
    index_folder = Path(os.path.realpath(index_folder))
    in_workshops = (folder / old for folder in _find_workshops(index_folder) for old in (OLD_INDEX, OLDER_INDEX))
    return [paths.previous_index_folder(index_folder), *in_workshops]


def _refuse_foreign_files(index_folder: Path) -> None:
    """Raise OutputError where the new index, or the old one while they change places, would stand on others' files.

    So it does inside of another index, which would then hold files that are not its own.
    """
    if around := next((folder for folder in index_folder.parents if owned_files.find_owned_files(folder)), None):
        raise OutputError(f"{index_folder} lies in the index at {around}; choose another place")
    for place in (index_folder, paths.previous_index_folder(index_folder)):
        if foreign := owned_files.find_foreign_files(place):
            why = f"holds {foreign[0]}, which is no file of an index"
            if MANIFEST_NAME in foreign:
                why = f"has a {MANIFEST_NAME} that is not of Regis, or damaged (if it was an index, delete it yourself)"
            elif not (place / MANIFEST_NAME).is_file():
                why = "is no index"
            raise OutputError(f"{place} is there and {why}; {OTHER_PLACE_ADVICE}")


def _refuse_protected(index_folder: Path) -> None:
    """Raise OutputError where a folder may not be written that would change its place: it could not be moved away.

    That would show only once the new index stands, and then nothing could take the place of that one any more.
    """
    for place in (index_folder, paths.previous_index_folder(index_folder)):
        if place.exists() and not os.access(place, os.W_OK):
            why = f"{place} is write-protected"
            raise OutputError(f"the index cannot be written to {index_folder} ({why}); {OTHER_PLACE_ADVICE}")


def _find_workshops(index_folder: Path) -> list[Path]:
    """Return the folders left by builds of `index_folder`; an empty one lacks its mark. Links are nobody's."""
    folders = index_folder.parent.glob(f"{glob.escape(paths.sibling_path(index_folder, WORKSHOP_PREFIX).name)}*")
    return [
        f
        for f in folders
        if f.is_dir() and not f.is_symlink() and ((f / WORKSHOP_MARK).is_file() or not any(f.iterdir()))
    ]


def _clear_workshop(workshop: Path) -> None:
    """Delete a workshop, its mark last, so that another build can go on if this one is killed.

    Of a link in it only the link goes.
    """
    with suppress(OSError):
        for path in workshop.iterdir():
            if path.is_symlink():
                path.unlink()
            elif path.name in (OLD_INDEX, OLDER_INDEX):
                _delete_index(path)
            elif path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            elif path.name != WORKSHOP_MARK:
                path.unlink()
        if [path.name for path in workshop.iterdir()] == [WORKSHOP_MARK]:
            (workshop / WORKSHOP_MARK).unlink()
        workshop.rmdir()


def _delete_index(old_folder: Path) -> None:
    """Delete an index, unless somebody has it open or put a file there; half of one has no manifest any more."""
    with locked_folder.exclusive_access(old_folder) as is_free:
        has_manifest = (old_folder / MANIFEST_NAME).is_file()
        if is_free and not (has_manifest and owned_files.find_foreign_files(old_folder)):
            shutil.rmtree(old_folder, ignore_errors=True)


def copy_files(
    index_files: LockedFolder, target_folder: Path, skipped_names: Set[str], *, may_link: bool = True
) -> None:
    """Copy the files of an index under another name but for `skipped_names`, which will be written again.

    What `may_link` becomes hard links, through which is written. `skipped_names` are as in `is_selected`. Raise
    IndexDamaged or IndexUnreadable.
    """
    for name in index_files.expected_files:
        if not is_selected(name, skipped_names):
            (target_folder / name).parent.mkdir(parents=True, exist_ok=True)
            with guard_reading(index_files, name):
                (index_files / name).copy_to(target_folder / name, may_link=may_link)


def is_selected(file_name: str, selected_names: Set[str]) -> bool:
    """Return whether a file of an index is selected: by its path in it, or by a folder, wherever that lies.

    What a person names is the name of a file alone, in a folder of its own (a layer called `phrases`).
    """
    *folders, _ = file_name.split("/")
    return file_name in selected_names or not selected_names.isdisjoint(folders)
