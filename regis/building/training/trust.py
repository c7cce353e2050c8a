"""How much the reader's odds count beside what lists say (solving.readings), fitted on the hidden newest year.

Clues of that year are asked with some letters known, as crossings know them; then stands the right answer among the
best that fit, and among strings that the open squares can make of it. Trusted so far, the reader makes it likeliest
(conditional logit, McFadden 1974).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.building.training.asking import Pair
from regis.building.training.weights import ENOUGH, newest_clues
from regis.candidates.candidate_list import CandidateList
from regis.candidates.query import Query
from regis.candidates.ranking import Ranker
from regis.index import Index
from regis.models.reader import TRUST, Reader
from regis.models.unlisted import StringModel
from regis.puzzle.alphabet import codes, word

SAMPLE = 2000  # clues that it is fitted on
TOGETHER = 100  # clues asked at once
KNOWN = 0.6  # share of the letters that are known
LISTED, MADE = 8, 4  # how many answers, and strings, stand beside the right one
MOST = 3.0  # times that odds may count
RIDGE = 1e-3  # pull towards what is taken where nothing was fitted
SEED = 2014


class Case(NamedTuple):
    """One clue and what was read with it; the first string is right."""

    clue: str
    strings: list[str]
    logp: NDArray[np.float64]  # (strings,): natural log probability before they were read


def fit(index: Index, before: Index, reader: Reader) -> dict[str, Any]:
    """What the reader's file of fitted numbers holds; `before` is `index` as it was before its newest year.

    An index that began with a starter has encoders that may know that year, and nothing is fitted.
    """
    newest = index.manifest.newest_year
    if newest is None or index.manifest.begun:
        return {"trust": TRUST}
    sample = [pair for pair in newest_clues(index) if len(pair[1]) > 2]
    generator = np.random.default_rng(SEED)
    order = generator.permutation(len(sample))[:SAMPLE].tolist()
    cases = list(_cases(before, newest, [sample[i] for i in order], generator))
    if len(cases) < ENOUGH:
        return {"trust": TRUST}
    odds = reader.odds([(case.clue, case.strings) for case in cases])
    trust, loss = _fitted(cases, odds)
    return {"trust": trust, "how": "newest year, hidden", "year": newest, "clues": len(cases), "log loss": loss}


def _cases(before: Index, newest: int, sample: Sequence[Pair], generator: np.random.Generator) -> Iterator[Case]:
    ranker = Ranker(before, year=newest)
    for i in range(0, len(sample), TOGETHER):
        some = sample[i : i + TOGETHER]
        lists = ranker.lists([Query(clue, "?" * len(answer)) for clue, answer in some])
        for (clue, answer), listed in zip(some, lists, strict=True):
            known = generator.random(len(answer)) < KNOWN
            if not known.all():
                yield _case(clue, answer, known, listed, before.strings, generator)


def _case(
    clue: str, answer: str, known: NDArray[np.bool_], among: CandidateList, strings: StringModel,
    generator: np.random.Generator,
) -> Case:  # fmt: skip
    """So many parameters, since it is one step of the loop above. A string counts as among those in no list."""
    fitting = among.keep((among.letters[:, known] == codes(answer)[known]).all(axis=1))
    listed = [fitting.answer(i) for i in range(min(LISTED, len(fitting)))]
    made = []
    for _ in range(MADE):
        letters = codes(answer).copy()
        place = generator.choice(np.flatnonzero(~known))
        letters[place] = generator.choice(26)
        made.append(word(letters))
    every = list(dict.fromkeys([answer, *listed, *made]))

    def logp(one: str) -> float:
        return fitting.logp_at(fitting.find(one), lambda: strings.string(codes(one)))

    return Case(clue, every, np.array([logp(one) for one in every]))


def _fitted(cases: Sequence[Case], odds: Sequence[NDArray[np.float32]]) -> tuple[float, float]:
    """The trust under which the right strings are likeliest, and the log loss per clue."""
    from scipy.optimize import minimize_scalar

    def loss(trust: float) -> float:
        total = 0.0
        for case, one in zip(cases, odds, strict=True):
            score = case.logp + trust * one
            total += float(np.logaddexp.reduce(score) - score[0])
        return total / len(cases)

    best = minimize_scalar(
        lambda trust: loss(trust) + RIDGE * (trust - TRUST) ** 2, bounds=(0.0, MOST), method="bounded"
    )
    return round(float(best.x), 3), round(loss(float(best.x)), 4)
