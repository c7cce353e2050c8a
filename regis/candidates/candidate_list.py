"""Candidate answers for one slot: every answer of the length once, with a probability, the likeliest first.

`missing` is the probability that the right answer is not in the list at all. `ranking` makes such lists, fillers and
people read them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.candidates.found import Evidence, Explain
from regis.models.lookup import foremost
from regis.models.tensors import Floats
from regis.puzzle.alphabet import codes, fits, paired, row_hashes, word

KNOWN_LETTER = 1 / 15  # P(a letter of an answer in no list) before it is known: sum of squares of the frequencies
LEAST = 1e-12  # what a probability counts as where it is 0, which has no logarithm


class Candidate(NamedTuple):
    answer: str
    probability: float
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True)
class CandidateList:
    """The answers that one slot may take: one length, each answer once, best first.

    `letters` is (k, length) with values 0 to 25, `logp` (k,) natural logs; the probabilities and `missing` sum to 1,
    or to less where a limit cut the tail off. `from_clue` marks what some past clue speaks for.
    """

    letters: NDArray[np.uint8]
    logp: NDArray[np.float64]
    missing: float
    from_clue: NDArray[np.bool_]
    explain: Explain

    def __len__(self) -> int:
        return len(self.logp)

    @property
    def log_missing(self) -> float:
        """Natural log of `missing`, of LEAST at least."""
        return float(np.log(max(self.missing, LEAST)))

    def __getitem__(self, i: int) -> Candidate:
        return Candidate(self.answer(i), float(np.exp(self.logp[i])), self.explain(i))

    def answer(self, i: int) -> str:
        return word(self.letters[i])

    def matching(self, pattern: str) -> NDArray[np.bool_]:
        """Which candidates have the letters of `pattern` ('P?I')."""
        return fits(self.letters, pattern)

    def keep(self, which: NDArray[np.bool_] | NDArray[np.intp] | Sequence[int]) -> CandidateList:
        """The same list without the others; probabilities stay as they are."""
        rows = np.flatnonzero(which) if np.asarray(which).dtype == bool else np.asarray(which, dtype=np.int64)
        explain = self.explain
        return CandidateList(
            self.letters.take(rows, axis=0),
            self.logp[rows],
            self.missing,
            self.from_clue[rows],
            lambda i: explain(int(rows[i])),
        )

    def given(self, pattern: str) -> CandidateList:
        """The list once the letters of `pattern` are known to be right (Bayes; a missing answer has letters too)."""
        kept = self if set(pattern) == {"?"} else self.keep(self.matching(pattern))
        missing = self.missing * KNOWN_LETTER ** sum(letter != "?" for letter in pattern)
        total = float(np.exp(kept.logp).sum()) + missing
        if total <= 0:
            return unlisted(len(pattern))
        return replace(kept, logp=kept.logp - np.log(total), missing=missing / total)

    def foremost(self, count: int) -> NDArray[np.intp]:
        """Rows of the `count` likeliest, best first; equals in an order that does not depend on how they came."""
        return foremost(self.letters, self.logp, count)

    def find(self, answer: str) -> int | None:
        """The place of `answer` in the list, 0 the best; None if it is not there.

        It is kept: fill after fill asks for the same.
        """
        if answer not in self._places:
            self._places[answer] = self._place(answer)
        return self._places[answer]

    def _place(self, answer: str) -> int | None:
        if not len(self) or len(answer) != self.letters.shape[1] or not answer.isascii():
            return None
        wanted = codes(answer)
        rows = np.flatnonzero(self.pairs[0] == paired(wanted[None].astype(np.uint16))[0])
        found = rows[(self.letters[rows] == wanted).all(axis=1)]
        return int(found[0]) if len(found) else None

    def has(self, letters: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """Which answers of a letter table, (k, length), are in the list."""
        return np.isin(row_hashes(letters), self._hashes)

    def without(self, letters: NDArray[np.uint8]) -> CandidateList:
        """The list without the answers of a letter table, (k, length)."""
        return self.keep(~np.isin(self._hashes, row_hashes(letters)))

    def logp_at(self, place: int | None, unlisted: Callable[[], float]) -> float:
        """Natural log probability of the answer that `find` found at `place`; of one that is not there `unlisted` says
        that among all such."""
        return self.log_missing + unlisted() if place is None else float(self.logp[place])

    def joined(
        self, letters: NDArray[np.uint8], logp: NDArray[np.float64], missing: float, explain: Explain
    ) -> CandidateList:
        """The list with answers that were not in it, which no past clue speaks for; `explain` gets their rows."""
        size, every = len(self), np.concatenate([self.logp, logp])
        order = np.argsort(-every, kind="stable")

        def explained(i: int) -> tuple[Evidence, ...]:
            place = int(order[i])
            return self.explain(place) if place < size else explain(place - size)

        return CandidateList(
            np.concatenate([self.letters, letters])[order],
            every[order],
            missing,
            np.concatenate([self.from_clue, np.zeros(len(logp), bool)])[order],
            explained,
        )

    @cached_property
    def pairs(self) -> list[NDArray[np.uint16]]:
        """The letters two by two, as lists are weighed by them (alphabet.paired): each fill needs them."""
        return paired(self.letters.astype(np.uint16))

    @cached_property
    def brief(self) -> Floats:
        """`logp` with half of its digits, as lists are weighed: each fill needs it."""
        return self.logp.astype(np.float32)

    @cached_property
    def _places(self) -> dict[str, int | None]:
        return {}

    @cached_property
    def _hashes(self) -> NDArray[np.uint64]:
        return row_hashes(self.letters)


def unlisted(length: int) -> CandidateList:
    """The list for a slot of a length that no index holds: nothing in it, everything missing."""
    return CandidateList(np.empty((0, length), np.uint8), np.empty(0), 1.0, np.empty(0, bool), lambda i: ())
