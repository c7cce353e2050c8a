"""Features: build and queries use one function, so a clue's features can't depend on other clues."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from regis import text
from regis.models.text import clue_features
from regis.models.text.clue_features import PAIR, STEM, WORD

KEYS = st.lists(st.text("ab _", max_size=9).map(text.clue_key), max_size=6)


def of(key: str) -> set[tuple[int, int]]:
    found = clue_features.extract_features([key])
    return set(zip(found.codes.tolist(), found.kinds.tolist(), strict=True))


@given(KEYS)
def test_features_do_not_depend_on_the_company(keys: list[str]):
    found = clue_features.extract_features(keys)
    for i, key in enumerate(keys):
        mine = found.rows == i
        assert set(zip(found.codes[mine].tolist(), found.kinds[mine].tolist(), strict=True)) == of(key)


@given(st.text(max_size=30))
def test_count_of_features_is_that_of_words_stems_and_pairs(raw: str):
    key = text.clue_key(raw)
    said = [word for word in key.split() if word != text.BLANK_TOKEN]
    kinds = clue_features.extract_features([key]).kinds.tolist()
    assert kinds.count(WORD) == kinds.count(STEM) == len(said)
    assert kinds.count(PAIR) == max(len(key.split()) - 1, 0)


def test_words_stems_and_pairs_never_meet():
    codes = clue_features.extract_features(["run running runs run run"]).codes.tolist()
    assert len(set(codes)) == 3 + 1 + 4


def test_stems_meet_and_order_matters_in_pairs_only():
    partner, partners = of("partner"), of("partners")
    assert {kind for _, kind in partner & partners} == {STEM}
    one, other = of("hot dog"), of("dog hot")
    assert {kind for _, kind in one & other} == {WORD, STEM} and {kind for _, kind in one ^ other} == {PAIR}


def test_a_blank_counts_only_next_to_a_word():
    assert of("_") == set() and {kind for _, kind in of("_ beta")} == {WORD, STEM, PAIR}


def test_codes_are_the_same_on_every_machine_and_day():
    assert clue_features.extract_features(["oslo"]).codes.tolist() == [8079082606332175587, 17161480307866409206]


def test_rare_features_weigh_more_and_no_weight_is_negative():
    weight = clue_features.inverse_frequency(np.array([0, 1, 5, 101]), 100)
    assert (np.diff(weight) < 0).all() and weight[-1] == 0
