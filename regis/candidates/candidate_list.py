"""Candidate answers for one slot: what a finder found, and the weighed list with its probabilities.

A finder answers with a `Found`: rows of the answer table, its score for each, and the past clue that speaks best for
it. `weigh` turns several of them into one `CandidateList`, in which every answer of the length stands once with a
probability, and `missing` is the probability that the right answer is not in the list at all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.puzzle.alphabet import codes, fits, foremost, row_hashes, word

KNOWN_LETTER = 1 / 15
"""How likely a letter was before it was known, for an answer in no list: sum of squares of the letter frequencies."""


@dataclass(frozen=True, slots=True)
class Found:
    """What one finder found for one clue: parallel arrays, each answer once, in any order."""

    finder: str
    answers: NDArray[np.int32]  # rows of the answer table of this length
    score: NDArray[np.float32]  # how good the best match is: 0 to 1, or what the finder says
    support: NDArray[np.float32]  # the second number of the finder, see its docstring
    clues: NDArray[np.int32]  # row of the clue table that scored best; -1 where the answer came from no clue
    reasons: Callable[[int], tuple[Evidence, ...]] | None = None  # what speaks for a row, where no clue does
    covered: NDArray[np.float32] | None = None  # (answers, 3), where the finder says so (finders.keywords)

    @classmethod
    def nothing(cls, finder: str) -> Found:
        """A finder's word for 'I know of none'."""
        none = np.empty(0, np.int32)
        return cls(finder, none, np.empty(0, np.float32), np.empty(0, np.float32), none)

    @classmethod
    def from_clues(
        cls, finder: str, clues: NDArray[np.int64], score: NDArray[np.float32], answer_of: NDArray[np.uint32]
    ) -> Found:
        """The answers of scored past `clues`: best score of each, and as support the sum of its scores."""
        answers = answer_of[clues].astype(np.int32)
        order = np.lexsort((clues, -score, answers))
        answers, score, clues = answers[order], score[order], clues[order]
        first = np.flatnonzero(np.concatenate([[True], answers[1:] != answers[:-1]])) if len(answers) else order
        support = np.add.reduceat(score, first) if len(first) else score
        best = score[first]
        return cls(finder, answers[first], best, support.astype(np.float32), clues[first].astype(np.int32))

    def keep(self, which: NDArray[np.bool_]) -> Found:
        """The same without the others."""
        return replace(
            self,
            answers=self.answers[which],
            score=self.score[which],
            support=self.support[which],
            clues=self.clues[which],
            covered=None if self.covered is None else self.covered[which],
        )


class Evidence(NamedTuple):
    """One reason for a candidate, for people and programs to read."""

    finder: str
    kind: str  # "clue", "paraphrase", "meaning", "relation", "phrase", "answer", "title", "word"
    text: str  # the past clue, the relation in words, the phrase or title as its source writes it; '' for a word
    score: float  # similarity of the past clue, or the list's own score, 0 to 1
    times: int  # how often the pair (or the answer) was seen
    last: int | None  # the last year it was seen in


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
    explain: Callable[[int], tuple[Evidence, ...]]

    def __len__(self) -> int:
        return len(self.logp)

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
        """The place of `answer` in the list, 0 the best; None if it is not there."""
        if len(answer) != self.letters.shape[1] or not answer.isascii():
            return None
        wanted = codes(answer)
        for row in np.flatnonzero(self._hashes == row_hashes(wanted[None])):
            if (self.letters[row] == wanted).all():
                return int(row)
        return None

    @cached_property
    def _hashes(self) -> NDArray[np.uint64]:
        return row_hashes(self.letters)


def unlisted(length: int) -> CandidateList:
    """The list for a slot of a length that no index holds: nothing in it, everything missing."""
    return CandidateList(np.empty((0, length), np.uint8), np.empty(0), 1.0, np.empty(0, bool), lambda i: ())
