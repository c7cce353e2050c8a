"""Weights and words of a language model in a GGUF file (ggml). The gguf library would take five seconds to read it."""

from __future__ import annotations

import mmap
import struct
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from regis.models.arrays import Float32Array

MAGIC = b"GGUF"
ALIGNMENT = 32  # bytes, of the first tensor; no file that we read says otherwise

NUMBER_FORMATS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
STRING, ARRAY = 8, 9

BLOCK_SIZE = 32  # weights that share a scale
BLOCK_TYPES = {  # by type: a block's bytes
    0: np.dtype([("values", "<f4", BLOCK_SIZE)]),
    3: np.dtype([("scale", "<f2"), ("least", "<f2"), ("nibbles", "u1", BLOCK_SIZE // 2)]),  # Q4_1
    8: np.dtype([("scale", "<f2"), ("values", "i1", BLOCK_SIZE)]),  # Q8_0
}


class GgufTensor(NamedTuple):
    """An array on the disk."""

    shape: tuple[int, ...]
    blocks: np.ndarray

    def unpack(self) -> Float32Array:
        """Return its numbers."""
        names = self.blocks.dtype.names or ()
        if "nibbles" in names:
            nibbles = self.blocks["nibbles"]
            values = np.concatenate([nibbles & 15, nibbles >> 4], axis=1).astype(np.float32)
        else:
            values = self.blocks["values"].astype(np.float32)
        if "scale" in names:
            values *= self.blocks["scale"][:, None].astype(np.float32)
        if "least" in names:
            values += self.blocks["least"][:, None].astype(np.float32)
        return values.reshape(self.shape)


class _Cursor:
    """A place in the file's bytes."""

    def __init__(self, data: mmap.mmap) -> None:
        self.data = data
        self.offset = 0

    def read(self, format: str) -> Any:
        (value,) = struct.unpack_from(f"<{format}", self.data, self.offset)
        self.offset += struct.calcsize(f"<{format}")
        return value

    def read_text(self) -> str:
        return str(self.read(f"{self.read('Q')}s"), "utf-8")

    def read_value(self, kind: int) -> Any:
        if kind == STRING:
            return self.read_text()
        if kind == ARRAY:
            item_kind, count = self.read("I"), self.read("Q")
            return [self.read_value(item_kind) for _ in range(count)]
        return self.read(NUMBER_FORMATS[kind])


def read_gguf(file: Path) -> tuple[dict[str, Any], dict[str, GgufTensor]]:
    """Map a file; return its fields and tensors. Raises OSError, ValueError, KeyError, or struct.error."""
    with file.open("rb") as stream:
        data = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
    cursor = _Cursor(data)
    if cursor.read("4s") != MAGIC:
        raise ValueError(f"{file} is no GGUF file")
    cursor.read("I")  # version: 2 and 3 are alike
    tensor_count, field_count = cursor.read("Q"), cursor.read("Q")
    fields = {cursor.read_text(): cursor.read_value(cursor.read("I")) for _ in range(field_count)}
    infos = [
        (cursor.read_text(), [cursor.read("Q") for _ in range(cursor.read("I"))], cursor.read("I"), cursor.read("Q"))
        for _ in range(tensor_count)
    ]
    start = -(-cursor.offset // ALIGNMENT) * ALIGNMENT
    tensors = {}
    for name, sizes, kind, offset in infos:
        shape = tuple(reversed(sizes))
        count = int(np.prod(shape)) // BLOCK_SIZE
        tensors[name] = GgufTensor(shape, np.frombuffer(data, BLOCK_TYPES[kind], count, start + offset))
    return fields, tensors
