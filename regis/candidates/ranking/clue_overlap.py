"""Answers don't repeat words of their clues: a rule that all publishers' setters keep.

To an encoder nothing is nearer to "Sushi offering" than SUSHI, and the corpus doesn't say that this never happens. So
answers that are words of their clue, or share a stem with one, count for almost nothing, and those that begin or end
with one for little. Clues with a gap are exempt, since phrases repeat words (TORA TORA TORA).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from regis import text
from regis.candidates.settings import CANDIDATES
from regis.puzzle.alphabet import ALPHABET, codes_to_word, letter_codes


def clue_words(clue: str) -> set[str]:
    """Return the words of `clue`, in capitals, that fit a grid; none if it has a gap."""
    words = text.clue_key(clue).upper().split()
    has_gap = text.BLANK_TOKEN in words
    return set() if has_gap else {word for word in words if len(word) > 1 and set(word) <= set(ALPHABET)}


def overlap_penalty(clue: str, letters: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Return factors in (0, 1] for answers, (answers, length), that repeat a word of their clue."""
    factors, length = np.ones(len(letters)), letters.shape[1]
    words = clue_words(clue)
    stems = {text.stem_word(word.lower()) for word in words}
    for word in words:
        codes, size = letter_codes(word), len(word)
        n_alike = min(size, length, 3)
        is_part = CANDIDATES.min_part_letters <= size < length - 1
        for row in np.flatnonzero((letters[:, :n_alike] == codes[:n_alike]).all(axis=1)).tolist():
            answer = codes_to_word(letters[row])
            if answer == word or (length >= 3 and text.stem_word(answer.lower()) in stems):
                factors[row] = CANDIDATES.repeated_factor
            elif is_part and answer.startswith(word):
                factors[row] = min(factors[row], CANDIDATES.partial_factor)
        if is_part:
            factors[(letters[:, -size:] == codes).all(axis=1) & (factors == 1)] = CANDIDATES.partial_factor
    return factors
