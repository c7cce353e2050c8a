"""What an ONNX file holds: its tensors and its nodes, read without a library (onnx.proto; protobuf's wire format).

Only what `learn.transformer` and `learn.shrinking` write is understood: tensors of the KINDS below with raw data; of
each node its inputs, outputs, and attributes that are whole numbers from 0.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

KINDS = {1: "<f4", 2: "u1", 3: "i1", 7: "<i8", 10: "<f2"}
FOUR_BITS = 22

MOST_BITS = 64
"""Of a whole number; what is longer was damaged."""

Field = tuple[int, Any]  # number; an int, or the bytes


class Node(NamedTuple):
    """One step of the network."""

    kind: str
    inputs: list[str]
    outputs: list[str]
    settings: dict[str, int]


class Graph(NamedTuple):
    """A network. Tensors are mapped into memory, not read; those of four bits as bytes of two numbers each."""

    tensors: dict[str, NDArray[Any]]
    nodes: list[Node]


def read(file: Path) -> Graph:
    """The network in `file`. Raises OSError, or ValueError if it is not one."""
    with file.open("rb") as opened:
        whole = memoryview(mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ))
    graph = Graph({}, [])
    try:
        for number, part in _fields(whole):
            if number == 7:
                for inner, content in _fields(part):
                    if inner == 1:
                        graph.nodes.append(_node(content))
                    elif inner == 5:
                        name, values = _tensor(content)
                        graph.tensors[name] = values
    except (IndexError, TypeError, KeyError, UnicodeDecodeError, OverflowError) as cause:
        raise ValueError(f"{file} is no ONNX file") from cause
    return graph


def _node(content: memoryview) -> Node:
    node = Node("", [], [], {})
    for number, value in _fields(content):
        if number in (1, 2):
            (node.inputs, node.outputs)[number - 1].append(str(value, "utf-8"))
        elif number == 4:
            node = node._replace(kind=str(value, "utf-8"))
        elif number == 5:
            setting = dict(_fields(value))
            if isinstance(setting.get(3), int):
                node.settings[str(setting[1], "utf-8")] = setting[3]
    return node


def _tensor(content: memoryview) -> tuple[str, NDArray[Any]]:
    shape, kind, name, raw = [], 0, "", memoryview(b"")
    for number, value in _fields(content):
        if number == 1:
            shape.append(int(value))
        elif number == 2:
            kind = value
        elif number == 8:
            name = str(value, "utf-8")
        elif number == 9:
            raw = value
    if kind == FOUR_BITS:
        return name, np.frombuffer(raw, np.uint8).reshape(*shape[:-1], -1)
    return name, np.frombuffer(raw, KINDS[kind]).reshape(shape)


def _fields(content: memoryview) -> Iterator[Field]:
    """The fields of a message as they come: number and value, bytes where the value is no whole number."""
    at = 0
    while at < len(content):
        key, at = _whole(content, at)
        if key < 8:
            raise IndexError("no field has the number 0")
        kind = key & 7
        if kind == 0:
            value, at = _whole(content, at)
            yield key >> 3, value
            continue
        if kind == 2:
            size, at = _whole(content, at)
        else:
            size = {1: 8, 5: 4}[kind]
        if at + size > len(content):
            raise IndexError("cut off")
        yield key >> 3, content[at : at + size]
        at += size


def _whole(content: memoryview, at: int) -> tuple[int, int]:
    """The whole number at `at`, seven bits a byte, and where it ends."""
    value = 0
    for shift in range(0, MOST_BITS, 7):
        byte = content[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
    raise IndexError("too long a number")
