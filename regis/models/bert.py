"""The transformer's network in numpy, for where ONNX Runtime is not installed (BERT, Devlin 2019).

It reads the same file, and gives vectors that differ by 2 % of their length, since ONNX Runtime multiplies in bytes.
Weights kept in bytes or half bytes are unpacked once; the words of all clues go through the layers together, without
padding, and only attention looks at each clue by itself.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regis.models import onnxfile

WORDS = "bert.embeddings.word_embeddings.weight"
PLACES = "bert.embeddings.position_embeddings.weight"
"""Tensors: the vectors of words, and of places in a clue."""

HEADS = 12
"""Of MiniLM-L6. A file of another network does not say how many it has."""

DENSE = 6
"""Products with weights in a layer: query, key, value, what was heard, and two more."""

LARGEST = 1e4
"""However damaged a file, no number in it is as large; those that were learned are some tens at most."""

BEND = math.sqrt(2 / math.pi)  # of the normal distribution's approximation
SMALL = np.float32(1e-12)  # added to a variance
FAR = np.float32(-1e9)  # the score of what is not there

Table = NDArray[np.float32]


class Bert:
    """A network as `learn.transformer` exports it: (tokens, mask), (clues, tokens) each, to vectors, float32."""

    def __init__(self, model: Path) -> None:
        """Raises OSError, or ValueError if `model` is not such a network.

        Numbers that go together badly are found out when it first reads (see Transformer).
        """
        graph = onnxfile.read(model)
        self._held = {name: values for name, values in graph.tensors.items() if name.startswith(("bert.", "turn."))}
        try:
            self._layers = _weights(graph)
            self._depth = len(self._layers) // DENSE
            last = f"bert.encoder.layer.{self._depth - 1}.output.dense"
            products = sum(node.kind == "MatMulNBits" for node in graph.nodes)
            if last not in self._layers or not DENSE * self._depth == len(self._layers) == products:
                raise ValueError(f"{model} lacks parts of a layer")
            self._layers["turn"] = np.ascontiguousarray(self._held["turn.weight"].T)
            for name, values in (self._held | self._layers).items():
                if values.dtype.kind == "f" and not -LARGEST < values.min() <= values.max() < LARGEST:
                    raise ValueError(f"{name} has numbers that are none")
        except (KeyError, IndexError, TypeError, ZeroDivisionError) as cause:
            raise ValueError(f"{model} is not a network that Regis wrote") from cause

    def __call__(self, tokens: NDArray[np.int64], mask: NDArray[np.int64]) -> Table:
        """Each clue has a token at least."""
        there = mask.astype(bool)
        place = np.broadcast_to(np.arange(tokens.shape[1]), tokens.shape)[there]
        said = self._words(tokens[there]) + self._held[PLACES][place]
        said += self._held["bert.embeddings.token_type_embeddings.weight"][0]
        said = self._normal(said, "bert.embeddings.LayerNorm")
        away = np.where(there, np.float32(0), FAR)[:, None, None, :]
        for layer in range(self._depth):
            at = f"bert.encoder.layer.{layer}"
            heard = self._dense(self._attention(said, there, away, at), f"{at}.attention.output.dense")
            said = self._normal(heard + said, f"{at}.attention.output.LayerNorm")
            inner = self._dense(_gelu(self._dense(said, f"{at}.intermediate.dense")), f"{at}.output.dense")
            said = self._normal(inner + said, f"{at}.output.LayerNorm")
        sizes = there.sum(axis=1)
        mean = np.add.reduceat(said, np.cumsum(sizes) - sizes) / sizes[:, None].astype(np.float32)
        return self._dense(mean, "turn")

    def _words(self, tokens: NDArray[np.int64]) -> Table:
        rows = self._held[WORDS][tokens]
        scales = self._held.get(f"{WORDS}.scales")
        if scales is None:
            return np.asarray(rows)
        halves = (_halves(rows).astype(np.int8) ^ 8) - 8  # signed
        blocks: Table = halves.reshape(*scales[tokens].shape, -1) * scales[tokens][..., None]
        return blocks.reshape(len(tokens), -1)

    def _attention(self, said: Table, there: NDArray[np.bool_], away: Table, at: str) -> Table:
        """What each word hears from the words of its clue, (words, numbers)."""
        clues, longest = there.shape
        width = said.shape[1] // HEADS

        def heads(name: str) -> Table:
            table = np.zeros((clues, longest, said.shape[1]), np.float32)
            table[there] = self._dense(said, f"{at}.attention.self.{name}")
            return table.reshape(clues, longest, HEADS, width).transpose(0, 2, 1, 3)

        score: Table = heads("query") @ heads("key").transpose(0, 1, 3, 2)
        score *= np.float32(width**-0.5)
        score += away
        score -= score.max(axis=-1, keepdims=True)
        np.exp(score, out=score)
        score /= score.sum(axis=-1, keepdims=True)
        heard: Table = (score @ heads("value")).transpose(0, 2, 1, 3).reshape(clues, longest, -1)[there]
        return heard

    def _dense(self, said: Table, name: str) -> Table:
        out: Table = said @ self._layers[name]
        out += self._held[f"{name}.bias"]
        return out

    def _normal(self, said: Table, name: str) -> Table:
        said -= said.mean(axis=1, keepdims=True)
        said /= np.sqrt(np.square(said).mean(axis=1, keepdims=True) + SMALL)
        said *= self._held[f"{name}.weight"]
        said += self._held[f"{name}.bias"]
        return said


def _gelu(x: Table) -> Table:
    """x times the chance that a normal number is smaller, to within 0.0005 (Hendrycks 2016).

    numpy knows no better one, and scipy's takes 18 times as long.
    """
    inner = np.square(x)
    inner *= np.float32(0.044715 * BEND)
    inner += np.float32(BEND)
    inner *= x
    np.tanh(inner, out=inner)
    inner += 1
    inner *= x
    inner *= np.float32(0.5)
    return inner


def _weights(graph: onnxfile.Graph) -> dict[str, Table]:
    """The weights of each layer, (numbers in, numbers out), under the name of what is added to its output."""
    made: dict[str, onnxfile.Node] = {}
    found = {}
    for node in graph.nodes:
        if node.kind == "MatMulNBits":
            made[node.outputs[0]] = node
        elif node.kind == "Add" and not made.keys().isdisjoint(node.inputs):
            bias, product = sorted(node.inputs, key=made.__contains__)
            if bias in graph.tensors:
                found[bias.removesuffix(".bias")] = _unpacked(made[product], graph.tensors)
    return found


def _unpacked(node: onnxfile.Node, tensors: dict[str, NDArray[Any]]) -> Table:
    """The weights that a MatMulNBits multiplies with (ONNX Runtime's contributed operators; learn.shrinking)."""
    codes, scales = (tensors[name] for name in node.inputs[1:3])
    bits, deep, wide = (node.settings[name] for name in ("bits", "K", "N"))
    if bits not in (4, 8):
        raise ValueError(f"numbers of {bits} bits")
    flat = codes.reshape(wide, -1)
    if bits == 4:
        flat = _halves(flat)
    blocks = (flat.astype(np.float32) - (1 << (bits - 1))).reshape(wide, -1, node.settings["block_size"])
    blocks *= scales.reshape(wide, -1, 1)
    return np.ascontiguousarray(blocks.reshape(wide, -1)[:, :deep].T)


def _halves(pairs: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Numbers of four bits, two in a byte, the first in the lower half."""
    return np.stack([pairs & 15, pairs >> 4], axis=-1).reshape(len(pairs), -1)
