"""The answers' side of an encoder on the disk: as bytes where it was learned, packed where the starter brought it.

Packed answers lie in several tables, each with a book of its own that all lengths share. Which answers lie in which, a
file says; in a distilled index as it is made, how often each was used.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regis.index import arrays, columns, schema
from regis.index.arrays import Law, finite
from regis.models.embedding import DIMENSIONS, AnswerVectors, Bytes
from regis.models.quantization import ENTRIES, Packed, Tiers, is_book
from regis.models.tensors import Floats
from regis.system.held import Place

TIER = "tier"  # the file that says in which of schema.TIERS an answer's vector lies, by their order


class Books:
    """The books with which an index's vectors were cut into pieces, each read once."""

    def __init__(self, folder: Place) -> None:
        self.folder = folder
        self._read: dict[str, Floats] = {}

    def book(self, home: str, name: str, pieces: int) -> Floats:
        """The book `name` of the encoder `home`, of vectors that were cut into so many pieces."""
        file, shape = schema.packed_file(home, f"{name}-book"), (pieces, ENTRIES, None)
        if file not in self._read:
            self._read[file] = columns.read(self.folder, file, np.float32, shape, lambda v: is_book(v, DIMENSIONS))
        return self._read[file]


def read(books: Books, home: str, length: int, answers: int, count: NDArray[np.int64] | None) -> AnswerVectors:
    """The vectors and biases of so many `answers` of `length` in the encoder `home` of the index that has the `books`.

    In a distilled index, `count`, (answers,), is how often each was used; else None. Raises IndexDamaged or
    IndexUnreadable.
    """
    folder = books.folder

    def array(name: str, kind: type, *shape: int | None, law: Law | None = None) -> NDArray[Any]:
        return columns.read(folder, schema.encoder_file(home, length, name), kind, shape, law)

    scales, bias = (array(name, np.float16, answers, law=finite) for name in ("scales", "bias"))
    if (folder / schema.encoder_file(home, length, TIER)).is_file():
        tier = array(TIER, np.uint8, answers, law=lambda found: (found < len(schema.TIERS)).all())
    elif count is not None:
        tier = np.argmax(list(schema.tiers(count).values()), axis=0)
    else:
        table = array("answers", np.int8, answers, None, law=lambda found: 0 < found.shape[1] <= DIMENSIONS)
        return AnswerVectors(Bytes(table, scales), bias.astype(np.float32))
    tiers, packed = [tier == i for i in range(len(schema.TIERS))], []
    for (name, pieces), rows in zip(schema.TIERS.items(), tiers, strict=True):
        codes = array(name, np.uint8, int(rows.sum()), pieces)
        packed.append(Packed(codes, scales[rows], books.book(home, name, pieces), DIMENSIONS))
    return AnswerVectors(Tiers.of(tiers, packed), bias.astype(np.float32))


def write(folder: Path, home: str, length: int, said: AnswerVectors) -> None:
    """Writes the answers' side of `length` for the encoder `home` of the index in `folder`, in the form that it has.

    Books are not written.
    """
    if isinstance(said.table, Tiers):
        files = _tiers(said.table)
    else:
        table = said.table if isinstance(said.table, Bytes) else Bytes.of(said.table.unpacked(slice(None)))
        files = {"answers": table.table, "scales": table.scales}
    for name, values in {**files, "bias": said.bias.astype(np.float16)}.items():
        arrays.save(folder / schema.encoder_file(home, length, name), values)


def _tiers(table: Tiers) -> dict[str, NDArray[Any]]:
    scales = np.empty(len(table.tier), np.float16)
    for i, packed in enumerate(table.packed):
        scales[table.tier == i] = packed.scales
    codes = {name: packed.codes for name, packed in zip(schema.TIERS, table.packed, strict=True)}
    return {TIER: table.tier, "scales": scales, **codes}
