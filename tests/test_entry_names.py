"""What people write for patterns and entries."""

import pytest
import tiny

from regis.errors import PuzzleError, UsageError
from regis.puzzle.entry_names import names, pattern, slots


@pytest.mark.parametrize(
    ("word", "found"),
    [("P?I", "P?I"), ("p_i", "P?I"), ("a.b-", "A?B?"), ("5", "?????"), ("é t", "ET")],
)
def test_pattern(word, found):
    assert pattern(word) == found


@pytest.mark.parametrize(
    ("word", "found"),
    [
        ("17A", ("17A",)), ("17a, 23-down", ("17A", "23D")), ("4 Across", ("4A",)), ("03d,3D", ("3D",)),
    ],
)  # fmt: skip
def test_names(word, found):
    assert names(word) == found


@pytest.mark.parametrize("word", ["", "17", "A17", "17A,", "17AD", "0A", "٣A", "17A;23D", "99999A"])
def test_what_names_no_entry_is_refused(word):
    with pytest.raises(UsageError, match="17A,23D"):
        names(word)


def test_slots_come_in_clue_order_and_once():
    assert [str(slot) for slot in slots("4d,1A,4D", tiny.puzzle(), "a.puz")] == ["1A", "4D"]


def test_an_entry_that_is_not_there_is_told_with_those_that_are():
    with pytest.raises(PuzzleError, match=r"a\.puz has no entry 9A; those go from 1A to 7A"):
        slots("1A,9A", tiny.puzzle(), "a.puz")
    with pytest.raises(PuzzleError, match="none in that direction"):
        slots("1D", tiny.puzzle(("LACK",), {}), "a.puz")
