"""The words into which the answers of an index are cut (models.strings): those of its clues and its lists."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa

from regis import text
from regis.index import Index
from regis.index.tables import arrow_schemas
from regis.models.strings.word_segmentation import WordSegmenter

MIN_WORD_USES = 2  # a word that clues use less often is as likely a slip


def count_clue_words(index: Index) -> Counter[str]:
    """Count the words of all clues of `index`, in capitals, by how often each is used."""
    word_counts: Counter[str] = Counter()
    for part in index.partitions():
        for key in part.clue_keys.take_texts(np.flatnonzero(part.clue_counts > 0)):
            word_counts.update(key.split())
    return Counter({word.upper(): count for word, count in word_counts.items() if word.isascii() and word.isalpha()})


def build_segmenter(index: Index, known_segmenter: WordSegmenter | None = None) -> WordSegmenter:
    """Build a segmenter from the words of the clues of `index`, and of its lists.

    Parameters
    ----------
    known_segmenter : its words are kept, since a starter has words of which the index has no text; of two counts the
        larger is taken.
    """
    word_counts = Counter({word: count for word, count in count_clue_words(index).items() if count >= MIN_WORD_USES})
    for part in index.partitions():
        for display_text in part.display_text_array.drop_null().to_pylist():
            word_counts.update(map(text.normalize_answer, display_text.split()))
    if known_segmenter is not None:
        known_counts = zip(known_segmenter.words.tolist(), known_segmenter.word_counts.tolist(), strict=True)
        word_counts |= Counter({word.decode(): count for word, count in known_counts})
    return WordSegmenter.from_word_counts(word_counts)


def segmenter_table(segmenter: WordSegmenter) -> pa.Table:
    """Return the words as a table of SPELLING_SCHEMA."""
    kind, words = arrow_schemas.SPELLING_SCHEMA.field("word").type, pa.py_buffer(segmenter.words.tobytes())
    column = pa.FixedSizeBinaryArray.from_buffers(kind, len(segmenter.words), [None, words])
    return pa.table([column, pa.array(segmenter.word_counts)], schema=arrow_schemas.SPELLING_SCHEMA)
