"""Network weights in a safetensors file, with matrices optionally in four or eight bits.

A quantized matrix is cut into blocks of BLOCK_SIZE numbers of a row, each with a scale (symmetric block-wise
quantization). The file has the matrix as `name`, uint8, and `name.scales`; everything else is float32. Regis doesn't
read with the library, because it copies the file, and aborts the program if memory is short.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.models.arrays import Float32Array

BLOCK_SIZE = 32
METADATA = {"block": str(BLOCK_SIZE)}  # of the file; the shapes show how many bits a number has
SCALES_SUFFIX = ".scales"
DTYPES = {"F32": np.float32, "U8": np.uint8}  # by the names in the file


class QuantizedMatrix(NamedTuple):
    codes: NDArray[np.uint8]  # (rows, columns * bits / 8); with four bits, two in a byte, the first in the lower half
    scales: Float32Array  # (rows, columns / BLOCK_SIZE)

    @classmethod
    def quantize(cls, matrix: Float32Array, n_bits: int) -> QuantizedMatrix:
        """Quantize a matrix to 4 or 8 bits; the number of columns must be a multiple of BLOCK_SIZE."""
        blocks = matrix.reshape(len(matrix), -1, BLOCK_SIZE)
        largest = np.take_along_axis(blocks, np.abs(blocks).argmax(axis=-1, keepdims=True), axis=-1)
        half = 1 << (n_bits - 1)
        scales = (largest / -half).astype(np.float32)
        scales[scales == 0] = 1
        codes = (np.clip(np.rint(blocks / scales), -half, half - 1) + half).astype(np.uint8)
        if n_bits == 4:
            codes = codes[..., 0::2] | (codes[..., 1::2] << np.uint8(4))
        return cls(codes.reshape(len(matrix), -1), scales[..., 0])

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.scales), BLOCK_SIZE * self.scales.shape[1]

    def dequantize(self, rows: NDArray[np.int64] | slice = slice(None)) -> Float32Array:
        codes, scales = self.codes[rows], self.scales[rows]
        numbers: Float32Array = np.empty((*scales.shape, BLOCK_SIZE), np.float32)
        if codes.shape[1] == BLOCK_SIZE * scales.shape[1]:
            numbers.reshape(codes.shape)[:] = codes
            numbers -= 128
        else:
            pairs = numbers.reshape(*codes.shape, 2)
            np.bitwise_and(codes, 15, out=pairs[..., 0], casting="unsafe")
            np.right_shift(codes, 4, out=pairs[..., 1], casting="unsafe")
            numbers -= 8
        numbers *= scales[..., None]
        return numbers.reshape(len(scales), -1)


Tensors = Mapping[str, Float32Array | QuantizedMatrix]


def write_tensors(tensor_file: Path, tensors: Tensors) -> None:
    from safetensors.numpy import save

    flat: dict[str, NDArray[np.float32] | NDArray[np.uint8]] = {}
    for name, values in tensors.items():
        if isinstance(values, QuantizedMatrix):
            flat[name], flat[name + SCALES_SUFFIX] = values
        else:
            flat[name] = np.ascontiguousarray(values, np.float32)
    tensor_file.write_bytes(save(flat, METADATA))


def read_tensors(tensor_file: Path) -> dict[str, Float32Array | QuantizedMatrix]:
    """Read a file's tensors by name; raises OSError, or ValueError if the file is damaged or of another kind."""
    data = memoryview(tensor_file.read_bytes())
    begin = 8 + int.from_bytes(data[:8], "little")
    try:
        header = json.loads(bytes(data[8:begin]))
        metadata = header.pop("__metadata__", None)
        arrays: dict[str, NDArray[Any]] = {}
        for name, entry in header.items():
            low, high = entry["data_offsets"]
            arrays[name] = np.frombuffer(data[begin:][low:high], DTYPES[entry["dtype"]]).reshape(entry["shape"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as cause:
        raise ValueError(f"{tensor_file} holds no tensors") from cause
    if metadata != METADATA:
        raise ValueError(f"{tensor_file} is another kind of file")
    scales = {n.removesuffix(SCALES_SUFFIX): arrays.pop(n) for n in list(arrays) if n.endswith(SCALES_SUFFIX)}
    if not scales.keys() <= arrays.keys():
        raise ValueError(f"{tensor_file} has scales of nothing")
    tensors = {
        name: QuantizedMatrix(codes, scales[name]) if name in scales else codes for name, codes in arrays.items()
    }
    for name, values in tensors.items():
        _check(name, values)
    return tensors


def dequantize_tensors(tensors: Tensors) -> dict[str, Float32Array]:
    return {
        name: values.dequantize() if isinstance(values, QuantizedMatrix) else values for name, values in tensors.items()
    }


def _check(name: str, values: Float32Array | QuantizedMatrix) -> None:
    if isinstance(values, QuantizedMatrix):
        codes, scales = values
        fit = codes.ndim == scales.ndim == 2 and len(codes) == len(scales)
        sizes = (BLOCK_SIZE // 2 * scales.shape[-1], BLOCK_SIZE * scales.shape[-1])  # four bits, and eight
        if codes.dtype != np.uint8 or not fit or codes.shape[-1] not in sizes:
            raise ValueError(f"{name} and its scales don't match")
        values = scales
    if values.dtype != np.float32 or not -1e4 < values.min() <= values.max() < 1e4:
        raise ValueError(f"{name} has values that aren't numbers")
