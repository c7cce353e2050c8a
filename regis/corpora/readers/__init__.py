"""The readers by name: each turns one kind of file into a stream of entries (see `regis.corpora.entry`)."""

from __future__ import annotations

from regis.corpora.entry import Reader
from regis.corpora.readers import (
    definitions,
    puzzle_archive,
    records,
    thesaurus,
    wikipedia_titles,
    word_list,
    wordnet,
    xd_clues,
)

READERS: dict[str, Reader] = {
    "xd-clues": xd_clues.read,
    "wikipedia-titles": wikipedia_titles.read,
    "word-list": word_list.read,
    "wordnet": wordnet.read,
    "thesaurus": thesaurus.read,
    "definitions": definitions.read,
    "records": records.read,
    "puzzle-archive": puzzle_archive.read,
}
