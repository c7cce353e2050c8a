"""`vocabulary`: answers whose past clues have the words of the clue, in whichever of them each stands.

An answer is what all of its clues say together: its document, in the terms of text retrieval (Salton 1975). Which word
stems and word pairs an answer's clues have is known exactly here, where the encoders must press it into some hundred
numbers, and without any clue as a whole, so that the starter has it, too.

Columns: by their weight (inverse document frequency, squared), how much of the clue's stems an answer's clues have, and
how much of its word pairs; and how rare those stems, and those pairs, are together.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from regis.candidates.found import Evidence, Finder, Found, one_by_one
from regis.candidates.query import Query
from regis.index import Index, Partition
from regis.models import lookup
from regis.models.features import PAIR, STEM, inverse_frequency, stem_code

COMMON = 0.1
"""Features that more than this share of the answers have are passed over: they cost the most time and tell the least.
(Measured: docs/measured.md.)"""

RARITY = 0.1  # what the sum of how rare features are is multiplied with, to be as large as the other columns
COLUMNS = ("words covered", "rare words", "pairs covered", "rare pairs")


def find(query: Query, index: Index) -> Found:
    """All answers that have any of the clue's stems or pairs."""
    part = index[query.length]
    if not query.key:
        return Found.nothing()
    codes, kinds = query.features
    said = np.zeros((len(COLUMNS), len(part.count)), np.float32)
    for place, kind in enumerate((STEM, PAIR)):
        having = [part.having(code) for code in codes[kinds == kind].tolist()]
        weight = inverse_frequency(np.array([len(answers) for answers in having], np.int64), part.used)
        whole = float((weight**2).sum())
        for answers, rare in zip(having, weight.tolist(), strict=True):
            if rare and _tells(part, answers):
                said[2 * place, answers] += rare**2 / whole
                said[2 * place + 1, answers] += rare * RARITY
    rows = np.flatnonzero(said[1::2].any(axis=0))
    columns = said[:, rows]

    def explain(row: int) -> tuple[Evidence, ...]:
        place, there = lookup.place(rows, row)
        if not there or not columns[0, place]:
            return ()
        having = ((word, part.having(stem_code(word))) for word in dict.fromkeys(query.key.split()))
        shared = [word for word, answers in having if _tells(part, answers) and row in answers]
        return (Evidence("vocabulary", "words", " ".join(shared), float(columns[0, place]), 0, None),)

    return Found(rows.astype(np.int32), dict(zip(COLUMNS, columns, strict=True)), explain)


def _tells(part: Partition, answers: NDArray[np.intp]) -> bool:
    """Whether a feature that these have is rare enough to tell anything."""
    return len(answers) <= COMMON * part.used


FINDER = Finder(one_by_one(find), COLUMNS)
