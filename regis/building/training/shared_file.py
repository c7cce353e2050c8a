"""Files that were made a moment ago, which whoever shares the work must have too (regis.system.parallel.workers).

An index that is being made has no name by which another machine could find it, and lies in a folder of its own. So what
travels is the path of a file in it and a checksum, and the machines of a cluster must share that disk.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from regis.errors import IndexUnreadable
from regis.index.storage.publish import WORKSHOP_MARK
from regis.system.files.checksum import compute_checksum
from regis.system.parallel.workers import Workers, map_tasks


@dataclass(frozen=True)
class SharedFile:
    """A file as it is where it was made."""

    file_path: Path  # absolute
    checksum: str

    @classmethod
    def from_file(cls, file_path: Path) -> SharedFile:
        """Note the path and checksum of a file. Raises OSError."""
        return cls(file_path.absolute(), _checksum(file_path))

    def check_unchanged(self) -> None:
        """Raise IndexUnreadable where the file is not there, or another one is."""
        try:
            is_same = _checksum(self.file_path) == self.checksum
        except OSError:
            is_same = False
        if not is_same:
            raise IndexUnreadable(
                f"what was just made is not at {self.file_path.parent}; to share this work, the machines of a cluster "
                "must share the disk that the index lies on; or do it here, with --jobs 2"
            )

    def __call__(self) -> Callable[[object], None]:
        self.check_unchanged()
        return lambda item: None


def check_shared_disk(workshop: Path, workers: Workers) -> None:
    """Ask a cluster, before anything that takes long, whether it has the disk. Raises WorkersLost or UsageError."""
    if workers.cluster:
        list(map_tasks(SharedFile.from_file(workshop / WORKSHOP_MARK), iter(()), Workers(cluster=workers.cluster)))


def _checksum(file: Path) -> str:
    with file.open("rb") as opened:
        return compute_checksum(opened)
