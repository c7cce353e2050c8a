"""Looking up in a sorted column: what a linear search finds."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from regis.models import arrays


@given(st.sets(st.integers(0, 20)), st.lists(st.integers(-2, 22)))
def test_it_is_what_a_linear_search_finds(known: set[int], wanted: list[int]):
    column = sorted(known)
    places, there = arrays.find_sorted(np.array(column, np.uint64), np.array([max(w, 0) for w in wanted], np.uint64))
    assert there.tolist() == [max(w, 0) in known for w in wanted]
    for value, place, found in zip(wanted, places.tolist(), there.tolist(), strict=True):
        assert (column[place] == max(value, 0)) if found else 0 <= place < max(len(column), 1)


def test_one_value_is_looked_up_alone():
    names = np.array([b"LION", b"OSLO"])
    assert [tuple(map(int, arrays.find_sorted(names, name))) for name in (b"LION", b"OSLO")] == [(0, 1), (1, 1)]
    assert not any(arrays.find_sorted(names, name)[1] for name in (b"AAAA", b"ZZZZ", b"LIOM", b"LIONS"))
    assert not arrays.find_sorted(names[:0], b"LION")[1]


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


def test_all_places_in_turn():
    which, place = arrays.expand_ranges(np.array([3, 5, 0]), np.array([5, 5, 3]))
    assert which.tolist() == [0, 0, 2, 2, 2] and place.tolist() == [3, 4, 0, 1, 2]
