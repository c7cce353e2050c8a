"""The lists of all slots of one length as factors, weighed together by the messages to their cells.

Answers are scored by the sum of their letters' log messages, and counted letter by letter. Between two passes over
whole lists, only the answers within reach of the best are kept, for all slots in one table.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.candidates.candidate_list import CandidateList
from regis.models.arrays import Float32Array, Float64Array, top_k_rows
from regis.puzzle.alphabet import ALPHABET_SIZE, codes_to_word
from regis.solving.settings import PROPAGATION


class _ListFactor(NamedTuple):
    """Answers, or only the ones within reach."""

    pair_codes: list[NDArray[np.uint16]]  # of pairs of letters (CandidateList.letter_pairs), (answers,) each
    logp: Float32Array

    @classmethod
    def from_list(cls, candidates: CandidateList) -> _ListFactor:
        return cls(candidates.letter_pairs, candidates.logp_float32)

    def score(self, log_messages: Float64Array) -> Float32Array:
        """Return the log probability of each answer given messages, (length, 26), up to a constant."""
        score = self.logp.copy()
        if log_messages.any():  # in the first round, only if the person wrote letters
            for codes, table in zip(self.pair_codes, _pair_tables(log_messages[None]), strict=True):
                score += table.ravel().take(codes)
        return score

    def prune(self, score: Float32Array) -> _ListFactor:
        near = np.flatnonzero(score > score.max() - PROPAGATION.prune_nats) if len(score) else slice(0)
        return _ListFactor([codes[near] for codes in self.pair_codes], self.logp[near])


class _JoinedFactors(NamedTuple):
    """The factors of several slots of one length, one after another."""

    sizes: NDArray[np.intp]  # number of answers, (slots,)
    logp: Float32Array
    pair_codes: list[NDArray[np.int32]]  # numbered so that no two slots share a code

    @classmethod
    def join(cls, factors: Sequence[_ListFactor], length: int) -> _JoinedFactors:
        sizes = np.array([len(factor.logp) for factor in factors])
        owner = np.arange(len(sizes), dtype=np.int32).repeat(sizes)
        columns = zip(*(factor.pair_codes for factor in factors), strict=True)
        widths = [ALPHABET_SIZE**2] * (length // 2) + [ALPHABET_SIZE] * (length % 2)
        pair_codes = [np.concatenate(column) + width * owner for column, width in zip(columns, widths, strict=True)]
        return cls(sizes, np.concatenate([factor.logp for factor in factors]), pair_codes)


class ListFactors:
    """The lists of some slots of one length, as factors by slot index."""

    def __init__(self, lists: Sequence[CandidateList]) -> None:
        self._lists = list(lists)
        self._whole = [_ListFactor.from_list(candidates) for candidates in lists]
        self._pruned = list(self._whole)
        self._log_missing = np.array([candidates.log_missing for candidates in lists])
        self._length = lists[0].letters.shape[1]
        self._joined: tuple[NDArray[np.intp], _JoinedFactors] | None = None  # for these slots, after pruning

    def replace_list(self, slot_index: int, candidates: CandidateList) -> None:
        self._lists[slot_index], self._log_missing[slot_index] = candidates, candidates.log_missing
        self._whole[slot_index] = self._pruned[slot_index] = _ListFactor.from_list(candidates)
        self._joined = None

    def reuse_unchanged(self, previous: ListFactors) -> list[int]:
        """Keep the answers in reach for lists that `previous` also has, and return the slots of these lists."""
        unchanged = [i for i, candidates in enumerate(self._lists) if candidates is previous._lists[i]]
        for i in unchanged:
            self._pruned[i] = previous._pruned[i]
        return unchanged

    def prune(self, log_messages: Float64Array, slot_indices: Iterable[int]) -> None:
        """Score the whole lists of some slots, and keep the answers within reach; messages are (slots, length, 26)."""
        for i in slot_indices:
            self._pruned[i] = self._whole[i].prune(self._whole[i].score(log_messages[i]))
        self._joined = None

    def marginals(
        self, log_messages: Float64Array, unlisted_logp: Float64Array, slot_indices: NDArray[np.intp]
    ) -> tuple[Float64Array, Float64Array]:
        """Compute P(the answer is in the list), (k,), and letter probabilities if so, (k, length, 26).

        `log_messages` is (k, length, 26), `unlisted_logp`, (k,), the log evidence of unlisted answers, `slot_indices`
        (k,) ascending. An empty list gives zeros.
        """
        sizes, logp, pair_codes = self._join(slot_indices)
        score = logp.copy()
        for codes, table in zip(pair_codes, _pair_tables(log_messages), strict=True):
            score += table.ravel().take(codes)
        p_in_list, letter_probs = np.zeros(len(log_messages)), np.zeros(log_messages.shape)
        filled = np.flatnonzero(sizes)  # slots whose list isn't empty
        if not len(filled):
            return p_in_list, letter_probs
        starts = (np.cumsum(sizes) - sizes)[filled]
        largest, total = np.zeros(len(log_messages), np.float32), np.ones(len(log_messages))
        largest[filled] = np.maximum.reduceat(score, starts)
        likelihood = np.exp(score - largest.repeat(sizes))
        total[filled] = np.add.reduceat(likelihood, starts)
        log_odds = (self._log_missing[slot_indices] + unlisted_logp - largest - np.log(total))[filled]
        p_in_list[filled] = 1.0 / (1.0 + np.exp(np.clip(log_odds, -700, 700)))
        p = likelihood / total.repeat(sizes)
        for i, codes in enumerate(pair_codes):
            cells = letter_probs[:, 2 * i : 2 * i + 2]
            sums = np.bincount(codes, p, len(cells) * ALPHABET_SIZE ** cells.shape[1])
            if cells.shape[1] == 1:
                cells[:, 0] = sums.reshape(-1, ALPHABET_SIZE)
            else:
                pair_sums = sums.reshape(-1, ALPHABET_SIZE, ALPHABET_SIZE)
                cells[:, 0], cells[:, 1] = pair_sums.sum(axis=2), pair_sums.sum(axis=1)
        return p_in_list, letter_probs

    def _join(self, slot_indices: NDArray[np.intp]) -> _JoinedFactors:
        """Join the answers within reach of several slots in one table, cached for the same slots."""
        if self._joined is None or not np.array_equal(slot_indices, self._joined[0]):
            self._joined = slot_indices, _JoinedFactors.join([self._pruned[i] for i in slot_indices], self._length)
        return self._joined[1]

    def top_answers(
        self, slot_index: int, log_messages: Float64Array, p_in_list: float, count: int
    ) -> tuple[tuple[str, float], ...]:
        """Rank a slot's `count` best answers, with probabilities, given log messages, (length, 26)."""
        score = self._whole[slot_index].score(log_messages)
        if not len(score):
            return ()
        letters = self._lists[slot_index].letters
        best = top_k_rows(letters, score, count)
        p = np.exp(score - score.max())
        p *= p_in_list / p.sum()
        return tuple((codes_to_word(letters[i]), float(p[i])) for i in best)


def _pair_tables(log_messages: Float64Array) -> list[Float64Array]:
    """Sum messages to pairs of cells for each pair of letters, (slots, 26, 26); an odd last cell stays alone."""
    log_messages = log_messages.astype(np.float32)
    even = log_messages.shape[1] // 2 * 2
    pairs = [first[:, :, None] + second[:, None, :] for first, second in zip(
        log_messages[:, :even:2].swapaxes(0, 1), log_messages[:, 1:even:2].swapaxes(0, 1), strict=True
    )]  # fmt: skip
    return [*pairs, *log_messages[:, even:].swapaxes(0, 1)]
