"""What a clue says, its answer does not say again: a rule that setters of all publishers keep.

To an encoder nothing is nearer to "Sushi offering" than SUSHI, and the corpus, where it never happens, does not say so
by itself. So answers that are words of their own clue, or have the stem of one, count for next to nothing, and those
that begin or end with one for little. Clues with a gap are left alone, since phrases do say words twice (TORA TORA
TORA).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from regis import text
from regis.puzzle.alphabet import ALPHABET, codes, word

SAID, PARTLY = 0.005, 0.05
"""By how much less likely is an answer that its clue says, and one of which it says a part? (docs/measured.md)"""

SHORTEST = 4  # letters of a word that is a part of an answer; shorter ones are in many by chance
ALIKE = 3  # letters that words of one stem have in common at least


def words(clue: str) -> set[str]:
    """The words of `clue` in capitals that can stand in a grid; none of a clue with a gap."""
    key = text.clue_key(clue).upper().split()
    return set() if text.BLANK in key else {one for one in key if len(one) > 1 and set(one) <= set(ALPHABET)}


def again(clue: str, letters: NDArray[np.uint8]) -> NDArray[np.float64]:
    """By how much less likely each answer with these `letters`, (answers, length), 0 to 25, is for saying so: to 1."""
    factor, length = np.ones(len(letters)), letters.shape[1]
    wordings = words(clue)
    stems = {text.stem(one.lower()) for one in wordings}
    for one in wordings:
        wanted, size = codes(one), len(one)
        begin = min(size, length, ALIKE)
        for row in np.flatnonzero((letters[:, :begin] == wanted[:begin]).all(axis=1)).tolist():
            answer = word(letters[row])
            if answer == one or (length >= ALIKE and text.stem(answer.lower()) in stems):
                factor[row] = SAID
            elif SHORTEST <= size < length - 1 and answer.startswith(one):
                factor[row] = min(factor[row], PARTLY)
        if SHORTEST <= size < length - 1:
            factor[(letters[:, -size:] == wanted).all(axis=1) & (factor == 1)] = PARTLY
    return factor
