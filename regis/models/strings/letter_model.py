"""The letter model: a trigram model over answers, with exact inference.

Unlisted answers still look like answers: U after Q, few triple consonants. The model is a second-order Markov chain
over A-Z with a boundary symbol at both ends. Forward-backward over 27 x 27 states turns the crossings' messages into
the probability of every letter and of the string, in closed form (Rabiner 1989).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from regis.models.settings import STRINGS

MIN_WEIGHT = np.float32(1e-30)  # stands for the weight 0, which has no logarithm
EDGE_SYMBOL = 26  # the boundary symbol's number; letters are 0 to 25


LetterPosterior = tuple[NDArray[np.float64], NDArray[np.float64]]


@dataclass(frozen=True)
class LetterModel:
    transitions: NDArray[np.float64]  # (27, 27, 27) P(next | two before), axes: before last, last, next
    _log_normalizers: dict[int, float] = field(default_factory=dict, init=False, repr=False, compare=False)

    @classmethod
    def from_trigrams(cls, trigram_counts: NDArray[np.float64]) -> LetterModel:
        """Make the model from trigram counts, (27, 27, 27), backed off to bigrams and letters."""
        letter_shares = trigram_counts.sum(axis=(0, 1)) + 1.0
        letter_shares /= letter_shares.sum()
        bigram_shares = trigram_counts.sum(axis=0) + 27 * STRINGS.smoothing_count * letter_shares
        bigram_shares /= bigram_shares.sum(axis=1, keepdims=True)
        trigram_shares = trigram_counts + 27 * STRINGS.smoothing_count * bigram_shares[None, :, :]
        return cls(trigram_shares / trigram_shares.sum(axis=2, keepdims=True))

    def flatten(self, power: float) -> LetterModel:
        """Raise every probability to `power`, below 1, so that rare strings gain.

        Steps no longer sum to 1, so compare only strings of one length, with `log_normalizer`.
        """
        return LetterModel(self.transitions**power)

    @cached_property
    def _logs(self) -> NDArray[np.float64]:
        logs: NDArray[np.float64] = np.log(self.transitions)
        return logs

    @cached_property
    def _steps(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return float32 steps ahead and back: [last][before last][next], [last][next][before last]."""
        by_last = self.transitions.astype(np.float32).transpose(1, 0, 2)
        return np.ascontiguousarray(by_last), np.ascontiguousarray(by_last.transpose(0, 2, 1))

    def log_normalizer(self, length: int) -> float:
        """Return the log of the total weight of all strings of a length."""
        if length not in self._log_normalizers:
            self._log_normalizers[length] = float(self.letter_posterior(np.ones((1, length, 26)))[0][0])
        return self._log_normalizers[length]

    def string_loglik(self, letters: NDArray[np.uint8]) -> float:
        return float(self.string_logliks(letters[None])[0])

    def string_logliks(self, letters: NDArray[np.uint8]) -> NDArray[np.float64]:
        """Return the log probabilities of strings, (strings, length) 0 to 25, with their ends: (strings,) nats."""
        padded = _add_edges(letters)
        logliks: NDArray[np.float64] = self._logs[padded[:, :-2], padded[:, 1:-1], padded[:, 2:]].sum(axis=1)
        return logliks

    def enumerate_strings(self, length: int) -> NDArray[np.float64]:
        """Return the probability of every string of two or more letters, with its end: (26, ..., 26)."""
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
        """Compute the letters of strings of one length from evidence about each cell.

        `evidence` is (strings, cells, 26), non-negative, each row with a positive entry, on any scale. Returns
        (strings,) the log of each string's total weight, and (strings, cells, 26) letter probabilities.
        """
        return self.letter_posteriors([evidence])[0]

    def letter_posteriors(self, evidence_tables: Sequence[NDArray[np.float64]]) -> list[LetterPosterior]:
        """Do `letter_posterior` for several lengths at once, in little more time.

        All strings go cell by cell together, the longest first, so that the strings that have a cell come first.
        """
        order = sorted(range(len(evidence_tables)), key=lambda k: -evidence_tables[k].shape[1])
        ends = np.cumsum([0, *(len(evidence_tables[k]) for k in order)]).tolist()
        row_slices = [slice(*pair) for pair in pairwise(ends)]
        n_strings, n_cells = ends[-1], max((evidence.shape[1] for evidence in evidence_tables), default=0)
        scaled, log_weights = np.zeros((n_cells, n_strings, 27), np.float32), np.zeros(n_strings)
        strings_with_cell = np.zeros(n_cells, np.intp)  # strings that have each cell
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
        """Return the messages after each cell, [before last][string][last], and add their scales to `log_weights`.

        `scaled` is the evidence, (cells, strings, 27).
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
        """Return letter probabilities, (cells, strings, 26), and add the scales of the ends to `log_weights`."""
        _, by_next = self._steps
        end = self.transitions[:, None, :, EDGE_SYMBOL].astype(np.float32)
        end[:, :, EDGE_SYMBOL] = 0.0
        backward = end[:, :0]  # [before last][string][last]
        letters = np.empty((len(scaled), scaled.shape[1], 26))
        for i in reversed(range(len(scaled))):
            forward, here = forward_messages[i + 1], backward.shape[1]
            if here < strings_with_cell[i]:  # strings that end with this cell
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
    """Count the trigrams, (27, 27, 27), of answers, (answers, length) 0 to 25, with weights."""
    padded = _add_edges(letters)
    codes = (padded[:, :-2] * 27 + padded[:, 1:-1]) * 27 + padded[:, 2:]
    counts = np.bincount(codes.ravel(), weights=np.repeat(weights, codes.shape[1]), minlength=27**3)
    return counts.astype(np.float64).reshape(27, 27, 27)


def _add_edges(letters: NDArray[np.uint8]) -> NDArray[np.intp]:
    """Add two boundary symbols before and one after each string; numpy's `pad` takes ten times as long."""
    padded = np.full((len(letters), letters.shape[1] + 3), EDGE_SYMBOL, np.intp)
    padded[:, 2:-1] = letters
    return padded


def one_hot_evidence(letters: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Make evidence, (length, 26), for exactly one string."""
    return np.eye(26)[letters]
