"""What a clue's form says of its answer, before a word of it is understood.

`classify_clue` names the one class that statistics are kept by, `list_signs` all the hints of the wording: a question
mark promises a pun, quotation marks something said, "Abbr." few vowels, a first word in -ed an answer in -ED.
"""

from __future__ import annotations

import re

from regis import text
from regis.models.text import clue_references
from regis.text import MAX_CLUE_LENGTH

CLUE_KINDS = ("reference", "blank", "quotation", "question", "abbreviation", "foreign", "example", "plain")
"""Classes of clues, in the order in which they are tried; the last is what is left."""

_LANGUAGE = "Spanish|French|German|Latin|Italian|Russian|Hebrew|Greek|Scottish|Japanese|Arabic|Irish|Yiddish"
_PLACE = "Paris|Madrid|Rome|Roma|Berlin|Lyon|Nice|Cannes|Toledo|Juan|José|Pablo|Marie|Pierre|Hans|Oaxaca|Tijuana"
_FORMS = {
    "blank": text.GAP_PATTERN,
    "quotation": re.compile(r"^[\"“].*[\"”][.!?]?$"),
    "question": re.compile(r"\?[\"”]?$"),
    "abbreviation": re.compile(
        r"\b[Aa]bbr\b|\b[Bb]riefly\b|\bin brief\b|\bfor short\b|\b[Ii]nits\.|\b[Ii]nitials\b|[A-Za-z]{2}\.(?!\.)\S*$"
        r"|^[A-Za-z']{2,6}\.(?!\.)"
    ),
    "foreign": re.compile(
        rf"\b(?:{_LANGUAGE})\b|\b(?:in|to|of|at) (?:{_PLACE})\b|\b(?:Fr|Sp|Lat|Ger|Ital?|Scot)\.|[à-ÿ]"
    ),
    "example": re.compile(
        r"\be\.g|\bfor (?:one|example|instance)\b|, (?:say|perhaps|maybe)$|^(?:Perhaps|Maybe)\b"
        r"|\b(?:among|and) others\b"
    ),
}
_WORD = re.compile(r"[^\W_]+")


def classify_clue(clue: str) -> str:
    """Name the class of `clue`, one of CLUE_KINDS."""
    if clue_references.names_entry(clue := clue[:MAX_CLUE_LENGTH]):
        return "reference"
    return next((name for name, form in _FORMS.items() if form.search(clue)), "plain")


def list_signs(clue: str) -> list[str]:
    """List all that the form of `clue` shows: its forms, how many words it has, how its first and last word end."""
    signs = [name for name, form in _FORMS.items() if form.search(clue)]
    if any(c.isdigit() for c in clue) and clue_references.names_entry(clue):
        signs.append("reference")
    words = _WORD.findall(clue)
    if not words:
        return signs
    signs.append(f"{min(len(words), 6)} words")
    signs += [f"first -{words[0][-letters:].lower()}" for letters in (3, 2, 1)]
    signs += [f"last -{words[-1][-letters:].lower()}" for letters in (2, 1)]
    return [*signs, "name"] if any(word[0].isupper() for word in words[1:]) else signs
