"""Everything that can go wrong and isn't a bug, as one tree of classes.

Each message is one sentence that says what's wrong and what to do; `cli` prints it and exits.
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
    """A corpus that can't be downloaded."""


class IndexError_(RegisError):
    """An index that can't be used."""


class IndexMissing(IndexError_, FileNotFoundError):
    """No index where one was expected."""


class IndexOutdated(IndexError_):
    """The index was written in another version of the format."""


class IndexDamaged(IndexError_):
    """The index is incomplete (half-copied, cut short) or was changed after it was built."""


class IndexUnreadable(IndexError_):
    """The index can't be read now, but isn't known to be damaged: no permission, too little memory."""


class UsageError(RegisError):
    """An argument that makes no sense; the message lists what would."""


class ArgumentError(UsageError, TypeError):
    """An argument that the signature of a library function doesn't allow."""


class SeenPuzzles(RegisError):
    """A benchmark over puzzles that the index already has."""


class WorkersLost(RegisError):
    """Workers that can't be reached, or that were lost during the work."""


class TaskLost(WorkersLost):
    """A task during which several workers were lost; other tasks may continue."""


class OutputError(RegisError):
    """A place that can't be written."""


def unknown_name(kind: str, name: str, known_names: Iterable[str]) -> UsageError:
    """Make the error for a name that isn't in a table; its message lists the names that are."""
    return UsageError(f"there's no {kind} named {name!r:.60}; choose from {', '.join(sorted(known_names))}")
