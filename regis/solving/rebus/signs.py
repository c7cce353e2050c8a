"""Digits and signs that are read as words, another across than down perhaps: 2 is TOO in ME2 and TWO in 2TONE."""

from __future__ import annotations

import functools
import itertools

from regis.solving.solved import BOTH

_READ = {
    "0": "ZERO OH NIL", "1": "ONE WON", "2": "TWO TOO TO", "3": "THREE", "4": "FOUR FOR FORE", "5": "FIVE", "6": "SIX",
    "7": "SEVEN", "8": "EIGHT ATE", "9": "NINE", "10": "TEN", "&": "AND", "+": "PLUS AND",
    "@": "AT", "*": "STAR", "#": "POUND SHARP HASH", "$": "MONEY CASH BUCK", "!": "BANG", "/": "SLASH",
    "=": "EQUAL", "♥": "HEART LOVE", "Π": "PI",
}  # fmt: skip

READ = {sign: tuple(words.split()) for sign, words in _READ.items()}
"""Signs, as puzzle files have them when read, and the words that each may stand for."""


TWO_READINGS = tuple(BOTH.join(two) for words in READ.values() for two in itertools.permutations(words, 2))
"""The contents that a sign may have where it is one word across and another down."""


@functools.lru_cache(1 << 14)
def signs(content: str) -> frozenset[str]:
    """The signs that may be read so in both directions."""
    return frozenset(sign for sign, words in READ.items() if set(content.split(BOTH)) <= set(words))
