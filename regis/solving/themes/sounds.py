"""Spellings that sound the same: DAYS and DAZE, VICE and VISE, IDOL and IDYLL.

A table of how the sounds of English are written, coarse on purpose: a setter's ear is generous, too. Two spellings
sound the same if there is one way to say both.
"""

from __future__ import annotations

import functools

_SPELLINGS = """
1 A AI AY AE EA EI EY EIGH
2 E EE EA IE EI Y EY I AE
3 I Y IE IGH UY YE EYE AI EI
4 O OA OW OE OUGH EAU OH
5 U OO EW UE OU UI O EU OUGH
6 A AU
7 E EA AI IE
8 I Y U E UI
9 O A AU AW OU OUGH AUGH AL
0 U O OU OO
$ LE AL EL IL OL YL ULL YLL
& ER OR AR UR IR OUR RE EAR
b B BB
c CH TCH TI
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
s S SS C SC PS CE SE ST
t T TT TH PT ED
v V VV VE
w W WH U
x X CKS KS CTS CS KES
y Y I
z Z ZZ S SE ZE ES
! SH CI TI SI SCH CH
"""
"""A sound and how it is written, a line each: vowels first, then what is nearly a syllable, then consonants."""

SILENT = ["E", "H", "GH"]  # what may stand for no sound at all


def _by_spelling() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {letters: [""] for letters in SILENT}
    for line in _SPELLINGS.split("\n"):
        sound, *spellings = line.split() or [""]
        for letters in spellings:
            found.setdefault(letters, []).append(sound)
    return found


_SOUNDS = _by_spelling()  # of each spelling, what it may sound like
LONGEST = max(map(len, _SOUNDS))


@functools.lru_cache(1 << 14)
def ways(letters: str) -> frozenset[str]:
    """All ways to say some letters, A-Z, a few of them."""
    if not letters:
        return frozenset([""])
    return frozenset(
        sound + rest
        for size in range(1, min(LONGEST, len(letters)) + 1)
        for sound in _SOUNDS.get(letters[:size], ())
        for rest in ways(letters[size:])
    )


@functools.lru_cache(1 << 14)
def alike(one: str, other: str) -> bool:
    """Whether there is a way to say both of some letters, A-Z, a few each."""
    return not ways(one).isdisjoint(ways(other))
