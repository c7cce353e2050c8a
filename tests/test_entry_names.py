"""How people write patterns and entries."""

import dataclasses
from types import SimpleNamespace

import pytest
import tiny

from regis.errors import PuzzleError, UsageError
from regis.puzzle.entry_names import find_slots, parse_entry_names, parse_pattern


@pytest.mark.parametrize(
    ("word", "found"), [("P?I", "P?I"), ("p_i", "P?I"), ("a.b-", "A?B?"), ("5", "?????"), ("é t", "ET")]
)
def test_pattern(word, found):
    assert parse_pattern(word) == found


@pytest.mark.parametrize(
    ("word", "found"),
    [
        ("17A", ("17A",)), ("17a, 23-down", ("17A", "23D")), ("4 Across", ("4A",)), ("03d,3D", ("3D",)),
        ("A17", ("17A",)), ("a17,down 3", ("17A", "3D")), ("17A 23D", ("17A", "23D")), ("17 a 23 d", ("17A", "23D")),
        ("a 17 d-04\t5D", ("17A", "4D", "5D")),
    ],
)  # fmt: skip
def test_names(word, found):
    assert parse_entry_names(word) == found


@pytest.mark.parametrize(
    "word", ["", "17", "A", "17A,", ",17A", "17AD", "0A", "٣A", "17A;23D", "99999A", "17 A 23", "A17D", "17A23D"]
)
def test_what_names_no_entry_is_refused(word):
    with pytest.raises(UsageError, match="isn't an entry; write "):
        parse_entry_names(word)


@pytest.mark.parametrize("ask", [parse_entry_names, parse_pattern])
def test_what_is_very_long_is_not_repeated_whole(ask):
    with pytest.raises(UsageError) as raised:
        ask("17X\n" * 1000)
    assert len(str(raised.value)) < 200


def test_slots_come_in_the_order_asked_and_once():
    assert [str(slot) for slot in find_slots("4d,1A,4D", tiny.puzzle(), "a.puz")] == ["4D", "1A"]


@pytest.mark.parametrize(
    ("rows", "name", "said"),
    [
        (tiny.ROWS, "9A", "the nearest is 7A"), (tiny.ROWS, "2A", "2 goes down only"),
        (tiny.ROWS, "7D", "7 goes across only"), (("LACK",), "9D", "it has nothing down"),
        (("AB#CD#EF",), "4A", "the nearest is 3A"),
    ],
)  # fmt: skip
def test_a_missing_entry_is_reported_with_the_others(rows, name, said):
    with pytest.raises(PuzzleError) as caught:
        find_slots(f"1A,{name}", tiny.puzzle(rows, {}), "a.puz")
    assert str(caught.value) == f"a.puz has no entry {name}; {said}"


def test_if_numbers_are_left_out_their_neighbors_are_named():
    of = tiny.puzzle(("AB#CD#EF",), {})
    first, *_, last = of.grid.slots
    grid = SimpleNamespace(slots=(first, dataclasses.replace(last, number=40)))
    with pytest.raises(PuzzleError, match="no entry 17A; the nearest are 1A and 40A"):
        find_slots("17A", SimpleNamespace(grid=grid), "a.puz")
