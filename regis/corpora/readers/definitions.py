"""`definitions`: a dictionary as a list, one `word<TAB>definition` a line; a word may have several lines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from regis import text
from regis.corpora.entry import Entry, Reject, Relation
from regis.corpora.readers import files

WEIGHT = 0.4
NO_TAB = Reject("no tab between word and definition")


def read(path: Path) -> Iterator[Entry | Relation | Reject]:
    """The words and what they mean. Raises SourceError if `path` cannot be read or is empty."""
    source = files.stem(path)
    for line in files.lines(path, (".txt", ".tsv")):
        if isinstance(line, Reject):
            yield line
        elif line.strip() and not line.startswith("#"):
            word, _, definition = (part.strip() for part in line.partition("\t"))
            found = files.listed(word, source, WEIGHT) if definition else NO_TAB
            yield found
            if isinstance(found, Entry):
                yield Relation(text.clue(definition), text.clue(word), "gloss", source)
