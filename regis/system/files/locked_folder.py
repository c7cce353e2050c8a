"""A folder that is locked while it is read: its files stay where they are, also when its name goes to another.

Whoever reads has the folder itself open, not its name, and a shared lock on it; whoever would delete it asks first for
`exclusive_access`. So nobody waits, and a reader sees one state of the folder from beginning to end. A file is opened
only if it has the size and the checksum that are expected of it: one that was cut short would end the program once it
is mapped into memory, and one that was changed would give wrong answers.
"""

from __future__ import annotations

import errno
import os
import shutil
import sys
import weakref
from collections.abc import Callable, Iterator, Mapping, Set
from contextlib import contextmanager, suppress
from copy import copy
from functools import cached_property
from io import BufferedReader
from pathlib import Path
from stat import S_ISDIR, S_ISLNK, S_ISREG
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from regis.system import paths
from regis.system.files.checksum import compute_checksum

if TYPE_CHECKING:
    from regis.system.files.array_cache import ArrayCache

if sys.platform != "win32":  # which lets nobody delete or rename what is open
    import fcntl

MAX_LOCK_ATTEMPTS = 10  # how often a folder is looked for that others replace meanwhile; a third time is rare enough


class ReadablePath(Protocol):
    """A path to read from: one of pathlib's, or one in a locked folder."""

    def __truediv__(self, name: str, /) -> ReadablePath: ...
    def is_dir(self) -> bool: ...
    def is_file(self) -> bool: ...
    def is_symlink(self) -> bool: ...
    def stat(self) -> os.stat_result: ...
    def read_bytes(self) -> bytes: ...
    def open(self, mode: Literal["rb"], /) -> BufferedReader: ...


class FileChanged(ValueError):
    """A file that is not what is expected; the message names it."""


def list_steps(name: str) -> list[str]:
    """List the folders on the way to the file `name`, and the file, as paths in the folder that it lies in."""
    parts = name.split("/")
    return ["/".join(parts[: i + 1]) for i in range(len(parts))]


class ExpectedFile(NamedTuple):
    """What a file should be."""

    size: int  # bytes
    checksum: str | None  # None if nobody wrote it down


class LockedFolder:
    """A folder that is locked while it is read, or a path in one."""

    def __init__(self, folder: Path) -> None:
        """Raises OSError where there is no such folder, or it cannot be read."""
        self.folder = folder
        self.expected_files: Mapping[str, ExpectedFile] = {}  # by their paths in the folder; empty if none are known
        self.array_cache: ArrayCache | None = None  # of arrays that were unpacked of its files
        self._name = ""
        self._lock = _SharedLock(folder)
        self._is_starter = (starter := paths.starter_folder()) is not None and paths.is_within(folder, starter)
        self._verified: set[str] = set()  # files that were compared with their checksums

    def __truediv__(self, name: str, /) -> LockedFolder:
        inside = copy(self)
        inside._name = f"{self._name}/{name}" if self._name else name
        return inside

    def __str__(self) -> str:
        return str(self.folder / self._name)

    def close(self) -> None:
        """Let go of the folder; nothing more can be read in it."""
        self._lock.release()

    def has_its_name(self) -> bool:
        """Return whether the folder's name still leads to it."""
        with suppress(OSError):
            return os.path.samestat(self.folder.stat(), self.stat())
        return False

    def stat(self) -> os.stat_result:
        """Return what the system says of this path. Raises OSError."""
        path, handle = self._path_of(self._name)
        return os.stat(path, dir_fd=handle)

    def is_dir(self) -> bool:
        """Return whether there is such a folder, or should be. Raises OSError."""
        if self.expected_files:
            return any(name.startswith(f"{self._name}/") for name in self.expected_files)
        return self._has_mode(S_ISDIR)

    def is_file(self) -> bool:
        """Return whether there is such a file, or should be. Raises OSError."""
        return self._name in self.expected_files if self.expected_files else self._has_mode(S_ISREG)

    def is_symlink(self) -> bool:
        """Return whether a link stands there, which leads anywhere. Raises OSError."""
        return self._is_link(self._name)

    def _has_mode(self, is_kind: Callable[[int], bool]) -> bool:
        with suppress(FileNotFoundError, NotADirectoryError):
            return is_kind(self.stat().st_mode)
        return False

    def read_bytes(self) -> bytes:
        """Return what the file holds. Raises what `open` raises."""
        with self.open("rb") as file:
            return file.read()

    def open(self, mode: Literal["rb"], /) -> BufferedReader:
        """Open the file.

        Raises
        ------
        OSError : it cannot be read; of a stale handle if the folder was deleted.
        FileChanged : it is not what is expected.
        """
        path, handle = self._path_of(self._name)
        for step in list_steps(self._name):
            if self._is_link(step):
                raise FileChanged(f"{step} is a link")

        def opener(_: str, flags: int) -> int:
            try:
                return os.open(path, flags | getattr(os, "O_NONBLOCK", 0), dir_fd=handle)  # lest a pipe be waited for
            except FileNotFoundError:
                if handle is not None and os.fstat(handle).st_nlink == 0:
                    raise OSError(errno.ESTALE, os.strerror(errno.ESTALE), self._name) from None
                raise

        file = open(self._name, mode, opener=opener)  # noqa: SIM115 (pathlib's has no opener)
        try:
            self._verify(file)
        except BaseException:
            file.close()
            raise
        return file

    def copy_to(self, target: Path, *, may_link: bool = True) -> None:
        """Make `target` the same file, by a hard link if it `may_link`. Raises what `open` raises.

        Links are for files of one index: whoever changes the permissions of a link changes those of all. So one that
        ships with Regis is copied in any case.
        """
        path, handle = self._path_of(self._name)
        with self.open("rb") as file:
            target.unlink(missing_ok=True)  # it may be a link to this very file, which would be written over
            status = os.fstat(file.fileno())
            if may_link and (status.st_dev, status.st_ino) not in self._lock.shipped_files:
                with suppress(OSError):
                    os.link(path, target, src_dir_fd=handle)
                    return
            with target.open("wb") as target_file:
                shutil.copyfileobj(file, target_file)

    def _path_of(self, name: str) -> tuple[Path | str, int | None]:
        """Return a path, and the handle of the folder that it starts from, if one is there."""
        handle = self._lock.handle
        return (self.folder / name, None) if handle is None else (name or ".", handle)

    def _is_link(self, name: str) -> bool:
        """Return whether a link stands under `name`. The starter may lie in the links of whoever installed it."""
        path, handle = self._path_of(name)
        with suppress(FileNotFoundError, NotADirectoryError):
            return S_ISLNK(os.stat(path, dir_fd=handle, follow_symlinks=False).st_mode) and not self._is_starter
        return False

    def _verify(self, file: BufferedReader) -> None:
        """Raise FileChanged if the open `file` is not what is expected here; the content is looked at once."""
        name, status = self._name, os.fstat(file.fileno())
        if not S_ISREG(status.st_mode):
            raise FileChanged(f"{name} is no plain file")
        expected = self.expected_files.get(name)
        if expected is None:
            return
        if status.st_size != expected.size:
            raise FileChanged(f"{name} has {status.st_size} bytes, not {expected.size}")
        if expected.checksum is not None and name not in self._verified:
            if compute_checksum(file) != expected.checksum:
                raise FileChanged(f"{name} is not what was written")
            self._verified.add(name)
            file.seek(0)


class _SharedLock:
    """The open handle of a folder with a shared lock on it, which goes with the last who has it."""

    def __init__(self, folder: Path) -> None:
        self.handle: int | None = None
        if sys.platform != "win32":
            self.handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            self._close = weakref.finalize(self, os.close, self.handle)
            with suppress(OSError):  # a file system without locks
                fcntl.flock(self.handle, fcntl.LOCK_SH)

    def release(self) -> None:
        if self.handle is not None:
            self._close()
            self.handle = -1

    @cached_property
    def shipped_files(self) -> Set[tuple[int, int]]:
        """Device and number of each file of the starter; indexes that older versions made have links to them."""
        starter = paths.starter_folder()
        found = (path.stat() for path in starter.rglob("*") if path.is_file()) if starter else ()
        return {(status.st_dev, status.st_ino) for status in found}


def lock_folder(find_folder: Callable[[], Path]) -> LockedFolder:
    """Lock the folder that `find_folder` finds. Raises OSError.

    While another takes its place, its name may for a moment stand for nothing, or for what will be deleted; then it is
    looked for again.
    """
    for _ in range(MAX_LOCK_ATTEMPTS):
        try:
            folder = LockedFolder(find_folder())
        except FileNotFoundError:
            if not find_folder().exists():
                raise
        else:
            if folder.has_its_name():
                return folder
    return LockedFolder(find_folder())


@contextmanager
def exclusive_access(path: Path, *, without_locks: bool = True) -> Iterator[bool]:
    """Say whether nobody has the folder or file `path` locked, and let nobody lock it while inside. Raises OSError.

    Where there are no locks it is `without_locks`.
    """
    if sys.platform == "win32":
        yield without_locks
        return
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)  # over NFS a file is locked for writing only
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        except OSError:
            yield without_locks
            return
        yield True
    finally:
        os.close(handle)
