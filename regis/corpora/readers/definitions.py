"""`definitions`: a dictionary as a list, one `word<TAB>definition` a line; a word may have several lines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from regis import text
from regis.corpora.entry import Entry, Reject, Relation
from regis.corpora.readers import text_files, word_entries

WORD_WEIGHT = 0.4
NO_TAB = Reject("no tab between word and definition")


def read(path: Path) -> Iterator[Entry | Relation | Reject]:
    """Yield the words and what they mean. Raises SourceError if `path` cannot be read or is empty."""
    source = text_files.list_name(path)
    for line in text_files.read_lines(path, (".txt", ".tsv")):
        if isinstance(line, Reject):
            yield line
        elif line.strip() and not line.startswith("#"):
            word, _, definition = (part.strip() for part in line.partition("\t"))
            found = word_entries.list_entry(word, source, WORD_WEIGHT) if definition else NO_TAB
            yield found
            if isinstance(found, Entry):
                yield Relation(text.clean_clue(definition), text.clean_clue(word), "gloss", source)
