"""The tables that an index without clues has in their place, as small as can be: answers, and numbers of past clues.

Of what clues say of an answer only counts are left, and of a clue its number (models.features). `building.distil`
writes them, and `merge_packed` where clues are added to such an index.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from regis.index import schema, tables


@dataclass(frozen=True)
class AnswerColumns:
    """Answers of one length, sorted: parallel arrays. What was counted by year is not kept but for the newest."""

    names: NDArray[np.bytes_]
    texts: pa.Array  # as lists write them, or null
    count: NDArray[np.integer[Any]]
    last: NDArray[np.uint16]
    score: NDArray[np.floating[Any]]  # of lists; where an answer was used it is not looked at


@dataclass(frozen=True)
class Repeats:
    """Past clues with an answer that they had: parallel arrays, sorted by clue and answer."""

    clue: NDArray[np.uint64]
    answer: NDArray[np.integer[Any]]  # row in the answer table
    count: NDArray[np.integer[Any]]
    last: NDArray[np.uint16]


def write_answers(folder: Path, length: int, answers: AnswerColumns) -> None:
    """Writes the table of the answers of one length."""
    unused = answers.count == 0
    columns = {
        "answer": pa.array(answers.names.tolist(), pa.binary(length)), "text": answers.texts,
        "count": answers.count.astype(np.uint32), "latest": np.zeros(len(unused), np.uint32),
        "last": answers.last, "previous": answers.last, "score": np.where(unused, answers.score, 0).astype(np.float32),
    }  # fmt: skip
    table = pa.table(columns, schema=tables.answers_schema(length))
    tables.write_packed(folder / schema.answers_file(length), table, [])


def write_repeats(folder: Path, length: int, repeats: Repeats) -> None:
    """Writes the numbers of past clues whose answers have one length."""
    columns = {name: getattr(repeats, name).astype(kind) for name, kind in schema.REPEATS.items()}
    table = pa.table(columns, schema=tables.REPEATS)
    tables.write_packed(folder / schema.repeats_file(length), table, ["clue", "answer"])
