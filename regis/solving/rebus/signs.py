"""Digits and signs that are read as words, another across than down perhaps: 2 is TOO in ME2 and TWO in 2TONE."""

from __future__ import annotations

import functools
import itertools

from regis.solving.rebus.squares import CONTENT_SEPARATOR, swap_directions

_SIGN_LINES = {
    "0": "ZERO OH NIL", "1": "ONE WON", "2": "TWO TOO TO", "3": "THREE", "4": "FOUR FOR FORE", "5": "FIVE", "6": "SIX",
    "7": "SEVEN", "8": "EIGHT ATE", "9": "NINE", "10": "TEN", "&": "AND", "+": "PLUS AND",
    "@": "AT", "*": "STAR", "#": "POUND SHARP HASH", "$": "MONEY CASH BUCK", "!": "BANG", "/": "SLASH",
    "=": "EQUAL", "♥": "HEART LOVE", "Π": "PI",
}  # fmt: skip

SIGN_WORDS = {sign: tuple(words.split()) for sign, words in _SIGN_LINES.items()}
"""Signs, as puzzle files have them when read, and the words that each may stand for."""


TWO_WAY_SIGN_CONTENTS = tuple(
    CONTENT_SEPARATOR.join(two_words) for words in SIGN_WORDS.values() for two_words in itertools.permutations(words, 2)
)
"""The contents that a sign may have where it is one word across and another down."""


@functools.lru_cache(1 << 14)
def find_signs(content: str) -> frozenset[str]:
    """Find the signs that may be read as this content in both directions."""
    words = set(content.split(CONTENT_SEPARATOR))
    return frozenset(sign for sign, sign_words in SIGN_WORDS.items() if words <= set(sign_words))


def is_right_content(content: str, true_content: str) -> bool:
    """Return whether a content is the true one, or the true sign read; of one with others down, in whatever order.

    A sign that has several readings is right with any of them: the file does not say which is whose.
    """
    ways = {content, swap_directions(content)} if CONTENT_SEPARATOR in content else {content}
    return true_content in ways | {way.replace(CONTENT_SEPARATOR, "") for way in ways} | find_signs(content)
