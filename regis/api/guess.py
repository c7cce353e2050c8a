"""The likeliest answers to one clue."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

from regis.candidates.candidate_list import Candidate
from regis.index import Index
from regis.puzzle import entry_names
from regis.solving import retrieval


@dataclass(frozen=True)
class Guess(Sequence[Candidate]):
    """The candidates for a clue: a sequence, best first."""

    clue: str
    pattern: str  # with `?` for an unknown letter; '' for answers of any length
    candidates: tuple[Candidate, ...]
    missing_probability: float  # the probability that the right answer is on no list

    def __len__(self) -> int:
        return len(self.candidates)

    @overload
    def __getitem__(self, place: int) -> Candidate: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[Candidate, ...]: ...

    def __getitem__(self, place: int | slice) -> Candidate | tuple[Candidate, ...]:
        return self.candidates[place]


def guess_answers(clue: str, pattern: str | int | None, index: Index, limit: int) -> Guess:
    """List the likeliest answers to a clue; without a pattern, of any length. Raises UsageError for a bad pattern."""
    if pattern is None:
        by_length = retrieval.retrieve_lists_by_length(clue, index)
        shape = ""
    else:
        shape = entry_names.parse_pattern(str(pattern))
        by_length = {len(shape): (1.0, retrieval.retrieve_clue_candidates(clue, shape, index))}
    candidates = [
        candidate._replace(probability=weight * candidate.probability)
        for weight, listed in by_length.values()
        for candidate in map(listed.__getitem__, range(min(limit, len(listed))))
    ]
    candidates.sort(key=lambda candidate: -candidate.probability)
    missing = sum(weight * listed.missing for weight, listed in by_length.values())
    return Guess(clue, shape, tuple(candidates[:limit]), missing)
