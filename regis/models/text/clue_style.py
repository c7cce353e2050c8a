"""Rewrite clues in the usual style, whoever published them.

Typography comes first: blanks, quotation marks, italics, stars. Style comes next: notes, signs of the answer's form,
full stops. The index learns from the clues of few publishers. docs/experiments/clue-style.md has the cost of other
styles.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from regis.text import MAX_CLUE_LENGTH

_EMPHASIS = re.compile(r"(?<![\w_*])(\*{1,2}|_)(?=[^\W_])([^_*]*[^\s_*])\1(?![\w_*])")  # italics
_QUOTED = re.compile(
    r"(?i)^(?:''|``|\u2018{1,2}|«|'(?!(?:tis|twas|twere|til|em|cause|bout|n|round|\d\ds?)\b)"
    r"(?=(?:[^']|(?<=\w)'(?=\w))+'[.!?]?$))(.+?)(?:''|'|\u2019{1,2}|»)([.!?]?)$"
)
_STAR = r"\*\u2605\u2606\u2b50\u2020\u2021"
_STARS = (
    rf"(?:(?<![{_STAR}])(?<![{_STAR}] )[{_STAR}]{{1,2}}(?! ?[{_STAR}])\ufe0f?|[(\[][{_STAR}][)\]])"  # not a rating's
)
_STARRED = re.compile(rf"^\s*{_STARS}\s*|(?<!\s){_STARS}\s*$|\s+[(\[][{_STAR}][)\]]\s*$")
_FILLED_IN = r"fill[ -]in(?:[ -]the[ -]blanks?)?"
_FILL_IN = re.compile(
    rf"(?i)^({_STARS} ?)?(?:{_FILLED_IN}|fitb|complete the (?:line|lyric|phrase|proverb|quote|saying|title)): "
    rf"|(?:,| ?[(\[]) ?(?:{_FILLED_IN}|fitb)[)\]]?\.?$"
)
_LINE = r"\u2012\u2013\u2015\u2017\u2212\u23af\u2500\u2501\u2581\u2e3a\u2e3b\uff3f"
_GAP = re.compile(
    r"(?i)[\[({<]blank[\])}>]|(?-i:(?<![A-Z] )\bBLANK\b(?! [A-Z]{2}))|\[_+\]|(?:\\_)+|\[(?:\.{3}|\u2026)\]|\(\.{3}\)"
    rf"|(?<!_)_(?: _)+(?!_)|(?<![\w-])-(?: -){{2,}}(?![\w-])|[{_LINE}]{{2,}}|\u2014{{2,}}|[\u2e3a\u2e3b]"
    r"|(?:(?<![^\"“])|(?<=blank: )|(?<=fitb: )|(?<=fill-in: ))[\u2013\u2015](?= [A-Za-z])"
)  # blanks in other notations than `___`

_NUMBERS = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_ORDINALS = ("", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
_NUMBER = rf"(?:\d{{1,2}}|{'|'.join(_NUMBERS[1:])})"
_NOTED = (
    rf"(?:{_NUMBER}|multiple)[ -]?(?:wd?s?\.?|words?|letters|let(?:ter)?s?\.?|ltrs\.?)"
    rf"|{_NUMBER}-(?:word|letter) (?:answer|name|phrase|word)|hyph\.?(?: wd\.?)?|hyphenated|with an apostrophe|sic"
    r"|see notes?|see (?:the )?(?:notepad|blurb|intro(?:duction)?)|theme(?: answer| clue| entry)?"
)
_ENDS = r"[,;:]|(?<=[.!?\"”_])| [-\u2013\u2014]{1,3}"
_NOTE = re.compile(
    rf"(?i)(?:\s*[(\[](?:{_NOTED})(?:[,;] (?:{_NOTED}))*[)\]])+\.?$"
    rf"|(?:{_ENDS}) (?:\d{{1,2}} ?(?:wds?\.?|words\.?)|(?:two|three|four) wds\.|hyph\.)$"
)  # notes on how the answer is written
_MIXED = re.compile(r" ?[(\[]([^()\[\]]*[,;] [^()\[\]]*)[)\]]\.?$")  # with others: '(2 wds., abbr.)', '(3, abbr.)'
_ITEM = re.compile(rf"(?i){_NOTED}")
_OTHERWISE = {
    "Abbr.": r"abbr\.?|abbrev\.?|abbreviation|abbreviated", "Comb. form": r"comb\. (?:form|fm\.?)|combining form",
    "Inits.": r"inits?\.", "Prefix": r"pref\.|prefix", "Slang": r"sl\.|slang", "Suffix": r"suf?f\.|suffix",
    "Var.": r"var\.?|variant|(?:var\.|variant|alt\.|alternat(?:e|ive)) sp(?:\.|elling)",
}  # fmt: skip
"""The usual sign at a clue's end -> other ways to write it."""
_SIGN = re.compile(
    "(?i)(?:: ?| [-\u2013\u2014]{1,3} |--|\u2014|, (?=[av][a-z.]+ sp)|(?P<bracket> ?[(\\[]))"
    rf"(?P<sign>{'|'.join(_OTHERWISE.values())}|(?:Fr|Sp|Ger|Ital?|Lat|Scot)\.)(?(bracket)[)\]])\.?$"
)
_STYLES: dict[str, tuple[str, str | Callable[[re.Match[str]], str]]] = {
    "an example": (r"(?:, for (?:example|instance)| ?\(for (?:example|instance)\))$", ", e.g."),
    "an example, said first": (r"^E\.g\.,? (.+)(?<!e\.g\.)$", r"\1, e.g."),
    "an affix": (r"^(Pre|Suf)f\. (?=with|for)", r"\1fix "),
    "talk": (r"(?i) [(\[](?:inf\.|informal|coll\.|colloq\.|colloquial)[)\]]\.?$", ", informally"),
    "slang": (r"(?i) [(\[](?:sl\.|slang)[)\]]\.?$", ", slangily"),
    "with": (r"\bw/(?!o\b) ?(?=\S)", "with "),
    "without": (r"\bw/o\b", "without"),
    "an ordinal": (r"^([1-9])(?:st|nd|rd|th)(?= [a-z]{3,}\b(?![.-]))", lambda found: _ORDINALS[int(found[1])]),
}  # fmt: skip
"""The styles of some publishers -> their pattern, the usual form."""
_USUAL_FORMS = [(re.compile(pattern), usual_form) for pattern, usual_form in _STYLES.values()]
_COUNTS = r"\d{1,2}(?:(?:[,;] ?|[-\u2013 ./+'\u2019])\d{1,2})*\.?"  # '4,3', '1.1.1.', "1'4"
_LENGTHS = re.compile(
    rf"\s*(?:[(\[{{] ?{_COUNTS} ?[)\]}}]|(?<!\d) [-\u2013\u2014] \d{{1,2}})\.?$"
)  # of the answer's words
_STOP = re.compile(r"(?<=[\w)\"”'’_])\.([\"”]?)$")  # at the end of a clue, not after another full stop
_ABBREVIATED = re.compile(r"(?i)(?:\w\.\w|\b(?:abbr|inits?|etc|wds|hyph))\.[\"”]?$")
MIN_STYLED_CLUES = 5  # clues with a full stop, or a length, that make it the style of the whole puzzle; a guess


def normalize_typography(clue: str) -> str:
    """Write a clue's blank as '___', and its quotation marks and italics as plain quotation marks.

    The result has at most MAX_CLUE_LENGTH characters. Italics, '_Emma_' or '*Emma*', are mostly titles.

    >>> normalize_typography("Fill in the blank: [blank] Beta Kappa"), normalize_typography("Phi - - - Kappa")
    ('___ Beta Kappa', 'Phi ___ Kappa')
    """
    clue = _QUOTED.sub(r'"\1"\2', clue[:MAX_CLUE_LENGTH])
    if "*" in clue or "_" in clue:
        clue = _EMPHASIS.sub(_quote_italics, clue)
    if any(c.isalnum() for c in clue):
        clue = _GAP.sub("___", clue)
    return _FILL_IN.sub(lambda found: found[1] or "", clue) if "_" in clue else clue


def _quote_italics(match: re.Match[str]) -> str:
    """Quote italics; if stars surround a whole clue, keep one as the star of its theme instead."""
    if len(match[0]) == len(match.string):
        return match[0] if "*" in match[1] else match[2]
    return match[2] if '"' in match.string else f'"{match[2]}"'


def strip_star(clue: str) -> str:
    """Remove the star that marks a theme entry: '*', '★' or '(*)' at either end."""
    return _STARRED.sub("", clue)


def normalize_style(clue: str, answer_length: int, is_enumerated: bool = False) -> str:
    """Remove stars and notes on how the answer is written, and write signs of its form in the usual way.

    Numbers that don't add up to `answer_length` mean something else, unless the puzzle `is_enumerated`.

    >>> normalize_style("Wide-open spaces (2 wds.)", 9), normalize_style("*___ and field (5)", 5)
    ('Wide-open spaces', '___ and field')
    >>> normalize_style("Street (2 wds., abbrev.)", 2)
    'Street: Abbr.'
    """
    plain = _LENGTHS.sub(
        lambda found: "" if is_enumerated or _sum_numbers(found[0]) == answer_length else found[0], strip_star(clue)
    )
    plain = _NOTE.sub("", _MIXED.sub(lambda found: _drop_notes(found, answer_length), plain))
    for pattern, usual_form in _USUAL_FORMS:
        plain = pattern.sub(usual_form, plain)
    return _SIGN.sub(_usual_sign, plain) or clue


def _drop_notes(match: re.Match[str], length: int) -> str:
    """Remove notes on how the answer is written from brackets, and keep the rest."""
    items = re.split("[,;] ", match[1])
    numbers = [item for item in items if re.fullmatch(_COUNTS, item)]
    counted = numbers if _sum_numbers(" ".join(numbers)) == length else ()
    kept = [item for item in items if item not in counted and not _ITEM.fullmatch(item)]
    if kept == items:
        return match[0]
    return f" ({', '.join(kept)})" if kept else ""


def _usual_sign(match: re.Match[str]) -> str:
    sign_text = match["sign"]
    signs = (sign for sign, others in _OTHERWISE.items() if re.fullmatch(others, sign_text, re.IGNORECASE))
    return f": {next(signs, sign_text.capitalize())}"


def _sum_numbers(numbers: str) -> int:
    return sum(map(int, re.findall(r"\d+", numbers)))


def has_enumerations(clues: Sequence[tuple[str, int]]) -> bool:
    """Return whether most clues, each with its answer's length, give the lengths of the answer's words.

    If so, other numbers at the end of clues are lengths, too: of several entries together, or with rebus squares.
    """
    ends = [(_LENGTHS.search(clue), length) for clue, length in clues]
    return MIN_STYLED_CLUES <= sum(_sum_numbers(found[0]) == length for found, length in ends if found) > len(clues) / 2


def strip_full_stops(clues: Sequence[str]) -> list[str]:
    """Remove full stops from the ends of a puzzle's clues if most have one, except from abbreviations.

    >>> strip_full_stops(["Sky.", "Sea.", "Land.", "Fire.", "Street: Abbr."])
    ['Sky', 'Sea', 'Land', 'Fire', 'Street: Abbr.']
    """
    ends = [bool(_STOP.search(clue)) for clue in clues]
    if not MIN_STYLED_CLUES <= sum(ends) > len(clues) / 2:
        return list(clues)
    return [clue if _ABBREVIATED.search(clue) else _STOP.sub(r"\1", clue) for clue in clues]
