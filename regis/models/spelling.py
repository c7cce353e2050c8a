"""How an answer is said: the words that its letters stand for, so that a transformer can read them.

They are cut into the words of the corpus, so that these are likeliest together (Viterbi), the fewer the better: REDSEA
is red sea, REDACT one word. Where a list writes an answer in words, that is not looked at: a starter has no lists.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

LONGEST = 15  # letters of a word

PER_WORD = 1.0
"""What a further word costs, in nats, beside being as rare as it is. (A guess.)"""

SHORT = {1: 200.0, 2: 3.0}
"""How much rarer than counted words of one letter and of two are taken to be: most of them are abbreviations."""

ALONE = frozenset("AI")  # words of one letter
UNSEEN, PER_LETTER = 0.01, 10**-1.2  # how often a word that was never seen is: this, times that for each letter


class Speller:
    """`said(answer)` is all that others need of it."""

    def __init__(self, used: Mapping[str, float]) -> None:
        """`used` says how often each word, in capitals, is used."""
        self.used = used
        self._total = math.log(sum(used.values()) or 1) + PER_WORD

    def said(self, answer: str) -> str:
        """The words of `answer`, letters in capitals, between blanks."""
        best = [0.0]
        starts = [0]
        for end in range(1, len(answer) + 1):
            reach = range(max(0, end - LONGEST), end)
            cost, start = min((best[start] + self._of(answer[start:end]), start) for start in reach)
            best.append(cost)
            starts.append(start)
        words = []
        end = len(answer)
        while end:
            words.append(answer[starts[end] : end])
            end = starts[end]
        return " ".join(reversed(words)).lower()

    def _of(self, word: str) -> float:
        often = self.used.get(word)
        return self._total + _cost(word, UNSEEN * PER_LETTER ** len(word) if often is None else often)


def _cost(word: str, often: float) -> float:
    rarer = 1.0 if word in ALONE else SHORT.get(len(word), 1.0)
    return -math.log(often / rarer)
