"""How far a person's own list is to be trusted: less, the less its entries look like answers.

A list says of its words how good they are, or nothing; what it never says is that it is no list of words. A million
random strings would crowd out what is right. So a score is kept where the letters of a word follow each other as in
answers that were used, and falls where hardly any of those is as odd (measured: docs/measured.md).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from regis.index import Index
from regis.puzzle import alphabet

ODD = 0.05  # the share of used answers that are odder; a word with fewer is trusted less; a guess
LEAST = 0.001  # what is left of a score, so that the word is in the list at all
ENOUGH = 100  # used answers of a length that can be compared with


def scores(answers: Sequence[str], given: Sequence[float], index: Index) -> list[float]:
    """The scores of `answers`, which a list has `given` them, beside the answers of `index`."""
    found = np.array(given, np.float64)
    sizes = np.array([len(answer) for answer in answers])
    for length in np.unique(sizes).tolist():
        here = np.flatnonzero(sizes == length)
        part = index[length]
        used = np.sort(index.letters.strings(part.letters[part.count > 0]))
        if len(used) < ENOUGH:
            continue
        codes = alphabet.codes("".join(answers[i] for i in here.tolist())).reshape(len(here), length)
        found[here] *= _trust(np.searchsorted(used, index.letters.strings(codes)) / len(used))
    return [float(f"{score:.3g}") for score in np.maximum(found, LEAST)]


def _trust(rank: NDArray[np.float64]) -> NDArray[np.float64]:
    """How much of a score is kept, by the share of used answers that are odder."""
    return np.minimum(rank / ODD, 1.0)
