"""What answers in no list are made of: words and endings set side by side, and exact inference with them.

Nine of ten new answers of nine letters and more are words that the corpus knows, in a row that it does not (RED + SEA +
SCROLLS), or a word and its endings (UN + TIE + S). The model draws a first piece, middle pieces and a last piece, each
kind with probabilities of its own, until the string is as long as the slot: a hidden semi-Markov model, fitted by EM on
the corpus's rarest answers (`building.training.segmentation`). Given the messages of the crossings about each cell,
forward-backward over all places where a piece can begin and end gives the probability of the string and of every
letter, in closed form. Dr.Fill (Ginsberg 2011) sets words side by side too, but one by one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from regis.models import ngram
from regis.puzzle import alphabet

FIRST, MIDDLE, LAST = 0, 1, 2

HOPELESS = 1e-6  # pieces whose letters, each relative to the cell's likeliest, multiply to less are left out

Table = NDArray[np.float64]


Tables = Mapping[int, tuple[NDArray[np.intp], NDArray[np.intp]]]
"""Length -> which pieces have it, and their letters, (length, pieces of it)."""


@dataclass(frozen=True)
class PhraseModel:
    """Pieces and how likely each is as the first, a middle and the last one: `chances` (3, pieces)."""

    pieces: Sequence[str]
    chances: Table
    known: Tables | None = field(default=None, repr=False, compare=False)  # of another model of these

    @cached_property
    def _tables(self) -> Tables:
        if self.known is not None:
            return self.known
        sizes = np.array([len(piece) for piece in self.pieces])
        tables = {}
        for size in np.unique(sizes):
            rows = np.flatnonzero(sizes == size)
            joined = alphabet.codes("".join(self.pieces[int(i)] for i in rows)).reshape(len(rows), size)
            tables[int(size)] = rows, np.ascontiguousarray(joined.T.astype(np.intp))
        return tables

    @cached_property
    def _by_length(self) -> dict[int, tuple[NDArray[np.intp], Table]]:
        """Length -> letters (length, pieces of it), chances (3, pieces of it)."""
        return {size: (table, self.chances[:, rows]) for size, (rows, table) in self._tables.items()}

    def leaning(self, factor: Table) -> PhraseModel:
        """The model in which each piece is `factor` times as likely, (pieces,), beside the others."""
        chances = self.chances * factor
        chances *= self.chances.sum(axis=1, keepdims=True) / np.maximum(chances.sum(axis=1, keepdims=True), 1e-300)
        return PhraseModel(self.pieces, chances, self._tables)

    def base(self, length: int) -> float:
        """Natural log of the weight of all strings of `length` together; -inf where no pieces make one."""
        if length not in self._bases:
            self._bases[length] = self._weighed(length)
        return self._bases[length]

    @cached_property
    def _bases(self) -> dict[int, float]:
        return {}

    def _weighed(self, length: int) -> float:
        mass = {size: chances.sum(axis=1) for size, (_, chances) in self._by_length.items()}
        ahead = np.zeros(length + 1)
        ahead[0] = 1.0
        for start, end, kind in _spans(length, mass):
            ahead[end] += ahead[start] * mass[end - start][kind]
        with np.errstate(divide="ignore"):
            return float(np.log(ahead[length]))

    def posterior(self, evidence: Table) -> tuple[float, Table]:
        """What the model makes of `evidence` about each cell of one slot, (cells, 26), non-negative, any scale.

        Returns the natural log of the string's total weight, -inf where nothing fits, and the letters'
        probabilities, (cells, 26), rows that sum to 1 (all zero where nothing fits).
        """
        length = len(evidence)
        scale = evidence.max(axis=1, keepdims=True)
        seen = evidence / scale
        ahead, behind = np.zeros(length + 1), np.zeros(length + 1)
        ahead[0] = behind[length] = 1.0
        edges = []
        for start, end, kind in _spans(length, self._by_length):
            if not ahead[start]:
                continue
            table, chances = self._by_length[end - start]
            rows, weight = _fitting(table, chances[kind], seen[start:end])
            if len(rows):
                edges.append((start, end, table[:, rows], weight))
                ahead[end] += ahead[start] * weight.sum()
        marginal = np.zeros((length, 26))
        if not ahead[length]:
            return -np.inf, marginal
        for start, end, table, weight in reversed(edges):
            behind[start] += behind[end] * weight.sum()
            share = ahead[start] * behind[end] * weight
            for i, column in enumerate(table):
                marginal[start + i] += np.bincount(column, weights=share, minlength=26)
        return float(np.log(ahead[length]) + np.log(scale).sum()), marginal / ahead[length]

    def split(self, codes: NDArray[np.uint8]) -> tuple[tuple[str, ...], float]:
        """The likeliest pieces of one string, and their share of all ways to make it (Viterbi); none where none do.

        `codes` (length,), values 0 to 25.
        """
        word = alphabet.word(codes)
        best: dict[int, tuple[float, tuple[str, ...]]] = {0: (1.0, ())}
        for start, end, kind in _spans(len(word), self._by_length):
            chance = self._chance_of.get(word[start:end], _IMPOSSIBLE)[kind]
            if start in best and best[start][0] * chance > best.get(end, (0.0,))[0]:
                best[end] = best[start][0] * chance, (*best[start][1], word[start:end])
        chance, pieces = best.get(len(word), (0.0, ()))
        whole, _ = self.posterior(ngram.certain(codes))
        return pieces, float(chance / np.exp(whole)) if pieces else 0.0

    @cached_property
    def _chance_of(self) -> dict[str, Table]:
        return dict(zip(self.pieces, self.chances.T, strict=True))


_IMPOSSIBLE = np.zeros(3)


def _fitting(table: NDArray[np.intp], chances: Table, seen: Table) -> tuple[NDArray[np.intp], Table]:
    """Which pieces are not hopeless in these cells, and chance times fit of each."""
    fit = seen[0][table[0]]
    rows = np.flatnonzero(fit > HOPELESS)
    fit = fit[rows]
    for i in range(1, len(table)):
        fit = fit * seen[i][table[i][rows]]
        alive = fit > HOPELESS
        if not alive.all():
            rows, fit = rows[alive], fit[alive]
    return rows, fit * chances[rows]


def _spans(length: int, sizes: Mapping[int, object]) -> list[tuple[int, int, int]]:
    """(start, end, kind) of every place a piece can take in a string of two pieces or more, by start."""
    found = []
    for start in range(length):
        for end in range(start + 1, length + 1):
            if end - start in sizes and end - start < length:
                kind = FIRST if start == 0 else LAST if end == length else MIDDLE
                found.append((start, end, kind))
    return found
