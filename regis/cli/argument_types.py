"""What a word typed on the command line means: a number, a source of clues.

Each function answers with the thing or says in one sentence why the word is none.
"""

from __future__ import annotations

import re
from argparse import ArgumentTypeError
from collections.abc import Collection
from pathlib import Path

from regis.corpora.entry import Source
from regis.errors import UsageError, unknown

READER_OF_NAME = {
    "xd-clues": re.compile(r"clues.*\.(zip|tsv)$"),
    "wikipedia-titles": re.compile(r"titles.*(\.gz|\.txt)?$"),
    "word-list": re.compile(r"\.(dict|txt|csv)$"),
}
"""Names that tell what a file holds, tried in this order."""

IN_WORDNET = "index.noun"
"""What only a folder of WordNet's holds; any other folder is an archive of puzzles."""


def positive(word: str) -> int:
    """A whole number above 0."""
    if not re.fullmatch("[0-9]{1,9}", word) or int(word) < 1:
        raise ArgumentTypeError(f"{word!r} is not a whole number above 0")
    return int(word)


def seconds(word: str) -> float:
    """A time above 0 and not endless."""
    try:
        value = float(word)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise ArgumentTypeError(f"{word!r} is not a number of seconds above 0")
    return value


def source(word: str, readers: Collection[str]) -> Source:
    """'word-list=a.txt' -> Source('word-list', 'a.txt'), or a file alone if its name tells the reader.

    Raises UsageError.
    """
    name, equals, rest = word.partition("=")
    if equals and name in readers:
        return Source(name, Path(rest))
    path = Path(word)
    if equals and not path.exists():
        raise unknown("reader", name, readers)
    if path.is_dir():
        return Source("wordnet" if (path / IN_WORDNET).is_file() else "puzzle-archive", path)
    for reader, names in READER_OF_NAME.items():
        if names.search(path.name.lower()):
            return Source(reader, path)
    known = ", ".join(sorted(readers))
    raise UsageError(f"what {word} holds is not clear from its name; write READER={word}, the readers are: {known}")
