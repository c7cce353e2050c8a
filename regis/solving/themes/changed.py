"""A slot's list with changed phrases in it: half of what is believed before any crossing is theirs.

A phrase that its list has already is none of them; what they are not, the list and the string model are as before.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from regis.candidates.candidate_list import CandidateList
from regis.candidates.found import Evidence
from regis.models import lookup
from regis.models.tensors import Table
from regis.puzzle.alphabet import row_hashes, word, words
from regis.solving.surprise import by_crossings
from regis.solving.themes.changes import Phrases, made
from regis.solving.themes.edits import Edit

SHARE = 0.5  # P(a slot of the theme has a changed phrase); a guess
KEPT = 300  # changed phrases that join a list, the likeliest

THEME = "theme"  # its name as evidence


@dataclass(frozen=True)
class Changed:
    """What an edit makes of phrases for one slot, the likeliest first, by their probability alone."""

    edit: Edit
    letters: Phrases
    logp: Table
    phrases: Sequence[str]  # of which they were made
    gain: float  # natural log of how likely they are with the crossings, beside all that was known

    def phrase(self, answer: str) -> str | None:
        """The phrase that was changed to `answer`."""
        return self._by_answer.get(answer)

    @cached_property
    def _by_answer(self) -> dict[str, str]:
        return dict(zip(words(self.letters), self.phrases, strict=True))


def changed(
    edit: Edit, listed: CandidateList, several: Iterable[CandidateList], messages: Table, evidence: float
) -> Changed:
    """What `edit` makes of `several` lists of phrases for a slot: beside what is `listed`, as crossings have it.

    `messages`, (cells, 26), are what the crossings say, `evidence` the probability of all that was known with them, in
    natural logs.
    """
    tables, chances, names = [np.empty((0, len(messages)), np.uint8)], [np.empty(0)], list[str]()
    for phrases in several:
        letters, logp, which = made(edit, phrases.letters, phrases.logp, messages, evidence)
        best = _best(logp + by_crossings(letters, messages))
        tables.append(letters[best])
        chances.append(logp[best])
        names += [phrases.answer(i) for i in which[best].tolist()]
    letters, logp = np.concatenate(tables), np.concatenate(chances)
    first, logp = distinct(letters, logp)
    letters, names = letters[first], [names[i] for i in first.tolist()]
    fit = logp + by_crossings(letters, messages)
    best = _best(fit)
    best = best[[listed.find(word(row)) is None for row in letters[best]]]
    gain = float(np.logaddexp.reduce(fit[best], initial=-np.inf)) - evidence
    best = best[np.argsort(-logp[best], kind="stable")]
    return Changed(edit, letters[best], logp[best], [names[i] for i in best.tolist()], gain)


def _best(fit: Table) -> NDArray[np.intp]:
    """The KEPT best, in their order, equal ones as they come; an edit makes a million of a list."""
    some = lookup.largest(fit, KEPT)
    return some[np.argsort(-fit[some], kind="stable")[:KEPT]]


def distinct(letters: Phrases, logp: Table) -> tuple[NDArray[np.intp], Table]:
    """The first row of each of some answers, (k, length), and the natural log of how likely all its rows are."""
    _, first, same = np.unique(row_hashes(letters), return_index=True, return_inverse=True)
    total = np.full(len(first), -np.inf)
    np.logaddexp.at(total, same, logp)
    return first, total


def joined(listed: CandidateList, new: Changed) -> CandidateList:
    """The list with those that are `new`."""

    def explain(i: int) -> tuple[Evidence, ...]:
        said = f"{new.phrases[i]} with {new.edit.said}"
        return (Evidence(THEME, "edit", said, float(np.exp(new.logp[i])), 0, None),)

    rest = replace(listed, logp=listed.logp + np.log1p(-SHARE))
    return rest.joined(new.letters, new.logp + np.log(SHARE), listed.missing * (1 - SHARE), explain)
