"""English endings: 'pony' -> 'ponies', 'stop' -> 'stopped', 'big' -> 'biggest'.

Rules cover regular words and the most common irregular ones (heroes, knives, preferred). A dictionary has the others.
"""

from __future__ import annotations

import re

from regis.corpora.entry import INFLECTION_KINDS

PART_ENDINGS = {"noun": ("s",), "verb": ("s", "ed", "ing", "er"), "adj": ("er", "est")}
"""The endings of each part of speech; a verb's -er means the person who does it."""

_HISSING = re.compile("(?:[sxz]|[cs]h|[^aeiou]o)$")  # and 'undergoes'
_OES = re.compile("(?:echo|embargo|hero|mosquito|potato|tomato|tornado|torpedo|veto|volcano)$")
_VES = re.compile(r"((?:kni|wi|\b(?:after|half-|mid)?li|lea|loa|shea|thie|shel|sel|\bel|cal|hal|wol))fe?$")
_CONSONANT_Y = re.compile("[^aeiou]y$")
_DOUBLED = re.compile(
    "^[^aeiou]*(?:qu)?[aeiou][^aeiouwxy]$"  # one syllable, one short vowel, one consonant
    "|(?:[aeins]fer|cur|(?:[bdemrs]|^o)mit|(?:[msx]|re|ro)pel|begin|forget|regret|deter|equip|excel|rebel|trol)$"
)
_SYLLABLE = re.compile("[aeiouy]+")


def pluralise(noun: str) -> str:
    """Form the plural of a lowercase noun or of a phrase's last word: 'folk hero' -> 'folk heroes'."""
    if _VES.search(noun):
        return _VES.sub(r"\1ves", noun)
    return noun + "s" if noun.endswith("o") and not _OES.search(noun) else add_ending(noun, "s")


def add_ending(word: str, ending: str) -> str:
    """Inflect a lowercase verb or adjective with one of PART_ENDINGS."""
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


def regular_forms(lemma: str, part_of_speech: str) -> list[tuple[str, str]]:
    """List (ending, form) of every regular form of a noun, verb or adj: 'give up' -> 'gives up', 'hot dogs'."""
    first, space, rest = lemma.partition(" ")
    if part_of_speech == "noun":
        return [("s", pluralise(lemma))]
    if part_of_speech == "verb":
        endings = (ending for ending in PART_ENDINGS["verb"] if not (rest and ending == "er"))
        return [(ending, add_ending(first, ending) + space + rest) for ending in endings]
    if part_of_speech == "adj" and (rest or len(_SYLLABLE.findall(lemma)) > 2):
        return []
    return [(e, add_ending(lemma, e)) for e in PART_ENDINGS.get(part_of_speech, ())]


def irregular_ending(form: str, part_of_speech: str) -> str:
    """Return the ending that an irregular form stands for: 'gave' -> 'ed', 'mice' -> 's', 'better' -> 'er'."""
    if part_of_speech == "noun":
        return "s"
    if part_of_speech == "verb":
        return "ing" if form.endswith("ing") else "ed"
    return "est" if form.endswith("st") else "er"


def base_forms(form: str) -> list[tuple[str, str]]:
    """List (lemma, ending) of all possible bases of a lowercase form, real words or not.

    'cries' -> 'cry' and 'crie'; of a phrase, 'gives up' -> 'give up', 'hot dogs' -> 'hot dog'.
    """
    first, space, rest = form.partition(" ")
    bases = [
        (stem + space + rest, ending)
        for ending in INFLECTION_KINDS
        for stem in _possible_stems(first, ending)
        if first == add_ending(stem, ending) or (ending == "s" and first == pluralise(stem))
    ]
    if not space:
        return bases
    before, last = form.rsplit(" ", 1)
    return bases + [(f"{before} {stem}", "s") for stem in _possible_stems(last, "s") if last == pluralise(stem)]


def _possible_stems(form: str, ending: str) -> list[str]:
    """List words of two or more letters that may have become `form` with this ending. Not all of them exist."""
    if not form.endswith(ending):
        return []
    stem = form.removesuffix(ending)
    variants = (stem, stem + "e", stem[:-1], stem[:-1] + "y", stem[:-2] + "y", stem[:-1] + "ie", stem[:-2] + "f")
    return [word for word in dict.fromkeys((*variants, stem[:-2] + "fe")) if len(word) > 1]
