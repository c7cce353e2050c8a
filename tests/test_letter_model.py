"""The letter model compared with the slow, obvious version: every possible string, one by one."""

import itertools

import numpy as np
import pytest
import tiny
from hypothesis import given, settings
from hypothesis import strategies as st

from regis.models.strings import letter_model
from regis.models.strings.letter_model import EDGE_SYMBOL, LetterModel
from regis.puzzle import alphabet

USED = (0, 4, 25)
"""Letters of the small alphabet; all others have no evidence and so no weight."""


def random_model(seed: int) -> LetterModel:
    counts = np.random.default_rng(seed).exponential(size=(27, 27, 27)) ** 3
    return LetterModel.from_trigrams(counts)


def slow(model: LetterModel, evidence: np.ndarray) -> tuple[float, np.ndarray]:
    length = len(evidence)
    marginal = np.zeros((length, 26))
    for string in itertools.product(USED, repeat=length):
        path = (EDGE_SYMBOL, EDGE_SYMBOL, *string, EDGE_SYMBOL)
        p = np.prod([model.transitions[path[i : i + 3]] for i in range(length + 1)])
        p *= np.prod([evidence[i, letter] for i, letter in enumerate(string)])
        for i, letter in enumerate(string):
            marginal[i, letter] += p
    total = marginal[0].sum()
    return float(np.log(total)), marginal / total


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 5), st.floats(1e-6, 1e6))
def test_posterior_is_that_of_all_strings(seed: int, length: int, scale: float):
    model = random_model(seed)
    lot = np.random.default_rng(seed + 1)
    evidence = np.zeros((3, length, 26))
    evidence[:, :, USED] = lot.exponential(size=(3, length, len(USED))) * scale
    evidence[0, 0, USED[0]] = 0.0
    total, marginal = model.letter_posterior(evidence)
    for i in range(3):
        weight, expected = slow(model, evidence[i])
        assert total[i] == pytest.approx(weight, abs=1e-5)
        assert np.allclose(marginal[i], expected, atol=1e-10)


@given(st.integers(0, 10**6), st.lists(st.tuples(st.integers(0, 3), st.integers(1, 6)), max_size=5))
def test_strings_of_several_lengths_are_read_as_each_length_alone(seed: int, shapes: list[tuple[int, int]]):
    model, lot = random_model(seed), np.random.default_rng(seed + 1)
    several = [lot.exponential(size=(count, length, 26)) ** 5 for count, length in shapes]
    found = model.letter_posteriors(several)
    assert len(found) == len(several)
    for one, (total, marginal) in zip(several, found, strict=True):
        weight, expected = model.letter_posterior(one)
        assert marginal.shape == one.shape and np.allclose(marginal, expected, atol=1e-5)
        assert total == pytest.approx(weight, abs=1e-4)


@pytest.mark.slow
def test_all_strings_of_all_lengths_have_probability_one():
    model = LetterModel.from_trigrams(
        letter_model.count_trigrams(np.array([alphabet.letter_codes("ABC")]), np.ones(1)) * 1000
    )
    logs = [model.letter_posterior(np.ones((1, n, 26)))[0][0] for n in range(1, 300)]
    nothing = model.transitions[EDGE_SYMBOL, EDGE_SYMBOL, EDGE_SYMBOL]
    assert np.exp(logs).sum() + nothing == pytest.approx(1.0, abs=1e-3)


def test_long_strings_and_faint_evidence_stay_finite():
    total, marginal = tiny.letters().letter_posterior(np.full((2, 60, 26), 1e-300))
    assert np.isfinite(total).all() and np.allclose(marginal.sum(axis=2), 1)


@given(st.lists(st.text("ABYZ", min_size=3, max_size=3), min_size=1, max_size=8))
def test_trigram_counts_are_those_of_a_plain_loop(strings: list[str]):
    weight = np.arange(1.0, len(strings) + 1)
    plain = np.zeros((27, 27, 27))
    for string, w in zip(strings, weight, strict=True):
        path = [EDGE_SYMBOL, EDGE_SYMBOL, *alphabet.letter_codes(string), EDGE_SYMBOL]
        for i in range(len(path) - 2):
            plain[path[i], path[i + 1], path[i + 2]] += w
    assert np.array_equal(
        letter_model.count_trigrams(np.array([alphabet.letter_codes(s) for s in strings]), weight), plain
    )


@given(st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ", max_size=30))
def test_codes_and_back(string: str):
    assert alphabet.codes_to_word(alphabet.letter_codes(string)) == string


def test_every_row_of_a_model_sums_to_one():
    assert np.allclose(random_model(3).transitions.sum(axis=2), 1)
    assert np.allclose(tiny.letters().transitions.sum(axis=2), 1)
