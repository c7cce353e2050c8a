"""A folder that is held while it is read: its files stay where they are found, also when its name goes to another.

Whoever reads has the folder itself open, not its name, and a shared lock on it; whoever would delete it asks first
whether it is `alone` with it. So nobody waits, and a reader sees one state of the folder from beginning to end. A file
is opened only if it has the size and the checksum that are `listed` for it: one that was cut short would end the
program once it is mapped into memory, and one that was changed would give wrong answers.
"""

from __future__ import annotations

import errno
import os
import shutil
import sys
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from io import BufferedReader
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from regis.system.checksum import checksum

if TYPE_CHECKING:
    from regis.system.kept import Kept

if sys.platform != "win32":  # which lets nobody delete or rename what is open
    import fcntl

TRIES = 10  # how often a folder is looked for that others replace meanwhile; a third time is rare enough


class Place(Protocol):
    """A path to read from: one of pathlib's, or one in a folder that is held."""

    def __truediv__(self, name: str, /) -> Place: ...
    def is_dir(self) -> bool: ...
    def is_file(self) -> bool: ...
    def stat(self) -> os.stat_result: ...
    def read_bytes(self) -> bytes: ...
    def open(self, mode: Literal["rb"], /) -> BufferedReader: ...


class Changed(ValueError):
    """A file that is not what is listed; the message names it."""


class Listed(NamedTuple):
    """What a file should be."""

    size: int  # bytes
    checksum: str | None  # None if nobody wrote it down


class Held:
    """A folder that is held, or a path in one."""

    def __init__(self, folder: Path) -> None:
        """Raises OSError where there is no such folder, or it cannot be read."""
        self.folder = folder
        self._hold = _Hold(folder)
        self._name = ""

    def __truediv__(self, name: str, /) -> Held:
        inside = object.__new__(Held)
        inside.folder, inside._hold = self.folder, self._hold
        inside._name = f"{self._name}/{name}" if self._name else name
        return inside

    def __str__(self) -> str:
        return str(self.folder / self._name)

    @property
    def listed(self) -> Mapping[str, Listed]:
        """What the files of the folder should be, by their paths in it."""
        return self._hold.listed

    @listed.setter
    def listed(self, files: Mapping[str, Listed]) -> None:
        self._hold.listed = files

    @property
    def kept(self) -> Kept | None:
        """Where what was unpacked of its files is kept; None for nowhere."""
        return self._hold.kept

    @kept.setter
    def kept(self, folder: Kept | None) -> None:
        self._hold.kept = folder

    def close(self) -> None:
        """Lets go of the folder; nothing more can be read in it."""
        self._hold.close()

    def stands(self) -> bool:
        """Whether the folder has its name still."""
        with suppress(OSError):
            return os.path.samestat(self.folder.stat(), self.stat())
        return False

    def stat(self) -> os.stat_result:
        """Raises OSError."""
        path, handle = self._hold.at(self._name)
        return os.stat(path, dir_fd=handle)

    def is_dir(self) -> bool:
        """Whether there is such a folder, or should be. Raises OSError."""
        if self.listed:
            return any(name.startswith(f"{self._name}/") for name in self.listed)
        return self._is(S_ISDIR)

    def is_file(self) -> bool:
        """Whether there is such a file, or should be. Raises OSError."""
        return self._name in self.listed if self.listed else self._is(S_ISREG)

    def _is(self, kind: Callable[[int], bool]) -> bool:
        with suppress(FileNotFoundError, NotADirectoryError):
            return kind(self.stat().st_mode)
        return False

    def read_bytes(self) -> bytes:
        """Raises what `open` raises."""
        with self.open("rb") as file:
            return file.read()

    def open(self, mode: Literal["rb"], /) -> BufferedReader:
        """Raises OSError, that of a stale handle if the folder was deleted; Changed if it is not what is listed."""
        return self._hold.open(self._name, mode)

    def copy(self, to: Path) -> None:
        """Makes `to` the same file, by a link where the file system has them. Raises what `open` raises."""
        path, handle = self._hold.at(self._name)
        with self.open("rb") as file:
            to.unlink(missing_ok=True)  # what is there may be a link to this very file, which would be written over
            try:
                os.link(path, to, src_dir_fd=handle)
            except OSError:
                with to.open("wb") as copy:
                    shutil.copyfileobj(file, copy)


class _Hold:
    """The open folder, and what is known of its files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.listed: Mapping[str, Listed] = {}
        self.kept: Kept | None = None
        self._sound: set[str] = set()  # files that were compared with their checksums
        self._handle: int | None = None
        if sys.platform != "win32":
            self._handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            self._end = weakref.finalize(self, os.close, self._handle)
            with suppress(OSError):  # a file system without locks
                fcntl.flock(self._handle, fcntl.LOCK_SH)

    def close(self) -> None:
        if self._handle is not None:
            self._end()
            self._handle = -1

    def at(self, name: str) -> tuple[Path | str, int | None]:
        """A path, and the handle of the folder that it starts from, if one is there."""
        return (self.folder / name, None) if self._handle is None else (name or ".", self._handle)

    def open(self, name: str, mode: Literal["rb"]) -> BufferedReader:
        path, handle = self.at(name)

        def opener(_: str, flags: int) -> int:
            try:
                return os.open(path, flags, dir_fd=handle)
            except FileNotFoundError:
                if handle is not None and os.fstat(handle).st_nlink == 0:
                    raise OSError(errno.ESTALE, os.strerror(errno.ESTALE), name) from None
                raise

        file = open(name, mode, opener=opener)  # noqa: SIM115 (pathlib's has no opener)
        try:
            self._check(name, file)
        except BaseException:
            file.close()
            raise
        return file

    def _check(self, name: str, file: BufferedReader) -> None:
        """Raises Changed if `file` is not what is listed under its name; the content is looked at once."""
        wanted = self.listed.get(name)
        if wanted is None:
            return
        if (size := os.fstat(file.fileno()).st_size) != wanted.size:
            raise Changed(f"{name} has {size} bytes, not {wanted.size}")
        if wanted.checksum is not None and name not in self._sound:
            if checksum(file) != wanted.checksum:
                raise Changed(f"{name} is not what was written")
            self._sound.add(name)
            file.seek(0)


def hold(find: Callable[[], Path]) -> Held:
    """The folder that `find` finds, held. Raises OSError.

    While another takes its place, its name may for a moment stand for nothing, or for what will be deleted; then it is
    looked for again.
    """
    for _ in range(TRIES):
        try:
            held = Held(find())
        except FileNotFoundError:
            if not find().exists():
                raise
        else:
            if held.stands():
                return held
    return Held(find())


@contextmanager
def alone(path: Path) -> Iterator[bool]:
    """Whether nobody holds the folder or file `path`, and while inside nobody will. Raises OSError.

    True also where there are no locks.
    """
    if sys.platform == "win32":
        yield True
        return
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)  # over NFS a file is locked for writing only
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        except OSError:
            pass
        yield True
    finally:
        os.close(handle)
