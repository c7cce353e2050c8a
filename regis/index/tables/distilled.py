"""The tables that an index without clues has in their place, as small as can be: answers, and numbers of past clues.

Of what clues say of an answer only counts are left, and of a clue its number (models.text.clue_features).
`building.distil` writes them, and `merge_distilled` where clues are added to such an index.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from regis.index.storage import parquet
from regis.index.tables import arrow_schemas, schema


class AnswerColumns(NamedTuple):
    """Answers of one length, sorted: parallel arrays. Of what was counted by year only the newest is kept."""

    answers: NDArray[np.bytes_]
    display_texts: pa.Array  # as lists write them, or null
    use_counts: NDArray[np.integer[Any]]
    last_years: NDArray[np.uint16]
    decayed_uses: NDArray[np.integer[Any]]  # by their age in the newest year
    list_scores: NDArray[np.floating[Any]]  # not looked at where an answer was used


class HashedClues(NamedTuple):
    """Past clues by their hash, with an answer that they had: parallel arrays, sorted by clue and answer."""

    clue_hashes: NDArray[np.uint64]
    answer_rows: NDArray[np.integer[Any]]
    use_counts: NDArray[np.integer[Any]]
    last_years: NDArray[np.uint16]


def write_answer_table(index_folder: Path, answer_length: int, answers: AnswerColumns) -> None:
    """Write the table of the answers of one length."""
    is_unused = answers.use_counts == 0
    columns = {
        "answer": pa.array(answers.answers.tolist(), pa.binary(answer_length)), "text": answers.display_texts,
        "count": answers.use_counts.astype(np.uint32), "latest": np.zeros(len(is_unused), np.uint32),
        "last": answers.last_years, "previous": answers.last_years, "recent": answers.decayed_uses.astype(np.uint32),
        "score": np.where(is_unused, answers.list_scores, 0).astype(np.float32),
    }  # fmt: skip
    table = pa.table(columns, schema=arrow_schemas.answer_schema(answer_length))
    parquet.write_packed_table(index_folder / schema.answers_file(answer_length), table, [])


def write_hashed_clues(index_folder: Path, answer_length: int, hashed_clues: HashedClues) -> None:
    """Write the numbers of past clues whose answers have one length."""
    types = schema.HASHED_CLUE_COLUMNS.items()
    columns = {name: np.asarray(array, dtype) for (name, dtype), array in zip(types, hashed_clues, strict=True)}
    table = pa.table(columns, schema=arrow_schemas.HASHED_CLUE_SCHEMA)
    parquet.write_packed_table(index_folder / schema.hashed_clues_file(answer_length), table, ["clue", "answer"])
