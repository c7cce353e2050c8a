"""The transformer's network in numpy (BERT, Devlin 2019).

Tokens of all texts go through a layer together, without padding; only attention sees each text by itself. Weights in
few bits are unpacked one layer at a time. The file (`tensor_file`) holds, for hidden states of `width` numbers:

    word.weight position.weight token_type.weight   (tokens, places, 2; width)
    norm.weight .bias                               (width,)
    layer.N.query.weight .bias                      (width out, width in), (width out,); also key, value,
                                                    attention, intermediate, and output
    layer.N.attention.norm.weight .bias             (width,); also output.norm
    turn.weight .bias                               (numbers of a vector, width), (numbers of a vector,)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.models.arrays import Float32Array
from regis.models.neural import tensor_file
from regis.models.neural.tensor_file import QuantizedMatrix, Tensors

TOKEN_VECTORS = "word.weight"
POSITION_VECTORS = "position.weight"  # one for each position in a text
TYPE_VECTORS = "token_type.weight"  # one for the clue (the first), one for anything else

HEAD_COUNT = 12  # of MiniLM-L6; the file of another network doesn't give the number
DENSE_PARTS = ("query", "key", "value", "attention", "intermediate", "output")  # the parts of a layer that multiply
NORM_PARTS = ("attention.norm", "output.norm")  # the parts that keep the sums in bounds
GELU_FACTOR = math.sqrt(2 / math.pi)  # approximates the normal distribution
NORM_EPSILON = np.float32(1e-12)  # added to a variance


class TextBatch(NamedTuple):
    """Texts as numbers, padded to one length."""

    tokens: NDArray[np.int64]  # (texts, tokens)
    is_token: NDArray[np.bool_]  # (texts, tokens): False for padding
    positions: NDArray[np.int64]  # (texts, tokens)
    token_types: NDArray[np.int64]  # (texts, tokens): 0 for the clue, 1 for anything else
    attention_mask: NDArray[np.bool_]  # (texts, tokens, tokens): whether the first sees the second

    @classmethod
    def of_clues(cls, token_ids: NDArray[np.int64], token_mask: NDArray[np.int64]) -> TextBatch:
        """Make a batch in which all tokens of a clue see each other. The arrays are (clues, tokens)."""
        is_token = token_mask.astype(bool)
        positions = np.broadcast_to(np.arange(token_ids.shape[1]), token_ids.shape)
        return cls(token_ids, is_token, positions, np.zeros_like(token_ids), is_token[:, None, :])


PaddedTokens = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Token numbers, (clues, tokens), with zeros at row ends; and their mask, 1 at tokens."""


class Bert:
    """The network, from texts to vectors. `sizes` counts the tokens, the positions, and the numbers in a vector."""

    def __init__(self, model_file: Path) -> None:
        """Read the network; raises OSError if the file can't be read, ValueError if it isn't such a network."""
        tensors = tensor_file.read_tensors(model_file)
        self._depth = sum(name.endswith(".query.weight") for name in tensors)
        dense_parts, norm_parts = (
            [f"layer.{layer}.{part}" for layer in range(self._depth) for part in parts]
            for parts in (DENSE_PARTS, NORM_PARTS)
        )
        parts = ("norm", "turn", *dense_parts, *norm_parts)
        expected = {f"{part}.{kind}" for part in parts for kind in ("weight", "bias")}
        if not self._depth or tensors.keys() != {TOKEN_VECTORS, POSITION_VECTORS, TYPE_VECTORS} | expected:
            raise ValueError(f"{model_file} lacks parts of a layer")
        width, inner_width, *other_sizes = (
            [*tensors[name].shape, 0][0]  # a single number has no shape
            for name in ("norm.weight", "layer.0.intermediate.bias", TOKEN_VECTORS, POSITION_VECTORS, "turn.bias")
        )
        self.sizes = tuple(other_sizes)
        for name, values in tensors.items():
            if values.shape != _shape(name, width, inner_width, *other_sizes) or width % HEAD_COUNT:
                raise ValueError(f"{name} of {model_file} doesn't match the other parts")
        self._token_vectors = tensors.pop(TOKEN_VECTORS)
        self._weights = {part: tensors.pop(f"{part}.weight") for part in ("turn", *dense_parts)}
        self._other_tensors = tensor_file.dequantize_tensors(tensors)

    def __call__(self, *clue_tables: PaddedTokens) -> Float32Array:
        """Encode clues with at least one token as (clues of all tables, numbers of a vector)."""
        token_counts = np.concatenate([mask.sum(axis=1) for _, mask in clue_tables])
        states = self.encode_tokens([TextBatch.of_clues(*table) for table in clue_tables])
        return self.pool_and_project(states, token_counts)

    def encode_tokens(self, text_batches: Sequence[TextBatch]) -> Float32Array:
        """Return the last layer's states, (tokens without padding, width), text after text.

        Batches of texts of similar length are fastest.
        """
        token_ids, positions, token_types = (
            np.concatenate([numbers[batch.is_token] for batch, numbers in zip(text_batches, tables, strict=True)])
            for tables in zip(
                *((batch.tokens, batch.positions, batch.token_types) for batch in text_batches), strict=True
            )
        )
        batch_ends = np.cumsum([np.count_nonzero(batch.is_token) for batch in text_batches])[:-1]
        vectors = self._token_vectors
        states = vectors.dequantize(token_ids) if isinstance(vectors, QuantizedMatrix) else vectors[token_ids]
        states += self._other_tensors[POSITION_VECTORS][positions]
        states += self._other_tensors[TYPE_VECTORS][token_types]
        states = self._normalize(states, "norm")
        for layer in range(self._depth):
            layer_name = f"layer.{layer}"
            query_key_value = (
                np.split(self._dense(states, f"{layer_name}.{name}"), batch_ends) for name in ("query", "key", "value")
            )
            attended = [_attend(*of_batch) for of_batch in zip(text_batches, *query_key_value, strict=True)]
            mixed = self._dense(np.concatenate(attended), f"{layer_name}.attention")
            states = self._normalize(mixed + states, f"{layer_name}.attention.norm")
            inner = self._dense(_gelu(self._dense(states, f"{layer_name}.intermediate")), f"{layer_name}.output")
            states = self._normalize(inner + states, f"{layer_name}.output.norm")
        return states

    def pool_and_project(self, states: Float32Array, token_counts: NDArray[np.int64]) -> Float32Array:
        """Project the mean of each run of states, (tokens, width), to (runs, numbers of a vector)."""
        means: Float32Array = np.add.reduceat(states, np.cumsum(token_counts) - token_counts)
        means /= token_counts[:, None].astype(np.float32)
        return self._dense(means, "turn")

    def _dense(self, states: Float32Array, name: str) -> Float32Array:
        weight = self._weights[name]
        out: Float32Array = states @ (weight.dequantize() if isinstance(weight, QuantizedMatrix) else weight).T
        out += self._other_tensors[f"{name}.bias"]
        return out

    def _normalize(self, states: Float32Array, name: str) -> Float32Array:
        states -= states.mean(axis=1, keepdims=True)
        states /= np.sqrt(np.square(states).mean(axis=1, keepdims=True) + NORM_EPSILON)
        states *= self._other_tensors[f"{name}.weight"]
        states += self._other_tensors[f"{name}.bias"]
        return states


def _shape(
    name: str, width: int, inner_width: int, n_tokens: int, n_positions: int, vector_width: int
) -> tuple[int, ...]:
    part, kind = name.rsplit(".", 1)
    if name in (TOKEN_VECTORS, POSITION_VECTORS, TYPE_VECTORS):
        return {TOKEN_VECTORS: n_tokens, POSITION_VECTORS: n_positions, TYPE_VECTORS: 2}[name], width
    rows = vector_width if part == "turn" else inner_width if part.endswith(".intermediate") else width
    columns = inner_width if part.endswith(".output") else width
    return (rows,) if kind == "bias" or part.endswith("norm") else (rows, columns)


def _attend(text_batch: TextBatch, query: Float32Array, key: Float32Array, value: Float32Array) -> Float32Array:
    """Mix, for each token of one batch, the values of the tokens that it sees: (tokens, width)."""
    n_texts, n_tokens = text_batch.is_token.shape
    width = query.shape[1] // HEAD_COUNT

    def heads(states: Float32Array) -> Float32Array:
        table = np.zeros((n_texts, n_tokens, states.shape[1]), np.float32)
        table[text_batch.is_token] = states
        return table.reshape(n_texts, n_tokens, HEAD_COUNT, width).transpose(0, 2, 1, 3)

    score: Float32Array = heads(query) @ heads(key).transpose(0, 1, 3, 2)
    score *= np.float32(width**-0.5)
    score += np.where(text_batch.attention_mask, np.float32(0), np.float32(-1e9))[:, None]
    score -= score.max(axis=-1, keepdims=True)
    np.exp(score, out=score)
    score /= score.sum(axis=-1, keepdims=True)
    mixed: Float32Array = (
        (score @ heads(value)).transpose(0, 2, 1, 3).reshape(n_texts, n_tokens, -1)[text_batch.is_token]
    )
    return mixed


def quantize_network(network: Tensors, n_bits: int) -> Tensors:
    """Quantize a network's layers to 4 or 8 bits, and with 4 bits also the token vectors.

    This costs accuracy: docs/experiments/encoder-training.md.
    """

    def quantize_tensor(name: str, values: Float32Array) -> Float32Array | QuantizedMatrix:
        weight = values.ndim == 2 and name.startswith("layer.")
        return QuantizedMatrix.quantize(values, n_bits) if weight or (name == TOKEN_VECTORS and n_bits == 4) else values

    return {name: quantize_tensor(name, values) for name, values in tensor_file.dequantize_tensors(network).items()}


def _gelu(x: Float32Array) -> Float32Array:
    """Compute GELU to within 0.0005 (Hendrycks 2016); numpy has none, and SciPy's erf takes 18 times as long."""
    inner = np.square(x)
    inner *= np.float32(0.044715 * GELU_FACTOR)
    inner += np.float32(GELU_FACTOR)
    inner *= x
    np.tanh(inner, out=inner)
    inner += 1
    inner *= x
    inner *= np.float32(0.5)
    return inner
