"""What corpora are made of: sources, entries, and relations.

A reader is a function from a file to a stream of entries. It holds little in memory, doesn't decide what is kept, and
yields unusable rows as a `Reject` with the reason, to be counted.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from regis import text

PUZZLE_READER = "puzzle-archive"  # the reader of puzzles


class Entry(NamedTuple):
    """One row of a corpus: an answer, and its clue ('' in titles and word lists)."""

    answer: str  # only A-Z, see text.answer
    clue: str  # as a person reads it, see text.clue
    text: str  # the answer as in the source ('Oslo Accords'); '' if that adds nothing
    source: str  # publisher or name of the list
    year: int | None
    weight: float  # 0 to 1: how good the source says it is; 1 if the source doesn't say


class Reject(NamedTuple):
    """An unusable row, and the reason in words that fit after 'rejected:'."""

    reason: str


RELATION_KINDS = ("synonym", "antonym", "kind", "class", "relative", "gloss", "s", "ed", "ing", "er", "est")
"""How a relation's word relates to the head: same or opposite meaning, a kind of it, its class, otherwise related; a
word that the head defines; or the head with that ending. Files on the disk store positions in this tuple."""

INFLECTION_KINDS = RELATION_KINDS[6:]


class Relation(NamedTuple):
    """One line of a thesaurus or dictionary: `word` is a `kind` of `head`, and may answer a clue that says `head`."""

    head: str  # a word, a phrase or, for "gloss", a whole definition
    word: str  # as in the source, see text.answer
    kind: str  # one of RELATIONS
    source: str


CorpusReader = Callable[[Path], Iterator[Entry | Relation | Reject]]
"""From a file or folder to its rows, one at a time; raises SourceError if the whole file is unusable."""


def hash_file(file_path: Path) -> str:
    with file_path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class Source(NamedTuple):
    """A file and its reader, as on the command line: `xd-clues=clues.zip`."""

    reader: str
    path: Path


ANSWER_TOO_LONG = Reject(f"answer longer than {text.MAX_ANSWER_LENGTH} letters")

ANSWER_TOO_SHORT = Reject("answer shorter than 2 letters")

NO_LETTERS_ONLY = Reject("answer has digits or no letters")


def list_entry(word: str, source: str, weight: float) -> Entry | Reject:
    answer = text.normalize_answer(word)
    if not text.fits_grid(answer):
        return reject_length(answer)
    return Entry(answer, "", "" if word.upper() == answer else text.clean_clue(word), source, None, weight)


def strip_note(title: str) -> str:
    """Drop brackets at the end: 'Tempo (chess)' -> 'Tempo'; leading ones stay."""
    return re.sub(r"(?<=.)(?: \([^()]*\))+$", "", title)


def reject_length(answer: str) -> Reject:
    """Return why an answer with fewer than 2 or more than MAX_ANSWER_LENGTH letters is rejected."""
    if not answer:
        return NO_LETTERS_ONLY
    return ANSWER_TOO_SHORT if len(answer) < 2 else ANSWER_TOO_LONG
