"""What puts entries together before any is solved."""

import time
from dataclasses import replace

import pytest

from regis.puzzle import Direction, Grid, Puzzle
from regis.solving.marks import Marks, find_marks

GRID = Grid(("." * 9,) * 9)
ACROSS = [slot for slot in GRID.slots if slot.direction is Direction.ACROSS]


def puzzle(*clues: str) -> Puzzle:
    """A grid of 18 entries, the first across with these clues, the others with nothing in common."""
    others = {slot: f"{chr(97 + i) * 3} of one kind" for i, slot in enumerate(GRID.slots)}
    return Puzzle(GRID, {**others, **dict(zip(ACROSS, clues, strict=False))})


def names(groups: tuple[frozenset[object], ...]) -> list[list[str]]:
    return [sorted(map(str, group)) for group in groups]


FIRST = sorted(map(str, ACROSS[:3]))


def test_nothing_is_marked():
    assert find_marks(puzzle()) == Marks() == find_marks(Puzzle(Grid(()), {}))


def test_very_long_clues_take_little_time():
    start = time.process_time()
    assert find_marks(puzzle(*(f"Red{' ' * 100_000}{i}" for i in range(3)))) == Marks()
    assert time.process_time() - start < 2


def test_stars_and_clues_that_name_several():
    assert find_marks(puzzle("*Red", "*Green")).explicit_groups == ()
    for clues in (("*Red", "*Green", "*Blue"), ("Red*", "Green*", "Blue*"), ("\u2605Red", "Green (*)", "(*) Blue")):
        assert names(find_marks(puzzle(*clues)).explicit_groups) == [FIRST]
    assert find_marks(puzzle("*Red* hue", "*Green* hue", "**Blue** hue")).explicit_groups == (), "italics"
    assert find_marks(puzzle("Red", "Green", "With 1-Across, a colour")).explicit_groups == ()
    assert names(find_marks(puzzle("Red", "Green", "What 1- and 10-Across are")).explicit_groups) == [FIRST]


@pytest.mark.parametrize("kind", ["circles", "shaded"])
def test_circles_and_shades(kind: str):
    cells = frozenset(cell for i, slot in enumerate(ACROSS[:3]) for cell in slot.cells[i::4][:2])
    assert names(find_marks(replace(puzzle(), **{kind: cells})).explicit_groups) == [FIRST]
    assert find_marks(replace(puzzle(), **{kind: frozenset(GRID.cells)})) == Marks(), "a picture marks nothing"
    one_each = frozenset(slot.cells[i] for i, slot in enumerate(ACROSS))
    assert find_marks(replace(puzzle(), **{kind: one_each})) == Marks()


@pytest.mark.parametrize(
    "clues",
    [
        ("Swedish car", "Swedish band", "Swedish king"),
        ("Big hit [1950]", "Small hit [1960]", "No hit [1970]"),
        ("Big hit?", "Small hit?", '"No hit?"'),
        ("Givin' up", "Sittin' up", "Up and runnin'"),
    ],
    ids=["begin alike", "brackets", "question marks", "no g"],
)
def test_clues_that_are_written_alike(clues: tuple[str, ...]):
    assert names(find_marks(puzzle(*clues)).similar_groups) == [FIRST]
    assert find_marks(puzzle(*clues[:2])) == Marks()


def test_the_groups_of_circles_and_of_shades_are_two():
    cells = [frozenset(slot.cells[i : i + 1] + slot.cells[i + 4 : i + 5]) for i, slot in enumerate(ACROSS[:5])]
    two = replace(puzzle(), circles=cells[0] | cells[1], shaded=cells[2] | cells[3] | cells[4])
    assert names(find_marks(two).explicit_groups) == [sorted(map(str, ACROSS[2:5]))]


def test_notes_on_the_length_say_nothing():
    assert find_marks(puzzle("Big hit (2 wds.)", "Small hit (2 wds.)", "No hit (2 wds.)")) == Marks()


def test_all_clues_with_a_star_are_as_good_as_none():
    clues = {slot: f"*{chr(97 + i) * 3}" for i, slot in enumerate(GRID.slots)}
    assert find_marks(Puzzle(GRID, clues)) == Marks()


def test_what_many_clues_have_says_nothing():
    assert find_marks(puzzle("Hit?", "Hat?", "Hot?", "Hut?")).similar_groups == ()
