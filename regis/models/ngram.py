"""What strings of letters look like: a trigram model over answers, and exact inference with it.

Answers that are in no list still look like answers: Q before U, few triple consonants, S at the end. The model is a
second-order Markov chain over A-Z with a boundary symbol at both ends. Given what the crossings say about each cell,
forward-backward over 27 x 27 states gives the probability of every letter in every cell and of the whole string, in
closed form (Rabiner 1989); nothing is sampled and nothing is cut.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

TINY = np.float32(1e-30)  # what counts as the weight of what is impossible, which has no logarithm
EDGE = 26  # the boundary symbol's number; letters are 0 to 25

SMOOTHING = 0.5
"""Added to every trigram count, shared out by the bigram model: small beside the 100,000 answers of any real index,
and what keeps a never seen trigram possible."""

Posterior = tuple[NDArray[np.float64], NDArray[np.float64]]


@dataclass(frozen=True)
class LetterModel:
    """P(next | two before), float64 array of shape (27, 27, 27), axes: before last, last, next."""

    transition: NDArray[np.float64]
    _bases: dict[int, float] = field(default_factory=dict, init=False, repr=False, compare=False)

    @classmethod
    def from_counts(cls, counts: NDArray[np.float64]) -> LetterModel:
        """The model for trigram `counts` of shape (27, 27, 27), backed off to bigrams and single letters."""
        single = counts.sum(axis=(0, 1)) + 1.0
        single /= single.sum()
        pair = counts.sum(axis=0) + 27 * SMOOTHING * single
        pair /= pair.sum(axis=1, keepdims=True)
        triple = counts + 27 * SMOOTHING * pair[None, :, :]
        return cls(triple / triple.sum(axis=2, keepdims=True))

    def flattened(self, power: float) -> LetterModel:
        """The model that takes every probability to `power`, below 1: what is rare comes oftener. Steps no longer sum
        to 1, but what counts is how likely a string is among those of its length (`base`)."""
        return LetterModel(self.transition**power)

    @cached_property
    def _logs(self) -> NDArray[np.float64]:
        logs: NDArray[np.float64] = np.log(self.transition)
        return logs

    @cached_property
    def _steps(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The transitions as steps ahead and back: [last][before last][next] and [last][next][before last].

        In half the digits, since forward and backward are scaled at every step; it takes half the time.
        """
        by_last = self.transition.astype(np.float32).transpose(1, 0, 2)
        return np.ascontiguousarray(by_last), np.ascontiguousarray(by_last.transpose(0, 2, 1))

    def base(self, length: int) -> float:
        """Natural log of the weight of all strings of `length` together."""
        if length not in self._bases:
            self._bases[length] = float(self.posterior(np.ones((1, length, 26)))[0][0])
        return self._bases[length]

    def string(self, codes: NDArray[np.uint8]) -> float:
        """Natural log probability of one string, its end included; `codes` (length,) with values 0 to 25."""
        return float(self.strings(codes[None])[0])

    def strings(self, codes: NDArray[np.uint8]) -> NDArray[np.float64]:
        """The same of each of many, (strings, length)."""
        padded = _between_edges(codes)
        found: NDArray[np.float64] = self._logs[padded[:, :-2], padded[:, 1:-1], padded[:, 2:]].sum(axis=1)
        return found

    def every(self, length: int) -> NDArray[np.float64]:
        """The probability of every string of `length`, two or more, its end included: an axis of 26 for each letter."""
        ahead = self.transition[:EDGE, :EDGE]
        found = self.transition[EDGE, EDGE, :EDGE, None] * self.transition[EDGE, :EDGE, :EDGE]
        for _ in range(length - 2):
            found = found[..., None] * ahead[..., :EDGE]
        found *= ahead[..., EDGE]
        return found

    def posterior(self, evidence: NDArray[np.float64]) -> Posterior:
        """What the model makes of `evidence` about each cell.

        `evidence`: (strings, cells, 26), non-negative, each cell's row with a positive entry; any scale.
        Returns the natural log of each string's total weight, (strings,), in which longer strings weigh less, and
        the letters' probabilities, (strings, cells, 26), rows that sum to 1.
        """
        return self.posteriors([evidence])[0]

    def posteriors(self, several: Sequence[NDArray[np.float64]]) -> list[Posterior]:
        """The same of strings of several lengths, which takes little longer than of one: all go cell by cell together.

        The longest are in front, so those that have a cell are the first.
        """
        order = sorted(range(len(several)), key=lambda k: -several[k].shape[1])
        ends = np.cumsum([0, *(len(several[k]) for k in order)]).tolist()
        places = [slice(*pair) for pair in pairwise(ends)]
        count, longest = ends[-1], max((one.shape[1] for one in several), default=0)
        seen, total = np.zeros((longest, count, 27), np.float32), np.zeros(count)
        having = np.zeros(longest, np.intp)  # how many strings have each cell
        for k, its in zip(order, places, strict=True):
            evidence = several[k]
            scale = evidence.max(axis=2, keepdims=True)
            seen[: evidence.shape[1], its, :EDGE] = (evidence / scale).swapaxes(0, 1)
            total[its] = np.log(scale).sum(axis=(1, 2))
            having[: evidence.shape[1]] = its.stop
        read = self._forward(seen, having.tolist(), total)
        letters = self._backward(seen, having.tolist(), total, read)
        of = dict(zip(order, places, strict=True))
        return [(total[of[k]], letters[: one.shape[1], of[k]].swapaxes(0, 1)) for k, one in enumerate(several)]

    def _forward(
        self, seen: NDArray[np.float32], having: Sequence[int], total: NDArray[np.float64]
    ) -> list[NDArray[np.float32]]:
        """What is known after so many cells, [before last][string][last], scaled; `total` takes the logs of that.

        `seen`: (cells, strings, 27), the evidence with no edge in it; of each cell the first so many are `having` it.
        """
        by_last, _ = self._steps
        forward = np.zeros((27, seen.shape[1], 27), np.float32)
        forward[EDGE, :, EDGE] = 1.0
        read = [forward]
        for cell, many in zip(seen, having, strict=True):
            forward = np.matmul(forward[:, :many].transpose(2, 1, 0), by_last)  # [last][string][next]
            forward *= cell[:many]
            norm = forward.sum(axis=(0, 2))
            norm[norm <= 0] = TINY
            total[:many] += np.log(norm)
            forward /= norm[:, None]
            read.append(forward)
        return read

    def _backward(
        self,
        seen: NDArray[np.float32],
        having: Sequence[int],
        total: NDArray[np.float64],
        read: Sequence[NDArray[np.float32]],
    ) -> NDArray[np.float64]:
        """The letters' probabilities, (cells, strings, 26), of what was `read` forward; `total` takes the ends'."""
        _, by_next = self._steps
        end = self.transition[:, None, :, EDGE].astype(np.float32)
        end[:, :, EDGE] = 0.0
        backward = end[:, :0]  # [before last][string][last]
        letters = np.empty((len(seen), seen.shape[1], 26))
        for i in reversed(range(len(seen))):
            forward, here = read[i + 1], backward.shape[1]
            if here < having[i]:  # those that end with this cell
                backward = np.concatenate([backward, np.repeat(end, having[i] - here, axis=1)], axis=1)
                weight = np.einsum("bsl,bsl->s", forward[:, here:], backward[:, here:])
                total[here : having[i]] += np.log(np.maximum(weight, TINY))
            both = np.einsum("bsl,bsl->sl", forward, backward)[:, :EDGE]
            norm = both.sum(axis=1, keepdims=True)
            letters[i, : having[i]] = np.where(norm > 0, both / np.where(norm > 0, norm, 1), 1 / 26)
            if i:
                backward = backward * seen[i, : having[i]]  # [last][string][next]
                backward = np.matmul(backward, by_next).transpose(2, 1, 0)  # [before last][string][last]
                backward = backward / np.maximum(backward.max(axis=(0, 2)), TINY)[:, None]
        return letters


def trigram_counts(letters: NDArray[np.uint8], weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weighted trigram counts, (27, 27, 27), of `letters` (answers, length) with values 0 to 25."""
    padded = _between_edges(letters)
    codes = (padded[:, :-2] * 27 + padded[:, 1:-1]) * 27 + padded[:, 2:]
    flat = np.bincount(codes.ravel(), weights=np.repeat(weight, codes.shape[1]), minlength=27**3)
    return flat.astype(np.float64).reshape(27, 27, 27)


def _between_edges(letters: NDArray[np.uint8]) -> NDArray[np.intp]:
    """The same rows with two edges before and one behind them; numpy's own `pad` takes ten times as long."""
    padded = np.full((len(letters), letters.shape[1] + 3), EDGE, np.intp)
    padded[:, 2:-1] = letters
    return padded


def certain(codes: NDArray[np.uint8]) -> NDArray[np.float64]:
    """The evidence that says just this string: (length, 26), 1 for each letter of `codes` and 0 elsewhere."""
    return np.eye(26)[codes]
