"""The answers' side of a clue encoder while it is learned: a vector and a bias for every answer that there is.

Among all answers of its length the right one should score highest (softmax; of the others a sample is drawn, each
standing for many). An answer's vector is its own plus those of its letter n-grams, so that inflections and answers
never asked for start from something. Steps are Adagrad's, one rate per row (Duchi 2011). The clues' side, whatever it
is, hands in vectors and gets back the slope of the loss along them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.index import Index, Partition, newcomers, schema, vectors
from regis.models.embedding import DIMENSIONS, AnswerVectors, Bytes
from regis.models.tensors import Floats

NEGATIVES = 2000  # answers drawn for each batch as wrong ones, besides the right ones of the other clues

EVENLY = 0.3
"""Which share of them is drawn evenly? The others are drawn by the square root of how often they were used: what is
common is a rival more often (measured: docs/measured.md)."""

HALF_LIFE = 28.0  # years after which a clue counts half
OLDEST, UNDATED = 60, 20  # years that a clue is old, at most, and that one without a year counts as; a guess
MOVED = 1.0  # sum of squares that a table counts as which was learned elsewhere; its rows are moved that much less
GRAM_BUCKETS = 1 << 16
GRAM_WEIGHT = 0.25
SCATTER, APART = 2654435761, 977  # Knuth's multiplier (2**32 by the golden ratio), and what parts grams of other sizes


class Adagrad:
    """A table of rows that are moved a few at a time, each at a rate that falls with how far it has moved."""

    def __init__(self, values: Floats) -> None:
        self.values = values
        self.slopes = np.full(len(values), 1e-2, np.float32)  # sums of squares

    def step(self, rows: NDArray[np.int64], slope: Floats, rate: float) -> None:
        """Moves `rows` against `slope`, (len(rows), ...)."""
        self.slopes[rows] += (slope**2).mean(axis=1) if slope.ndim == 2 else slope**2
        scale = np.float32(rate) / np.sqrt(self.slopes[rows])
        self.values[rows] -= slope * (scale[:, None] if slope.ndim == 2 else scale)


class Answers:
    """The vectors of all answers of an index, length after length, and what their letters add."""

    def __init__(self, index: Index, generator: np.random.Generator) -> None:
        self.generator = generator
        self.offset: dict[int, int] = {}  # where a length begins
        self._letters: dict[int, Any] = {}  # csr_matrix (answers, GRAM_BUCKETS) by length
        self._upto: dict[int, NDArray[np.float64]] = {}  # chances of being drawn, added up, by length
        self._stands: dict[int, Floats] = {}  # log of the chance to be among those drawn: each stands for many
        biases = []
        total = 0
        for part in index.parts():
            self.offset[part.length] = total
            self._letters[part.length] = _grams(part.letters)
            chance = _chances(part.count)
            self._upto[part.length] = np.cumsum(chance)
            self._stands[part.length] = np.log1p(-((1 - chance) ** NEGATIVES)).astype(np.float32)
            biases.append(np.log(part.count + 0.3).astype(np.float32))
            total += len(part.letters)
        self.own = Adagrad(generator.standard_normal((total, DIMENSIONS), np.float32) * np.float32(0.05))
        self.grams = Adagrad(np.zeros((GRAM_BUCKETS, DIMENSIONS), np.float32))
        self.bias = Adagrad(np.concatenate(biases))

    def begin(self, index: Index, starter: Index) -> None:
        """Begins where `starter` stands, of whose base encoder these are the answers' side."""
        assert starter.encoder is not None
        for part in index.parts():
            known = starter[part.length]
            new = newcomers.beside(known, part)
            said = newcomers.inherited(known, part.names, schema.ENCODER, starter.encoder, new)
            rows = slice(self.offset[part.length], self.offset[part.length] + len(said.bias))
            self.own.values[rows], self.bias.values[rows] = said.table.unpacked(slice(None)), said.bias
        for table in (self.own, self.grams, self.bias):
            table.slopes[:] = MOVED

    def teach(self, length: int, right: NDArray[np.int64], said: Floats, weight: Floats, rate: float) -> Floats:
        """One step for clues with vectors `said`, (clues, DIMENSIONS), whose answers are rows `right` of the table.

        Returns the slope of the weighted loss along `said`, in the same shape. At `rate` 0 no answer moves.
        """
        from scipy.sparse import csr_matrix

        upto = self._upto[length]
        some = np.searchsorted(upto, self.generator.random(NEGATIVES), side="right")
        some = np.minimum(some, len(upto) - 1)  # sums of rounded numbers may end below 1
        drawn = np.unique(np.concatenate([right, some]))
        grams = self._letters[length][drawn]
        gram_rows, place = np.unique(grams.indices, return_inverse=True)
        grams = csr_matrix((grams.data, place, grams.indptr), (len(drawn), len(gram_rows)))
        at = self.offset[length] + drawn

        meant = self.own.values[at] + grams @ self.grams.values[gram_rows]
        score = said @ meant.T + self.bias.values[at]
        wrong = ~np.isin(drawn, right)
        score[:, wrong] -= self._stands[length][drawn[wrong]]
        score -= score.max(axis=1, keepdims=True)
        p = np.exp(score)
        p /= p.sum(axis=1, keepdims=True)
        p[np.arange(len(right)), np.searchsorted(drawn, right)] -= 1
        p *= weight[:, None]
        if rate:
            meaning = p.T @ said
            self.grams.step(gram_rows, grams.T @ meaning, rate)
            self.own.step(at, meaning, rate)
            self.bias.step(at, p.sum(axis=0), rate / 10)
        slope: Floats = p @ meant
        return slope

    def state(self) -> dict[str, Floats]:
        """All that changes while learning, by name."""
        tables = {"own": self.own, "grams": self.grams, "bias": self.bias}
        return {f"{name} {part}": getattr(t, part) for name, t in tables.items() for part in ("values", "slopes")}

    def restore(self, state: Mapping[str, Floats]) -> None:
        """Takes over what `state` gave. Raises ValueError if it is not of the same index."""
        for name, values in self.state().items():
            if state[name].shape != values.shape:
                raise ValueError("not of this index")
            values[:] = state[name]

    def save(self, folder: Path, home: str) -> None:
        """Writes the answers' files of the encoder `home` (see index.schema) under the index `folder`."""
        for length, letters in self._letters.items():
            rows = slice(self.offset[length], self.offset[length] + letters.shape[0])
            table = Bytes.of(self.own.values[rows] + letters @ self.grams.values)
            vectors.write(folder, home, length, AnswerVectors(table, self.bias.values[rows]))


def _chances(count: NDArray[np.integer[Any]]) -> NDArray[np.float64]:
    """The chance of each answer to be drawn, by how often it was used."""
    even = np.full(len(count), 1 / len(count))
    used = np.sqrt(count.astype(np.float64))
    return EVENLY * even + (1 - EVENLY) * used / used.sum() if used.any() else even


class Lesson(NamedTuple):
    """The clues of one answer length."""

    length: int
    clues: Any  # one row each, as the clues' side reads them
    right: NDArray[np.int64]  # rows of the answer table
    weight: Floats  # more if a clue came often, less the older it is; about 1/64 each


def lessons(index: Index, read: Callable[[Partition, NDArray[np.intp]], Any]) -> Iterator[Lesson]:
    """All clues of `index`; `read` turns rows of the clue table into what the clues' side reads."""
    for part in index.parts():
        live = np.flatnonzero(part.clue_count > 0)
        last = part.clue_last[live].astype(np.int64)
        age = np.where(last > 0, np.clip((index.manifest.newest_year or 0) - last, 0, OLDEST), UNDATED)
        weight = np.sqrt(np.log1p(part.clue_count[live])) * 0.5 ** (age / HALF_LIFE) / 64
        right = part.clue_answer[live].astype(np.int64)
        yield Lesson(part.length, read(part, live), right, weight.astype(np.float32))


def _grams(letters: NDArray[np.uint8]) -> Any:
    """The letter 2-, 3- and 4-grams of each answer, its ends marked, as a csr_matrix (answers, GRAM_BUCKETS)."""
    from scipy.sparse import csr_matrix

    count, length = letters.shape
    padded = np.pad(letters.astype(np.int64), ((0, 0), (1, 1)), constant_values=26)
    found = []
    for n in (2, 3, 4):
        if length + 2 < n:
            continue
        codes = np.zeros((count, length + 3 - n), np.int64)
        for i in range(n):
            codes = codes * 27 + padded[:, i : length + 3 - n + i]
        found.append((codes * SCATTER + n * APART) % GRAM_BUCKETS)
    joined = np.concatenate(found, axis=1)
    starts = np.arange(count + 1) * joined.shape[1]
    data = np.full(joined.size, GRAM_WEIGHT, np.float32)
    return csr_matrix((data, joined.ravel(), starts), (count, GRAM_BUCKETS))
