"""Files that were made a moment ago, which whoever shares the work must have too (regis.system.crew).

An index that is being made has no name by which another machine could find it, and lies in a folder of its own. So what
travels is the path of a file in it and a checksum, and the machines of a cluster must share that disk.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from regis.errors import IndexUnreadable
from regis.index.publish import MARK
from regis.system import crew
from regis.system.checksum import checksum
from regis.system.crew import Crew


@dataclass(frozen=True)
class Fresh:
    """A file as it is where it was made."""

    file: Path  # absolute
    checksum: str

    @classmethod
    def of(cls, file: Path) -> Fresh:
        """Raises OSError."""
        return cls(file.absolute(), _checksum(file))

    def check(self) -> None:
        """Raises IndexUnreadable where it is not there, or another one is."""
        try:
            there = _checksum(self.file) == self.checksum
        except OSError:
            there = False
        if not there:
            raise IndexUnreadable(
                f"what was just made is not at {self.file.parent}; to share this work, the machines of a cluster must "
                "share the disk that the index lies on; or do it here, with --jobs 2"
            )

    def __call__(self) -> Callable[[object], None]:
        self.check()
        return lambda item: None


def check_disk(workshop: Path, workers: Crew) -> None:
    """Asks a cluster, before anything that takes long, whether it has the disk. Raises CrewLost or UsageError."""
    if workers.cluster:
        list(crew.results(Fresh.of(workshop / MARK), iter(()), Crew(cluster=workers.cluster)))


def _checksum(file: Path) -> str:
    with file.open("rb") as opened:
        return checksum(opened)
