"""British spellings as Americans write them: most clues that an index learns from are American.

What they cost otherwise: docs/experiments/clue-style.md.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from regis import text

_OUR = (
    "arb ard arm behavi cand clam col demean endeav fav ferv flav harb hon hum lab neighb od parl ranc rig rum savi "
    "sav splend succ tum val vap vig"
)
_ISE = (
    "agon apolog author brutal capital categor central character civil colon critic crystall custom dramat econom "
    "emphas energ equal extempor familiar fantas fertil final formal general harmon hospital human hypnot idol immun "
    "industrial item jeopard legal local magnet maxim memor mesmer minim mobil modern monopol moral national natural "
    "neutral normal optim organ oxid patron penal personal plagiar polar popular priorit public pulver rational real "
    "recogn revital romantic sanit satir scandal scrutin sensational social special stabil standard steril styl subsid "
    "summar symbol sympath synchron tantal terror theor traumat tyrann util vandal verbal victim visual vocal "
    "winter woman"
)
_L = "cancel channel counsel dial duel fuel jewel label level libel marvel model panel quarrel signal travel tunnel"
_RE = "calib cent fib lit lust meag met mit nit sab scept sepulch somb spect theat"
_WHOLE = {
    "aeroplane": "airplane", "ageing": "aging", "aluminium": "aluminum", "artefact": "artifact", "cheque": "check",
    "chilli": "chili", "cosy": "cozy", "enrol": "enroll", "fulfil": "fulfill", "gaol": "jail", "grey": "gray",
    "greyish": "grayish", "jewellery": "jewelry", "judgement": "judgment", "kerb": "curb", "licence": "license",
    "liquorice": "licorice", "manoeuvre": "maneuver", "mould": "mold", "mouldy": "moldy", "moustache": "mustache",
    "offence": "offense", "defence": "defense", "pretence": "pretense", "plough": "plow", "practise": "practice",
    "programme": "program", "pyjama": "pajama", "sceptic": "skeptic", "sceptical": "skeptical", "skilful": "skillful",
    "smoulder": "smolder", "sulphur": "sulfur", "tyre": "tire", "wilful": "willful", "woollen": "woolen",
    "yoghurt": "yogurt",
}  # fmt: skip


def _one_of(stems: str) -> str:
    """Make a pattern for any of the `stems`."""
    return "|".join(stems.split())


_ENDINGS = (
    (rf"(\w*(?:{_one_of(_OUR)}))our(s|ed|ing|ers?|ees?|ful|fully|less|abl[ey]|ites?|hoods?|ly|y)?", r"\1or\2"),
    (rf"(\w*(?:{_one_of(_ISE)}))is(e[ds]?|ers?|ing|able|ations?)", r"\1iz\2"),
    (r"(\w*(?:anal|paral|catal))ys(e[dr]?|ers|ing)", r"\1yz\2"),  # 'analyses' are several
    (rf"(\w*(?:{_one_of(_L)}))l(ed|ing|[eo]rs?|ous)", r"\1\2"),
    (rf"(\w*(?:{_one_of(_RE)}))re(s?)", r"\1er\2"),
    (rf"(\w*(?:{_one_of(_RE)}))(red)", r"\1e\2"),
    (rf"({'|'.join(_WHOLE)})(s|ed|ing)?", None),
)
_BRITISH = [(re.compile(british, re.IGNORECASE), american) for british, american in _ENDINGS]
_WORD = re.compile(r"[^\W\d_]{4,}")
_AMERICAN = re.compile(
    rf"\b(?:\w*(?:{_one_of(_OUR)})or(?:s|ed|ing|ful|able|ite|hood)?|\w*(?:{_one_of(_ISE)})iz(?:e[drs]?|ing|ation)"
    r"|centers?|theaters?|kilometers?|liters?|(?:anal|paral)yz\w+|travel(?:ed|er|ers|ing)|defense|offense|jewelry|gray"
    r"|mustache|pajamas?|plow|moldy?|skeptic\w*|cozy|airplanes?|aluminum)\b"
)


def americanize_clues(clues: Sequence[str]) -> list[str]:
    """Write a puzzle's clues in American spelling, if none of them has it: in an American one a British one is a hint.

    Names stay: words with a capital, but for the first of a clue where none follows; and what is quoted.

    >>> americanize_clues(["Favourite colour", "Covent Garden theatre", "Grey Cup org."])
    ['Favorite color', 'Covent Garden theater', 'Grey Cup org.']
    >>> americanize_clues(["Colour of ash", "Theater sign"])
    ['Colour of ash', 'Theater sign']
    """
    if any(_AMERICAN.search(clue[:1].lower() + clue[1:]) for clue in clues):
        return list(clues)
    return [_WORD.sub(_americanize_word, clue) for clue in clues]


def _americanize_word(match: re.Match[str]) -> str:
    """Write a word in American spelling, unless it is a name or quoted."""
    word, before = match[0], match.string[: match.start()]
    quoted = sum(map(before.count, '"“”')) % 2
    name = word[0].isupper() and (before or re.match("[ -][A-Z]", match.string[match.end() :]))
    if quoted or name or not word[1:].islower():
        return word
    for british, american in _BRITISH:
        if spelling := british.fullmatch(word):
            # without capitals 'ı' is an 'i' to a pattern, and 'ſ' an 's'
            american_word = (
                spelling.expand(american)
                if american
                else _WHOLE[text.fold_accents(spelling[1]).lower()] + (spelling[2] or "")
            )
            return word[0] + american_word[1:]
    return word
