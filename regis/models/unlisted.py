"""What answers in no list look like: a letter model for any string, a phrase model for most, and the two mixed.

Nine of ten new answers of nine letters and more are words that the corpus knows, in a row that it does not (RED + SEA +
SCROLLS), or a word and its endings (UN + TIE + S). The phrase model draws a first piece, middle pieces and a last one,
each kind with probabilities of its own, until the string is as long as the slot: a hidden semi-Markov model, fitted by
EM on the corpus's rarest answers (`building.training.segmentation`). Given the messages of the crossings about each
cell, forward-backward over all places where a piece can begin and end gives the probability of the string and of every
letter, in closed form. Dr.Fill (Ginsberg 2011) sets words side by side too, but one by one.

With P(pieces) by length it is mixed with the letter model (`ngram`), which again is exact. The letter model is quick
and does many slots at once; the phrase model is used where it matters.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from regis.models.bigrams import Bigrams
from regis.models.ngram import LetterModel
from regis.models.pieces import Pieces, Places
from regis.models.tensors import Floats
from regis.models.ways import Placed, Ways
from regis.puzzle import alphabet

FIRST, MIDDLE, LAST = 0, 1, 2

Table = NDArray[np.float64]


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
        model._factor, model._bases = factor, {}
        model._scale = known.together / np.maximum(known.chances @ factor.astype(np.float64), 1e-300)
        return model

    def base(self, length: int) -> float:
        """Natural log of the weight of all strings of `length` together, pieces drawn by themselves; -inf for none."""
        if length not in self._bases:
            mass = self._mass(length)
            ahead = np.zeros(length + 1)
            ahead[0] = 1.0
            for start, end, kind in _spans(length):
                ahead[end] += ahead[start] * mass[kind, end - start]
            with np.errstate(divide="ignore"):
                self._bases[length] = float(np.log(ahead[length]))
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
        length = len(evidence)
        scale = evidence.max(axis=1, keepdims=True)
        steps = self._known.fitting(evidence / scale)
        starts = [step.place[step.done] // 26 - i for i, step in enumerate(steps)]
        ways = self._ways(
            length,
            np.concatenate([np.zeros(0, np.intp), *starts]),
            np.repeat(np.arange(1, len(steps) + 1), [len(start) for start in starts]),
            np.concatenate([np.zeros(0, np.intp), *(step.piece for step in steps)]),
            np.concatenate([np.zeros(0), *(step.fit[step.done] for step in steps)]),
        )
        marginal = np.zeros(length * 26)
        if not ways.total:
            return -np.inf, marginal.reshape(length, 26)
        ends = np.cumsum([0, *map(len, starts)])
        shares = ways.shares()
        above = np.empty(0)  # what became of the beginnings, one letter longer
        for size in reversed(range(1, len(steps) + 1)):
            step = steps[size - 1]
            share = np.zeros(len(step.place))
            if size < len(steps):
                share += np.bincount(steps[size].before, above, len(share))
            share[step.done] += shares[ends[size - 1] : ends[size]]
            marginal += np.bincount(step.place, share, length * 26)
            above = share
        whole = float(np.log(ways.total) + np.log(scale).sum())
        return whole, marginal.reshape(length, 26) / ways.total

    def _ways(self, length: int, start: Places, size: Places, piece: Places, fit: Table) -> Ways:
        """The ways to make a string of these pieces from each `start` on, which `fit` it so well."""
        kind = np.where(start == 0, FIRST, np.where(start + size == length, LAST, MIDDLE))
        fit = fit * self._scale[kind] * self._factor[piece]
        placed = Placed(start, start + size, fit * self._known.chances[kind, piece], fit)
        return Ways(length, placed, piece, self._bigrams and self._bigrams())

    def weight(self, codes: NDArray[np.uint8]) -> float:
        """Natural log of the weight of one string, (length,), over all ways to make it; -inf where there is none."""
        total = self._made(alphabet.word(codes)).total
        return math.log(total) if total else -np.inf

    def _made(self, word: str) -> Ways:
        """The ways to make one string."""
        spans = [(start, end) for start, end, _ in _spans(len(word))]
        pieces = self._known.find([word[start:end] for start, end in spans])
        there = np.flatnonzero(pieces >= 0)
        start, end = np.array(spans, np.intp).reshape(-1, 2)[there].T
        return self._ways(len(word), start, end - start, pieces[there], np.ones(len(there)))

    def split(self, codes: NDArray[np.uint8]) -> tuple[tuple[str, ...], float]:
        """The likeliest pieces of one string, (length,), and their share of all ways to make it (Viterbi), or none."""
        word = alphabet.word(codes)
        ways = self._made(word)
        places, share = ways.likeliest() if ways.total else ([], 0.0)
        return tuple(word[start:end] for start, end in places), share


@dataclass(frozen=True)
class StringModel:
    """Letters and pieces; `share` is P(an unlisted answer is made of pieces) by length, 0 where it is not named."""

    letters: LetterModel
    phrases: PhraseModel | None = None
    share: Mapping[int, float] = field(default_factory=dict)

    def leaning(self, factor: Floats) -> StringModel:
        """The model whose pieces are `factor` times as likely, (pieces,); itself where it has none."""
        return self if self.phrases is None else StringModel(self.letters, self.phrases.leaning(factor), self.share)

    def places(self, words: Sequence[str]) -> NDArray[np.intp]:
        """Which pieces some words are; those that are none are left out."""
        found = self.phrases.find(words) if self.phrases and words else np.zeros(0, np.intp)
        return found[found >= 0]

    def by_letters(self, evidence: Table) -> tuple[Table, Table]:
        """As LetterModel.posterior, (slots, cells, 26), but the weights are relative to all strings of the length."""
        weight, marginal = self.letters.posterior(evidence)
        return weight - self.letters.base(evidence.shape[1]), marginal

    def with_phrases(self, evidence: Table, weight: float, marginal: Table) -> tuple[float, Table]:
        """The same for one slot, (cells, 26), with its phrases; `weight` and `marginal` are those of `by_letters`."""
        length = len(evidence)
        if (phrases := self._phrases(length)) is None:
            return weight, marginal
        found, letters = phrases.posterior(evidence)
        both, part = self._mixed(phrases, length, found, weight)
        return both, part * letters + (1 - part) * marginal

    def _phrases(self, length: int) -> PhraseModel | None:
        """The phrase model, if it makes any strings of `length`."""
        phrases = self.phrases if self.share.get(length, 0) > 0 else None
        return None if phrases is None or np.isneginf(phrases.base(length)) else phrases

    def _mixed(self, phrases: PhraseModel, length: int, found: float, weight: float) -> tuple[float, float]:
        """The weight of what `phrases` give the weight `found` and letters `weight`, and the phrases' part of it."""
        share = self.share[length]
        pieces, other = np.log(share) + found - phrases.base(length), np.log1p(-share) + weight
        both = float(np.logaddexp(pieces, other))
        return both, float(np.exp(pieces - both))

    def pieces(self, codes: NDArray[np.uint8]) -> tuple[tuple[str, ...], float]:
        """What the phrase model makes one string of, and P(made of just these, if it is in no list)."""
        if (phrases := self._phrases(len(codes))) is None:
            return (), 0.0
        pieces, part = phrases.split(codes)
        return pieces, part * self._whole(codes)[1]

    def string(self, codes: NDArray[np.uint8]) -> float:
        """Natural log probability of one string among those of its length; `codes` (length,), values 0 to 25."""
        return self._whole(codes)[0]

    def _whole(self, codes: NDArray[np.uint8]) -> tuple[float, float]:
        """The same, and P(made of pieces)."""
        alone = self.letters.string(codes) - self.letters.base(len(codes))
        if (phrases := self._phrases(len(codes))) is None:
            return alone, 0.0
        return self._mixed(phrases, len(codes), phrases.weight(codes), alone)


def _spans(length: int) -> Iterator[tuple[int, int, int]]:
    """(start, end, kind) of every place a piece can take in a string of two pieces or more, by start."""
    for start, end in itertools.combinations(range(length + 1), 2):
        if end - start < length:
            yield start, end, FIRST if start == 0 else LAST if end == length else MIDDLE
