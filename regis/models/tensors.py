"""A network's weights in a file: safetensors, where matrices may be kept in four or eight bits a number.

The file is read without the library, which copies it, and stops the program where there is no memory for that.

Such a matrix is cut into blocks of BLOCK numbers of a row, each with a scale of its own (symmetric block-wise
quantisation). In the file it is `name`, uint8, with `name.scales` beside it; all else is float32.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.system.held import Place

BLOCK = 32
ABOUT = {"block": str(BLOCK)}  # the file's metadata; how many bits a number has follows from the shapes
SCALES = ".scales"
KINDS = {"F32": np.float32, "U8": np.uint8}  # by their names in the file
LARGEST = 1e4  # however damaged a file, no number in it is as large; those that were learned are some tens at most

Floats = NDArray[np.float32]  # what is learned and kept,
Table = NDArray[np.float64]  # and what is reckoned with: probabilities and their logs


def unit(vectors: Floats) -> Floats:
    """Each of `vectors`, (..., numbers), at length 1; zeros stay zeros."""
    directions: Floats = vectors / (np.linalg.norm(vectors, axis=-1, keepdims=True) + np.float32(1e-9))
    return directions


class Blocks(NamedTuple):
    """A matrix in four or eight bits a number."""

    codes: NDArray[np.uint8]  # (rows, columns * bits / 8); of four bits two in a byte, the first in the lower half
    scales: Floats  # (rows, columns / BLOCK)

    @classmethod
    def of(cls, matrix: Floats, bits: int) -> Blocks:
        """`matrix`, (rows, columns), in so many bits; the largest number of a block is kept best."""
        blocks = matrix.reshape(len(matrix), -1, BLOCK)
        most = np.take_along_axis(blocks, np.abs(blocks).argmax(axis=-1, keepdims=True), axis=-1)
        half = 1 << (bits - 1)
        scales = (most / -half).astype(np.float32)
        scales[scales == 0] = 1
        codes = (np.clip(np.rint(blocks / scales), -half, half - 1) + half).astype(np.uint8)
        if bits == 4:
            codes = codes[..., 0::2] | (codes[..., 1::2] << np.uint8(4))
        return cls(codes.reshape(len(matrix), -1), scales[..., 0])

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, columns)"""
        return len(self.scales), BLOCK * self.scales.shape[1]

    def unpacked(self, rows: NDArray[np.int64] | slice = slice(None)) -> Floats:
        """These rows, (rows, columns)."""
        codes, scales = self.codes[rows], self.scales[rows]
        numbers: Floats = np.empty((*scales.shape, BLOCK), np.float32)
        if codes.shape[1] == BLOCK * scales.shape[1]:
            numbers.reshape(codes.shape)[:] = codes
            numbers -= 128
        else:
            pairs = numbers.reshape(*codes.shape, 2)
            np.bitwise_and(codes, 15, out=pairs[..., 0], casting="unsafe")
            np.right_shift(codes, 4, out=pairs[..., 1], casting="unsafe")
            numbers -= 8
        numbers *= scales[..., None]
        return numbers.reshape(len(scales), -1)


Tensors = Mapping[str, Floats | Blocks]


def write(file: Path, tensors: Tensors) -> None:
    """Raises OSError."""
    from safetensors.numpy import save

    flat: dict[str, NDArray[np.float32] | NDArray[np.uint8]] = {}
    for name, values in tensors.items():
        if isinstance(values, Blocks):
            flat[name], flat[name + SCALES] = values
        else:
            flat[name] = np.ascontiguousarray(values, np.float32)
    file.write_bytes(save(flat, ABOUT))


def read(file: Place) -> dict[str, Floats | Blocks]:
    """The tensors in `file`. Raises OSError, or ValueError if it is damaged."""
    data = memoryview(file.read_bytes())
    begin = 8 + int.from_bytes(data[:8], "little")
    try:
        listed = json.loads(bytes(data[8:begin]))
        about = listed.pop("__metadata__", None)
        held: dict[str, NDArray[Any]] = {}
        for name, one in listed.items():
            low, high = one["data_offsets"]
            held[name] = np.frombuffer(data[begin:][low:high], KINDS[one["dtype"]]).reshape(one["shape"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as cause:
        raise ValueError(f"{file} holds no tensors") from cause
    if about != ABOUT:
        raise ValueError(f"{file} is of another kind")
    scales = {name.removesuffix(SCALES): held.pop(name) for name in list(held) if name.endswith(SCALES)}
    if not scales.keys() <= held.keys():
        raise ValueError(f"{file} has scales of nothing")
    found = {name: Blocks(codes, scales[name]) if name in scales else codes for name, codes in held.items()}
    for name, values in found.items():
        _check(name, values)
    return found


def unpacked(tensors: Tensors) -> dict[str, Floats]:
    """All of them as float32."""
    return {name: values.unpacked() if isinstance(values, Blocks) else values for name, values in tensors.items()}


def _check(name: str, values: Floats | Blocks) -> None:
    if isinstance(values, Blocks):
        codes, scales = values
        fit = codes.ndim == scales.ndim == 2 and len(codes) == len(scales)
        sizes = (BLOCK // 2 * scales.shape[-1], BLOCK * scales.shape[-1])  # four bits, and eight
        if codes.dtype != np.uint8 or not fit or codes.shape[-1] not in sizes:
            raise ValueError(f"{name} and its scales do not go together")
        values = scales
    if values.dtype != np.float32 or not -LARGEST < values.min() <= values.max() < LARGEST:
        raise ValueError(f"{name} has numbers that are none")
