"""The largest few: what a full sort finds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regis.models.arrays import (
    ROUNDING_MARGIN,
    first_largest,
    stable_descending_order,
    stable_top_k,
    top_k_indices,
)

VALUES = st.lists(st.sampled_from([-np.inf, -2.0, -1.0, 0.0, 3.0]), max_size=30)


@given(VALUES, st.integers(1, 40))
def test_the_largest_are_those_that_no_more_are_above(values: list[float], count: int) -> None:
    expected = [i for i, value in enumerate(values) if sum(other > value for other in values) < count]
    assert top_k_indices(np.array(values), count).tolist() == expected


@given(VALUES, st.integers(1, 40))
def test_without_ties_they_are_the_first_of_a_stable_sort(values: list[float], count: int) -> None:
    expected = sorted(np.argsort(-np.array(values), kind="stable")[:count].tolist())
    assert top_k_indices(np.array(values), count, keep_ties=False).tolist() == expected


@pytest.mark.parametrize("keep_ties", [True, False])
@pytest.mark.parametrize("size", [1, 20, 40, 100, 1547])
def test_of_many_the_same_are_found_as_of_few(size: int, keep_ties: bool) -> None:
    for values in (np.random.default_rng(5).normal(size=size), np.arange(size) * 1.0, -np.arange(size) * 1.0):
        expected = sorted(np.argsort(-values)[:20].tolist())
        assert top_k_indices(values, 20, keep_ties=keep_ties).tolist() == expected


@pytest.mark.parametrize("spread", [0.0, 0.01, 1.0, 4.0, 500.0])
def test_descending_is_a_stable_sort_of_what_differs_by_more_than_nothing(spread: float):
    values = np.round(np.random.default_rng(3).normal(size=5000) * spread, 4)
    assert (stable_descending_order(values) == np.argsort(-values, kind="stable")).all()


@pytest.mark.parametrize("spread", [0.0, 0.01, 1.0, 500.0])
@pytest.mark.parametrize("limit", [1, 100, 2000, 10_000])
def test_the_largest_are_the_first_of_all_in_order(spread: float, limit: int):
    values = np.round(np.random.default_rng(3).normal(size=5000) * spread, 4)
    assert (stable_top_k(values, limit) == np.argsort(-values, kind="stable")[:limit]).all()


def test_what_hardly_differs_is_hardly_out_of_order():
    values = np.random.default_rng(3).normal(size=5000)
    ordered = values[stable_descending_order(values)]
    assert sorted(stable_descending_order(values)) == list(range(5000)) and (np.diff(ordered) < 1e-8).all()


@given(VALUES.filter(len), st.integers(0, 2**32 - 1))
def test_rounding_does_not_decide_which_is_the_largest(values: list[float], seed: int) -> None:
    exact = np.maximum(values, -9.0)
    noise = np.random.default_rng(seed).uniform(-ROUNDING_MARGIN, ROUNDING_MARGIN, len(values)) / 3
    assert first_largest(exact + noise) == exact.argmax()
