"""English endings: 'pony' -> 'ponies', 'stop' -> 'stopped', 'big' -> 'biggest'.

Rules for what is regular, and for the commonest words that are not (heroes, knives, preferred). What else is irregular,
a dictionary says (WordNet's lists of exceptions).
"""

from __future__ import annotations

import re

from regis.corpora.entry import INFLECTIONS

OF = {"noun": ("s",), "verb": ("s", "ed", "ing", "er"), "adj": ("er", "est")}
"""Which endings each part of speech takes; the -er of a verb is the one who does it."""

LONG = 2  # an adjective of more syllables is compared with 'more' and 'most'
_HISSING = re.compile("(?:[sxz]|[cs]h|[^aeiou]o)$")  # and 'undergoes'
_OES = re.compile("(?:echo|embargo|hero|mosquito|potato|tomato|tornado|torpedo|veto|volcano)$")
_VES = re.compile(r"((?:kni|wi|\b(?:after|half-|mid)?li|lea|loa|shea|thie|shel|sel|\bel|cal|hal|wol))fe?$")
_CONSONANT_Y = re.compile("[^aeiou]y$")
_DOUBLED = re.compile(
    "^[^aeiou]*(?:qu)?[aeiou][^aeiouwxy]$"  # one syllable, one short vowel, one consonant
    "|(?:[aeins]fer|cur|(?:[bdemrs]|^o)mit|(?:[msx]|re|ro)pel|begin|forget|regret|deter|equip|excel|rebel|trol)$"
)
_SYLLABLE = re.compile("[aeiouy]+")


def plural(noun: str) -> str:
    """The plural of a lower-case `noun`; of a phrase, that of its last word: 'folk hero' -> 'folk heroes'."""
    if _VES.search(noun):
        return _VES.sub(r"\1ves", noun)
    return noun + "s" if noun.endswith("o") and not _OES.search(noun) else inflected(noun, "s")


def inflected(word: str, ending: str) -> str:
    """The lower-case `word`, a verb or adj, with one of the endings in `OF`."""
    if ending == "s" and _HISSING.search(word):
        return word + "es"
    if _CONSONANT_Y.search(word):
        return word + "ing" if ending == "ing" else word[:-1] + ("ies" if ending == "s" else "i" + ending)
    if ending == "s":
        return word + "s"
    if word.endswith("e"):
        if ending != "ing":
            return word + ending[1:]
        if word.endswith("ie"):
            return word[:-2] + "ying"
        return word + "ing" if word.endswith(("ee", "oe", "ye")) else word[:-1] + "ing"
    return word + word[-1] + ending if _DOUBLED.search(word) else word + ending


def forms(lemma: str, part: str) -> list[tuple[str, str]]:
    """(ending, form) of every regular form of `lemma`, a noun, verb or adj: 'give up' -> 'gives up', 'hot dogs'."""
    first, space, rest = lemma.partition(" ")
    if part == "noun":
        return [("s", plural(lemma))]
    if part == "verb":
        return [(e, inflected(first, e) + space + rest) for e in OF[part] if not (rest and e == "er")]
    if part == "adj" and (rest or len(_SYLLABLE.findall(lemma)) > LONG):
        return []
    return [(e, inflected(lemma, e)) for e in OF.get(part, ())]


def ending(form: str, part: str) -> str:
    """Which of the endings in `OF` an irregular `form` stands for: 'gave' -> 'ed', 'mice' -> 's', 'better' -> 'er'."""
    if part == "noun":
        return "s"
    if part == "verb":
        return "ing" if form.endswith("ing") else "ed"
    return "est" if form.endswith("st") else "er"


def bases(form: str) -> list[tuple[str, str]]:
    """(lemma, ending) of all that the rules make a lower-case `form` of, whether there is such a word or not.

    'cries' -> 'cry' and 'crie'; of a phrase, what `forms` inflects: 'gives up' -> 'give up', 'hot dogs' -> 'hot dog'.
    """
    first, space, rest = form.partition(" ")
    found = [
        (stem + space + rest, ending)
        for ending in INFLECTIONS
        for stem in _stems(first, ending)
        if first == inflected(stem, ending) or (ending == "s" and first == plural(stem))
    ]
    if not space:
        return found
    before, last = form.rsplit(" ", 1)
    return found + [(f"{before} {stem}", "s") for stem in _stems(last, "s") if last == plural(stem)]


def _stems(form: str, ending: str) -> list[str]:
    """Words of two letters and more that may have become `form` with this ending, and others."""
    if not form.endswith(ending):
        return []
    stem = form.removesuffix(ending)
    changed = (stem, stem + "e", stem[:-1], stem[:-1] + "y", stem[:-2] + "y", stem[:-1] + "ie", stem[:-2] + "f")
    return [word for word in dict.fromkeys((*changed, stem[:-2] + "fe")) if len(word) > 1]
