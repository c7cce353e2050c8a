"""What the phrases of layers teach about answers in no list: the words that they are made of become pieces.

Whoever adds "Mos Eisley" knows that EISLEY is a word, which may end other phrases too. A word that is no piece yet (of
models.strings.string_model) is as likely as the least likely piece, which was used once, and the likelier the more
phrases have it; all new ones together have no more than a small share, lest a long list push aside what was learned.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pyarrow as pa

from regis import text
from regis.index.index import Index
from regis.index.storage import parquet
from regis.index.tables import arrow_schemas, schema
from regis.models.strings.pieces import MAX_PIECE_LETTERS, damp_counts

MAX_NEW_SHARE = 0.05  # of all pieces in each place, that new ones may have together; a guess


def count_phrase_words(texts: Iterable[str]) -> Counter[str]:
    """Count the words, in capitals, of those of `texts` that have several words."""
    phrases = (phrase for phrase in texts if " " in phrase)
    counts = Counter(text.normalize_answer(word) for phrase in phrases for word in phrase.split())
    return Counter({word: count for word, count in counts.items() if word and len(word) <= MAX_PIECE_LETTERS})


def write_layer_pieces(base: Index, texts: Iterable[str], built_folder: Path) -> bool:
    """Write the pieces of `base` with those of `texts` into the index `built_folder`; return whether any was new."""
    counts = count_phrase_words(texts)
    if not counts or (phrases := base.string_model.phrase_model) is None or not len(phrases.pieces):
        return False
    known, chances = phrases.pieces, phrases.piece_probabilities
    new = sorted(counts.keys() - set(known.astype(str).tolist()))
    if not new:
        return False
    more = chances.min(axis=1, keepdims=True) * damp_counts(np.array([counts[word] for word in new], np.float64))
    more *= np.minimum(1, MAX_NEW_SHARE * chances.sum(axis=1) / np.maximum(more.sum(axis=1), 1e-300))[:, None]
    pieces = np.concatenate([known.astype(str), new])
    order = np.argsort(pieces, kind="stable")  # that of the tree that they become (models.strings.trie)
    columns = (pa.array(row[order], pa.float32()) for row in np.concatenate([chances, more], axis=1))
    table = pa.table([pa.array(pieces[order], pa.string()), *columns], schema=arrow_schemas.PIECE_SCHEMA)
    (built_folder / schema.PHRASES_FILE).unlink(missing_ok=True)  # it may be a link
    parquet.write_packed_table(built_folder / schema.PHRASES_FILE, table, ["piece"])
    return True
