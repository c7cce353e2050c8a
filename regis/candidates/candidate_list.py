"""Candidate answers for one slot: every answer of its length once, with a probability, the likeliest first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.candidates.finder import Evidence, ExplainRow
from regis.models.arrays import MIN_PROBABILITY, Float32Array, FloatArray, top_k_rows
from regis.puzzle.alphabet import codes_to_word, letter_codes, letter_pairs, pattern_mask, row_hashes

LETTER_MATCH_PROBABILITY = 1 / 15
"""P(an unknown letter of an unlisted answer): the sum of squared frequencies."""


class Candidate(NamedTuple):
    answer: str
    probability: float
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True)
class CandidateList:
    """The answers of one length that a slot may take, best first.

    The probabilities and `missing` sum to 1, or less if a limit cut the tail.
    """

    letters: NDArray[np.uint8]  # (k, length) 0 to 25
    logp: FloatArray  # (k,) natural logs
    missing: float  # P(the answer is in no list)
    explain: ExplainRow

    def __len__(self) -> int:
        return len(self.logp)

    @property
    def log_missing(self) -> float:
        """Return the natural log of `missing`, or of MIN_PROBABILITY if that is larger."""
        return float(np.log(max(self.missing, MIN_PROBABILITY)))

    def __getitem__(self, i: int) -> Candidate:
        return Candidate(self.answer(i), float(np.exp(self.logp[i])), self.explain(i))

    def answer(self, i: int) -> str:
        return codes_to_word(self.letters[i])

    def matching(self, pattern: str) -> NDArray[np.bool_]:
        """Mark the candidates that match a pattern ('P?I'), (k,)."""
        return pattern_mask(self.letters, pattern)

    def keep_rows(self, rows: NDArray[np.bool_] | NDArray[np.intp] | Sequence[int]) -> CandidateList:
        """Keep some candidates, by mask or by rows in a new order, with unchanged probabilities."""
        kept_rows = np.flatnonzero(rows) if np.asarray(rows).dtype == bool else np.asarray(rows, dtype=np.int64)
        explain, letters = self.explain, self.letters.take(kept_rows, axis=0)
        return CandidateList(letters, self.logp[kept_rows], self.missing, lambda i: explain(int(kept_rows[i])))

    def condition_on(self, pattern: str) -> CandidateList:
        """Condition the list on the letters of `pattern` (Bayes; unlisted answers have letters, too)."""
        matching = self if set(pattern) == {"?"} else self.keep_rows(self.matching(pattern))
        missing = self.missing * LETTER_MATCH_PROBABILITY ** sum(letter != "?" for letter in pattern)
        total = float(np.exp(matching.logp).sum()) + missing
        if total <= 0:
            return unlisted(len(pattern))
        return replace(matching, logp=matching.logp - np.log(total), missing=missing / total)

    def top_k(self, count: int) -> NDArray[np.intp]:
        """Return the rows of the likeliest candidates, best first; the order of ties depends on their letters."""
        return top_k_rows(self.letters, self.logp, count)

    def find_answer(self, answer: str) -> int | None:
        """Return the row of `answer`, None if it isn't listed; cached, since fills ask repeatedly."""
        if answer not in self._places:
            self._places[answer] = self._find_answer(answer)
        return self._places[answer]

    def _find_answer(self, answer: str) -> int | None:
        if not len(self) or len(answer) != self.letters.shape[1] or not answer.isascii():
            return None
        codes = letter_codes(answer)
        rows = np.flatnonzero(self.letter_pairs[0] == letter_pairs(codes[None].astype(np.uint16))[0])
        found = rows[(self.letters[rows] == codes).all(axis=1)]
        return int(found[0]) if len(found) else None

    def has_answers(self, letters: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """Mark the answers, (answers, length), that are listed."""
        return np.isin(row_hashes(letters), self._hashes)

    def logp_at(self, place: int | None, unlisted_loglik: Callable[[], float]) -> float:
        """Return the natural log probability of the answer at `place`; for None, that of an unlisted answer of this
        likelihood."""
        return self.log_missing + unlisted_loglik() if place is None else float(self.logp[place])

    def add_answers(
        self, letters: NDArray[np.uint8], logp: NDArray[np.float64], missing: float, explain_new: ExplainRow
    ) -> CandidateList:
        """Add unlisted answers, (new, length), with logs, (new,), and set `missing`; `explain_new` gets new rows."""
        n_old, all_logp = len(self), np.concatenate([self.logp, logp])
        all_letters = np.concatenate([self.letters, letters])
        order = np.argsort(-all_logp, kind="stable")

        def explain(i: int) -> tuple[Evidence, ...]:
            row = int(order[i])
            return self.explain(row) if row < n_old else explain_new(row - n_old)

        return CandidateList(all_letters[order], all_logp[order], missing, explain)

    @cached_property
    def letter_pairs(self) -> list[NDArray[np.uint16]]:
        """Return pairs of letters, (k,) each, which every fill needs."""
        return letter_pairs(self.letters.astype(np.uint16))

    @cached_property
    def logp_float32(self) -> Float32Array:
        """Return `logp` as float32, which every fill needs."""
        return self.logp.astype(np.float32, copy=False)

    @cached_property
    def _places(self) -> dict[str, int | None]:
        return {}

    @cached_property
    def _hashes(self) -> NDArray[np.uint64]:
        return row_hashes(self.letters)


def unlisted(length: int) -> CandidateList:
    return CandidateList(np.empty((0, length), np.uint8), np.empty(0), 1.0, lambda i: ())
