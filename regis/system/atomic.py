"""A file that is written whole or not at all: a temporary one beside it first, then renamed.

`check` says before the work whether `write` will be able to, because an hour's results with nowhere to go are lost.
What a program that was killed left is cleared away by the next that writes into the folder.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from regis.errors import OutputError, UsageError
from regis.system import held, paths

HALF = ".regis-half-"  # begins the name of a file that is being written


def check(path: Path, spared: Iterable[Path] = (), index: Path | None = None) -> None:
    """Raises OutputError if `path` could not be written now, UsageError if it is one of the files to be `spared`.

    Of a folder that is spared all files are, of standard input the file that it comes from; into the folder of an
    `index` nothing goes, new or not.
    """
    target = _target(path)
    if target.exists() and any(paths.within(target, paths.read_from(other)) for other in spared):
        raise UsageError(f"{path} is read here, so it is not written over; name another file")
    if index and paths.within(target, index):
        raise UsageError(f"{path} lies in the index that is read here; name a file elsewhere")
    with _temporary(target):
        pass


def write(path: Path, content: str | bytes) -> None:
    """Puts `content` (text as UTF-8) at `path`, in the place of any file there.

    Raises OutputError and leaves that as it was.
    """
    target = _target(path)
    with _temporary(target) as beside:
        try:
            beside.write_bytes(content.encode() if isinstance(content, str) else content)
            beside.chmod(_mode(target))
            settle(beside, target)
        except OSError as cause:
            raise OutputError(f"{path} cannot be written ({cause.strerror}); nothing was changed there") from cause


def settle(half: Path, place: Path) -> None:
    """Puts the finished file `half` at `place` beside it, in the place of any there. Raises OSError."""
    flush(half)
    half.replace(place)


@contextmanager
def kept(half: Path, place: Path) -> Iterator[None]:
    """For a library that writes the file `half` itself: puts it at `place` beside it, or deletes it.

    Raises OutputError. Torch says with a RuntimeError that a disk is full.
    """
    try:
        yield
        settle(half, place)
    except (OSError, RuntimeError) as cause:
        why = (isinstance(cause, OSError) and cause.strerror) or "the disk may be full"
        raise OutputError(f"{place} cannot be written ({why}); make room, then do it again") from cause
    finally:
        half.unlink(missing_ok=True)


def flush(path: Path) -> None:
    """Makes sure that the file `path` is on the disk, and not on its way. Raises OSError.

    One that may not be written is a link to somebody else's, which is there already.
    """
    if not os.access(path, os.W_OK):
        return
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _target(path: Path) -> Path:
    """The file behind `path`, which may be a link to it."""
    try:
        target = path.resolve()
    except (OSError, RuntimeError) as cause:
        raise OutputError(f"{path} cannot be written (there is no way to it from here); name its whole path") from cause
    try:
        is_there = path.exists()
    except OSError as cause:  # nobody may look into its folder
        raise OutputError(f"{path} cannot be written ({cause.strerror}); name a file elsewhere") from cause
    if is_there and not path.is_file():  # a pipe that is named through a link has no place of its own
        what = "a folder" if path.is_dir() else "not a plain file"
        raise OutputError(f"{path} cannot be written (it is {what}); name a file")
    return target


@contextmanager
def _temporary(target: Path) -> Iterator[Path]:
    """A new empty file beside `target`, locked, and deleted at the end if it is there still."""
    with ExitStack() as kept:
        try:
            if target.exists() and not os.access(target, os.W_OK):
                raise OutputError(f"{target} cannot be written (it is write-protected); name another file")
            for left in target.parent.glob(f"{HALF}*"):
                with suppress(OSError), held.alone(left) as abandoned:
                    if abandoned:
                        left.unlink()
            while True:
                handle, name = tempfile.mkstemp(prefix=HALF, dir=target.parent)
                os.close(handle)
                beside = Path(name)
                with suppress(FileNotFoundError):  # another cleared it away before it was locked
                    if kept.enter_context(held.alone(beside)) and beside.exists():
                        break
        except OSError as cause:
            why = f"{target} cannot be written ({cause.strerror}); name a file in a folder that can"
            raise OutputError(why) from cause
        try:
            yield beside
        finally:
            beside.unlink(missing_ok=True)


def _mode(target: Path) -> int:
    """The permissions of the file that is replaced, else those of any new file."""
    if target.exists():
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
