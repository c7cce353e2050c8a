"""Two kinds of lists of meanings.

`thesaurus`: `root,synonym,synonym,...`, as in Moby's thesaurus (mthesaur.txt); the root and its synonyms answer each
other's clues, and each word is an entry once. `definitions`: `word<TAB>definition`, maybe several per word.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from regis import text
from regis.corpora import entry
from regis.corpora.entry import Entry, Reject, Relation
from regis.corpora.readers import text_files

NO_TAB = Reject("no tab between word and definition")
NO_SYNONYMS = Reject("root without synonyms")


def read(path: Path) -> Iterator[Entry | Relation | Reject]:
    """Yield the words and relations of a thesaurus; raises SourceError if `path` can't be read or is empty."""
    source = text_files.list_name(path)
    seen_words: set[str] = set()
    for line in text_files.read_lines(path, (".txt", ".csv")):
        if isinstance(line, Reject):
            yield line
            continue
        words = [word for word in map(str.strip, text.clean_clue(line).split(",")) if word]
        if len(words) == 1:
            yield NO_SYNONYMS
        for word in words:
            if word not in seen_words:
                seen_words.add(word)
                yield entry.list_entry(word, source, 0.4)
        for word in words[1:]:
            yield Relation(words[0], word, "synonym", source)
            yield Relation(word, words[0], "synonym", source)


def read_definitions(path: Path) -> Iterator[Entry | Relation | Reject]:
    """Yield words with their definitions; raises SourceError if `path` can't be read or is empty."""
    source = text_files.list_name(path)
    for line in text_files.read_lines(path, (".txt", ".tsv")):
        if isinstance(line, Reject):
            yield line
        elif line.strip() and not line.startswith("#"):
            word, _, definition = (part.strip() for part in line.partition("\t"))
            found = entry.list_entry(word, source, 0.4) if definition else NO_TAB
            yield found
            if isinstance(found, Entry):
                yield Relation(text.clean_clue(definition), text.clean_clue(word), "gloss", source)
