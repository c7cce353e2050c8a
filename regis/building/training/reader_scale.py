"""How much the reader's log odds count relative to lists, fitted on the hidden newest year.

Clues of that year are queried with some letters known. The scale makes the right answer likeliest among the answers
that fit best and strings with a changed letter (conditional logit, McFadden 1974).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.building.settings import READER
from regis.building.training.hidden_year import ClueAnswer
from regis.building.training.ranking_weights import MIN_CLUES, newest_year_clues
from regis.candidates.candidate_list import CandidateList
from regis.candidates.finder import Query
from regis.candidates.ranking.ranker import Ranker
from regis.index import Index
from regis.models.neural.cross_encoder import DEFAULT_TRUST, CrossEncoder
from regis.models.strings.string_model import StringModel
from regis.puzzle.alphabet import codes_to_word, letter_codes


class ScaleCase(NamedTuple):
    """One clue and the strings read with it; the first is right."""

    clue: str
    strings: list[str]
    log_probs: NDArray[np.float64]  # (strings,): natural log probability before reading


def fit_reader_scale(index: Index, past_index: Index, cross_encoder: CrossEncoder) -> dict[str, Any]:
    """Fit how much the cross-encoder's log odds count; return the contents of the reader's file of fitted numbers.

    Nothing is fitted in an index that began with a starter, whose encoders may know that year.
    """
    newest_year = index.manifest.newest_year
    if newest_year is None or index.manifest.begun:
        return {"trust": DEFAULT_TRUST}
    clue_answers = [pair for pair in newest_year_clues(index) if len(pair[1]) > 2]
    generator = np.random.default_rng(2014)
    order = generator.permutation(len(clue_answers))[: READER.scaling_clues].tolist()
    cases = list(_build_cases(past_index, newest_year, [clue_answers[i] for i in order], generator))
    if len(cases) < MIN_CLUES:
        return {"trust": DEFAULT_TRUST}
    log_odds = cross_encoder.log_odds([(case.clue, case.strings) for case in cases])
    scale, log_loss = _fit_scale(cases, log_odds)
    sample = {"how": "newest year, hidden", "year": newest_year, "clues": len(cases)}
    return {"trust": scale, **sample, "log loss": log_loss}


def _build_cases(
    past_index: Index, newest_year: int, clue_answers: Sequence[ClueAnswer], generator: np.random.Generator
) -> Iterator[ScaleCase]:
    """Query the clues in batches; yield a case for each clue with an unknown letter."""
    ranker = Ranker(past_index, year=newest_year)
    for i in range(0, len(clue_answers), 100):
        batch = clue_answers[i : i + 100]
        lists = ranker.rank_queries([Query(clue, "?" * len(answer)) for clue, answer in batch])
        for (clue, answer), candidates in zip(batch, lists, strict=True):
            known_letters = generator.random(len(answer)) < READER.known_letter_share
            if not known_letters.all():
                yield _build_case(clue, answer, known_letters, candidates, past_index.string_model, generator)


def _build_case(
    clue: str, answer: str, known_letters: NDArray[np.bool_], candidates: CandidateList, string_model: StringModel,
    generator: np.random.Generator,
) -> ScaleCase:  # fmt: skip
    """Add likely answers and changed strings to the right one."""
    fits = (candidates.letters[:, known_letters] == letter_codes(answer)[known_letters]).all(axis=1)
    fitting = candidates.keep_rows(fits)
    listed_answers = [fitting.answer(i) for i in range(min(READER.listed_strings, len(fitting)))]
    changed_strings = []
    for _ in range(READER.changed_strings):
        letters = letter_codes(answer).copy()
        place = generator.choice(np.flatnonzero(~known_letters))
        letters[place] = generator.choice(26)
        changed_strings.append(codes_to_word(letters))
    all_strings = list(dict.fromkeys([answer, *listed_answers, *changed_strings]))

    def log_prob(string: str) -> float:
        return fitting.logp_at(fitting.find_answer(string), lambda: string_model.string_loglik(letter_codes(string)))

    return ScaleCase(clue, all_strings, np.array([log_prob(one) for one in all_strings]))


def _fit_scale(cases: Sequence[ScaleCase], log_odds: Sequence[NDArray[np.float32]]) -> tuple[float, float]:
    """Return the scale that makes the right strings likeliest, and the log loss per clue in nats."""
    from scipy.optimize import minimize_scalar

    def mean_loss(scale: float) -> float:
        total = 0.0
        for case, one in zip(cases, log_odds, strict=True):
            score = case.log_probs + scale * one
            total += float(np.logaddexp.reduce(score) - score[0])
        return total / len(cases)

    def penalised_loss(scale: float) -> float:
        return mean_loss(scale) + READER.scale_penalty * (scale - DEFAULT_TRUST) ** 2

    best = minimize_scalar(penalised_loss, bounds=(0.0, 3.0), method="bounded")
    return round(float(best.x), 3), round(mean_loss(float(best.x)), 4)
