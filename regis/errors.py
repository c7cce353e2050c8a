"""Everything that can go wrong and is not a bug, as one tree of classes.

Each message is one sentence that says what is wrong and what to do; `cli` prints it and exits.
"""

from __future__ import annotations

from collections.abc import Iterable


class RegisError(Exception):
    """The root of the tree."""


class PuzzleError(RegisError):
    """An unreadable puzzle file."""


class PuzzleMissing(PuzzleError, FileNotFoundError):
    """A puzzle file that doesn't exist."""


class EntryMissing(PuzzleError, KeyError):
    """An entry that a puzzle or a result doesn't have."""

    def __str__(self) -> str:
        """Return the sentence; a KeyError would quote it."""
        return str(self.args[0])


class SourceError(RegisError):
    """A corpus file that can't be read."""


class SourceMissing(SourceError, FileNotFoundError):
    """A corpus file that doesn't exist."""


class FetchError(RegisError):
    """A corpus that cannot be downloaded."""


class IndexError_(RegisError):
    """An index that cannot be used."""


class IndexMissing(IndexError_, FileNotFoundError):
    """No index where one was expected."""


class IndexOutdated(IndexError_):
    """The index was written in another version of the format."""


class IndexDamaged(IndexError_):
    """The index is incomplete (half-copied, cut short) or was changed after it was built."""


class IndexUnreadable(IndexError_):
    """The index can't be read now, and nothing says that it is damaged: no permission, too little memory."""


class UsageError(RegisError):
    """An argument that makes no sense; the message lists what would."""


class ArgumentError(UsageError, TypeError):
    """An argument that the signature of a library function doesn't allow."""


class SeenPuzzles(RegisError):
    """A benchmark over puzzles that the index already holds."""


class WorkersLost(RegisError):
    """Workers that cannot be had, or that were lost in the middle of the work."""


class TaskLost(WorkersLost):
    """A task with which one worker after the other was lost; the others may go on."""


class OutputError(RegisError):
    """A place that can't be written."""


def unknown_name(kind: str, name: str, known_names: Iterable[str]) -> UsageError:
    """Make the error for a name that isn't in a table; its message lists the names that are."""
    return UsageError(f"there is no {kind} named {name!r:.60}; there are: {', '.join(sorted(known_names))}")
