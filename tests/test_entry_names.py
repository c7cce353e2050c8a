"""How people write patterns and entries."""

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
