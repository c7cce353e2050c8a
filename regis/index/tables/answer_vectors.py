"""An encoder's answer vectors: int8 if the index learned them, packed if they come from the starter.

Packed answers are in several tables, each with a codebook for all lengths. An array, or else their use counts, decides
which table has an answer.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regis.index.storage.index_files import ArrayCheck, IndexFiles
from regis.index.tables import schema
from regis.models.arrays import Float32Array, is_finite
from regis.models.neural.vector_table import (
    CODEBOOK_SIZE,
    DIMENSIONS,
    AnswerVectors,
    Int8Rows,
    PQRows,
    TieredPQ,
    is_codebook,
)
from regis.system.files import array_file


class IndexCodebooks:
    """The codebooks of an index's vectors, each read once."""

    def __init__(self, index_files: IndexFiles) -> None:
        self.index_files = index_files
        self._read: dict[tuple[str, str], Float32Array] = {}

    def read_codebook(self, encoder_name: str, name: str) -> Float32Array:
        """Return the codebook `name` of an encoder, (pieces, CODEBOOK_SIZE, numbers)."""
        if (encoder_name, name) not in self._read:
            shape = None, CODEBOOK_SIZE, None
            self._read[encoder_name, name] = self.index_files.read_array(
                encoder_name, f"{name}-book", np.float32, shape, lambda values: is_codebook(values, DIMENSIONS)
            )
        return self._read[encoder_name, name]


def read_answer_vectors(
    codebooks: IndexCodebooks,
    encoder_name: str,
    answer_length: int,
    answer_count: int,
    count_uses: Callable[[], NDArray[np.int64]],
) -> AnswerVectors:
    """Read an encoder's vectors and biases for all answers of one length.

    `count_uses` returns use counts, (answer_count,). Raises IndexDamaged or IndexUnreadable.
    """
    files, part = codebooks.index_files, schema.length_part(answer_length, encoder_name)

    def read(name: str, dtype: type, *shape: int | None, check: ArrayCheck | None = None) -> NDArray[Any]:
        return files.read_array(part, name, dtype, shape, check)

    with files.guard(part):
        names = set(files.read_arrays(part))
    scales, bias = (read(name, np.float16, answer_count, check=is_finite) for name in ("scales", "bias"))
    if names.isdisjoint(schema.TIERS):
        codes = read("answers", np.int8, answer_count, None, check=lambda values: 0 < values.shape[1] <= DIMENSIONS)
        return AnswerVectors(Int8Rows(codes, scales), bias.astype(np.float32))
    if "tier" in names:
        tiers = read("tier", np.uint8, answer_count, check=lambda values: (values < len(schema.TIERS)).all())
    else:
        tiers = np.argmax(list(schema.assign_tiers(count_uses()).values()), axis=0)
    masks, packed = [tiers == i for i in range(len(schema.TIERS))], []
    for name, mask in zip(schema.TIERS, masks, strict=True):
        codebook = codebooks.read_codebook(encoder_name, name)
        codes = read(name, np.uint8, int(mask.sum()), len(codebook))
        packed.append(PQRows(codes, scales[mask], codebook, DIMENSIONS))
    return AnswerVectors(TieredPQ.from_tiers(masks, packed), bias.astype(np.float32))


def write_answer_vectors(index_folder: Path, encoder_name: str, answer_length: int, vectors: AnswerVectors) -> None:
    """Write an encoder's answer vectors of one length, as they are, without codebooks."""
    rows = vectors.vectors
    if isinstance(rows, TieredPQ):
        scales = np.empty(len(rows.table_numbers), np.float16)
        for i, packed in enumerate(rows.tables):
            scales[rows.table_numbers == i] = packed.scales
        codes = {name: packed.codes for name, packed in zip(schema.TIERS, rows.tables, strict=True)}
        arrays: dict[str, NDArray[Any]] = {"tier": rows.table_numbers, "scales": scales, **codes}
    else:
        rows = rows if isinstance(rows, Int8Rows) else Int8Rows.from_vectors(rows.dequantize(slice(None)))
        arrays = {"answers": rows.codes, "scales": rows.scales}
    arrays["bias"] = vectors.bias.astype(np.float16)
    array_file.write_arrays(schema.part_path(index_folder, schema.length_part(answer_length, encoder_name)), arrays)
