"""The answers' side of an encoder on the disk: as bytes where it was learned, packed where the starter brought it.

Packed answers lie in several tables, each with a codebook of its own that all lengths share. Which answers lie in
which, a file says; in a distilled index as it is made, how often each was used.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regis.index.storage import cached_columns, npy
from regis.index.storage.npy import ArrayCheck, is_finite
from regis.index.tables import schema
from regis.models.neural.product_quantization import CODEBOOK_SIZE, PQRows, TieredPQ, is_codebook
from regis.models.neural.vector_table import DIMENSIONS, AnswerVectors, Int8Rows
from regis.models.numeric.arrays import Float32Array
from regis.system.files.locked_folder import ReadablePath

TIER_FILE = "tier"  # the file that says in which of schema.TIER_PIECES an answer's vector lies, by their order


class IndexCodebooks:
    """The codebooks with which an index's vectors were quantized, each read once."""

    def __init__(self, index_folder: ReadablePath) -> None:
        self.index_folder = index_folder
        self._read: dict[str, Float32Array] = {}

    def read_codebook(self, encoder_folder: str, name: str, piece_count: int) -> Float32Array:
        """Return the codebook `name` of an encoder whose vectors were cut into so many pieces.

        Returns
        -------
        (piece_count, CODEBOOK_SIZE, numbers) float32.
        """
        file_name = schema.encoder_array_file(encoder_folder, f"{name}-book")
        if file_name not in self._read:
            self._read[file_name] = cached_columns.read_array(
                self.index_folder, file_name, np.float32, (piece_count, CODEBOOK_SIZE, None),
                lambda values: is_codebook(values, DIMENSIONS),
            )  # fmt: skip
        return self._read[file_name]


def read_answer_vectors(
    codebooks: IndexCodebooks,
    encoder_folder: str,
    answer_length: int,
    answer_count: int,
    use_counts: NDArray[np.int64] | None,
) -> AnswerVectors:
    """Read the vectors and biases of all answers of one length in an encoder of the index that has the `codebooks`.

    Parameters
    ----------
    encoder_folder : name of the encoder's folder in the index.
    use_counts : (answer_count,) uses of each answer in a distilled index; else None.

    Raises
    ------
    IndexDamaged, IndexUnreadable
    """
    folder = codebooks.index_folder

    def read(name: str, dtype: type, *shape: int | None, check: ArrayCheck | None = None) -> NDArray[Any]:
        file_name = schema.encoder_length_file(encoder_folder, answer_length, name)
        return cached_columns.read_array(folder, file_name, dtype, shape, check)

    scales, bias = (read(name, np.float16, answer_count, check=is_finite) for name in ("scales", "bias"))
    if (folder / schema.encoder_length_file(encoder_folder, answer_length, TIER_FILE)).is_file():
        tiers = read(TIER_FILE, np.uint8, answer_count, check=lambda values: (values < len(schema.TIER_PIECES)).all())
    elif use_counts is not None:
        tiers = np.argmax(list(schema.assign_tiers(use_counts).values()), axis=0)
    else:
        codes = read("answers", np.int8, answer_count, None, check=lambda values: 0 < values.shape[1] <= DIMENSIONS)
        return AnswerVectors(Int8Rows(codes, scales), bias.astype(np.float32))
    masks, packed = [tiers == i for i in range(len(schema.TIER_PIECES))], []
    for (name, pieces), mask in zip(schema.TIER_PIECES.items(), masks, strict=True):
        codes = read(name, np.uint8, int(mask.sum()), pieces)
        packed.append(PQRows(codes, scales[mask], codebooks.read_codebook(encoder_folder, name, pieces), DIMENSIONS))
    return AnswerVectors(TieredPQ.from_tiers(masks, packed), bias.astype(np.float32))


def write_answer_vectors(index_folder: Path, encoder_folder: str, answer_length: int, vectors: AnswerVectors) -> None:
    """Write the answers' side of an encoder for one length, in the form that `vectors` have, without codebooks."""
    rows = vectors.vectors
    if isinstance(rows, TieredPQ):
        scales = np.empty(len(rows.table_numbers), np.float16)
        for i, packed in enumerate(rows.tables):
            scales[rows.table_numbers == i] = packed.scales
        codes = {name: packed.codes for name, packed in zip(schema.TIER_PIECES, rows.tables, strict=True)}
        arrays: dict[str, NDArray[Any]] = {TIER_FILE: rows.table_numbers, "scales": scales, **codes}
    else:
        rows = rows if isinstance(rows, Int8Rows) else Int8Rows.from_vectors(rows.dequantize(slice(None)))
        arrays = {"answers": rows.codes, "scales": rows.scales}
    for name, values in {**arrays, "bias": vectors.bias.astype(np.float16)}.items():
        npy.save_array(index_folder / schema.encoder_length_file(encoder_folder, answer_length, name), values)
