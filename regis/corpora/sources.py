"""From words on the command line to corpora and their readers: `word-list=a.txt`, or a file that shows its kind."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from regis.corpora.entry import PUZZLE_READER, Source
from regis.corpora.readers import READERS, guess_reader
from regis.errors import SourceMissing, UsageError, unknown_name
from regis.puzzle import formats
from regis.system import paths


def parse_source(word: str) -> Source:
    """Parse `word-list=a.txt`, or a file whose name shows its reader. Raises UsageError."""
    name, equals, rest = word.partition("=")
    if not word or (not rest and name in READERS):
        raise UsageError(paths.EMPTY_NAME)
    if equals and name in READERS:
        return Source(name, Path(rest))
    path = Path(word)
    if equals and not os.path.exists(path):  # noqa: PTH110 (which takes any name)
        raise unknown_name("reader", name, READERS)
    if (reader := guess_reader(path)) is None:
        known = ", ".join(sorted(READERS))
        raise UsageError(
            f"what {word} contains isn't clear from its name; write READER={word}; the readers are {known}"
        )
    return Source(reader, path)


def parse_added_source(word: str) -> Source:
    """Parse a source for `regis add`: a puzzle if the file holds one, or if its name doesn't show its reader."""
    name, equals, rest = word.partition("=")
    path = Path(word)
    if not word or (equals and name in READERS and not rest):
        raise UsageError(paths.EMPTY_NAME)
    is_there = os.path.lexists(path)
    if equals and (name in READERS or not is_there):  # if no reader has this name, `parse_source` says so
        return parse_source(word)
    if os.path.isfile(path) and not formats.is_puzzle_file(path):  # noqa: PTH113 (which takes any name)
        with suppress(UsageError):
            return parse_source(word)
    if not is_there:
        shown = paths.printable_path(path)
        advice = "name a puzzle file, a folder or zip of them, or a text file with one word per line"
        raise SourceMissing(f"{shown} doesn't exist; {advice}")
    return Source(PUZZLE_READER, path)


def is_unclear_source(source: Source) -> bool:
    """Return whether a source counts as a puzzle only because neither name nor content shows its kind."""
    path = source.path
    known = formats.is_puzzle_name(path.name) or formats.is_archive(path)
    return source.reader == PUZZLE_READER and path.is_file() and not known and not formats.is_puzzle_file(path)
