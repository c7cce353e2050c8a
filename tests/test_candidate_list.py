"""Candidate lists: what stays, the effect of a pattern, how results are merged, and what a clue says about the pieces
of an unlisted answer."""

import corpus
import numpy as np
import pytest
import tiny
from hypothesis import given
from hypothesis import strategies as st

from regis.candidates.candidate_list import LETTER_MATCH_PROBABILITY, CandidateList
from regis.candidates.finder import group_past_clues
from regis.candidates.unlisted_prior import UnlistedPrior
from regis.index import Index
from regis.models.strings.phrase_model import PhraseModel
from regis.models.strings.string_model import StringModel

LIST = tiny.listed({"CAT": 0.5, "COT": 0.3, "DOG": 0.1})


def test_given_is_bayes():
    known = LIST.condition_on("C?T")
    gone = 0.1 * LETTER_MATCH_PROBABILITY**2
    assert [known.answer(i) for i in range(len(known))] == ["CAT", "COT"]
    assert np.exp(known.logp) == pytest.approx(np.array([0.5, 0.3]) / (0.8 + gone))
    assert known.missing == pytest.approx(gone / (0.8 + gone))


@given(st.text("?CADOTG", min_size=3, max_size=3), st.text("?CADOTG", min_size=3, max_size=3))
def test_letters_may_be_known_one_after_the_other(first: str, second: str):
    both = "".join(b if a == "?" else a for a, b in zip(first, second, strict=True))
    rest = "".join(b if a == "?" else "?" for a, b in zip(first, second, strict=True))
    step, whole = LIST.condition_on(first).condition_on(rest), LIST.condition_on(both)
    assert np.exp(step.logp).sum() + step.missing == pytest.approx(1)
    assert np.exp(step.logp) == pytest.approx(np.exp(whole.logp)) and step.missing == pytest.approx(whole.missing)


@given(
    st.lists(st.text("ABZ", min_size=5, max_size=5), min_size=1, max_size=30, unique=True),
    st.text("ABZ?9/", min_size=5, max_size=5),
)
def test_find_finds_what_is_there(words: list[str], other: str):
    some = tiny.listed(words, 0.0)
    assert [some.find_answer(word) for word in words] == list(range(len(words)))
    assert some.find_answer(other) == (words.index(other) if other in words else None)


def test_keep_takes_masks_and_places_and_keeps_evidence():
    told = CandidateList(LIST.letters, LIST.logp, 0.1, lambda i: (LIST.answer(i),))  # type: ignore[arg-type,return-value]
    assert told.keep_rows([2, 0])[0].evidence == ("DOG",)
    assert told.keep_rows(np.array([False, True, True])).keep_rows([1])[0].answer == "DOG"
    assert len(told.keep_rows([])) == 0 and len(told.keep_rows(np.zeros(3, bool))) == 0


@given(st.lists(st.tuples(st.integers(0, 5), st.floats(0, 1, width=32)), max_size=30), st.integers(0, 99))
def test_from_past_clues_keeps_the_best_of_each_answer_and_the_sum(scored: list[tuple[int, float]], seed: int):
    order = np.random.default_rng(seed).permutation(len(scored))
    part = Past(np.array([scored[i][0] for i in order], np.uint32))
    score = np.array([scored[i][1] for i in order], np.float32)
    found = group_past_clues("x", part, np.arange(len(scored)), score)  # type: ignore[arg-type]
    assert found.answer_rows.tolist() == sorted({answer for answer, _ in scored})
    for answer, best, total in zip(found.answer_rows.tolist(), found.best_score, found.total_score, strict=True):
        mine = score[part.clue_answer_rows == answer]
        assert best == mine.max() and total == pytest.approx(mine.sum(), rel=1e-5)
        (reason,) = found.explain(answer)
        clue = int(reason.text)
        assert part.clue_answer_rows[clue] == answer and score[clue] == best == reason.score
    assert found.explain(99) == (), "it speaks for what it found"


class Past:
    """Past clues whose texts are their rows."""

    def __init__(self, clue_answer: np.ndarray) -> None:
        self.clue_answer_rows = clue_answer
        self.clue_counts, self.clue_last_years = np.ones((2, len(clue_answer)), np.int64)
        self.clue_texts = [str(row) for row in range(len(clue_answer))]


PIECES = ("OTTER", "EAGLE", "HORSE", "ANT", "QQQ", "AN")
STRINGS = StringModel(tiny.letters(), PhraseModel(PIECES, np.full((3, len(PIECES)), 0.1)), {8: 0.9})


def chances(index: Index, clue: str, lean: float = 1.0) -> dict[str, float]:
    model = UnlistedPrior(index, STRINGS).models_for_clues([clue], lean)[0].phrase_model
    assert model is not None
    return dict(zip(PIECES, model.piece_probabilities[0].tolist(), strict=True))


def test_pieces_that_the_clue_means_are_likelier(strong_index: Index):
    for answer in ("OTTER", "EAGLE", "HORSE"):
        found = chances(strong_index, corpus.HINTS[answer])
        assert max(found, key=lambda piece: found[piece]) == answer
        assert found["QQQ"] == found["AN"], "nobody has met these"
        assert sum(found.values()) == pytest.approx(0.1 * len(PIECES))
