"""Whether the words of a list look like answers: how oddly their letters follow each other.

A list says of its words how good they are, or nothing; what it never says is that it is no list of words. A million
random strings would crowd out what is right. So a word counts in full where its letters follow each other as in answers
that were used, and for less where hardly any of those is as odd (measured: docs/experiments/word-lists.md).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from regis.index import Index
from regis.puzzle import alphabet

ODD_SHARE = 0.05  # the share of used answers that are odder; a word with fewer counts for less; a guess
MIN_PLAUSIBILITY = 0.001  # as what a word counts that is odder than all of them
MIN_USED_ANSWERS = 100  # used answers of a length that can be compared with


def letter_plausibility(names: NDArray[np.bytes_], index: Index) -> NDArray[np.float64]:
    """Rate how much words count for their letters beside the answers of `index`.

    Parameters
    ----------
    names : (words,) bytes of one length.

    Returns
    -------
    (words,) factors, MIN_PLAUSIBILITY to 1.
    """
    part = index[names.itemsize]
    used_loglik = np.sort(index.letter_model.string_logliks(part.answer_letters[part.use_counts > 0]))
    if len(used_loglik) < MIN_USED_ANSWERS:
        return np.ones(len(names))
    word_loglik = index.letter_model.string_logliks(alphabet.letter_table(names))
    odder_share = np.searchsorted(used_loglik, word_loglik) / len(used_loglik)
    plausibility: NDArray[np.float64] = np.clip(odder_share / ODD_SHARE, MIN_PLAUSIBILITY, 1.0)
    return plausibility
