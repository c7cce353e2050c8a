"""Blanks, quotation marks, italics and stars of clues as most type them, however a publisher does."""

from __future__ import annotations

import re

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
)  # a blank that is written in another way than `___`


def normalize_typography(clue: str) -> str:
    """Write the blank of `clue` as most write it, '___', which is then all that says so; and its quotation marks.

    No more than LONGEST characters. What programs made of italics, '_Emma_' or '*Emma*', is in quotation marks too:
    mostly they are titles.

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
    """Quote what was in italics; where that is a whole clue between stars, it is a star of its theme."""
    if len(match[0]) == len(match.string):
        return match[0] if "*" in match[1] else match[2]
    return match[2] if '"' in match.string else f'"{match[2]}"'


def strip_star(clue: str) -> str:
    """Take off `clue` the star that marks the entries of a theme: '*', '★' or '(*)' at either end."""
    return _STARRED.sub("", clue)
