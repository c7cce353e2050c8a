"""From a word or phrase as its source writes it to an entry, or to the reject that says why not."""

from __future__ import annotations

from regis import text
from regis.corpora.entry import Entry, Reject

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
