"""`wordnet`: the words and collocations of WordNet, from the folder with its index files (WNdb, wndb(5WN)).

Each of `index.noun`, `index.verb`, `index.adj` and `index.adv` has one lemma a line, lower case, `_` for a space, its
other columns apart by blanks; the lines of the licence at the top begin with two blanks.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from regis import text
from regis.corpus import Entry, Reject
from regis.errors import SourceError
from regis.readers import files

NAMES = ("index.noun", "index.verb", "index.adj", "index.adv")
SOURCE = "wordnet"
WEIGHT = 0.5


def read(path: Path) -> Iterator[Entry | Reject]:
    """The lemmas of the folder `path`. Raises SourceError if none of the index files is there."""
    found = [path / name for name in NAMES if (path / name).is_file()]
    if not found:
        raise SourceError(f"{path} holds none of {', '.join(NAMES)}; name the folder with WordNet's database files")
    for name in found:
        for line in files.lines(name, ()):
            if isinstance(line, Reject):
                yield line
            elif line and not line.startswith("  "):
                yield _entry(line.partition(" ")[0])


def _entry(lemma: str) -> Entry | Reject:
    answer = text.answer(lemma)
    if not answer:
        return files.NO_ANSWER
    if not 2 <= len(answer) <= text.MAX_LENGTH:
        return files.wrong_length(answer)
    written = lemma.replace("_", " ")
    return Entry(answer, "", "" if written.upper() == answer else written, SOURCE, None, WEIGHT)
