"""Whether the words of a list look like answers: how oddly their letters follow each other.

A list says of its words how good they are, or nothing; what it never says is that it is no list of words. A million
random strings would crowd out what is right. So a word counts in full where its letters follow each other as in answers
that were used, and for less where hardly any of those is as odd (measured: docs/measured.md).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from regis.index import Index
from regis.puzzle import alphabet

ODD = 0.05  # the share of used answers that are odder; a word with fewer counts for less; a guess
LEAST = 0.001  # as what a word counts that is odder than all of them
ENOUGH = 100  # used answers of a length that can be compared with


def shares(names: NDArray[np.bytes_], index: Index) -> NDArray[np.float64]:
    """As how much each of `names`, (words,), of one length, counts beside the answers of `index`: LEAST to 1."""
    part = index[names.itemsize]
    used = np.sort(index.letters.strings(part.letters[part.count > 0]))
    if len(used) < ENOUGH:
        return np.ones(len(names))
    odder = np.searchsorted(used, index.letters.strings(alphabet.table(names))) / len(used)
    found: NDArray[np.float64] = np.clip(odder / ODD, LEAST, 1.0)
    return found
