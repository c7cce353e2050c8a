"""The geometry of grids, drawn as text, and laws that hold for any grid."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regis.puzzle import Direction, Grid, Puzzle
from regis.text import MAX_CLUE_LENGTH

GRIDS = st.integers(1, 7).flatmap(
    lambda width: st.lists(st.text(".#", min_size=width, max_size=width), min_size=1, max_size=7)
)


@pytest.mark.parametrize(
    ("rows", "slots"),
    [("... ... ...", "1A:3 1D:3 2D:3 3D:3 4A:3 5A:3"), (".#. ... .#.", "1D:3 2D:3 3A:3"),
     (".... #.#.", "1A:4 2D:2 3D:2"), *((rows, "") for rows in ("", ".", "#", "## ##", ".# #."))],
)  # fmt: skip
def test_slots_are_numbered_row_by_row_and_have_two_cells_or_more(rows: str, slots: str):
    grid = Grid(tuple(rows.split()))
    assert " ".join(f"{slot}:{len(slot)}" for slot in grid.slots) == slots
    assert len(grid.cells) == rows.count(".")


def test_pattern_takes_letters_before_given_and_a_rebus_as_unknown():
    grid = Grid(("....",))
    slot = grid.slots[0]
    puzzle = Puzzle(grid, {}, given={(0, 0): "A", (0, 1): "B", (0, 2): "HEART"})
    assert puzzle.pattern(slot) == "AB??"
    assert puzzle.pattern(slot, {(0, 1): "X", (0, 3): "Y"}) == "AX?Y"


@given(GRIDS)
def test_every_grid_obeys(rows: list[str]):
    grid = Grid(tuple(rows))
    white = set(grid.cells)
    assert len(white) == sum(row.count(".") for row in rows)
    for slot in grid.slots:
        (r, c), (r2, c2) = slot.cells[0], slot.cells[-1]
        down, right = (0, 1) if slot.direction is Direction.ACROSS else (1, 0)
        assert len(slot) >= 2 and white.issuperset(slot.cells)
        assert slot.cells == tuple((r + i * down, c + i * right) for i in range(len(slot)))
        assert (r - down, c - right) not in white and (r2 + down, c2 + right) not in white, (
            "a slot is as long as can be"
        )
    for direction in Direction:
        covered = [cell for slot in grid.slots if slot.direction is direction for cell in slot.cells]
        assert len(covered) == len(set(covered))
    assert list(grid.slots) == sorted(grid.slots, key=lambda s: (s.number, s.direction))
    assert [grid.cell_numbers[cell] for cell in sorted(grid.cell_numbers)] == list(range(1, len(grid.cell_numbers) + 1))
    in_slots = {cell for slot in grid.slots for cell in slot.cells}
    assert all(
        (r + dr, c + dc) not in white for r, c in white - in_slots for dr, dc in ((0, 1), (1, 0), (0, -1), (-1, 0))
    )


@given(GRIDS)
def test_crossings_are_mutual(rows: list[str]):
    grid = Grid(tuple(rows))
    for slot in grid.slots:
        for i, crossing in enumerate(grid.crossings[slot]):
            others = [s for s in grid.slots if s != slot and slot.cells[i] in s.cells]
            assert others == ([] if crossing is None else [crossing.slot])
            if crossing is not None:
                assert crossing.slot.cells[crossing.position] == slot.cells[i]
                back = grid.crossings[crossing.slot][crossing.position]
                assert back is not None and back.slot == slot


@pytest.mark.parametrize(
    ("clue", "says"),
    [
        ("Lions' home", True), ("", False), ("...?", False), ("___", True), ("." * MAX_CLUE_LENGTH + "x", False),
        ("x" + "." * MAX_CLUE_LENGTH, True),
    ],
)  # fmt: skip
def test_a_clue_says_something_if_what_is_read_of_it_does(clue: str, says: bool):
    grid = Grid(("....",))
    assert Puzzle(grid, {grid.slots[0]: clue}).has_clue(grid.slots[0]) is says
    assert not Puzzle(grid, {}).has_clue(grid.slots[0])
