"""Spellings that sound the same: DAYS and DAZE, VICE and VISE, IDOL and IDYLL.

A table of how the sounds of English are written, coarse on purpose, as a setter's ear is; but vowels that are short are
kept apart, since PET is no pun on PIT. Two spellings sound the same if there is one way to say both.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

_VOWELS = """
1 AI AY EY EIGH EI
2 EE EA IE EI EY Y
3 IGH IE UY YE EYE Y
4 OA OW OE OUGH EAU OH EW
5 OO EW UE OU UI
6 A
7 E EA
8 I Y
9 O AU AW AUGH OUGH
0 U
"""
_OTHERS = """
$ LE AL EL IL OL YL ULL YLL
& ER OR AR UR IR OUR RE EAR
e AIR ARE EAR EIR ERE
b B BB
c CH TCH
d D DD ED
f F FF PH GH
g G GG GU GH
h H WH
j J G DG DGE GE
k K C CK CH CC Q QU
l L LL
m M MM MB MN
n N NN KN GN
p P PP
r R RR WR RH
s S SS C SC PS CE SE
t T TT ED
v V VV VE
w W WH U
x X CKS KS CTS CS KES
y Y
z Z ZZ S SE ZE ES
! SH SCH CH
"""
"""A sound and how it is written, a line each: vowels, what is nearly a syllable, consonants."""

_LONG = {"A": "1", "E": "2", "I": "3", "O": "4", "U": "5", "Y": "3"}
"""Vowels as they sound before consonants and an E, which is silent; OPEN_VOWELS also do at the end of the letters."""

OPEN_VOWELS = ("I", "O", "U")

_WITH_E = re.compile("([AEIOUY])([BCDFGHJKLMNPQRSTVWXZ]{1,3})E")


def _sounds_by_spelling() -> dict[str, list[str]]:
    sounds: dict[str, list[str]] = {}
    for line in (_VOWELS + _OTHERS).split("\n"):
        sound, *spellings = line.split() or [""]
        for letters in spellings:
            sounds.setdefault(letters, []).append(sound)
    return sounds


_SOUNDS = _sounds_by_spelling()
MAX_SPELLING_LETTERS = max(map(len, _SOUNDS))


@functools.lru_cache(1 << 14)
def find_pronunciations(letters: str) -> frozenset[str]:
    """Find all ways to say a few letters, A-Z, each as a string of sounds."""
    return frozenset(_pronunciations(letters))


def _pronunciations(letters: str) -> Iterator[str]:
    if not letters:
        yield ""
    if letters in OPEN_VOWELS:
        yield _LONG[letters]
    for size in range(1, min(MAX_SPELLING_LETTERS, len(letters)) + 1):
        for sound in _SOUNDS.get(letters[:size], ()):
            yield from (sound + rest for rest in find_pronunciations(letters[size:]))
    if long := _WITH_E.match(letters):
        vowel, consonants = long.groups()
        for rest in find_pronunciations(letters[long.end() :]):
            yield from (_LONG[vowel] + sound + rest for sound in find_pronunciations(consonants))


@functools.lru_cache(1 << 14)
def can_sound_alike(first_letters: str, second_letters: str) -> bool:
    """Return whether there is a way to say both strings of a few letters, A-Z."""
    return not find_pronunciations(first_letters).isdisjoint(find_pronunciations(second_letters))
