"""The columns of tables as pyarrow has them; apart from `schema`, because to import pyarrow takes long."""

from __future__ import annotations

import pyarrow as pa

_COUNT_FIELDS = [
    *(("count", pa.uint32()), ("latest", pa.uint32()), ("last", pa.uint16()), ("previous", pa.uint16())),
    ("recent", pa.uint32()),
]
PAIR_SCHEMA = pa.schema([("key", pa.string()), ("clue", pa.string()), ("answer", pa.string()), *_COUNT_FIELDS])
"""A clue with an answer, and how often it had that. Where texts are not kept, the key is the hash of a key, uint64."""

ANSWER_SCHEMA = pa.schema([("answer", pa.string()), ("text", pa.string()), *_COUNT_FIELDS, ("score", pa.float32())])

USE_SCHEMA = pa.schema([("key", pa.string()), ("clue", pa.string()), ("answer", pa.string()), ("year", pa.uint16())])
"""Single uses of clues, as sources tell of them; the year is 0 if unknown."""

LIST_SCHEMA = pa.schema([("answer", pa.string()), ("text", pa.string()), ("score", pa.float32())])
"""What lists say of answers, with null for no text; the rest of the answer table is counted from the clues."""

LAYER_SCHEMA = pa.schema([*USE_SCHEMA, *LIST_SCHEMA.remove(LIST_SCHEMA.get_field_index("answer"))])
"""One entry of a layer: a use of a clue, or, with '' for key and clue, what a list says of an answer.

The text of a use is the name of the puzzle that it is of, a hash of its clues."""
