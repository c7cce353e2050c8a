"""Phrases: strings that are pieces in a row, which the corpus has, in a row that it has not (RED + SEA + SCROLLS).

The phrase model draws a first piece, middle pieces and a last one, each kind with probabilities of its own, until the
string is as long as the slot: a hidden semi-Markov model, fitted by EM on the corpus's rarest answers
(`building.training.segmentation`). Given the messages of the crossings about each cell, forward-backward over all
places where a piece can begin and end gives the probability of the string and of every letter, in closed form. Dr.Fill
(Ginsberg 2011) sets words side by side too, but one by one.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.models.bigrams import Bigrams
from regis.models.cuts import Cut, Part, cuts
from regis.models.lookup import Places
from regis.models.pieces import Pieces
from regis.models.tensors import Floats, Table
from regis.models.ways import Joints, Placed, Spans, Ways, spanned
from regis.puzzle import alphabet

FIRST, MIDDLE, LAST = 0, 1, 2

NARROW = 10.0, 14.0, math.inf
"""How much less than all together, in natural log, may what has a piece weigh for the piece to be in reach? The first
with which at least half of all is. (Measured: docs/measured.md.)"""


class Reach(NamedTuple):
    """The pieces of a slot in reach, the shortest first, and what does not change with what is seen."""

    placed: Placed  # whatever their letters
    letters: list[Places]  # of each size, (size, so many pieces): 26 times the cell plus the letter
    joints: Joints | None
    more: float  # natural log of how much all pieces weigh beside them


class PhraseModel:
    """Pieces and how likely each is as the first, a middle and the last one: `chances` (3, pieces).

    With `bigrams`, which are asked for when a string is, it is known which of them follow which.
    """

    def __init__(
        self, pieces: Sequence[str] | NDArray[np.bytes_], chances: Table, bigrams: Callable[[], Bigrams] | None = None
    ) -> None:
        self._known = Pieces(pieces, chances)
        self._bigrams = bigrams
        self._factor = np.ones(len(pieces), np.float32)  # how much likelier each piece is, before `_scale`,
        self._scale = np.ones(3)  # which makes them together as likely as they were
        self._bases: dict[int, float] = {}
        self._reach: Reach | None = None  # all pieces

    @property
    def pieces(self) -> NDArray[np.bytes_]:
        return self._known.names

    @property
    def distinct(self) -> bool:
        """Whether no piece is there twice."""
        return self._known.distinct

    @property
    def chances(self) -> Table:
        found: Table = self._known.chances * self._factor * self._scale[:, None]
        return found

    def find(self, words: Sequence[str]) -> NDArray[np.intp]:
        """Which piece each of `words` is; -1 for none."""
        return self._known.find(words)

    def leaning(self, factor: Floats) -> PhraseModel:
        """The model in which each piece is `factor` times as likely, (pieces,), beside the others."""
        known = self._known
        model = copy(self)
        model._factor, model._bases, model._reach = factor, {}, None
        model._scale = known.together / np.maximum(known.chances @ factor.astype(np.float64), 1e-300)
        return model

    def base(self, length: int) -> float:
        """Natural log of the weight of all strings of `length` together, pieces drawn by themselves; -inf for none."""
        if length not in self._bases:
            mass = self._mass(length)
            weights = np.zeros((length, length + 1))
            for start, end, kind in _spans(length):
                weights[start, end] = mass[kind, end - start]
            with np.errstate(divide="ignore"):
                self._bases[length] = float(np.log(Spans(weights).total))
        return self._bases[length]

    def _mass(self, sizes: int) -> Table:
        """The chances of all pieces of a size together as each kind, (3, so many sizes or more)."""
        known = self._known
        mass = [np.bincount(known.sizes, row * self._factor, minlength=sizes) for row in known.chances]
        return np.stack(mass) * self._scale[:, None]

    def posterior(self, evidence: Table) -> tuple[float, Table]:
        """What the model makes of `evidence` about each cell of one slot, (cells, 26), non-negative, any scale.

        Returns the natural log of the string's total weight, -inf where nothing fits, and the letters'
        probabilities, (cells, 26), rows that sum to 1 (all zero where nothing fits).
        """
        if self._reach is None:
            return self.near(evidence).posterior(evidence)
        marginal = np.zeros(evidence.size)
        scale, seen = _scaled(evidence)
        placed, letters, joints, more = self._reach
        fit = np.concatenate([np.zeros(0), *(seen.ravel().take(its).prod(axis=0) for its in letters)])
        ways = Ways(len(evidence), placed.seen(fit), joints)
        if not ways.total:
            return -np.inf, marginal.reshape(evidence.shape)
        shares = ways.shares() / ways.total
        first = 0
        for its in letters:
            size, count = its.shape
            marginal += np.bincount(its.ravel(), np.tile(shares[first : first + count], size), evidence.size)
            first += count
        return more + math.log(ways.total) + float(np.log(scale).sum()), marginal.reshape(evidence.shape)

    def near(self, evidence: Table) -> PhraseModel:
        """The model for strings of this length, of the pieces in reach: those with a share, by this `evidence`.

        What it says of evidence that is much the same is as good, and said much sooner. The total weight is that of all
        pieces; letters are only those of the pieces in reach.
        """
        length, (_, seen) = len(evidence), _scaled(evidence)
        start, size, piece, fit = self._known.fitting(seen)
        end = start + size
        placed = self._placed(length, start, end, piece)
        weights = placed.weight * fit
        where = start * (length + 1) + end
        all_ = Spans(spanned(length, where, weights))
        shares = weights * all_.through.ravel().take(where)
        for reach in NARROW:
            some = np.flatnonzero(shares > all_.total * math.exp(-reach))
            kept = Spans(spanned(length, where.take(some), weights.take(some)))
            if 2 * kept.total >= all_.total:
                break
        near, piece = placed.take(some), piece.take(some)
        start, end, _, _ = near
        bounds = np.searchsorted(end - start, np.arange(1, length + 1)).tolist()
        letters = [
            self._known.letters(piece[first:last], n).T + 26 * (start[first:last] + np.arange(n)[:, None])
            for n, (first, last) in enumerate(itertools.pairwise(bounds), 1)
            if first < last
        ]
        bigrams = self._bigrams and self._bigrams()
        joints = bigrams and Ways(length, near.seen(fit.take(some))).following(piece, bigrams)
        model = copy(self)
        model._reach = Reach(near, letters, joints, math.log(all_.total / kept.total) if kept.total else 0.0)
        return model

    def _placed(self, length: int, start: Places, end: Places, piece: Places) -> Placed:
        """Some pieces from `start` to `end` in strings of `length`, weighed, whatever their letters."""
        kinds = np.where(start == 0, FIRST, np.where(end == length, LAST, MIDDLE))
        scale = self._scale.take(kinds) * self._factor.take(piece)
        return Placed(start, end, scale * self._known.chances[kinds, piece], scale)

    def weight(self, codes: NDArray[np.uint8]) -> float:
        """Natural log of the weight of one string, (length,), over all ways to make it; -inf where there is none."""
        total = self._cut(alphabet.word(codes)).weight
        return math.log(total) if total else -np.inf

    def split(self, codes: NDArray[np.uint8]) -> tuple[tuple[str, ...], float]:
        """The likeliest pieces of one string, (length,), and their share of all ways to make it, or none."""
        word = alphabet.word(codes)
        cut = self._cut(word)
        return tuple(word[start:end] for start, end in cut.way), cut.best / cut.weight if cut.way else 0.0

    def _cut(self, word: str) -> Cut:
        """The ways to make one string."""
        spans = [(start, end) for start, end, _ in _spans(len(word))]
        found = self._known.find([word[start:end] for start, end in spans])
        there = np.flatnonzero(found >= 0)
        start, end = np.array(spans, np.intp).reshape(-1, 2)[there].T
        piece = found[there]
        placed = self._placed(len(word), start, end, piece)
        following = None
        if self._bigrams is not None:
            first, second = np.nonzero(end[:, None] == start)
            chance = self._bigrams().following(piece[first], piece[second])
            following = dict(zip(zip(first.tolist(), second.tolist(), strict=True), chance.tolist(), strict=True))
        parts = itertools.starmap(Part, zip(*(column.tolist() for column in placed), strict=True))
        return cuts(len(word), list(parts), following)


def _scaled(evidence: Table) -> tuple[Table, Table]:
    """The likeliest letter of each cell, (cells, 1), and all beside it."""
    scale: Table = evidence.max(axis=1, keepdims=True)
    return scale, evidence / scale


def _spans(length: int) -> Iterator[tuple[int, int, int]]:
    """(start, end, kind) of every place a piece can take in a string of two pieces or more, by start."""
    for start, end in itertools.combinations(range(length + 1), 2):
        if end - start < length:
            yield start, end, FIRST if start == 0 else LAST if end == length else MIDDLE
