"""What a person calls a source: `word-list=a.txt`, or a file or folder alone, whose name then tells its reader."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from regis.cli.grammar.options import EMPTY_NAME
from regis.corpora.entry import PUZZLE_READER, Source
from regis.corpora.readers import READERS, guess_reader
from regis.errors import SourceError, UsageError, unknown_name
from regis.puzzle import formats
from regis.system import paths


def parse_source(word: str) -> Source:
    """Read 'word-list=a.txt', or a file alone if its name tells the reader, else raise UsageError."""
    name, equals, rest = word.partition("=")
    if not word or (not rest and name in READERS):
        raise UsageError(f"argument --source: {EMPTY_NAME}")
    if equals and name in READERS:
        return Source(name, Path(rest))
    path = Path(word)
    if equals and not path.exists():
        raise unknown_name("reader", name, READERS)
    if (reader := guess_reader(path)) is None:
        known = ", ".join(sorted(READERS))
        raise UsageError(f"what {word} holds is not clear from its name; write READER={word}, the readers are: {known}")
    return Source(reader, path)


def parse_added_source(word: str) -> Source:
    """Read what is to be added: whatever its name tells, a puzzle is one, and so is what no name tells of."""
    name, equals, rest = word.partition("=")
    path = Path(word)
    if not word or (equals and name in READERS and not rest):
        raise UsageError(f"argument PATH: {EMPTY_NAME}")
    if equals and (name in READERS or not path.exists()):  # of no reader, `parse_source` says so
        return parse_source(word)
    if path.is_file() and not formats.is_puzzle_file(path):
        with suppress(UsageError):
            return parse_source(word)
    if not os.path.lexists(path):
        shown = paths.printable_path(path)
        advice = "name a puzzle file, a folder or zip of them, or a text file of words, one a line"
        raise SourceError(f"{shown} is not there; {advice}")
    return Source(PUZZLE_READER, path)


def is_unclear_source(source: Source) -> bool:
    """Return whether it is taken for a puzzle since neither the file's name nor what it holds says what it is."""
    path = source.path
    known = formats.is_puzzle_name(path.name) or formats.is_archive(path)
    return source.reader == PUZZLE_READER and path.is_file() and not known and not formats.is_puzzle_file(path)
