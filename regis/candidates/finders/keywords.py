"""`keywords`: past clues that share rare words (Regis FILLbin 3.2, NEMESIS; TF-IDF as in Shortz Circuit).

Clue and past clues are vectors over words, stems and word pairs, the blank among them ('_ beta'); their cosine is read
off the postings of the clue's own features. Unlike `nearby`, the order of the words and what stands between them
hardly matter.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from regis import text
from regis.candidates.candidate_list import Found
from regis.index import Index, Partition
from regis.models import features
from regis.puzzle.alphabet import fits

COMMON = 0.1
"""Features in more than this share of a length's clues ('of', 'the') are passed over when the clue has rarer ones: they
cost the most time and tell the least."""


def find(clue: str, pattern: str, index: Index, limit: int) -> Found:
    """Answers of the past clues with the highest cosine. Score: the best cosine; support: the sum of the cosines.

    Covered: by the weight of the words, how much of the clue a past clue has, and how much of a past clue the clue has,
    the most that any of an answer's has; and how much of the clue all of an answer's clues have together.
    """
    part = index[len(pattern)]
    key = text.clue_key(clue)
    if part is None or not key or not len(part.features):
        return Found.nothing("keywords")
    codes, kinds = features.features_of(key)
    places = np.searchsorted(part.features, codes)
    places[places == len(part.features)] = 0
    known = part.features[places] == codes
    sizes = np.where(known, part.starts[places + 1] - part.starts[places], 0)
    weight = features.inverse_frequency(sizes, len(part.norms)) * features.KIND_WEIGHT[kinds]
    rare = known & (sizes <= COMMON * len(part.norms))
    use = np.flatnonzero(rare if rare.any() else known)
    if not len(use):
        return Found.nothing("keywords")

    dot = np.zeros(len(part.norms), np.float32)
    for i in use:  # a clue has each feature once, so no row repeats within a posting
        dot[part.posting(places[i])] += weight[i] ** 2
    whole = np.float32((weight**2).sum())
    cosine = dot / part.norms / np.sqrt(whole)
    cosine[part.clue_count == 0] = 0
    best = np.flatnonzero(cosine > 0)
    if len(best) > limit:
        best = best[np.argpartition(-cosine[best], limit)[:limit]]
    found = Found.from_clues("keywords", best, cosine[best], part.clue_answer)
    shares = np.stack([dot[best] / whole, dot[best] / part.norms[best] ** 2], axis=1)
    covered = np.zeros((len(found.answers), 3), np.float32)
    np.maximum.at(covered[:, :2], np.searchsorted(found.answers, part.clue_answer[best]), shares)
    for i in use:
        covered[:, 2] += weight[i] ** 2 / whole * _answers(part, part.posting(places[i]))[found.answers]
    found = replace(found, covered=covered)
    return found.keep(fits(part.letters[found.answers], pattern))


def _answers(part: Partition, clues: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Which answers have one of these past clues."""
    found = np.zeros(len(part.count), bool)
    found[part.clue_answer[clues[part.clue_count[clues] > 0]]] = True
    return found
