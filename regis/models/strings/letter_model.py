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

MIN_WEIGHT = np.float32(1e-30)  # what counts as the weight of what is impossible, which has no logarithm
EDGE_SYMBOL = 26  # the boundary symbol's number; letters are 0 to 25

SMOOTHING_COUNT = 0.5
"""Added to every trigram count, shared out by the bigram model: small beside the 100,000 answers of any real index,
and what keeps a never seen trigram possible."""

LetterPosterior = tuple[NDArray[np.float64], NDArray[np.float64]]


@dataclass(frozen=True)
class LetterModel:
    """The trigram model."""

    transitions: NDArray[np.float64]  # (27, 27, 27) P(next | two before), axes: before last, last, next
    _log_normalizers: dict[int, float] = field(default_factory=dict, init=False, repr=False, compare=False)

    @classmethod
    def from_trigrams(cls, trigram_counts: NDArray[np.float64]) -> LetterModel:
        """Make the model for trigram counts, backed off to bigrams and single letters.

        Parameters
        ----------
        trigram_counts : (27, 27, 27), axes as those of `transitions`.
        """
        letter_shares = trigram_counts.sum(axis=(0, 1)) + 1.0
        letter_shares /= letter_shares.sum()
        bigram_shares = trigram_counts.sum(axis=0) + 27 * SMOOTHING_COUNT * letter_shares
        bigram_shares /= bigram_shares.sum(axis=1, keepdims=True)
        trigram_shares = trigram_counts + 27 * SMOOTHING_COUNT * bigram_shares[None, :, :]
        return cls(trigram_shares / trigram_shares.sum(axis=2, keepdims=True))

    def flatten(self, power: float) -> LetterModel:
        """Take every probability to `power`, below 1: what is rare comes oftener.

        Steps no longer sum to 1, but what counts is how likely a string is among those of its length
        (`log_normalizer`).
        """
        return LetterModel(self.transitions**power)

    @cached_property
    def _logs(self) -> NDArray[np.float64]:
        logs: NDArray[np.float64] = np.log(self.transitions)
        return logs

    @cached_property
    def _steps(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return the transitions as steps ahead and back: [last][before last][next], [last][next][before last].

        In half the digits, since forward and backward are scaled at every step; it takes half the time.
        """
        by_last = self.transitions.astype(np.float32).transpose(1, 0, 2)
        return np.ascontiguousarray(by_last), np.ascontiguousarray(by_last.transpose(0, 2, 1))

    def log_normalizer(self, length: int) -> float:
        """Return the log weight of all strings of a length together."""
        if length not in self._log_normalizers:
            self._log_normalizers[length] = float(self.letter_posterior(np.ones((1, length, 26)))[0][0])
        return self._log_normalizers[length]

    def string_loglik(self, letters: NDArray[np.uint8]) -> float:
        """Return the log probability of one string, as `string_logliks` does of several."""
        return float(self.string_logliks(letters[None])[0])

    def string_logliks(self, letters: NDArray[np.uint8]) -> NDArray[np.float64]:
        """Return the log probabilities of strings of one length, their ends included.

        Parameters
        ----------
        letters : (strings, length) 0 to 25.

        Returns
        -------
        (strings,) nats.
        """
        padded = _add_edges(letters)
        logliks: NDArray[np.float64] = self._logs[padded[:, :-2], padded[:, 1:-1], padded[:, 2:]].sum(axis=1)
        return logliks

    def enumerate_strings(self, length: int) -> NDArray[np.float64]:
        """Return the probability of every string of a length, its end included.

        Parameters
        ----------
        length : two or more.

        Returns
        -------
        (26, ..., 26), an axis for each letter.
        """
        steps = self.transitions[:EDGE_SYMBOL, :EDGE_SYMBOL]
        probabilities = (
            self.transitions[EDGE_SYMBOL, EDGE_SYMBOL, :EDGE_SYMBOL, None]
            * self.transitions[EDGE_SYMBOL, :EDGE_SYMBOL, :EDGE_SYMBOL]
        )
        for _ in range(length - 2):
            probabilities = probabilities[..., None] * steps[..., :EDGE_SYMBOL]
        probabilities *= steps[..., EDGE_SYMBOL]
        return probabilities

    def letter_posterior(self, evidence: NDArray[np.float64]) -> LetterPosterior:
        """Say which letters strings of one length have, given evidence about each of their cells.

        Parameters
        ----------
        evidence : (strings, cells, 26), non-negative, each cell's row with a positive entry; any scale.

        Returns
        -------
        (strings,) the natural log of each string's total weight, in which longer strings weigh less, and (strings,
        cells, 26) the letters' probabilities, rows that sum to 1.
        """
        return self.letter_posteriors([evidence])[0]

    def letter_posteriors(self, evidence_tables: Sequence[NDArray[np.float64]]) -> list[LetterPosterior]:
        """Do as `letter_posterior` for several lengths, a table each, which takes little longer than one.

        All strings go cell by cell together. The longest are in front, so those that have a cell are the first.

        Parameters
        ----------
        evidence_tables : (strings, cells, 26) each.
        """
        order = sorted(range(len(evidence_tables)), key=lambda k: -evidence_tables[k].shape[1])
        ends = np.cumsum([0, *(len(evidence_tables[k]) for k in order)]).tolist()
        row_slices = [slice(*pair) for pair in pairwise(ends)]
        n_strings, n_cells = ends[-1], max((evidence.shape[1] for evidence in evidence_tables), default=0)
        scaled, log_weights = np.zeros((n_cells, n_strings, 27), np.float32), np.zeros(n_strings)
        strings_with_cell = np.zeros(n_cells, np.intp)  # how many strings have each cell
        for k, rows in zip(order, row_slices, strict=True):
            evidence = evidence_tables[k]
            scale = evidence.max(axis=2, keepdims=True)
            scaled[: evidence.shape[1], rows, :EDGE_SYMBOL] = (evidence / scale).swapaxes(0, 1)
            log_weights[rows] = np.log(scale).sum(axis=(1, 2))
            strings_with_cell[: evidence.shape[1]] = rows.stop
        forward_messages = self._forward(scaled, strings_with_cell.tolist(), log_weights)
        letters = self._backward(scaled, strings_with_cell.tolist(), log_weights, forward_messages)
        rows_of = dict(zip(order, row_slices, strict=True))
        return [
            (log_weights[rows_of[k]], letters[: evidence.shape[1], rows_of[k]].swapaxes(0, 1))
            for k, evidence in enumerate(evidence_tables)
        ]

    def _forward(
        self, scaled: NDArray[np.float32], strings_with_cell: Sequence[int], log_weights: NDArray[np.float64]
    ) -> list[NDArray[np.float32]]:
        """Return what is known after so many cells, [before last][string][last]; `log_weights` take its scales.

        `scaled` is the evidence, (cells, strings, 27), with no edge in it; the first `strings_with_cell` have a cell.
        """
        by_last, _ = self._steps
        forward = np.zeros((27, scaled.shape[1], 27), np.float32)
        forward[EDGE_SYMBOL, :, EDGE_SYMBOL] = 1.0
        forward_messages = [forward]
        for cell, n_strings in zip(scaled, strings_with_cell, strict=True):
            forward = np.matmul(forward[:, :n_strings].transpose(2, 1, 0), by_last)  # [last][string][next]
            forward *= cell[:n_strings]
            norm = forward.sum(axis=(0, 2))
            norm[norm <= 0] = MIN_WEIGHT
            log_weights[:n_strings] += np.log(norm)
            forward /= norm[:, None]
            forward_messages.append(forward)
        return forward_messages

    def _backward(
        self,
        scaled: NDArray[np.float32],
        strings_with_cell: Sequence[int],
        log_weights: NDArray[np.float64],
        forward_messages: Sequence[NDArray[np.float32]],
    ) -> NDArray[np.float64]:
        """Return the letters' probabilities, (cells, strings, 26); `log_weights` take the scales of the ends."""
        _, by_next = self._steps
        end = self.transitions[:, None, :, EDGE_SYMBOL].astype(np.float32)
        end[:, :, EDGE_SYMBOL] = 0.0
        backward = end[:, :0]  # [before last][string][last]
        letters = np.empty((len(scaled), scaled.shape[1], 26))
        for i in reversed(range(len(scaled))):
            forward, here = forward_messages[i + 1], backward.shape[1]
            if here < strings_with_cell[i]:  # those that end with this cell
                backward = np.concatenate([backward, np.repeat(end, strings_with_cell[i] - here, axis=1)], axis=1)
                weight = np.einsum("bsl,bsl->s", forward[:, here:], backward[:, here:])
                log_weights[here : strings_with_cell[i]] += np.log(np.maximum(weight, MIN_WEIGHT))
            both = np.einsum("bsl,bsl->sl", forward, backward)[:, :EDGE_SYMBOL]
            norm = both.sum(axis=1, keepdims=True)
            letters[i, : strings_with_cell[i]] = np.where(norm > 0, both / np.where(norm > 0, norm, 1), 1 / 26)
            if i:
                backward = backward * scaled[i, : strings_with_cell[i]]  # [last][string][next]
                backward = np.matmul(backward, by_next).transpose(2, 1, 0)  # [before last][string][last]
                backward = backward / np.maximum(backward.max(axis=(0, 2)), MIN_WEIGHT)[:, None]
        return letters


def count_trigrams(letters: NDArray[np.uint8], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Count the trigrams of answers.

    Parameters
    ----------
    letters : (answers, length) 0 to 25.
    weights : (answers,) how much each counts.

    Returns
    -------
    (27, 27, 27) counts.
    """
    padded = _add_edges(letters)
    codes = (padded[:, :-2] * 27 + padded[:, 1:-1]) * 27 + padded[:, 2:]
    counts = np.bincount(codes.ravel(), weights=np.repeat(weights, codes.shape[1]), minlength=27**3)
    return counts.astype(np.float64).reshape(27, 27, 27)


def _add_edges(letters: NDArray[np.uint8]) -> NDArray[np.intp]:
    """Put two edges before and one behind strings, (strings, length); numpy's own `pad` takes ten times as long."""
    padded = np.full((len(letters), letters.shape[1] + 3), EDGE_SYMBOL, np.intp)
    padded[:, 2:-1] = letters
    return padded


def one_hot_evidence(letters: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Make the evidence that says just one string.

    Parameters
    ----------
    letters : (length,) 0 to 25.

    Returns
    -------
    (length, 26), 1 for each letter, else 0.
    """
    return np.eye(26)[letters]
