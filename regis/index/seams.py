"""What the phrases of layers teach about answers in no list: the words that they are made of become pieces.

Whoever adds "Mos Eisley" knows that EISLEY is a word, which may end other phrases too. A word that is no piece yet (of
models.unlisted) is as likely as the least likely piece, which was used once, and the likelier the more phrases have it;
all new ones together have no more than a small share, lest a long list push aside what was learned.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pyarrow as pa

from regis import text
from regis.index import schema, tables
from regis.index.index import Index
from regis.models.pieces import LONGEST, commonness

SHARE = 0.05  # of all pieces in each place, that new ones may have together; a guess
TINY = 1e-300


def words(texts: Iterable[str]) -> Counter[str]:
    """The words of those of `texts` that have several, in capitals, and how many times each is there."""
    several = (one for one in texts if " " in one)
    found = Counter(text.answer(word) for one in several for word in one.split())
    return Counter({word: times for word, times in found.items() if word and len(word) <= LONGEST})


def write(base: Index, texts: Iterable[str], built: Path) -> bool:
    """Writes the pieces of `base` with new ones from `texts` into the index `built`; whether there was any new one."""
    found = words(texts)
    if not found or (phrases := base.strings.phrases) is None or not len(phrases.pieces):
        return False
    known, chances = phrases.pieces, phrases.chances
    new = sorted(found.keys() - set(known.astype(str).tolist()))
    if not new:
        return False
    times = commonness(np.array([found[word] for word in new], np.float64))
    more = chances.min(axis=1, keepdims=True) * times
    more *= np.minimum(1, SHARE * chances.sum(axis=1) / np.maximum(more.sum(axis=1), TINY))[:, None]
    names = np.concatenate([known.astype(str), new])
    order = np.argsort(names, kind="stable")  # that of the tree that they become (models.tree)
    columns = (pa.array(row[order], pa.float32()) for row in np.concatenate([chances, more], axis=1))
    table = pa.table([pa.array(names[order], pa.string()), *columns], schema=tables.PIECES)
    (built / schema.PHRASES).unlink(missing_ok=True)  # it may be a link
    tables.write_packed(built / schema.PHRASES, table, ["piece"])
    return True
