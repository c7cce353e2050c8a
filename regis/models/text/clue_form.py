"""A clue's form: the entries it refers to, and the kind of answer it promises.

Clues refer to entries in many ways: "See 17-Across", "With 3- and 23-Down, ...", "Along with #5 Across".
`classify_clue` picks one class for statistics. `list_signs` lists all hints in the wording: a question mark promises a
pun, "Abbr." few vowels, a first word in -ed an answer in -ED.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from regis import text
from regis.text import MAX_CLUE_LENGTH

_HYPHENS = r"\-\u2010\u2011\u2013"  # the plain one, two typographic ones, an en dash
_NUMBERS = re.compile(
    r"((?i:(?<=\bsee )|(?<=\bwith )|(?<=\d[ad] and )))?(?:#|\bNos?\. ?)?"  # after these words, '17a' is a name, too
    rf"(?P<others>(?:\b\d{{1,3}}\b[{_HYPHENS}]?(?:[ ,/&.#]|and|or|to|through){{0,6}}){{0,12}})"
    rf"\b(?P<last>\d{{1,3}})(?:[ {_HYPHENS}]?(?i:(?P<across>ac(?:ross)?)|d(?:ow)?n)\b"
    rf"|(?:(?<=\d\d)[{_HYPHENS}])?(?:(?P<a>A)|D)\b|(?(1)[{_HYPHENS}]?(?i:(?P<small>a)|d)\b|(?!)))"  # '3-D' isn't a name
)
_WITH_WORDS = r"(?:(?:along|together|when combined|when paired|paired|combined) )?with"
_AROUND = re.compile(rf"(?i)\b(?:see(?: also)?|{_WITH_WORDS}|and|or|by|of|in|to|like|from|for)\s*$")
_POINTER = re.compile(
    r"(?i)see (?:the )?clues?(?: at)?|'s clue|cf\.?|(?:continued|concluded|cont\.?|cont'd\.?)(?: from)?"
    r"|part (?:\d|[ivx]+|two|three|four)|remainder|continuation|(?:second|2nd|last) (?:part|half)"
)  # what is left of a clue that only names another entry
_EMPTIED = re.compile(r"([(\[])[ ,;:]*([)\]])?")  # brackets that held names
_WITH = re.compile(rf"(?i)[(\[]?{_WITH_WORDS} ")
_ENDS_WITH = re.compile(rf"(?i)(?:[,;:]| [-\u2013\u2014]+| ?[(\[]) ?{_WITH_WORDS} #[)\]]?\.?$")

CLUE_KINDS = ("reference", "blank", "quotation", "question", "abbreviation", "foreign", "example", "plain")
"""Classes of clues, in the order in which they are tried."""

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


class EntryReference(NamedTuple):
    """Another entry that a clue refers to."""

    number: int
    across: bool


def names_entry(clue: str) -> bool:
    return bool(_NUMBERS.search(clue[:MAX_CLUE_LENGTH]))


def find_references(clue: str) -> list[EntryReference]:
    """Find the entries that `clue` refers to, in the clue's order, each once.

    >>> find_references("With 3- and 23-Down, what Regis hopes for")
    [EntryReference(number=3, across=False), EntryReference(number=23, across=False)]
    """
    found = (
        EntryReference(int(number), across=bool(match["across"] or match["a"] or match["small"]))
        for match in _NUMBERS.finditer(clue[:MAX_CLUE_LENGTH])
        for number in [*re.findall(r"\d+", match["others"]), match["last"]]
    )
    return list(dict.fromkeys(found))


def insert_answers(clue: str, answers: Mapping[EntryReference, str]) -> str:
    """Replace references in `clue` with their `answers`, or with nothing.

    >>> insert_answers("Founder of 6-Down", {EntryReference(6, False): "cnn"})
    'Founder of cnn'
    """

    def answers_of(match: re.Match[str]) -> str:
        return " ".join(answers[entry] for entry in find_references(match[0]) if entry in answers)

    return " ".join(_NUMBERS.sub(answers_of, clue[:MAX_CLUE_LENGTH]).split())


def strip_references(clue: str) -> str:
    """Remove references: 'With 23-Down, first of a line' -> 'first of a line', 'See 17-Across' -> ''."""
    clue, start, parts = clue[:MAX_CLUE_LENGTH], 0, []
    for match in _NUMBERS.finditer(clue):
        parts.append(_AROUND.sub("", clue[start : match.start()].rstrip()))
        start = match.end()
    rest = " ".join([*parts, clue[start:]])
    if parts:
        rest = _EMPTIED.sub(lambda found: "" if found[2] else found[1], rest)
    rest = " ".join(rest.split()).strip(" ,;:-")
    says_something = any(c.isalnum() or c == "_" for c in rest) and not (
        parts and _POINTER.fullmatch(rest.strip("()[]. "))
    )
    return rest if says_something else ""


def is_shared_clue(clue: str) -> bool:
    """Return whether `clue` is for its entry together with the entries it refers to.

    >>> is_shared_clue("First of a line (with 23-Down)"), is_shared_clue("Deal with 23-Down")
    (True, False)
    """
    return bool(_WITH.match(clue) or _ENDS_WITH.search(_NUMBERS.sub("#", clue[:MAX_CLUE_LENGTH])))


def classify_clue(clue: str) -> str:
    if names_entry(clue := clue[:MAX_CLUE_LENGTH]):
        return "reference"
    return next((name for name, form in _FORMS.items() if form.search(clue)), "plain")


def list_signs(clue: str) -> list[str]:
    """List all signs of a clue's form: classes, number of words, and how its first and last word end."""
    signs = [name for name, form in _FORMS.items() if form.search(clue)]
    if any(c.isdigit() for c in clue) and names_entry(clue):
        signs.append("reference")
    words = _WORD.findall(clue)
    if not words:
        return signs
    signs.append(f"{min(len(words), 6)} words")
    signs += [f"first -{words[0][-letters:].lower()}" for letters in (3, 2, 1)]
    signs += [f"last -{words[-1][-letters:].lower()}" for letters in (2, 1)]
    return [*signs, "name"] if any(word[0].isupper() for word in words[1:]) else signs
