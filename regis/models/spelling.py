"""How an answer is said: the words that its letters stand for, so that a transformer can read them.

They are cut into the words of the corpus, so that these are likeliest together (Viterbi), the fewer the better: REDSEA
is red sea, REDACT one word. Where a list writes an answer in words, that is not looked at: a starter has no lists. All
rare words must be there, or SLOES were read as sloe s: half a million, which lie as sorted bytes and are looked up.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from regis.models import lookup

LONGEST = 15  # letters of a word

PER_WORD = 1.0
"""What a further word costs, in nats, beside being as rare as it is. (A guess.)"""

SHORT = {1: 200.0, 2: 3.0}
"""How much rarer than counted words of one letter and of two are taken to be: most of them are abbreviations."""

ALONE = frozenset("AI")  # words of one letter
UNSEEN, PER_LETTER = 0.01, 10**-1.2  # how often a word that was never seen is: this, times that for each letter

KEPT = 1 << 16  # pieces of answers whose cost is kept: those of a puzzle are nearly all alike


class Speller:
    """`said(answer)` is all that others need of it."""

    def __init__(self, words: NDArray[np.bytes_], used: NDArray[np.float32]) -> None:
        """`words` in capitals, sorted, (words,), of at most LONGEST letters; how often each is `used`, above 0."""
        self.words = words
        self.used = used
        self._total = math.log(float(used.sum()) or 1) + PER_WORD
        self._cost: dict[str, float] = {}

    @classmethod
    def of(cls, used: Mapping[str, float]) -> Speller:
        """Spells with those of the words in capitals that are none too long."""
        words = sorted(word for word in used if 0 < len(word) <= LONGEST and word.isascii() and word.isalpha())
        return cls(np.array(words, f"S{LONGEST}"), np.array([used[word] for word in words], np.float32))

    def said(self, answer: str) -> str:
        """The words of `answer`, letters in capitals, between blanks."""
        pieces = {answer[i:j] for i in range(len(answer)) for j in range(i + 1, min(len(answer), i + LONGEST) + 1)}
        cost = self._cost
        if not cost.keys() >= pieces:
            cost = self._look_up(sorted(pieces))
        best, starts = [0.0], [0]
        for end in range(1, len(answer) + 1):
            reach = range(max(0, end - LONGEST), end)
            least, start = min((best[start] + cost[answer[start:end]], start) for start in reach)
            best.append(least)
            starts.append(start)
        words = []
        end = len(answer)
        while end:
            words.append(answer[starts[end] : end])
            end = starts[end]
        return " ".join(reversed(words)).lower()

    def _look_up(self, pieces: Iterable[str]) -> dict[str, float]:
        """What each of `pieces`, and others, costs as a word, in nats; kept. Another thread keeps what it has."""
        if len(self._cost) > KEPT:
            self._cost = {}
        cost = self._cost
        new = [piece for piece in pieces if piece not in cost]
        asked = np.array(new, f"S{LONGEST}")
        places, there = lookup.place(self.words, asked)
        often = np.array([UNSEEN * PER_LETTER ** len(piece) for piece in new])
        often[there] = self.used[places[there]]
        rarer = [1.0 if piece in ALONE else SHORT.get(len(piece), 1.0) for piece in new]
        cost.update(zip(new, (self._total - np.log(often / rarer)).tolist(), strict=True))
        return cost
