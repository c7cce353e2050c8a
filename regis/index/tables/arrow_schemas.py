"""The columns of tables as pyarrow has them; apart from `schema`, because to import pyarrow takes long."""

from __future__ import annotations

import pyarrow as pa

from regis.index.storage.parquet import arrow_schema
from regis.index.tables import schema

_COUNT_FIELDS = list(arrow_schema({**schema.COUNT_COLUMNS, **schema.DECAYED_COLUMNS}))
CLUE_SCHEMA = pa.schema([("key", pa.string()), ("clue", pa.string()), *arrow_schema(schema.CLUE_COLUMNS)])
PAIR_SCHEMA = pa.schema([("key", pa.string()), ("clue", pa.string()), ("answer", pa.string()), *_COUNT_FIELDS])
"""The clue table before its answers have their rows, and how much each counts by its age."""

ANSWER_SCHEMA = pa.schema([("answer", pa.string()), ("text", pa.string()), *_COUNT_FIELDS, ("score", pa.float32())])
"""The answer table before its answers have their letters in a row."""

USE_SCHEMA = pa.schema([("key", pa.string()), ("clue", pa.string()), ("answer", pa.string()), ("year", pa.uint16())])
"""Single uses of clues, as sources tell of them; the year is 0 if unknown."""

LIST_SCHEMA = pa.schema([("answer", pa.string()), ("text", pa.string()), ("score", pa.float32())])
"""What lists say of answers, with null for no text; the rest of the answer table is counted from the clues."""

LAYER_SCHEMA = pa.schema([*USE_SCHEMA, *LIST_SCHEMA.remove(LIST_SCHEMA.get_field_index("answer"))])
"""One entry of a layer: a use of a clue, or, with '' for key and clue, what a list says of an answer.

The text of a use is the name of the puzzle that it is of, a hash of its clues; null in a clue table."""

PIECE_SCHEMA = arrow_schema(schema.PIECE_COLUMNS)
SPELLING_SCHEMA = arrow_schema(schema.SPELLING_COLUMNS)
HASHED_CLUE_SCHEMA = arrow_schema(schema.HASHED_CLUE_COLUMNS)
FEATURE_SCHEMA = arrow_schema(schema.FEATURE_COLUMNS)


def answer_schema(answer_length: int) -> pa.Schema:
    """Return the schema of the answer table of one length."""
    return ANSWER_SCHEMA.set(0, pa.field("answer", pa.binary(answer_length)))
