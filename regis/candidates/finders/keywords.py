"""`keywords`: past clues that share rare words (Regis FILLbin 3.2, NEMESIS; TF-IDF as in Shortz Circuit).

Clue and past clues are vectors over words, stems and word pairs, the blank among them ('_ beta'); their cosine is read
off the postings of the clue's own features. Unlike `nearby`, the order of the words and what stands between them
hardly matter.

Columns: the best cosine and its square; the sum of the cosines, in logs, and per use of the answer; and by the weight
of the words, how much of the clue a past clue has, and how much of a past clue the clue has, the most that any of an
answer's has.
"""

from __future__ import annotations

import numpy as np

from regis.candidates.found import Finder, Found, from_past_clues, one_by_one
from regis.candidates.query import PAST_CLUES, Query
from regis.index import Index
from regis.models import lookup
from regis.models.features import KIND_WEIGHT, inverse_frequency

COMMON = 0.1
"""Features in more than this share of a length's clues ('of', 'the') are passed over when the clue has rarer ones: they
cost the most time and tell the least."""

SUPPOSED = 5  # uses that every answer counts as having besides its own, so that one of a rare one is no proof; a guess

COLUMNS = (
    "keywords", "keywords squared", "keywords sum", "keywords per use", "clue covered", "past clue covered",
)  # fmt: skip


def find(query: Query, index: Index) -> Found:
    """The answers of the past clues with the highest cosine."""
    part = index[query.length]
    if not query.key or not len(part.features):
        return Found.nothing()
    codes, kinds = query.features
    places, known = lookup.place(part.features, codes)
    sizes = np.where(known, part.starts[places + 1] - part.starts[places], 0)
    weight = inverse_frequency(sizes, len(part.norms)) * KIND_WEIGHT[kinds]
    rare = known & (sizes <= COMMON * len(part.norms))
    use = np.flatnonzero(rare if rare.any() else known)
    if not len(use):
        return Found.nothing()

    dot = np.zeros(len(part.norms), np.float32)
    for i in use:  # a clue has each feature once, so no row repeats within a posting
        dot[part.posting(places[i])] += weight[i] ** 2
    whole = np.float32((weight**2).sum())
    cosine = dot / part.norms / np.sqrt(whole)
    cosine[part.clue_count == 0] = 0
    best = np.flatnonzero(cosine > 0)
    if len(best) > PAST_CLUES:
        best = best[np.argpartition(-cosine[best], PAST_CLUES)[:PAST_CLUES]]
    found = from_past_clues("keywords", part, best, cosine[best])
    shares = np.stack([dot[best] / whole, dot[best] / part.norms[best] ** 2], axis=1)
    covered = np.zeros((len(found.answers), 2), np.float32)
    np.maximum.at(covered, np.searchsorted(found.answers, part.clue_answer[best]), shares)
    per_use = found.total / (part.count[found.answers] + SUPPOSED)
    columns = (found.best, found.best**2, np.log1p(found.total), per_use, *covered.T)
    return Found(found.answers, dict(zip(COLUMNS, columns, strict=True)), found.explain)


BY_HAND = {"keywords": 4.0, "keywords squared": 3.0, "keywords sum": 0.5}
FINDER = Finder(one_by_one(find), COLUMNS, BY_HAND, past_clues=True)
