"""How an index comes into use: built in a workshop, moved to a folder named by its fingerprint, then named by a pointer
file.

`index_folder` contains a folder for each state, and the file `current`, which names the state in use and is replaced
atomically. A state never changes. The next writer deletes each state that is not in use, not below the one in use, and
not open.
"""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from regis.errors import OutputError
from regis.index.storage import validation
from regis.index.storage.manifest import MANIFEST_NAME, WORKSHOP_PREFIX, Manifest
from regis.system import paths
from regis.system.files import array_file, atomic, locks
from regis.system.os_errors import is_disk_full

OTHER_PLACE_ADVICE = f"choose another folder, or set another data folder in ${paths.DATA_VARIABLE}"


@contextmanager
def open_workshop(index_folder: Path) -> Iterator[Path]:
    """Yield a folder to build an index in, with an empty folder `index`. Only one build at a time can have it.

    It is deleted at the end. Raises OutputError, also if something else is at `index_folder`.
    """

    def describe_refusal(cause: OSError | None) -> str:
        told = cause and (os.strerror(cause.errno or errno.ENOSPC) if is_disk_full(cause) else cause.strerror or cause)
        why = f" ({told})" if told else ""
        is_full = cause is not None and is_disk_full(cause) and cause.errno != errno.EROFS
        advice = f"make room, or {OTHER_PLACE_ADVICE}" if is_full else OTHER_PLACE_ADVICE
        return f"the index can't be written to {index_folder}{why}; {advice}"

    index_folder = Path(os.path.realpath(index_folder))
    try:
        _refuse_other_folders(index_folder)
    except OSError as cause:
        raise OutputError(describe_refusal(cause)) from cause
    busy = f"another command is changing {index_folder}; try again when it has finished, or {OTHER_PLACE_ADVICE}"
    with locks.exclusive_lock(paths.sibling_path(index_folder, "lock"), busy, describe_refusal):
        try:
            index_folder.mkdir(exist_ok=True)
            _delete_unused(index_folder)
            folder = Path(tempfile.mkdtemp(prefix=WORKSHOP_PREFIX, dir=index_folder))
            (folder / "index").mkdir()
            yield folder
        finally:
            with suppress(OSError):
                _delete_unused(index_folder)
                index_folder.rmdir()  # fails unless the folder is empty


def publish_index(
    built_folder: Path, index_folder: Path, manifest_record: Manifest, base_folder: Path | None = None
) -> Manifest:
    """Put the finished `built_folder` of a workshop into use, and return its manifest with all files; raises OSError.

    `base_folder` is the finished index below its layers, from the same workshop, if new.
    """
    index_folder = Path(os.path.realpath(index_folder))
    if base_folder is not None:
        base_record = validation.read_manifest(base_folder)
        manifest_record = replace(manifest_record, base=_name_folder(base_folder, index_folder, base_record))
    manifest_record = write_manifest(built_folder, manifest_record)
    use_state(index_folder, _name_folder(built_folder, index_folder, manifest_record))
    return manifest_record


def use_state(index_folder: Path, state_name: str) -> None:
    """Put the state of this name into use; raises OSError."""
    pointer = index_folder / paths.POINTER_NAME
    new_pointer = index_folder / f"{WORKSHOP_PREFIX}{paths.POINTER_NAME}"
    new_pointer.write_text(f"{state_name}\n", encoding="ascii")
    atomic.flush_file(new_pointer)
    new_pointer.replace(pointer)


def write_manifest(built_folder: Path, manifest_record: Manifest) -> Manifest:
    """Write the manifest of a finished folder, with sizes and checksums of its files; raises OSError."""
    files, checksums = {}, {}
    for path in sorted(built_folder.rglob("*")):
        if path.is_file() and path.name != MANIFEST_NAME:
            name = path.relative_to(built_folder).as_posix()
            files[name], checksums[name] = path.stat().st_size, array_file.compute_checksum(path)
    manifest_record = replace(manifest_record, files=files, checksums=checksums)
    (built_folder / MANIFEST_NAME).write_bytes(manifest_record.to_json().encode())
    return manifest_record


def link_or_copy(source: Path, target: Path) -> None:
    """Make `target` a link to, or a copy of, `source`, which never changes; raises OSError."""
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        target.hardlink_to(source)
    except OSError:
        shutil.copyfile(source, target)


def delete_index(index_folder: Path) -> None:
    """Delete an index in the cache folder, except states in use; raises OSError."""
    (index_folder / paths.POINTER_NAME).unlink(missing_ok=True)
    _delete_unused(index_folder)
    with suppress(OSError):
        index_folder.rmdir()
        paths.sibling_path(index_folder, "lock").unlink()


def _name_folder(built_folder: Path, index_folder: Path, manifest_record: Manifest) -> str:
    """Move a finished folder to its place, and return its name: its fingerprint, with a number if needed."""
    for path in built_folder.rglob("*"):
        if path.is_file():
            atomic.flush_file(path)
    name, number = manifest_record.fingerprint, 1
    while (index_folder / name).exists():
        number += 1
        name = f"{manifest_record.fingerprint}-{number}"
    built_folder.rename(index_folder / name)
    return name


def _refuse_other_folders(index_folder: Path) -> None:
    """Raise OutputError if `index_folder` exists but isn't an index, or is inside another index."""
    if around := next((folder for folder in index_folder.parents if _is_manifest(folder / MANIFEST_NAME)), None):
        raise OutputError(f"{index_folder} is inside the index at {around}; choose another folder")
    if not index_folder.is_dir():
        is_other = os.path.lexists(index_folder)
    else:
        names = {path.name for path in index_folder.iterdir() if not path.name.startswith(WORKSHOP_PREFIX)}
        states = any(map(paths.STATE_NAME.fullmatch, names))
        is_other = bool(names) and not states and not _is_manifest(index_folder / MANIFEST_NAME)
    if is_other:
        raise OutputError(f"{index_folder} already exists and isn't an index; {OTHER_PLACE_ADVICE}")


def _is_manifest(path: Path) -> bool:
    """Return whether the file is an index's manifest, of any version."""
    return {"format_version", "regis"} <= validation.try_read_json(path).keys()


def _delete_unused(index_folder: Path) -> None:
    """Delete every state that is neither in use nor open; raises OSError.

    If the pointer leads nowhere, any state may be the one in use.
    """
    home, pointer = paths.index_home(index_folder), index_folder / paths.POINTER_NAME
    is_lost = pointer.exists() and not (home / MANIFEST_NAME).exists()
    used_names = {home.name, str(validation.try_read_json(home / MANIFEST_NAME).get("base"))}
    for folder in sorted(index_folder.iterdir()):
        if folder.name.startswith(WORKSHOP_PREFIX) or (
            paths.STATE_NAME.fullmatch(folder.name) and folder.name not in used_names and not is_lost
        ):
            with suppress(OSError):
                _delete_state(folder)


def _delete_state(folder: Path) -> None:
    """Delete a folder unless a reader holds it; raises OSError."""
    if folder.is_symlink() or not folder.is_dir():
        folder.unlink()
        return
    with ExitStack() as locked:
        with suppress(FileNotFoundError):  # a folder without a manifest was never finished
            if not locked.enter_context(locks.try_lock(folder / MANIFEST_NAME)):
                return
        if paths.STATE_NAME.fullmatch(folder.name):
            folder = folder.rename(folder.with_name(f"{WORKSHOP_PREFIX}{folder.name}"))
        shutil.rmtree(folder, ignore_errors=True)
