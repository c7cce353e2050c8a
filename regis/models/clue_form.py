"""What a clue's form says of its answer, before a word of it is understood.

`kind` is the one class that statistics are kept by. `signs` are all the hints of the wording: a question mark promises
a pun, quotation marks something said, "Abbr." few vowels, a first word in -ed an answer in -ED. `references` are the
other entries that a clue names ("See 17-Across", "With 3- and 23-Down, ..."); `without_references` is the rest of it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from regis import text

KINDS = ("reference", "blank", "quotation", "question", "abbreviation", "foreign", "example", "plain")
"""Classes of clues, in the order in which they are tried; the last is what is left."""

LONGEST = 500
"""How much of a clue is read, in characters? What follows is not understood, and costs no time (measured:
docs/measured.md)."""

_LANGUAGE = "Spanish|French|German|Latin|Italian|Russian|Hebrew|Greek|Scottish|Japanese|Arabic|Irish|Yiddish"
_PLACE = "Paris|Madrid|Rome|Roma|Berlin|Lyon|Nice|Cannes|Toledo|Juan|José|Pablo|Marie|Pierre|Hans|Oaxaca|Tijuana"
_FORMS = {
    "blank": text.GAP,
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
_HYPHENS = r"\-\u2010\u2011\u2013"  # the plain one, two that are typeset, an en dash
_NUMBERS = re.compile(
    r"((?i:(?<=\bsee )|(?<=\bwith )|(?<=\d[ad] and )))?(?:#|\bNos?\. ?)?"  # behind such a word '17a' is a name, too
    rf"(?P<others>(?:\b\d{{1,3}}\b[{_HYPHENS}]?(?:[ ,/&.#]|and|or|to|through){{0,6}}){{0,12}})"
    rf"\b(?P<last>\d{{1,3}})(?:[ {_HYPHENS}]?(?i:(?P<across>ac(?:ross)?)|d(?:ow)?n)\b"
    rf"|(?:(?<=\d\d)[{_HYPHENS}])?(?:(?P<a>A)|D)\b|(?(1)[{_HYPHENS}]?(?i:(?P<small>a)|d)\b|(?!)))"  # '3-D' is none
)
_TOGETHER = r"(?:(?:along|together|when combined|when paired|paired|combined) )?with"
_AROUND = re.compile(rf"(?i)\b(?:see(?: also)?|{_TOGETHER}|and|or|by|of|in|to|like|from|for)\s*$")
_POINTER = re.compile(
    r"(?i)see (?:the )?clues?(?: at)?|'s clue|cf\.?|(?:continued|concluded|cont\.?|cont'd\.?)(?: from)?"
    r"|part (?:\d|[ivx]+|two|three|four)|remainder|continuation|(?:second|2nd|last) (?:part|half)"
)  # what is left of a clue that only names another
_EMPTIED = re.compile(r"([(\[])[ ,;:]*([)\]])?")  # brackets in which names stood
_WITH = re.compile(rf"(?i)[(\[]?{_TOGETHER} ")
_ENDS_WITH = re.compile(rf"(?i)(?:[,;:]| [-\u2013\u2014]+| ?[(\[]) ?{_TOGETHER} #[)\]]?\.?$")
_WORD = re.compile(r"[^\W_]+")
_NOTED = r"(?:\d{1,2}|two|three|four|five|six) ?-?(?:wds?\.?|words|letters)|hyph\.?"
_NOTE = re.compile(
    rf"(?i)(?:\s*[(\[](?:{_NOTED})(?:[,;] (?:{_NOTED}))*[)\]])+\.?$"
    r"|(?:[,;:]|(?<=[.!?\"”_])) (?:\d{1,2} ?(?:wds?\.?|words\.?)|(?:two|three|four) wds\.|hyph\.)$"
)  # of how the answer is written
_MIXED = re.compile(r"[(\[]([^()\[\]]*[,;] [^()\[\]]*)[)\]]\.?$")  # of that and more: '(2 wds., abbr.)'
_ITEM = re.compile(rf"(?i){_NOTED}")
_OTHERWISE = {
    "Abbr.": r"abbr\.?|abbrev\.?|abbreviation|abbreviated", "Comb. form": r"comb\. (?:form|fm\.?)|combining form",
    "Inits.": r"inits?\.", "Prefix": r"pref\.|prefix", "Slang": r"sl\.|slang", "Suffix": r"suf?f\.|suffix",
    "Var.": r"var\.?|variant|(?:var\.|variant) sp(?:\.|elling)",
}  # fmt: skip
"""What a clue ends with, as most of the clues that an index learns from have it -> how others write it."""
_SIGN = re.compile(
    "(?i)(?:: ?| [-\u2013\u2014]{1,3} |--|\u2014|(?P<bracket> ?[(\\[]))"
    rf"(?P<sign>{'|'.join(_OTHERWISE.values())}|(?:Fr|Sp|Ger|Ital?|Lat|Scot)\.)(?(bracket)[)\]])\.?$"
)
_FOR_EXAMPLE = re.compile(r"(?:, for (?:example|instance)| ?\(for (?:example|instance)\))$")
_BEGINS = re.compile(r"^(Pre|Suf)f\. (?=with|for)")
_EMPHASIS = re.compile(r"(?<![\w_*])(\*{1,2}|_)(?=[^\W_])([^_*]*[^\s_*])\1(?![\w_*])")  # italics
_QUOTED = re.compile(
    r"(?i)^(?:''|``|\u2018{1,2}|«|'(?!(?:tis|twas|twere|til|em|cause|bout|n|round|\d\ds?)\b)"
    r"(?=(?:[^']|(?<=\w)'(?=\w))+'[.!?]?$))(.+?)(?:''|'|\u2019{1,2}|»)([.!?]?)$"
)
_LENGTHS = re.compile(r"\s*[(\[](\d{1,2}(?:(?:, ?|-)\d{1,2})*)[)\]]\.?$")  # of the answer's words
_STAR = r"\*\u2605\u2606\u2b50"
_STARS = rf"(?:(?<![{_STAR}])[{_STAR}]{{1,2}}(?![{_STAR}])\ufe0f?|\([{_STAR}]\))"  # three and more are a rating
_STARRED = re.compile(rf"^\s*{_STARS}\s*|(?<!\s){_STARS}\s*$|\s+\([{_STAR}]\)\s*$")
_FILL_IN = re.compile(rf"(?i)^({_STARS} ?)?fill in the blanks?: ")
_GAP = re.compile(
    r"(?i)[\[(]blank[\])]|\[_+\]|(?<!_)_(?: _)+(?!_)|(?<![\w-])-(?: -){2,}(?![\w-])|[\u2013\u2015]{2,}"
    r"|(?:(?<![^\"“])|(?<=blank: ))[\u2013\u2015](?= [A-Za-z])"
)  # a blank that is written in another way than `___`

_STOP = re.compile(r"(?<=[\w)\"”'’_])\.([\"”]?)$")  # at the end of a clue, not after another full stop
_ABBREVIATED = re.compile(r"(?i)(?:\w\.\w|\b(?:abbr|inits?|etc|wds|hyph))\.[\"”]?$")
FEW = 5
"""From how many clues with a full stop on may that be how all clues of a puzzle end? A guess."""


class Reference(NamedTuple):
    """Another entry that a clue names."""

    number: int
    across: bool


def asked(clue: str, length: int) -> str:
    """What of `clue` is asked for: no more than LONGEST characters, no star, no note of how the answer is written.

    Some publishers say how many words it has, or how long these are, which hides what else is at the end of the clue;
    numbers that do not make up the `length` of the answer mean something else. A blank, and what the clue says of the
    answer's form, are written as most write them.

    >>> asked("Wide-open spaces (2 wds.)", 9), asked("*Fill in the blank: [blank] and field (5)", 5)
    ('Wide-open spaces', '___ and field')
    >>> asked("Street (2 wds., abbrev.)", 2), asked("'Not _so_ fast!'", 8)
    ('Street: Abbr.', '"Not so fast!"')
    """
    clue = with_blank(clue[:LONGEST])
    plain = _LENGTHS.sub(lambda found: "" if _total(found[1]) == length else found[0], unstarred(clue))
    plain = _NOTE.sub("", _MIXED.sub(_unnoted, plain))
    return _FOR_EXAMPLE.sub(", e.g.", _BEGINS.sub(r"\1fix ", _SIGN.sub(_as_most, plain))) or clue


def _unnoted(found: re.Match[str]) -> str:
    """What stands in brackets without how the answer is written, as it was where it is about something else."""
    items = re.split("[,;] ", found[1])
    kept = [item for item in items if not _ITEM.fullmatch(item)]
    return f"({', '.join(kept)})" if kept and kept != items else found[0]


def _as_most(found: re.Match[str]) -> str:
    """A sign at the end of a clue, written as in most clues."""
    said = found["sign"]
    sign = next((sign for sign, others in _OTHERWISE.items() if re.fullmatch(others, said, re.IGNORECASE)), said)
    return f": {sign}"


def with_blank(clue: str) -> str:
    """`clue` with its blank written as most write it, '___', which is then all that says so; and its quotation marks.

    What programs made of italics, '_Emma_' or '*Emma*', is in quotation marks too: mostly they are titles.

    >>> with_blank("Fill in the blank: [blank] Beta Kappa"), with_blank("Phi - - - Kappa")
    ('___ Beta Kappa', 'Phi ___ Kappa')
    """
    clue = _QUOTED.sub(r'"\1"\2', clue)
    if "*" in clue or "_" in clue:
        clue = _EMPHASIS.sub(_upright, clue)
    if any(c.isalnum() for c in clue):
        clue = _GAP.sub("___", clue)
    return _FILL_IN.sub(r"\1", clue) if "_" in clue else clue


def _upright(found: re.Match[str]) -> str:
    """What was in italics; where that is a whole clue between stars, it is a star of its theme."""
    if len(found[0]) == len(found.string):
        return found[0] if "*" in found[1] else found[2]
    return found[2] if '"' in found.string else f'"{found[2]}"'


def _total(numbers: str) -> int:
    """What the numbers of '4,3' come to."""
    return sum(map(int, re.findall(r"\d+", numbers)))


def unstarred(clue: str) -> str:
    """`clue` without the star that marks the entries of a theme: '*', '★' or '(*)' at either end."""
    return _STARRED.sub("", clue)


def unstopped(clues: Sequence[str]) -> list[str]:
    """A puzzle's clues without the full stops at their ends, if most of them have one: those say nothing then.

    Newspapers wrote so for decades. What else ends so is an abbreviation, and so is its answer.

    >>> unstopped(["Sky.", "Sea.", "Land.", "Fire.", "Street: Abbr."])
    ['Sky', 'Sea', 'Land', 'Fire', 'Street: Abbr.']
    """
    ends = [bool(_STOP.search(clue)) for clue in clues]
    if not FEW <= sum(ends) > len(clues) / 2:
        return list(clues)
    return [clue if _ABBREVIATED.search(clue) else _STOP.sub(r"\1", clue) for clue in clues]


def kind(clue: str) -> str:
    """The class of `clue`, one of KINDS."""
    clue = clue[:LONGEST]
    if _NUMBERS.search(clue):
        return "reference"
    return next((name for name, form in _FORMS.items() if form.search(clue)), "plain")


def signs(clue: str) -> list[str]:
    """All that the form of `clue` shows: its forms, how many words it has, how its first and last word end."""
    found = [name for name, form in _FORMS.items() if form.search(clue)]
    if any(c.isdigit() for c in clue) and _NUMBERS.search(clue):
        found.append("reference")
    words = _WORD.findall(clue)
    if not words:
        return found
    found.append(f"{min(len(words), 6)} words")
    found += [f"first -{words[0][-letters:].lower()}" for letters in (3, 2, 1)]
    found += [f"last -{words[-1][-letters:].lower()}" for letters in (2, 1)]
    return [*found, "name"] if any(word[0].isupper() for word in words[1:]) else found


def references(clue: str) -> list[Reference]:
    """The entries that `clue` names, in its order, each once.

    >>> references("With 3- and 23-Down, what Regis hopes for")
    [Reference(number=3, across=False), Reference(number=23, across=False)]
    """
    found = (
        Reference(int(number), across=bool(match["across"] or match["a"] or match["small"]))
        for match in _NUMBERS.finditer(clue[:LONGEST])
        for number in [*re.findall(r"\d+", match["others"]), match["last"]]
    )
    return list(dict.fromkeys(found))


def with_answers(clue: str, answers: Mapping[Reference, str]) -> str:
    """`clue` with the names of entries replaced by their `answers`; those without one are left out.

    >>> with_answers("Founder of 6-Down", {Reference(6, False): "cnn"})
    'Founder of cnn'
    """

    def said(match: re.Match[str]) -> str:
        return " ".join(answers[r] for r in references(match[0]) if r in answers)

    return " ".join(_NUMBERS.sub(said, clue[:LONGEST]).split())


def without_references(clue: str) -> str:
    """What `clue` says besides: 'With 23-Down, first of a line' -> 'first of a line', 'See 17-Across' -> ''."""
    clue, start, parts = clue[:LONGEST], 0, []
    for match in _NUMBERS.finditer(clue):
        parts.append(_AROUND.sub("", clue[start : match.start()].rstrip()))
        start = match.end()
    rest = " ".join([*parts, clue[start:]])
    if parts:
        rest = _EMPTIED.sub(lambda found: "" if found[2] else found[1], rest)
    rest = " ".join(rest.split()).strip(" ,;:-")
    told = any(c.isalnum() or c == "_" for c in rest) and not (parts and _POINTER.fullmatch(rest.strip("()[]. ")))
    return rest if told else ""


def goes_with(clue: str) -> bool:
    """Whether `clue` is for its entry together with those that it names: 'With 23-Down, first of a line'.

    >>> goes_with("First of a line (with 23-Down)"), goes_with("Deal with 23-Down")
    (True, False)
    """
    return bool(_WITH.match(clue) or _ENDS_WITH.search(_NUMBERS.sub("#", clue[:LONGEST])))
