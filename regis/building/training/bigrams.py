"""Learning which words follow each other (regis.models.bigrams): from clues, their blanks filled, and from titles.

A clue with a blank is half of a phrase that somebody wrote whole: "___ Joey" and PAL say more of new answers than all
other clues together (measured: docs/measured.md).
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from regis import text
from regis.index import Index, schema, tables
from regis.models.bigrams import Bigrams


def of(index: Index, pieces: NDArray[np.bytes_]) -> Bigrams:
    """Which of `pieces` follow which, in what `index` has read."""
    known = set(pieces.astype(str).tolist())
    used: Counter[str] = Counter()
    times: Counter[tuple[str, str]] = Counter()
    for said in _said(index):
        used.update(said)
        times.update(pair for pair in itertools.pairwise(said) if pair[0] in known and pair[1] in known)
    return Bigrams.of(times, used)


def write(found: Bigrams, folder: Path) -> None:
    """Writes what was `found` into the index `folder`."""
    table = pa.table([pa.array(found.pairs), pa.array(found.chances)], schema=tables.BIGRAMS)
    tables.write_packed(folder / schema.BIGRAMS, table, ["pair"])


def _said(index: Index) -> Iterator[list[str]]:
    """The words of each clue with its answer, and of each title, in capitals."""
    for part in index.parts():
        rows = np.flatnonzero(part.clue_count > 0)
        answers = part.names[part.clue_answer[rows]].astype(str).tolist()
        for key, answer in zip(part.key_column.of(rows), answers, strict=True):
            yield [answer if word == text.BLANK else word.upper() for word in key.split()]
        for title in part.texts.drop_null().to_pylist():
            if " " in title:
                yield list(map(text.answer, title.split()))
