"""The plan of moves, the report of their assumptions, and whether clues mean anything: crossing lists agree,
unless the clues are shuffled."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
import tiny

from regis.candidates.candidate_list import CandidateList
from regis.puzzle import Puzzle, Slot
from regis.puzzle.alphabet import ALPHABET
from regis.render.json import render
from regis.solving import belief, moves
from regis.solving.filler import ReaderScore
from regis.solving.moves import (
    MIN_AGREEMENT,
    PLAN,
    measure_agreement,
    plan_without,
    read_doubtful_entries,
    reader_pass,
    tell_nonsense,
)
from regis.solving.moves.reader_pass import ReaderPassSettings
from regis.solving.pipeline import Method, solve_from_lists
from regis.solving.state import Assumption, State
from regis.system.progress import FOREVER
from regis.system.terminal import Screen

PUZZLE: Puzzle = tiny.puzzle()
INPUTS = tiny.candidates({s: tiny.listed(["".join(tiny.cells()[c] for c in s.cells)]) for s in PUZZLE.grid.slots})


def test_an_ablation_is_the_plan_less_a_row():
    assert [*plan_without("reader pass")] == [name for name in PLAN if name != "reader pass"]


def test_what_a_move_assumes_is_in_json():
    def assume(state: State, *_: object) -> State:
        return replace(state, assumptions=(Assumption("guess", 16.0, 44.0),))

    solved = solve_from_lists(PUZZLE, INPUTS, Method(plan={"guess": assume}))
    assert '"assumptions": [{"move": "guess", "price": 16.0, "gain": 44.0}]' in render(solved, "x.puz", Screen())
    assert '"assumptions": []' in render(solve_from_lists(PUZZLE, INPUTS), "x.puz", Screen())


SIDE = 10
IN_DOUBT = ReaderPassSettings(sure_letter_p=1.1)

Lists = Mapping[Slot, CandidateList]


def square(kind: str) -> tuple[Puzzle, Lists]:
    """Make a square of random letters; lists have the right answers, and other strings."""
    lot = random.Random(3)
    rows = ["".join(lot.choices(ALPHABET, k=SIDE)) for _ in range(SIDE)]
    names = [f"{number}{direction}" for number in range(1, 2 * SIDE) for direction in "AD"]
    puzzle = tiny.puzzle(rows, {} if kind == "no clues" else {name: f"Clue of {name}" for name in names})
    answers = {slot: "".join(rows[row][column] for row, column in slot.cells) for slot in puzzle.grid.slots}
    if kind == "dealt out":
        answers = dict(zip(answers, lot.sample([*answers.values()], len(answers)), strict=True))
    others = {slot: {"".join(lot.choices(ALPHABET, k=SIDE)): 0.1 for _ in range(4)} for slot in answers}
    return puzzle, {slot: tiny.listed({word: 0.5, **others[slot]}) for slot, word in answers.items()}


def read_evenly(strings: Mapping[Slot, Sequence[str]]) -> Mapping[Slot, Sequence[ReaderScore]]:
    """Score all strings alike."""
    return {slot: [ReaderScore(0.0, word, 0.0) for word in words] for slot, words in strings.items()}


@pytest.mark.parametrize(("kind", "agrees"), [("true", True), ("dealt out", False), ("no clues", True)])
def test_lists_agree_where_clues_mean_something(kind: str, agrees: bool):
    assert (measure_agreement(*square(kind)) > MIN_AGREEMENT) is agrees


@pytest.mark.parametrize(("min_crossings", "agreement"), [(101, float("inf")), (100, -0.07)])
def test_few_crossings_tell_nothing(min_crossings: int, agreement: float, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(moves, "MIN_CROSSINGS", min_crossings)
    assert measure_agreement(*square("dealt out")) == pytest.approx(agreement, abs=0.01)


@pytest.mark.parametrize("kind", ["true", "dealt out", "no clues"])
def test_only_collapsed_grids_whose_clues_mean_nothing_are_left_unread(kind: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(reader_pass, "READER_PASS", IN_DOUBT)
    puzzle, lists = square(kind)
    inputs = tiny.knowing(tiny.candidates(lists), score_strings=read_evenly)
    fill = belief.fill(puzzle, inputs, FOREVER)
    state = State(puzzle, inputs, inputs, fill)
    told = tell_nonsense(state, belief.fill, FOREVER)
    assert told.is_senseless is (kind == "dealt out")
    assert (read_doubtful_entries(told, belief.fill, FOREVER).inputs is inputs) is (kind != "true")
    assert not tell_nonsense(state, belief.fill, 0.0).is_senseless
    monkeypatch.setattr(reader_pass, "READER_PASS", replace(IN_DOUBT, collapsed_share=1.0))
    assert not tell_nonsense(state, belief.fill, FOREVER).is_senseless
