"""The letter and string models are probabilities that sum to 1; every possible string, one by one, gives the same."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regis.models.strings import letter_model
from regis.models.strings.letter_model import EDGE_SYMBOL, LetterModel
from regis.models.strings.phrase_model import PhraseModel
from regis.models.strings.string_model import ShortStrings, StringModel
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


LETTERS = LetterModel.from_trigrams(
    letter_model.count_trigrams(
        np.array([alphabet.letter_codes("STARE"), alphabet.letter_codes("TREES")]), np.full(2, 9.0)
    )
)
CHANCES = [[0.4, 0.3, 0.2, 0.1], [0.1, 0.1, 0.1, 0.1], [0.1, 0.2, 0.3, 0.4]]
PHRASES = PhraseModel(("S", "T", "RE", "E"), np.array(CHANCES))
SHARE = 0.7
MIXED = StringModel(LETTERS, PHRASES, {2: SHARE, 3: SHARE})
KNOWN = {2: ["ST", "RE"], 3: ["TEE", "REE"], 4: ["TREE", "STAR"]}
SHORT = StringModel(
    LETTERS, short_strings=ShortStrings(LETTERS, lambda n: alphabet.letter_codes("".join(KNOWN[n])).reshape(-1, n))
)


def asked(model: StringModel, evidence: np.ndarray) -> tuple[float, np.ndarray]:
    """Return the result of `model` for one slot's evidence, in the way that fillers use it."""
    weight, marginal = model.letter_posterior(evidence[None])
    return model.mix_phrases(evidence, float(weight[0]), marginal[0])


def chance(model: StringModel, string: str) -> float:
    seen = np.zeros((len(string), 26))
    seen[np.arange(len(string)), alphabet.letter_codes(string)] = 1
    return float(np.exp(asked(model, seen)[0]))


PAIRS = ["".join(pair) for pair in itertools.product(alphabet.ALPHABET, repeat=2)]


@pytest.mark.parametrize(
    "model", [StringModel(LETTERS), MIXED, MIXED.reweight_pieces(np.array([1.0, 5.0, 0.1, 2.0])), SHORT]
)
def test_all_strings_of_a_length_add_up_to_one(model: StringModel):
    assert sum(chance(model, pair) for pair in PAIRS) == pytest.approx(1)
    assert asked(model, np.ones((3, 26)))[0] == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("model", [MIXED, SHORT])
def test_marginals_are_those_of_the_strings(model: StringModel):
    evidence = np.random.default_rng(1).uniform(0.1, 1, (2, 26))
    total, marginal = 0.0, np.zeros((2, 26))
    for pair in PAIRS:
        one, other = alphabet.letter_codes(pair)
        p = chance(model, pair) * evidence[0, one] * evidence[1, other]
        total += p
        marginal[0, one] += p
        marginal[1, other] += p
    weight, found = asked(model, evidence)
    assert weight == pytest.approx(np.log(total)) and found == pytest.approx(marginal / total, rel=1e-5)


def test_the_mixture_is_that_of_its_parts():
    spelt = chance(StringModel(LETTERS), "TRE")
    made = np.exp(PHRASES.letter_posterior(np.eye(26)[alphabet.letter_codes("TRE")])[0] - PHRASES.log_normalizer(3))
    assert made > 0 and chance(MIXED, "TRE") == pytest.approx(SHARE * made + (1 - SHARE) * spelt)
    assert chance(MIXED, "XQZ") == pytest.approx((1 - SHARE) * chance(StringModel(LETTERS), "XQZ"))


@pytest.mark.parametrize(
    "model",
    [
        StringModel(LETTERS),
        StringModel(LETTERS, PHRASES),
        StringModel(LETTERS, PHRASES, {3: 0.0, 4: 0.9}),
        StringModel(LETTERS, PhraseModel(("STAR",), np.ones((3, 1))), {3: 0.9}),
    ],
    ids=["no phrases", "no shares", "no share at this length", "no phrase of this length"],
)
def test_without_phrases_there_are_letters(model: StringModel):
    evidence = np.random.default_rng(2).uniform(0, 1, (3, 26))
    weight, marginal = model.letter_posterior(evidence[None])
    found = model.mix_phrases(evidence, float(weight[0]), marginal[0])
    assert found[0] == weight[0] and np.array_equal(found[1], marginal[0])


@pytest.mark.parametrize("model", [MIXED, SHORT])
def test_several_slots_are_each_as_alone(model: StringModel):
    several = [np.random.default_rng(length).uniform(0, 1, (4, length, 26)) for length in (5, 3, 4, 2)]
    for evidence, (weights, marginals) in zip(several, model.letter_posteriors(several), strict=True):
        for i in range(4):
            weight, marginal = model.letter_posterior(evidence[i : i + 1])
            assert weight[0] == pytest.approx(weights[i], rel=1e-5)
            assert marginal[0] == pytest.approx(marginals[i], rel=1e-4)
