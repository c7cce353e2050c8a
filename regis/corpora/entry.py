"""What corpora are made of: sources, and the entries and relations that a reader finds in them.

A reader is a function from a file to a stream of entries. It never holds the file in memory, never decides what is
kept, and never hides a row: what it cannot use it yields as a `Reject` with the reason, so that the build can count.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from regis import text

PUZZLE_READER = "puzzle-archive"  # the reader of puzzles


class Entry(NamedTuple):
    """One row of a corpus: an answer, and the clue that somebody once gave it ('' in titles and word lists)."""

    answer: str  # A-Z only, see text.answer
    clue: str  # as a person reads it, see text.clue
    text: str  # the answer as its source writes it ('Oslo Accords'); '' when that adds nothing
    source: str  # publisher or name of the list
    year: int | None
    weight: float  # 0 to 1: how good its source thinks it is; 1 where the source does not say


class Reject(NamedTuple):
    """One row that cannot be used, and why, in words that fit after 'rejected:'."""

    reason: str


RELATION_KINDS = ("synonym", "antonym", "kind", "class", "relative", "gloss", "s", "ed", "ing", "er", "est")
"""What the word of a relation is to its head: same or opposite meaning, a kind of it, what it is a kind of, otherwise
related; a word that the head is the definition of; or the head with that ending. Numbers on disk are places here."""

INFLECTION_KINDS = RELATION_KINDS[6:]


class Relation(NamedTuple):
    """One line of a thesaurus or a dictionary: `word` is a `kind` of `head`, and may answer a clue that says `head`."""

    head: str  # a word, a phrase or, for "gloss", a whole definition
    word: str  # as its source writes it, see text.answer
    kind: str  # one of RELATIONS
    source: str


CorpusReader = Callable[[Path], Iterator[Entry | Relation | Reject]]
"""From a file or folder to its rows, one at a time. Raises SourceError where the file as a whole cannot be used."""


def hash_file(file_path: Path) -> str:
    """Return the sha256 of a file, in hexadecimal digits."""
    with file_path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class Source(NamedTuple):
    """A file and the reader that understands it, as named on the command line: `xd-clues=clues.zip`."""

    reader: str
    path: Path


ANSWER_TOO_LONG = Reject(f"answer longer than {text.MAX_ANSWER_LENGTH} letters")

ANSWER_TOO_SHORT = Reject("answer shorter than 2 letters")

NO_LETTERS_ONLY = Reject("answer has digits or no letters")


def list_entry(word: str, source: str, weight: float) -> Entry | Reject:
    """Make an entry without a clue of a word or phrase of a list, as it is written there."""
    answer = text.normalize_answer(word)
    if not text.fits_grid(answer):
        return reject_length(answer)
    return Entry(answer, "", "" if word.upper() == answer else text.clean_clue(word), source, None, weight)


def strip_note(title: str) -> str:
    """Drop brackets at the end: 'Tempo (chess)' -> 'Tempo'.

    Brackets within the brackets go too, brackets that begin the title stay.
    """
    while title.endswith(")"):
        start = title.rfind(" (")
        while start > 0 and title.count("(", start) < title.count(")", start):
            start = title.rfind(" (", 0, start)
        if start <= 0:
            break
        title = title[:start]
    return title


def reject_length(answer: str) -> Reject:
    """Say why an answer with fewer than 2 or more than MAX_ANSWER_LENGTH letters is turned away."""
    if not answer:
        return NO_LETTERS_ONLY
    return ANSWER_TOO_SHORT if len(answer) < 2 else ANSWER_TOO_LONG
