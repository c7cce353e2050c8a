"""Files written whole or not at all: as a temporary file in the same folder, which is then renamed.

`check_writable` finds out before the work whether `write_file` can succeed, so that an hour's results aren't lost.
It also deletes what killed programs left in that folder.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from regis.errors import OutputError, UsageError
from regis.system import paths

TEMPORARY_PREFIX = ".regis-half-"  # begins the name of a file that is being written


def check_writable(path: Path, protected_paths: Iterable[Path] = (), index_folder: Path | None = None) -> None:
    """Refuse a file that can't be written now, or that would overwrite an input.

    `protected_paths` are inputs: files, all files of a folder, or the file behind standard input. Nothing goes into
    `index_folder`. Raises OutputError or UsageError.
    """
    target = _resolve_target(path)
    if target.exists() and any(paths.is_within(target, paths.input_path(other)) for other in protected_paths):
        raise UsageError(f"{path} is an input of this command and won't be overwritten; choose another file")
    if index_folder and paths.is_within(target, index_folder):
        raise UsageError(f"{path} is inside the index in use; choose a file elsewhere")
    for left in target.parent.glob(f"{TEMPORARY_PREFIX}*"):
        with suppress(OSError):
            if time.time() - left.stat().st_mtime > 3600:  # writing one takes seconds
                left.unlink()
    with _temporary_file(target):
        pass


def make_folder(path: Path, index_folder: Path | None = None) -> None:
    """Make the folder `path` and its parents if needed, never in an index; raises what `check_writable` raises."""
    if index_folder and paths.is_within(path, index_folder):
        raise UsageError(f"{path} is inside the index in use; choose a folder elsewhere")
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as cause:
        raise OutputError(f"the folder {path} can't be created ({cause.strerror}); choose another") from cause


def write_file(path: Path, content: str | bytes) -> None:
    """Write `content` (text as UTF-8) to `path`, replacing any file there; on OutputError, that file stays."""
    target = _resolve_target(path)
    with _temporary_file(target) as temporary:
        try:
            temporary.write_bytes(content.encode() if isinstance(content, str) else content)
            if not target.exists():
                temporary.chmod(_new_file_mode())
            move_into_place(temporary, target)
        except OSError as cause:
            raise OutputError(f"{path} can't be written ({cause.strerror}); nothing was changed") from cause


def move_into_place(temporary: Path, target: Path) -> None:
    """Move the finished `temporary` to `target` in the same folder; raises OSError."""
    flush_file(temporary)
    if target.exists():
        temporary.chmod(target.stat().st_mode & 0o777)
    temporary.replace(target)


@contextmanager
def replace_after_writing(temporary: Path, target: Path) -> Iterator[None]:
    """Move the file that a library writes in this context to `target`, or delete it if the library fails.

    Raises OutputError; Torch reports a full disk as a RuntimeError.
    """
    try:
        yield
        move_into_place(temporary, target)
    except (OSError, RuntimeError) as cause:
        why = (isinstance(cause, OSError) and cause.strerror) or "the disk may be full"
        raise OutputError(f"{target} can't be written ({why}); make room and try again") from cause
    finally:
        temporary.unlink(missing_ok=True)


def flush_file(path: Path) -> None:
    """Wait until the file `path` is on the disk; raises OSError.

    A file that can't be opened for writing is a link to somebody else's file, which is already on the disk.
    """
    if not os.access(path, os.W_OK):
        return
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _resolve_target(path: Path) -> Path:
    """Resolve `path`, maybe a link, to the file to write; raises OutputError if that can't be a file."""
    try:
        target, is_there = path.resolve(), path.exists()
    except (OSError, RuntimeError) as cause:  # its folder can't be searched, or links lead in a circle
        raise OutputError(f"{path} can't be written (it can't be reached); choose a file elsewhere") from cause
    if is_there and not path.is_file():  # a pipe that a link leads to has no folder of its own
        what = "a folder" if path.is_dir() else "not a plain file"
        raise OutputError(f"{path} can't be written (it is {what}); name a file")
    return target


@contextmanager
def _temporary_file(target: Path) -> Iterator[Path]:
    """Create an empty file next to `target`, and delete it at the end if it still exists."""
    try:
        if target.exists() and not os.access(target, os.W_OK):
            raise OutputError(f"{target} is write-protected; choose another file")
        handle, name = tempfile.mkstemp(prefix=TEMPORARY_PREFIX, dir=target.parent)
        os.close(handle)
    except OSError as cause:
        why = f"{target} can't be written ({cause.strerror}); choose a file in another folder"
        if isinstance(cause, FileNotFoundError):
            why = f"{target} can't be written, because its folder doesn't exist; create it first"
        raise OutputError(why) from cause
    temporary = Path(name)
    try:
        yield temporary
    finally:
        temporary.unlink(missing_ok=True)


def _new_file_mode() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
