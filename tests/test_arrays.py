"""Arrays: sorted search, the largest few, and sums of log probabilities, each compared with a slow, obvious way."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regis.models import arrays
from regis.models.arrays import ROUNDING_MARGIN, first_largest, stable_descending_order, stable_top_k, top_k_indices


@given(st.sets(st.integers(0, 20)), st.lists(st.integers(-2, 22)))
def test_a_sorted_search_finds_what_a_linear_one_finds(known: set[int], wanted: list[int]):
    column = sorted(known)
    places, there = arrays.find_sorted(np.array(column, np.uint64), np.array([max(w, 0) for w in wanted], np.uint64))
    assert there.tolist() == [max(w, 0) in known for w in wanted]
    for value, place, found in zip(wanted, places.tolist(), there.tolist(), strict=True):
        assert (column[place] == max(value, 0)) if found else 0 <= place < max(len(column), 1)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3))))
def test_equal_rows_begin_where_the_first_of_them_stands(rows: list[tuple[int, int]]):
    rows = sorted(rows)
    columns = np.array(rows, np.uint8).reshape(-1, 2).T
    assert arrays.run_starts(*columns).tolist() == [i for i, row in enumerate(rows) if row not in rows[:i]]
    assert arrays.unique_sorted(columns[1]).tolist() == sorted({last for _, last in rows})


@given(st.lists(st.integers(0, 5)), st.lists(st.integers(0, 5)))
def test_every_place_of_each(known: list[int], wanted: list[int]):
    known = sorted(known)
    which, place = arrays.all_matches(np.array(known, np.int64), np.array(wanted, np.int64))
    found = [(i, k) for i, value in enumerate(wanted) for k, other in enumerate(known) if other == value]
    assert list(zip(which.tolist(), place.tolist(), strict=True)) == found


VALUES = st.lists(st.sampled_from([-np.inf, -2.0, -1.0, 0.0, 3.0]), max_size=30)


@given(VALUES, st.integers(1, 40))
def test_top_k_has_the_values_with_fewest_above_them(values: list[float], count: int):
    expected = [i for i, value in enumerate(values) if sum(other > value for other in values) < count]
    assert top_k_indices(np.array(values), count).tolist() == expected
    first = sorted(np.argsort(-np.array(values), kind="stable")[:count].tolist())
    assert top_k_indices(np.array(values), count, keep_ties=False).tolist() == first


@pytest.mark.parametrize("keep_ties", [True, False])
@pytest.mark.parametrize("size", [1, 40, 1547])
def test_of_many_the_same_are_found_as_of_few(size: int, keep_ties: bool):
    for values in (np.random.default_rng(5).normal(size=size), np.arange(size) * 1.0, -np.arange(size) * 1.0):
        expected = sorted(np.argsort(-values)[:20].tolist())
        assert top_k_indices(values, 20, keep_ties=keep_ties).tolist() == expected


@pytest.mark.parametrize("spread", [0.0, 0.01, 1.0, 500.0])
def test_descending_order_is_a_stable_sort_of_values_that_differ(spread: float):
    values = np.round(np.random.default_rng(3).normal(size=5000) * spread, 4)
    expected = np.argsort(-values, kind="stable")
    assert (stable_descending_order(values) == expected).all()
    for limit in (1, 2000, 10_000):
        assert (stable_top_k(values, limit) == expected[:limit]).all()


@given(VALUES.filter(len), st.integers(0, 2**32 - 1))
def test_rounding_does_not_decide_which_is_the_largest(values: list[float], seed: int):
    exact = np.maximum(values, -9.0)
    noise = np.random.default_rng(seed).uniform(-ROUNDING_MARGIN, ROUNDING_MARGIN, len(values)) / 3
    assert first_largest(exact + noise) == exact.argmax()


@pytest.mark.parametrize("shape", [(0,), (1,), (1000,), (3, 26)])
def test_logs_come_to_what_numpy_adds_one_by_one(shape: tuple[int, ...]):
    logs = np.random.default_rng(1).normal(-800, 30, shape)  # their exponentials underflow
    assert arrays.logsumexp(logs)[..., 0] == pytest.approx(np.logaddexp.reduce(logs, axis=-1), abs=1e-9)
    assert arrays.logsumexp(np.full(3, -np.inf)) == -np.inf
