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
from regis.index import Index
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
    telling: dict[int, NDArray[np.intp]] = {}  # features that are rare enough to tell anything, and who has them
    for place, kind in enumerate((STEM, PAIR)):
        some = codes[kinds == kind]
        having = part.having(some)
        weight = inverse_frequency(np.array([len(answers) for answers in having], np.int64), part.used)
        whole = float((weight**2).sum())
        for code, answers, rare in zip(some.tolist(), having, weight.tolist(), strict=True):
            if rare and len(answers) <= COMMON * part.used:
                said[2 * place, answers] += rare**2 / whole
                said[2 * place + 1, answers] += rare * RARITY
                telling[code] = answers
    rows = np.flatnonzero(said[1::2].any(axis=0))
    columns = said[:, rows]

    def explain(row: int) -> tuple[Evidence, ...]:
        place, there = lookup.place(rows, row)
        if not there or not columns[0, place]:
            return ()
        having = ((word, telling.get(stem_code(word), ())) for word in dict.fromkeys(query.key.split()))
        shared = [word for word, answers in having if row in answers]
        return (Evidence("vocabulary", "words", " ".join(shared), float(columns[0, place]), 0, None),)

    return Found(rows.astype(np.int32), dict(zip(COLUMNS, columns, strict=True)), explain)


FINDER = Finder(one_by_one(find), COLUMNS)
