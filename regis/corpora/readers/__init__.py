"""The readers by name: each turns one kind of file into a stream of entries (`regis.corpora.entry`)."""

from __future__ import annotations

import re
from pathlib import Path

from regis.corpora.entry import PUZZLE_READER, CorpusReader
from regis.corpora.readers import (
    puzzle_archive,
    records,
    thesaurus,
    wikipedia_titles,
    word_list,
    wordnet,
    xd_clues,
)

READERS: dict[str, CorpusReader] = {
    "xd-clues": xd_clues.read,
    "wikipedia-titles": wikipedia_titles.read,
    "word-list": word_list.read,
    "wordnet": wordnet.read,
    "thesaurus": thesaurus.read,
    "definitions": thesaurus.read_definitions,
    "records": records.read,
    PUZZLE_READER: puzzle_archive.read,
}

FILE_NAME_PATTERNS = {
    "xd-clues": re.compile(r"clues.*\.zip$|\.tsv(\.gz)?$"),
    "wikipedia-titles": re.compile(r"(?:^|^all[-_]|wiki.*)titles[^.]*(\.txt)?(\.gz)?$"),
    "word-list": re.compile(rf"({'|'.join(map(re.escape, word_list.LIST_SUFFIXES))})(\.gz)?$"),
}
"""File names that reveal the content, tried in this order."""

WORDNET_MARKER = "index.noun"  # only a WordNet folder has this file; any other folder is an archive of puzzles


def guess_reader(path: Path) -> str | None:
    """Guess the reader of a file or folder by its name; None if the name says nothing."""
    if path.is_dir():
        return "wordnet" if (path / WORDNET_MARKER).is_file() else PUZZLE_READER
    return next((reader for reader, names in FILE_NAME_PATTERNS.items() if names.search(path.name.lower())), None)
