"""The words into which the answers of an index are cut (regis.models.spelling): those of its clues and its lists."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa

from regis import text
from regis.index import Index, tables
from regis.models.spelling import Speller

LEAST_USED = 2  # a word that clues use less often is as likely a slip


def words_of_clues(index: Index) -> Counter[str]:
    """The words of all clues of `index`, in capitals, and how often each is used."""
    found: Counter[str] = Counter()
    for part in index.parts():
        for key in part.key_column.of(np.flatnonzero(part.clue_count > 0)):
            found.update(key.split())
    return Counter({word.upper(): count for word, count in found.items() if word.isascii() and word.isalpha()})


def speller(index: Index) -> Speller:
    """Spells with the words of the clues of `index`, and of its lists."""
    words = Counter({word: count for word, count in words_of_clues(index).items() if count >= LEAST_USED})
    for part in index.parts():
        for said in part.texts.drop_null().to_pylist():
            words.update(map(text.answer, said.split()))
    return Speller.of(words)


def table(speller: Speller) -> pa.Table:
    """As it is written; see tables.SPELLING."""
    kind, words = tables.SPELLING.field("word").type, pa.py_buffer(speller.words.tobytes())
    column = pa.FixedSizeBinaryArray.from_buffers(kind, len(speller.words), [None, words])
    return pa.table([column, pa.array(speller.used)], schema=tables.SPELLING)
