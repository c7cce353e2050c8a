"""The transformer's network in numpy (BERT, Devlin 2019).

The tokens of all texts go through the layers together, without padding, and only attention looks at each text by
itself. Weights in few bits stay packed, and a layer's are unpacked while all texts go through it: that takes less time
than to find memory for all of them. The file (regis.models.tensors) holds, for hidden states of `width` numbers:

    word.weight position.weight token_type.weight   (tokens, places, 2; width)
    norm.weight .bias                               (width,)
    layer.N.query.weight .bias                      (width out, width in), (width out,); so, too, key, value,
                                                    attention, intermediate and output
    layer.N.attention.norm.weight .bias             (width,); so, too, output.norm
    turn.weight .bias                               (numbers of a vector, width), (numbers of a vector,)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.models import tensors
from regis.models.tensors import Blocks, Floats, Tensors
from regis.system.held import Place

WORDS, PLACES, TYPES = "word.weight", "position.weight", "token_type.weight"
"""The vectors of tokens, of places in a text, and of what is a clue (the first) or something else."""

HEADS = 12  # of MiniLM-L6; a file of another network does not say how many it has
DENSE = ("query", "key", "value", "attention", "intermediate", "output")  # the parts of a layer: what multiplies,
NORMS = ("attention.norm", "output.norm")  # and what keeps its sums in bounds
BEND = math.sqrt(2 / math.pi)  # of the normal distribution's approximation
SMALL = np.float32(1e-12)  # added to a variance
FAR = np.float32(-1e9)  # the score of what is not there


class Texts(NamedTuple):
    """Texts as numbers; all but the last are (texts, tokens)."""

    tokens: NDArray[np.int64]
    there: NDArray[np.bool_]  # where a token is, and not padding
    places: NDArray[np.int64]
    kinds: NDArray[np.int64]  # 0 of a clue, 1 of something else
    sees: NDArray[np.bool_]  # (texts, tokens, tokens): whether the first looks at the second

    @classmethod
    def clues(cls, tokens: NDArray[np.int64], mask: NDArray[np.int64]) -> Texts:
        """Each text is a clue, in which every token looks at every other."""
        there = mask.astype(bool)
        places = np.broadcast_to(np.arange(tokens.shape[1]), tokens.shape)
        return cls(tokens, there, places, np.zeros_like(tokens), there[:, None, :])


Padded = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Token numbers, (clues, tokens), with zeros at the ends of rows; and the same with 1 where there are tokens."""


class Bert:
    """Clues to vectors, (clues, numbers of a vector), float32.

    `sizes` says how many tokens and places it knows, and how many numbers a vector has.
    """

    def __init__(self, model: Place) -> None:
        """Raises OSError, or ValueError if `model` is not such a network."""
        held = tensors.read(model)
        self._depth = sum(name.endswith(".query.weight") for name in held)
        dense, norms = (
            [f"layer.{layer}.{part}" for layer in range(self._depth) for part in parts] for parts in (DENSE, NORMS)
        )
        parts = {f"{part}.{what}" for part in ("norm", "turn", *dense, *norms) for what in ("weight", "bias")}
        if not self._depth or held.keys() != {WORDS, PLACES, TYPES} | parts:
            raise ValueError(f"{model} lacks parts of a layer")
        width, inner, *sizes = (
            [*held[name].shape, 0][0]  # a single number has no shape
            for name in ("norm.weight", "layer.0.intermediate.bias", WORDS, PLACES, "turn.bias")
        )
        self.sizes = tuple(sizes)
        for name, values in held.items():
            if values.shape != _shape(name, width, inner, *sizes) or width % HEADS:
                raise ValueError(f"{name} of {model} does not go with the other parts")
        self._words = held.pop(WORDS)
        self._weights = {part: held.pop(f"{part}.weight") for part in ("turn", *dense)}
        self._held = tensors.unpacked(held)

    def __call__(self, *clues: Padded) -> Floats:
        """The vectors of the clues in all tables, one after the other. Each clue has a token at least."""
        sizes = np.concatenate([mask.sum(axis=1) for _, mask in clues])
        return self.turned(self.states([Texts.clues(*table) for table in clues]), sizes)

    def states(self, texts: Sequence[Texts]) -> Floats:
        """What each token means where it stands, text after text, (tokens that are there, width).

        Texts of about the same length are best in one table.
        """
        which, places, kinds = (
            np.concatenate([numbers[one.there] for one, numbers in zip(texts, table, strict=True)])
            for table in zip(*((one.tokens, one.places, one.kinds) for one in texts), strict=True)
        )
        ends = np.cumsum([np.count_nonzero(one.there) for one in texts])[:-1]
        states = self._words.unpacked(which) if isinstance(self._words, Blocks) else self._words[which]
        states += self._held[PLACES][places]
        states += self._held[TYPES][kinds]
        states = self._normal(states, "norm")
        for layer in range(self._depth):
            at = f"layer.{layer}"
            three = (np.split(self._dense(states, f"{at}.{name}"), ends) for name in ("query", "key", "value"))
            seen = [_attention(one, *its) for one, *its in zip(texts, *three, strict=True)]
            mixed = self._dense(np.concatenate(seen), f"{at}.attention")
            states = self._normal(mixed + states, f"{at}.attention.norm")
            inner = self._dense(_gelu(self._dense(states, f"{at}.intermediate")), f"{at}.output")
            states = self._normal(inner + states, f"{at}.output.norm")
        return states

    def turned(self, states: Floats, sizes: NDArray[np.int64]) -> Floats:
        """The mean of so many states (at least one) after another, (parts, width), as vectors."""
        mean: Floats = np.add.reduceat(states, np.cumsum(sizes) - sizes)
        mean /= sizes[:, None].astype(np.float32)
        return self._dense(mean, "turn")

    def _dense(self, states: Floats, name: str) -> Floats:
        weight = self._weights[name]
        out: Floats = states @ (weight.unpacked() if isinstance(weight, Blocks) else weight).T
        out += self._held[f"{name}.bias"]
        return out

    def _normal(self, states: Floats, name: str) -> Floats:
        states -= states.mean(axis=1, keepdims=True)
        states /= np.sqrt(np.square(states).mean(axis=1, keepdims=True) + SMALL)
        states *= self._held[f"{name}.weight"]
        states += self._held[f"{name}.bias"]
        return states


def _shape(name: str, width: int, inner: int, tokens: int, places: int, numbers: int) -> tuple[int, ...]:
    """The shape of a part of a network of these sizes, `inner` between two states.

    Six parameters, since that is what a network's size is.
    """
    part, what = name.rsplit(".", 1)
    if name in (WORDS, PLACES, TYPES):
        return {WORDS: tokens, PLACES: places, TYPES: 2}[name], width
    rows = numbers if part == "turn" else inner if part.endswith(".intermediate") else width
    columns = inner if part.endswith(".output") else width
    return (rows,) if what == "bias" or part.endswith("norm") else (rows, columns)


def _attention(texts: Texts, query: Floats, key: Floats, value: Floats) -> Floats:
    """For each token of one table a mixture of what those that it looks at have as values, (tokens, width)."""
    count, longest = texts.there.shape
    width = query.shape[1] // HEADS

    def heads(states: Floats) -> Floats:
        table = np.zeros((count, longest, states.shape[1]), np.float32)
        table[texts.there] = states
        return table.reshape(count, longest, HEADS, width).transpose(0, 2, 1, 3)

    score: Floats = heads(query) @ heads(key).transpose(0, 1, 3, 2)
    score *= np.float32(width**-0.5)
    score += np.where(texts.sees, np.float32(0), FAR)[:, None]
    score -= score.max(axis=-1, keepdims=True)
    np.exp(score, out=score)
    score /= score.sum(axis=-1, keepdims=True)
    mixed: Floats = (score @ heads(value)).transpose(0, 2, 1, 3).reshape(count, longest, -1)[texts.there]
    return mixed


def quantised(network: Tensors, bits: int) -> Tensors:
    """`network`, whatever it is kept in, with the weights of its layers, of four bits also its words, in so few bits.

    What that costs: docs/measured.md.
    """

    def smaller(name: str, values: Floats) -> Floats | Blocks:
        weight = values.ndim == 2 and name.startswith("layer.")
        return Blocks.of(values, bits) if weight or (name == WORDS and bits == 4) else values

    return {name: smaller(name, values) for name, values in tensors.unpacked(network).items()}


def _gelu(x: Floats) -> Floats:
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
