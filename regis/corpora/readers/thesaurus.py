"""`thesaurus`: a root and its synonyms a line, `root,synonym,synonym,...`, as in Moby's thesaurus (mthesaur.txt).

A synonym is one both ways: what stands under a root answers a clue that says the root, and the root answers a clue
that says the synonym. Every word comes as an entry too, the first time it is met.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from regis import text
from regis.corpora.entry import Entry, Reject, Relation
from regis.corpora.readers import text_files, word_entries

WORD_WEIGHT = 0.4
NO_SYNONYMS = Reject("root without synonyms")


def read(path: Path) -> Iterator[Entry | Relation | Reject]:
    """Yield the words and relations of a thesaurus. Raises SourceError if `path` cannot be read or is empty."""
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
                yield word_entries.list_entry(word, source, WORD_WEIGHT)
        for word in words[1:]:
            yield Relation(words[0], word, "synonym", source)
            yield Relation(word, words[0], "synonym", source)
