"""What a person calls a source: `word-list=a.txt`, or a file or folder alone, whose name then tells its reader."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from regis.cli.options import EMPTY
from regis.corpora.entry import PUZZLES, Source
from regis.corpora.readers import READERS, named
from regis.errors import UsageError, unknown
from regis.puzzle import formats


def source(word: str) -> Source:
    """'word-list=a.txt' -> Source('word-list', 'a.txt'); a file alone if its name tells the reader, else UsageError."""
    name, equals, rest = word.partition("=")
    if not word or (not rest and name in READERS):
        raise UsageError(f"argument --source: {EMPTY}")
    if equals and name in READERS:
        return Source(name, Path(rest))
    path = Path(word)
    if equals and not path.exists():
        raise unknown("reader", name, READERS)
    if (reader := named(path)) is None:
        known = ", ".join(sorted(READERS))
        raise UsageError(f"what {word} holds is not clear from its name; write READER={word}, the readers are: {known}")
    return Source(reader, path)


def added(word: str) -> Source:
    """As `source`, for what is added: whatever else a name tells, a puzzle is one, and so is what no name tells of."""
    name, equals, rest = word.partition("=")
    path = Path(word)
    if not word or (equals and name in READERS and not rest):
        raise UsageError(f"argument PATH: {EMPTY}")
    if equals and (name in READERS or not path.exists()):  # of no reader, `source` says so
        return source(word)
    if path.is_file() and not formats.holds(path):
        with suppress(UsageError):
            return source(word)
    return Source(PUZZLES, path)


def unclear(source: Source) -> bool:
    """Whether it is taken for a puzzle since neither the name of the file nor what it holds says what it is."""
    path = source.path
    known = formats.named(path.name) or formats.is_archive(path)
    return source.reader == PUZZLES and path.is_file() and not known and not formats.holds(path)
