"""Clues of a printed page, from its lines."""

from dataclasses import replace

import pytest

from regis.puzzle import Direction
from regis.puzzle.formats.paper import column_order
from regis.puzzle.formats.paper.clue_reading import read_clues
from regis.puzzle.formats.paper.column_order import read_in_order
from regis.puzzle.formats.paper.text_lines import TextLine

KEYS = [(number, Direction.ACROSS) for number in (1, 5, 9)] + [(number, Direction.DOWN) for number in (1, 2, 3)]


def line(text: str, left: float, baseline: float, page_number: int = 1, probability: float = 1.0) -> TextLine:
    """Return a line, 8 points high."""
    right = left + 4 * len(text)
    return TextLine(page_number, 0, left, baseline - 6, right, baseline, 8.0, ((text, False),), False, 0.0, probability)


def clue_texts(lines: list[TextLine]) -> list[str]:
    """Read the clues of the lines, with others below them."""
    last = lines[-1]
    downs = [line(f"{n} Some clue", last.left, last.baseline + 8 * n, last.page_number) for n in (1, 2, 3)]
    clues = read_clues([*lines, *downs], KEYS).clues
    return [clues[key].text for key in KEYS[:3] if key in clues]


def test_a_clue_goes_on_over_lines_of_the_next_page():
    lines = [
        line("1 First", 300, 100), line("5 Second", 300, 108), line("9 Bread that an", 300, 116),
        line("aunt of hers might", 50, 40, 2), line("have made", 50, 48, 2),
    ]  # fmt: skip
    assert clue_texts(lines) == ["First", "Second", "Bread that an aunt of hers might have made"]


@pytest.mark.parametrize(("probability", "end"), [(0.9, "Bread that an aunt"), (1.0, "Bread that")])
def test_each_picture_has_a_scale_of_its_own(probability: float, end: str):
    lines = [line("1 First", 300, 100), line("5 Second", 300, 108), line("9 Bread that", 300, 116)]
    lines.append(replace(line("an aunt", 50, 40, 2, probability), height=10.0))
    assert clue_texts(lines) == ["First", "Second", end]


@pytest.mark.parametrize(("end", "is_clue"), [("Friday", False), ("friday", True)])
@pytest.mark.parametrize("probability", [0.9, 1.0], ids=["picture", "text"])
def test_a_clue_goes_on_behind_the_foot_of_a_column(end: str, is_clue: bool, probability: float):
    """What stands apart below it is no clue's. What the next begins with is, in a picture, whose columns are known."""
    lines = [
        line("1 First", 50, 100), line("5 Man", 50, 108), line("See page 12", 50, 150),
        line(end, 150, 40, probability=probability), line("9 Third", 150, 48),
    ]  # fmt: skip
    assert clue_texts(lines) == ["First", f"Man {end}" if is_clue or probability < 1 else "Man", "Third"]


@pytest.mark.parametrize(
    ("top", "foot", "clue"), [(84, "", "Third of them"), (30, "", "Third"), (84, "See 12", "Third of them")]
)
def test_the_last_clue_goes_on_where_the_next_column_begins_as_high(top: int, foot: str, clue: str):
    """What is elsewhere is another text."""
    lines = [line("ACROSS", 50, 84), line("1 First", 50, 92), line("DOWN", 50, 100), line("3 Third", 50, 108)]
    lines += [line(foot, 50, 150)] if foot else []
    reading = read_clues([*lines, line("of them", 150, top)], [KEYS[0], KEYS[-1]])
    assert [found.text for found in reading.clues.values()] == ["First", clue]


def test_a_stretched_line_in_pieces_goes_on_below_its_first():
    lines = [line("1 First", 50, 100), line("5 Where", 50, 108), line("the", 120, 108), line("drive begins", 50, 116)]
    assert clue_texts([*lines, line("9 Third", 50, 124)]) == ["First", "Where the drive begins", "Third"]


def test_lines_that_go_on_stand_no_further_left():
    lines = [line("1 First", 50, 100), line("5 Second", 50, 108), line("of", 44, 116), line("page", 38, 124)]
    assert clue_texts([*lines, line("9 Third", 50, 132)]) == ["First", "Second of", "Third"]


@pytest.mark.parametrize(
    ("read", "meant"),
    [
        ("'Tree\" of old", '"Tree" of old'), ("\"Tree' of old", '"Tree" of old'),
        ("'Tis \"so\" here", "'Tis \"so\" here"), ("'Tis the dogs' day", "'Tis the dogs' day"),
        ("\"Tree\" of 'Old\"", '"Tree" of "Old"'), ("6\" in the '90s", "6\" in the '90s"),
        ("\"Tree of the '90s", "\"Tree of the '90s"),
    ],
)  # fmt: skip
def test_half_a_quotation_mark_is_one_where_it_lacks(read: str, meant: str):
    """A file's apostrophes are apostrophes; in a picture a letter may touch the other half."""
    for probability, due in ((0.9, meant), (1.0, read)):
        lines = [
            line(f"1 {read}", 50, 100, probability=probability),
            line("5 Second", 50, 108),
            line("9 Third", 50, 116),
        ]
        assert clue_texts(lines)[0] == due


# columns

ORDERED_KEYS = [(number, direction) for direction in Direction for number in range(1, 13)]


def columns() -> list[list[TextLine]]:
    """Four columns of six clues, the third below the second."""
    places = [(50, 100), (150, 100), (150, 190), (250, 100)]
    return [
        [line(f"{6 * (i % 2) + k + 1} Clue {i}", left, top + 12 * k) for k in range(6)]
        for i, (left, top) in enumerate(places)
    ]


def headed(*ordered: list[TextLine]) -> list[TextLine]:
    heads = {"Clue 0": line("ACROSS", 50, 88), "Clue 2": line("DOWN", 150, 178)}
    return [x for part in ordered for x in ([heads[part[0].text[2:]]] if part[0].text[2:] in heads else []) + part]


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (0, 2, 1, 3), (0, 3, 1, 2), (0, 1, 3, 2)])
def test_columns_stand_in_the_order_in_which_clues_are_found(order: tuple[int, ...]):
    reading = read_in_order(headed(*(columns()[i] for i in order)), ORDERED_KEYS)
    found = [reading.clues[key].text for key in ORDERED_KEYS if key in reading.clues]
    assert found == [f"Clue {i // 6}" for i in range(24)]


@pytest.mark.parametrize(("n_behind", "others"), [(0, range(7)), (2, range(5, 9))])
def test_what_is_no_list_of_these_clues_fills_no_gap(n_behind: int, others: range):
    """Neither with a few of its lines, nor in place of what was found: 7 and 8 stand behind 4, in one column."""
    one, two, three, four = columns()
    other = [line(f"{number} Other", 350, 90 + 10 * number) for number in others]
    moved = [line(x.text, 150, 238 + 12 * i) for i, x in enumerate(four[:n_behind])]
    lines = headed(one, two, three[:4] + moved, four[n_behind:])
    assert read_in_order([*lines, *other], ORDERED_KEYS).clues.keys() == read_clues(lines, ORDERED_KEYS).clues.keys()


def test_a_column_is_moved_for_two_clues_at_least_and_never_on_a_page_of_very_many(monkeypatch: pytest.MonkeyPatch):
    one, two, three, four = columns()
    swapped = headed(one, three, two, four)
    n_found = len(read_clues(swapped, ORDERED_KEYS).clues)
    assert n_found < 24
    assert len(read_in_order(headed(one, three, four, two[:2]), ORDERED_KEYS).clues) == 20
    assert len(read_in_order(headed(one, three, four, two[:1]), ORDERED_KEYS).clues) == 18
    for limit in ("MAX_LINES", "MAX_COLUMNS"):
        with monkeypatch.context() as patch:
            patch.setattr(column_order, limit, 3)
            assert len(read_in_order(swapped, ORDERED_KEYS).clues) == n_found
