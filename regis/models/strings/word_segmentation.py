"""Word segmentation: the words that an answer's letters stand for, so that a transformer can read them.

They are cut into the words of the corpus, so that these are likeliest together (Viterbi), the fewer the better: REDSEA
is red sea, REDACT one word. Where a list writes an answer in words, that is not looked at: a starter has no lists. All
rare words must be there, or SLOES were read as sloe s: half a million, which lie as sorted bytes and are looked up.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from regis.models.numeric import sorted_search

MAX_WORD_LETTERS = 15
COST_PER_WORD = 1.0  # nats that a further word costs beside being as rare as it is; a guess

SHORT_WORD_RARITY = {1: 200.0, 2: 3.0}
"""How much rarer than counted words of one letter and of two are taken to be: most of them are abbreviations."""

ONE_LETTER_WORDS = frozenset("AI")
UNSEEN_COUNT = 0.01  # how often a word that was never seen is met,
UNSEEN_LETTER_FACTOR = 10**-1.2  # times this for each letter

MAX_CACHED_PIECES = 1 << 16  # pieces of answers whose cost is kept: those of a puzzle are nearly all alike


class WordSegmenter:
    """Cuts answers into words."""

    def __init__(self, words: NDArray[np.bytes_], word_counts: NDArray[np.float32]) -> None:
        """Take the words.

        Parameters
        ----------
        words : (words,) in capitals, sorted, of at most MAX_WORD_LETTERS letters.
        word_counts : (words,) how often each is used, above 0.
        """
        self.words = words
        self.word_counts = word_counts
        self._log_total = math.log(float(word_counts.sum()) or 1) + COST_PER_WORD
        self._known_costs: dict[str, float] = {}

    @classmethod
    def from_word_counts(cls, word_counts: Mapping[str, float]) -> WordSegmenter:
        """Make a segmenter of those of the words in capitals that are none too long."""
        words = sorted(
            word for word in word_counts if 0 < len(word) <= MAX_WORD_LETTERS and word.isascii() and word.isalpha()
        )
        return cls(np.array(words, f"S{MAX_WORD_LETTERS}"), np.array([word_counts[word] for word in words], np.float32))

    def segment(self, answer: str) -> str:
        """Write the words of `answer`, letters in capitals, in small letters between blanks."""
        pieces = {
            answer[i:j] for i in range(len(answer)) for j in range(i + 1, min(len(answer), i + MAX_WORD_LETTERS) + 1)
        }
        costs = self._known_costs
        if not costs.keys() >= pieces:
            costs = self._cost_pieces(sorted(pieces))
        best, cuts = [0.0], [""]  # of each beginning: what it costs, and its words
        for end in range(1, len(answer) + 1):
            reach = range(max(0, end - MAX_WORD_LETTERS), end)
            least, start = min((best[start] + costs[answer[start:end]], start) for start in reach)
            best.append(least)
            cuts.append(f"{cuts[start]} {answer[start:end]}")
        return cuts[-1].strip().lower()

    def _cost_pieces(self, pieces: Iterable[str]) -> dict[str, float]:
        """Say what each of `pieces`, and others, costs as a word, in nats; kept. Another thread keeps what it has."""
        if len(self._known_costs) > MAX_CACHED_PIECES:
            self._known_costs = {}
        costs = self._known_costs
        new_pieces = [piece for piece in pieces if piece not in costs]
        piece_array = np.array(new_pieces, f"S{MAX_WORD_LETTERS}")
        places, is_word = sorted_search.find_sorted(self.words, piece_array)
        counts = np.array([UNSEEN_COUNT * UNSEEN_LETTER_FACTOR ** len(piece) for piece in new_pieces])
        counts[is_word] = self.word_counts[places[is_word]]
        rarities = [
            1.0 if piece in ONE_LETTER_WORDS else SHORT_WORD_RARITY.get(len(piece), 1.0) for piece in new_pieces
        ]
        costs.update(zip(new_pieces, (self._log_total - np.log(counts / rarities)).tolist(), strict=True))
        return costs
