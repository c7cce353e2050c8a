"""A transformer that was taught, made a quarter of its size: its numbers in four bits instead of eight and 32.

Weights of layers stay in blocks of 32 with a scale each, the vectors of tokens too; rows for places in a clue that no
clue is long enough for are cut. What that costs: docs/measured.md.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regis.models.bert import PLACES, WORDS
from regis.models.transformer import LONGEST

BLOCK = 32


def shrink(model: Path, to: Path) -> None:
    """Writes the network in the file `model`, as `learn.transformer` exports it, with four bits a number to `to`."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    network = onnx.load(model)
    graph = network.graph
    held = {tensor.name: tensor for tensor in graph.initializer}

    def values(name: str) -> NDArray[Any]:
        found: NDArray[Any] = numpy_helper.to_array(held[name])
        return found

    def put(name: str, array: NDArray[Any]) -> None:
        held[name] = numpy_helper.from_array(array, name)

    for node in graph.node:
        if node.op_type == "MatMulNBits":
            _, codes, scales = node.input
            whole = (values(codes).astype(np.float32) - 128) * values(scales).reshape(*values(codes).shape[:2], 1)
            four, scale = _four_bits(whole)
            put(codes, _packed(four + 8))
            put(scales, scale.reshape(-1))
            next(a for a in node.attribute if a.name == "bits").i = 4
        elif node.op_type == "Gather" and node.input[0] == WORDS:
            table = values(WORDS)
            four, scale = _four_bits(table.reshape(len(table), -1, BLOCK))
            raw = _packed((four & 15).astype(np.uint8)).tobytes()
            held[WORDS] = helper.make_tensor(WORDS, TensorProto.INT4, table.shape, raw, raw=True)
            put(f"{WORDS}.scales", scale)
            node.op_type, node.domain = "GatherBlockQuantized", "com.microsoft"
            node.input.append(f"{WORDS}.scales")
            for name, value in {"block_size": BLOCK, "gather_axis": 0, "quantize_axis": 1}.items():
                node.attribute.append(helper.make_attribute(name, value))
    if PLACES in held:
        put(PLACES, values(PLACES)[:LONGEST])
    del graph.initializer[:]
    graph.initializer.extend(held.values())
    onnx.save(network, to)


def _four_bits(blocks: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Numbers from -8 to 7, and the scale of each block, the last axis; the largest of a block is kept best."""
    most = np.take_along_axis(blocks, np.abs(blocks).argmax(axis=-1, keepdims=True), axis=-1)
    scale = np.where(most == 0, 1, most / -8).astype(np.float32)
    return np.clip(np.rint(blocks / scale), -8, 7).astype(np.int8), scale[..., 0]


def _packed(codes: NDArray[Any]) -> NDArray[np.uint8]:
    """Codes of four bits, two in a byte, the first in the lower half (regis.models.bert unpacks them)."""
    small = codes.astype(np.uint8)
    both: NDArray[np.uint8] = small[..., 0::2] | (small[..., 1::2] << np.uint8(4))
    return both
