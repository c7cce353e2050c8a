"""Squares with two right letters: found only if all crossings allow them, and reported."""

import json
from collections.abc import Mapping
from dataclasses import replace

import pytest
import tiny

from regis.models.strings.string_model import StringModel
from regis.puzzle import Cell, Grid, Puzzle
from regis.render import RENDERERS
from regis.solving.explanation import explain
from regis.solving.filler import SolverInput
from regis.solving.hint import find_hint
from regis.solving.pipeline import solve_from_lists
from regis.solving.solved_puzzle import SolvedPuzzle
from regis.system.terminal import Screen

TWO = {
    "1A": {"CAT": 0.6, "DOG": 0.3}, "4A": {"UFO": 0.9}, "5A": {"BED": 0.9}, "1D": {"CUB": 0.6, "DUB": 0.3},
    "2D": {"AFE": 0.6, "OFE": 0.3}, "3D": {"TOD": 0.6, "GOD": 0.3},
}  # fmt: skip
"""Two answers to the first clue; every clue down has an answer with either letter."""


def solved(
    words: Mapping[str, Mapping[str, float]] = TWO,
    given: Mapping[Cell, str] | None = None,
    unclued: str = "",
    reveal: bool = False,
) -> SolvedPuzzle:
    grid = Grid(("...",) * 3)
    lists = {slot: tiny.listed(words[str(slot)], 0.05) for slot in grid.slots}
    among = SolverInput(lists, StringModel(tiny.letters()))
    clues = {slot: f"Clue of {slot}" for slot in grid.slots if str(slot) not in unclued}
    return solve_from_lists(Puzzle(grid, clues, given or {}), among, reveal=reveal)


def test_both_answers_are_found_and_either_letter_shown() -> None:
    one = solved()
    assert [(str(slot), first, other) for slot, first, other in one.two_answer_entries] == [("1A", "CAT", "DOG")]
    assert {cell: one.fill.cells[cell] for cell in ((0, 0), (0, 1), (0, 2), (1, 0))} == {
        (0, 0): "C/D", (0, 1): "A/O", (0, 2): "T/G", (1, 0): "U",
    }  # fmt: skip
    assert all(one.fill.confidence[cell] > 0.99 for cell in one.two_answer_entries[0].letter_pairs), "one of both it is"
    assert one.answers[0].answer == "CAT" and one.letter_fill is not None and one.letter_fill.cells[0, 0] == "C"


@pytest.mark.parametrize(
    "change",
    [
        {"2D": {"AFE": 0.9}},
        {"2D": {"AFE": 0.01, "OFE": 1e-4}},
        {"1A": {"CAT": 0.9, "DOG": 1e-4}, "1D": {"CUB": 0.9, "DUB": 1e-3}, "3D": {"TOD": 0.9, "GOD": 1e-3}},
        {"1A": {"CAT": 0.5, "COG": 0.4}},
    ],
    ids=["a crossing without", "a crossing too rare", "all too unlikely", "two squares"],
)
def test_a_second_answer_alone_is_none(change: dict[str, dict[str, float]]) -> None:
    assert solved({**TWO, **change}).two_answer_entries == ()


def test_what_the_person_wrote_is_right_and_without_a_clue_nothing_has_two_answers() -> None:
    assert solved(given={(0, 0): "C"}).two_answer_entries == ()
    assert not any(solved(unclued=name).two_answer_entries for name in ("1A", "2D"))


def test_it_is_told_and_explained() -> None:
    one = solved()
    text = " ".join(RENDERERS["text"](one, "x", Screen()).split())
    assert "Regis believes 1A has two answers, CAT and DOG. Either letter is right in their squares." in text
    found = json.loads(RENDERERS["json"](one, "x", Screen()))
    assert found["two_answers"] == {"1A": ["CAT", "DOG"]} and found["cells"][0] == ["C/D", "A/O", "T/G"]
    assert "has two answers" in RENDERERS["html"](one, "x", Screen())
    assert " CAT/DOG " in text and " C/DUB " in text and "CAT/DOG" in RENDERERS["html"](one, "x", Screen())
    entry = found["entries"][0]
    assert (entry["answer"], entry["alternatives"][0][0]) == ("CAT", "DOG")
    assert entry["confidence"] > one.letter_fill.confidence[0, 0], "one of both it is"  # type: ignore[union-attr]
    (explained,) = explain(one, one.puzzle.grid.slots[:1], 3)
    assert explained.answer.answer == explained.candidates[0].answer == "CAT"
    assert [square.letter for square in explained.squares] == ["C/D", "A/O", "T/G"]
    assert "two answers, CAT and DOG" in explained.why


def test_a_hint_names_both_and_an_entry_that_crosses_them_has_none_and_says_why() -> None:
    one = solved()
    letters = {cell: x for cell, x in one.fill.cells.items() if len(x) == 1}
    down = one.puzzle.grid.slots[1]
    begun = replace(one, puzzle=replace(one.puzzle, given=letters))
    hint = find_hint(begun)
    assert hint and hint.slot == one.two_answer_entries[0].slot and hint.answers == ("CAT", "DOG")
    assert hint.probability == one.answers[0].confidence
    assert str(down) == "1D" and find_hint(begun.restrict_to([down])) is None
    (found,) = explain(one, [down], 3)
    assert "two answers, CAT and DOG" in found.why
    text = " ".join(RENDERERS["text"](one.restrict_to([down]), "x", Screen()).split())
    assert "C/DUB" in text and "DOG" not in text and "either is right" in text
    assert "between two letters" not in RENDERERS["text"](one, "x", Screen())
